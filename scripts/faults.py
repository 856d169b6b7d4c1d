#!/usr/bin/env python3
"""Kills and I/O errors at each call that changes a file: a result is there as a whole or resumes.
And damaged networks: refused with the file's name, or the answer is the same.

    scripts/faults.py [NTH] [COMMAND]...     every NTH call, of 750 networks each NTH [default: 1]

Needs strace. TAVOLA names the program, else target/release/tavola. Each command runs unbroken first,
then for each call of it three times: killed there, with a full disk there, with a failing one there.
Then it is run again, as its user would, and must end with the files of the unbroken run.
Exit code 1: another file, a panic, or an end by itself with a code other than 0, 1 and 2.
"""

import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

CALLS = "write,pwrite64,openat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,fsync,fdatasync,ftruncate"
ERRORS = ["ENOSPC", "EIO"]
NETWORKS = 750
ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("TAVOLA", ROOT / "target/release/tavola")).resolve()
MATCH = " 3 point match\n\n Game 1\n Ann : 0   Bob : 0\n  1) 31: 8/5 6/5   42: 8/4 6/4\n"

# Name, command, the command that goes on, and the files that must be the same.
COMMANDS = [
    ("convert", "convert match.mat out.sgf --force", None, ["out.sgf"]),
    (
        "duel",
        "duel random pip-count --games 40 --seed 3 --threads 1 --save pairs --quiet",
        "duel random pip-count --games 40 --seed 3 --threads 1 --resume pairs --quiet",
        ["pairs"],
    ),
    (
        "rollout",
        "rollout start --trials 36 --ply 0 --truncate 1 --no-tables --save saved --threads 1 --quiet",
        "rollout start --trials 36 --ply 0 --truncate 1 --no-tables --resume saved --threads 1 --quiet",
        ["saved"],
    ),
    ("dataset", "dataset generate tiny.toml --games 6 --games-per-shard 2 --out data --threads 1 --quiet", None, ["data"]),
    ("sample", "grade sample --games 30 --seed 1 --per-phase 2 --out drawn.jsonl --force --threads 1 --quiet", None, ["drawn.jsonl"]),
    (
        "grade",
        "grade rollout sample.jsonl --look 0 --play 0 --leaf 0 --top 2 --trials 36 --truncate 1 --out reference.jsonl --force --threads 1 --quiet",
        None,
        ["reference.jsonl"],
    ),
    ("bearoff", "bearoff generate --points 6 --checkers 3 --threads 1 --quiet", None, ["cache"]),
    ("train", "train tiny.toml --out run --threads 1 --quiet", "train tiny.toml --out run --resume --threads 1 --quiet", ["run/final.safetensors", "run/latest.safetensors", "run/checkpoints"]),
]


def content(folder, names):
    """The files of these names and folders, apart from what is still being written."""
    found = {}
    for name in names:
        path = folder / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not file.name.endswith((".unfinished", ".lock", ".json")):
                found[str(file.relative_to(folder))] = file.read_bytes()
    return found


def run(folder, command, inject=None):
    """The exit code, and what is printed."""
    line = [str(PROGRAM), *command.split()]
    if inject:
        line = ["strace", "-f", "-qq", "-o", "trace", "-e", f"trace={CALLS}", "-e", inject, *line]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def prepare(folder, sample):
    (folder / "match.mat").write_text(MATCH)
    (folder / "sample.jsonl").write_bytes(sample)
    shutil.copy(ROOT / "crates/fuzz/corpus/configuration/tiny.toml", folder)


def calls_of(folder, command):
    """Which calls change files: names, and their numbers in their thread, as strace counts."""
    line = ["strace", "-f", "-qq", "-o", "trace", "-e", f"trace={CALLS}", str(PROGRAM), *command.split()]
    subprocess.run(line, cwd=folder, capture_output=True, check=True, timeout=600)
    counts, calls = {}, set()
    for line in (folder / "trace").read_text(errors="replace").splitlines():
        if made := re.match(r"(\d+) +(\w+)\(", line):
            counts[made.groups()] = number = counts.get(made.groups(), 0) + 1
            if made[2] != "openat" or re.search("O_CREAT|O_WRONLY|O_RDWR", line):
                calls.add((made[2], number))
    return sorted(calls)


