#!/usr/bin/env python3
"""Kills and I/O errors at each call that changes a file: a result is there as a whole or resumes.
Damaged networks: refused with the file's name, or the answer is the same; forged ones with a right
checksum: refused, or an answer in numbers. Damaged manifests: the run goes on to the same network. A
server that is killed in a game: nothing that it told is lost. Mutated lines of `batch`: an answer each.

    scripts/faults.py [NTH] [WHAT]...     every NTH of all calls and trials [default: 1]

WHAT is a command, or networks, forged, manifests, server, lines; default: all.

Needs strace. Each command runs unbroken first, then for each call of it three times: killed there, with
a full disk there, with a failing one there. Then it is run again, as its user would, and must end with
the files of the unbroken run.
Exit code 1: another file, a panic, or an end by itself with a code other than 0, 1 and 2.
"""

import hashlib
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

CALLS = "write,pwrite64,openat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,fsync,fdatasync,ftruncate"
ERRORS = ["ENOSPC", "EIO"]
NETWORKS, FORGED, MANIFESTS, SERVER_KILLS, LINES = 750, 500, 50, 200, 20_000
ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(tools.tavola()).resolve()
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


def forged(network, rng):
    """Other numbers with the checksum that belongs to them."""
    length = struct.unpack("<Q", network[:8])[0]
    header, data = network[8 : 8 + length], bytearray(network[8 + length :])
    odd = [float("nan"), float("inf"), -3.4e38, 3.4e38, 1e30, 65504.0, 1e-45, 0.0, rng.gauss(0, 100)]
    for _ in range(rng.choice([1, 10, 1000])):
        number = rng.choice(odd) if rng.random() < 0.7 else struct.unpack("<f", rng.randbytes(4))[0]
        struct.pack_into("<f", data, 4 * rng.randrange(len(data) // 4), number)
    layers = json.loads(header)
    checksum, number = hashlib.sha256(), 0
    while f"layers.{number}.weight" in layers:
        for part in ("weight", "bias"):
            begin, end = layers[f"layers.{number}.{part}"]["data_offsets"]
            checksum.update(data[begin:end])
        number += 1
    header = re.sub(rb'(sha256\\":\\")[0-9a-f]{64}', rb"\g<1>" + checksum.hexdigest().encode(), header, count=1)
    return network[:8] + header + bytes(data)


def check_forged(nth, failures):
    rng, accepted = random.Random(2), 0
    network = (ROOT / "models/small.safetensors").read_bytes()
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        for trial in range(0, FORGED, nth):
            (folder / "forged.net").write_bytes(forged(network, rng))
            for question in ("eval start --ply 0", "best start --roll 31 --ply 1"):
                code, told = run(folder, f"{question} --no-tables --json --model forged.net")
                accepted += code == 0
                numbers = code == 0 and not re.search(r": *null|nan|inf\b", told.replace('"id":null', ''), re.IGNORECASE)
                if "panicked" in told or not (numbers or code == 2 and "forged.net" in told):
                    failures.append(f"forged network {trial}: {question}: code {code}, {told.strip()[-300:]}")
    print(f"{len(range(0, FORGED, nth))} forged networks, {accepted} answers of them", flush=True)


def check_manifests(nth, sample, failures):
    rng, train = random.Random(3), "train tiny.toml --out run --threads 1 --quiet"
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work, "folder")
        folder.mkdir()
        prepare(folder, sample)
        assert run(folder, train)[0] == 0
        expected = content(folder, ["run/final.safetensors"])
        (folder / "run/final.safetensors").unlink()
        manifest = (folder / "run/manifest.json").read_bytes()
        for trial in range(0, MANIFESTS, nth):
            broken = pathlib.Path(work, "broken")
            shutil.rmtree(broken, ignore_errors=True)
            shutil.copytree(folder, broken)
            found = [b"", bytes(len(manifest)), damaged(manifest, rng)][min(trial, 2)]
            (broken / "run/manifest.json").write_bytes(found)
            code, told = run(broken, train + " --resume")
            if code or content(broken, ["run/final.safetensors"]) != expected:
                failures.append(f"manifest {trial}: code {code}, {told.strip()[-300:]}")
    print(f"{len(range(0, MANIFESTS, nth))} damaged manifests", flush=True)


class Game:
    """A game on a server that is started again and again."""

    def __init__(self, folder):
        self.folder, self.path, self.told = folder, None, None

    def start(self):
        command = [str(PROGRAM), "serve", "--port", "0", "--games", "games", "--threads", "1"]
        self.process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline())[1])

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = json.loads(answer.read())
        connection.close()
        if answer.status >= 300:
            raise ValueError(f"{path}, {body}: {answer.status}, {text}")
        return text

    def act(self, rng):
        """Does what is waited for, and remembers what the server said of it."""
        waiting = self.told["waiting"]
        match waiting["for"]:
            case "play":
                action = {"act": "play", "play": rng.choice(waiting["plays"])}
            case "match_over":
                return self.begin()
            case other:
                words = {"roll": "roll", "answer": "take", "resignation": "accept", "game_over": "next_game"}
                action = {"act": words[other]}
        self.told = self.ask("POST", f"{self.path}/actions", action)["state"]

    def begin(self):
        begun = self.ask("POST", "/api/v1/games", {"length": 3, "strength": "casual"})
        self.path, self.told = f"/api/v1/games/{begun['id']}", begun["state"]


def check_server(nth, failures):
    rng, kills = random.Random(4), len(range(0, SERVER_KILLS, nth))
    with tempfile.TemporaryDirectory() as work:
        game = Game(work)
        game.start()
        game.begin()
        for kill in range(kills):
            # Killed at any moment of some actions, one of which is under way or not.
            program = (f"import time, os; time.sleep({rng.random() * 0.05}); os.kill({game.process.pid}, 9)")
            killer = subprocess.Popen([sys.executable, "-c", program])
            before = game.told
            try:
                while True:
                    before = game.told
                    game.act(rng)
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                pass
            except (ValueError, KeyError) as error:
                failures.append(f"kill {kill}: {error}")
            killer.wait()
            game.process.wait()
            game.start()
            try:
                found = game.ask("GET", game.path)["state"]
            except ValueError as error:
                failures.append(f"kill {kill}: {error}")
                game.begin()
                continue
            # What was told is there; an action under way has happened or has not.
            if found != game.told and len(found["log"]) < len(before["log"]) and found["game_number"] == before["game_number"]:
                failures.append(f"kill {kill}: the log has {len(found['log'])} lines, {len(before['log'])} before")
            game.told = found
        game.process.kill()
        game.process.wait()
    print(f"{kills} kills of a server in a game", flush=True)


def check_lines(nth, failures):
    rng, seeds = random.Random(5), sorted((ROOT / "crates/fuzz/corpus/batch").iterdir())
    seeds = [line for file in seeds for line in file.read_bytes().splitlines() if line]
    lines = []
    for number in range(0, LINES, nth):
        line = damaged(rng.choice(seeds), rng).replace(b"\n", b" ").replace(b"\r", b" ")
        # Nothing that takes long because it asks for much.
        line = re.sub(rb'"(ply|trials|games)": *[0-9.e+]+', rb'"\1":0', line)
        lines.append(line or b"x")
    with tempfile.TemporaryDirectory() as work:
        began = time.monotonic()
        done = subprocess.run([str(PROGRAM), "batch", "--no-tables"], cwd=work, input=b"\n".join(lines) + b"\n",
                              capture_output=True, timeout=3600)
        seconds = time.monotonic() - began
    asked = [line for line in lines if line.strip()]
    answers = done.stdout.decode().splitlines()
    if done.returncode not in (0, 1) or b"panicked" in done.stderr or len(answers) != len(asked):
        failures.append(f"{len(asked)} lines: code {done.returncode}, {len(answers)} answers, {done.stderr[-300:]}")
    for line, answer in zip(asked, answers):
        try:
            json.loads(answer)
        except ValueError:
            failures.append(f"the answer to {line[:200]} is {answer[:200]}")
    print(f"{len(asked)} lines of batch, {seconds:.0f} s", flush=True)


def main():
    os.environ["TAVOLA_CACHE_DIR"] = "cache"
    nth = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    trials = {
        "networks": lambda: check_networks(nth, sample, failures),
        "forged": lambda: check_forged(nth, failures),
        "manifests": lambda: check_manifests(nth, sample, failures),
        "server": lambda: check_server(nth, failures),
        "lines": lambda: check_lines(nth, failures),
    }
    names = [name for name, *_ in COMMANDS] + list(trials)
    only = sys.argv[2:] or names
    if unknown := set(only) - set(names):
        sys.exit(f"{min(unknown)!r} is none of {', '.join(names)}")
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        code, told = run(folder, "grade sample --games 30 --seed 1 --per-phase 2 --out sample.jsonl --threads 1")
        assert code == 0, told
        sample = pathlib.Path(folder, "sample.jsonl").read_bytes()
    tried = [check(*command, nth, sample, failures) for command in COMMANDS if command[0] in only]
    kills, errors = (sum(of[kind] for of in tried) for kind in ("kills", "errors"))
    print(f"{kills} kills, {errors} errors", flush=True)
    for name in trials:
        if name in only:
            trials[name]()
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