def check(name, command, resume, names, nth, sample, failures):
    with tempfile.TemporaryDirectory() as work:
        whole = pathlib.Path(work, "whole")
        whole.mkdir()
        prepare(whole, sample)
        calls = calls_of(whole, command)[::nth]
        expected = content(whole, names)
        assert expected, f"{name} leaves none of {names}"
        tried = {"kills": 0, "errors": 0}
        for call, at in calls:
            for fault in ["signal=KILL", *(f"error={error}" for error in ERRORS)]:
                folder = pathlib.Path(work, "broken")
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                prepare(folder, sample)
                inject = f"inject={call}:{fault}:when={at}"
                code, told = run(folder, command, inject)
                kills = fault.startswith("signal")
                tried["kills" if kills else "errors"] += 1
                place = f"{name}: {call} {at}, {fault}"
                if "panicked" in told or not (code in (0, 1, 2) or kills and code in (-9, 137)):
                    failures.append(f"{place}: code {code}, {told.strip()[-300:]}")
                for line in dict.fromkeys([resume or command, command]):
                    code, told = run(folder, line)
                    if content(folder, names) == expected:
                        break
                else:
                    other = {file for file, _ in content(folder, names).items() ^ expected.items()}
                    failures.append(f"{place}: another {sorted(other)}; code {code}, {told.strip()[-300:]}")
        print(f"{name}: {tried['kills']} kills, {tried['errors']} errors", flush=True)
    return tried


def damaged(content, rng):
    """Another bit or eight other bytes; cut off, taken out or repeated parts."""
    changed, at, length = bytearray(content), rng.randrange(len(content)), rng.randrange(1, 64)
    match rng.randrange(5):
        case 0:
            changed[at] ^= 1 << rng.randrange(8)
        case 1:
            changed[at : at + 8] = rng.randbytes(8)
        case 2:
            del changed[at:]
        case 3:
            del changed[at : at + length]
        case 4:
            changed[at:at] = changed[at : at + length]
    return bytes(changed)


def check_networks(nth, sample, failures):
    rng, question, tried = random.Random(1), "eval start --ply 0 --no-tables --model damaged.net", 0
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        prepare(folder, sample)
        run(folder, "train tiny.toml --out run --threads 1 --quiet")
        network = (folder / "run/final.safetensors").read_bytes()
        (folder / "damaged.net").write_bytes(network)
        answer = run(folder, question)
        assert answer[0] == 0, answer
        for _ in range(0, NETWORKS, nth):
            content = damaged(network, rng)
            (folder / "damaged.net").write_bytes(content)
            code, told = run(folder, question)
            tried += content != network
            if (code, told) != answer and (code != 2 or "damaged.net" not in told or "panicked" in told):
                failures.append(f"network {tried}: code {code}, {told.strip()[-300:]}")
    print(f"{tried} damaged networks")


def main():
    os.environ["TAVOLA_CACHE_DIR"] = "cache"
    nth = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    only = sys.argv[2:] or [name for name, *_ in COMMANDS]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        code, told = run(folder, "grade sample --games 30 --seed 1 --per-phase 2 --out sample.jsonl --threads 1")
        assert code == 0, told
        sample = pathlib.Path(folder, "sample.jsonl").read_bytes()
    tried = [check(*command, nth, sample, failures) for command in COMMANDS if command[0] in only]
    kills, errors = (sum(of[kind] for of in tried) for kind in ("kills", "errors"))
    print(f"{kills} kills, {errors} errors", flush=True)
    check_networks(nth, sample, failures)
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
