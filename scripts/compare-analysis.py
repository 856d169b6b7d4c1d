#!/usr/bin/env python3
"""Have GNU Backgammon and tavola analyze the same matches at 2-ply, and compare.

Three kinds of matches are played at 0-ply: GNU Backgammon against itself, GNU Backgammon against
itself with noise, and tavola against GNU Backgammon. Both programs then analyze every match.
Printed are what each counts, the error rates side by side, the correlation of the losses decision
by decision, and the processor time. The largest disagreements are rolled out by tavola, and
so is a random sample of the decisions that either calls wrong: it tells how much of what each
program says was lost is confirmed. What GNU Backgammon did is kept in the folder of --keep.
"""

import argparse
import json
import math
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))
import tools  # noqa: E402

KINDS = {"strong": "gnubg against itself", "weak": "gnubg against noise", "mixed": "tavola against gnubg"}


def gnubg(lines, folder, timeout):
    """What GNU Backgammon prints for these commands, and the seconds that it has calculated."""
    text = "\n".join(lines + ["quit", "y"]) + "\n"
    with tempfile.TemporaryFile("w+") as commands, tempfile.TemporaryFile("w+") as output:
        commands.write(text)
        commands.seek(0)
        process = subprocess.Popen(
            ["gnubg", "-t", "-q"], stdin=commands, stdout=output, stderr=output, cwd=folder
        )
        seconds, deadline = 0.0, time.monotonic() + timeout
        while process.poll() is None:
            try:
                # Without the main thread, which asks in a loop whether the others are done.
                seconds = max(seconds, tools.gnubg_processor_time(process.pid))
            except OSError:
                pass
            if time.monotonic() > deadline:
                process.kill()
                sys.exit(f"gnubg was not done after {timeout} s")
            time.sleep(0.05)
        output.seek(0)
        return output.read(), seconds


def play(args, folder, kind, seed):
    """Plays a match and writes it as match text, unless the file is there; returns the file."""
    name = f"{kind}-{seed}.mat"
    file = os.path.join(folder, name)
    if os.path.exists(file):
        return file
    commands = [
        "set automatic game on", "set automatic roll on", "set automatic move on",
        "set automatic bearoff on", "set automatic crawford on", "set display off",
        "set rng mersenne", f"set seed {seed}", "set player 0 gnubg", "set player 1 gnubg",
    ]
    for player in (0, 1):
        commands += [
            f"set player {player} chequer evaluation plies 0",
            f"set player {player} cubedecision evaluation plies 0",
        ]
    if kind == "weak":
        commands += [
            f"set player 1 chequer evaluation noise {args.noise}",
            f"set player 1 cubedecision evaluation noise {args.noise}",
        ]
    server = None
    if kind == "mixed":
        serve = [args.tavola, "external", "--port", "0", "--once", "--ply", "0"]
        server = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = server.stdout.readline().split()[-1].replace("127.0.0.1", "localhost")
        commands += [f"set player 0 external {address}"]
    commands += ["set player 0 name Ann", "set player 1 name Bob"]
    gnubg(commands + [f"new match {args.length}", f"export match mat {name}"], folder, args.timeout)
    if server:
        server.wait(timeout=60)
    if not os.path.exists(file):
        sys.exit(f"gnubg wrote no {file}")
    return file


def row(text, name):
    """The numbers of both players in the last row of that name."""
    number = r"(-?[\d.]+|n/a)(?:\s+\([^)]*\))?"
    rows = re.findall(rf"^{re.escape(name)}[^\n\d-]*?\s+{number}\s+{number}", text, re.M)
    return [0.0 if value == "n/a" else abs(float(value)) for value in rows[-1]] if rows else None


def analyzed_by_gnubg(args, file):
    """Figures of both players, losses and best plays by (game, turn), and the seconds it took."""
    folder, name = os.path.split(file)
    stem = os.path.splitext(name)[0]
    saved, kept = os.path.join(folder, f"{stem}.sgf"), os.path.join(folder, f"{stem}.json")
    if not os.path.exists(kept):
        commands = [
            "set display off",
            f"import mat {name}",
            f"set analysis chequer evaluation plies {args.plies}",
            f"set analysis cubedecision evaluation plies {args.plies}",
            "analyse match",
            "show statistics match",
            f"save match {stem}.sgf",
        ]
        text, seconds = gnubg(commands, folder, args.timeout)
        parts = re.split(r"^(Chequerplay|Luck|Cube|Overall) statistics$", text, flags=re.M)
        parts = dict(zip(parts[1::2], parts[2::2]))
        if "Overall" not in parts:
            sys.exit(f"gnubg printed no statistics of {file}")
        figures = {
            "unforced": row(parts["Chequerplay"], "Unforced moves"),
            "cubes": row(parts["Cube"], "Total cube decisions"),
            "close": row(parts["Cube"], "Close or actual cube decisions"),
            "checker": row(parts["Chequerplay"], "Error total EMG (MWC)"),
            "cube": row(parts["Cube"], "Error total EMG (MWC)"),
            "rate": row(parts["Overall"], "Error rate mEMG (MWC)"),
            "seconds": seconds,
        }
        Path(kept).write_text(json.dumps(figures))
    with open(saved, encoding="utf-8") as opened:
        return json.loads(Path(kept).read_text()), plays_of_sgf(opened.read())


def plays_of_sgf(text):
    """EMG lost by plays and the best play, by (game, turn), from the analysis in an SGF file."""
    found = {}
    for game, tree in enumerate(re.split(r"\(;FF", text)[1:], start=1):
        turn = 0
        for node in re.split(r"\n;", tree)[1:]:
            roll = re.match(r"([WB])\[[1-6]{2}", node)
            if not roll:
                continue
            turn += 1
            plays = re.search(r"\bA\[(\d+)\]((?:\[[^\]]*\])+)", node)
            if not plays:
                continue
            chosen, listed = int(plays[1]), []
            for play in re.findall(r"\[([^\]]*)\]", plays[2]):
                fields = play.split()
                if len(fields) > 9 and fields[1] == "E":
                    listed.append((float(fields[9]), fields[0]))
            if len(listed) > 1 and chosen < len(listed):
                loss = max(0.0, listed[0][0] - listed[chosen][0])
                found[(game, turn)] = (loss, play_of_letters(roll[1], listed[0][1]))
    return found


def play_of_letters(color, letters):
    """A play as SGF has it: a to x are White's points 1 to 24, y is the bar, z is off."""
    def point(letter):
        if letter in "yz":
            return {"y": "bar", "z": "off"}[letter]
        place = ord(letter) - ord("a") + 1
        return str(place if color == "W" else 25 - place)
    steps = [letters[at : at + 2] for at in range(0, len(letters), 2)]
    return " ".join(f"{point(start)}/{point(end)}" for start, end in steps)


def analyzed_by_tavola(args, file):
    """The same from tavola."""
    command = [args.tavola, "analyze", file, "--ply", str(args.plies), "--no-cache", "--json"]
    command += ["--quiet", "--threads", str(args.threads)]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, timeout=args.timeout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"tavola failed on {file}: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    names = {
        "unforced": "unforced_plays", "cubes": "cube_decisions", "close": "close_cube_decisions",
        "checker": "checker_error_emg", "cube": "cube_error_emg", "rate": "error_rate_memg",
    }
    figures = {
        ours: [player[theirs] or 0.0 for player in answer["players"]]
        for ours, theirs in names.items()
    }
    figures["seconds"] = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    plays = {
        (decision["game"], decision["number"]): decision
        for decision in answer["decisions"]
        if decision["kind"] == "checker" and not decision["forced"]
    }
    return figures, plays


def board_after(xgid, play):
    """The board after a play, to tell whether two texts mean the same one."""
    letters = xgid.removeprefix("XGID=").split(":")[0]
    board = [0 if c == "-" else ord(c) - 64 if c.isupper() else 96 - ord(c) for c in letters]
    off = 0
    for word in play.split():
        word = word.replace("*", "")
        times = re.search(r"\((\d)\)$", word)
        for _ in range(int(times[1]) if times else 1):
            stops = [{"bar": 25, "off": 0}.get(stop) or (0 if stop == "off" else int(stop))
                     for stop in re.sub(r"\(\d\)$", "", word).split("/")]
            for start, end in zip(stops, stops[1:]):
                board[start] -= 1
                if end == 0:
                    off += 1
                    continue
                if board[end] == -1:
                    board[end] = 0
                    board[0] -= 1
                board[end] += 1
    return tuple(board), off


def rolled_out(args, position, plays, trials):
    """Cubeful equity by rollout of each of the plays, on the same dice."""
    boards = {board_after(position, play): play for play in plays}
    command = [args.tavola, "rollout", position, "--json", "--quiet"]
    command += ["--trials", str(trials), "--seed", "1", "--threads", str(args.threads)]
    for play in boards.values():
        command += ["--play", play]
    done = subprocess.run(command, capture_output=True, text=True, timeout=args.timeout)
    if done.returncode != 0:
        sys.exit(f"tavola rollout failed: {done.stderr.strip()}")
    return {
        board_after(position, play["play"]): (play["cubeful_equity"], play["loss_se"])
        for play in json.loads(done.stdout)["plays"]
    }


def ranks(values):
    """Ranks, equal values sharing the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for index in order[start : end + 1]:
            result[index] = (start + end) / 2
        start = end + 1
    return result


def correlation(a, b):
    """Pearson's correlation."""
    if len(a) < 2:
        return float("nan")
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    products = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    squares = sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)
    return products / math.sqrt(squares) if squares else float("nan")


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def error_of_mean(values):
    """The half-width of the 95 % interval of the mean."""
    if len(values) < 2:
        return float("nan")
    centre = mean(values)
    return 1.96 * math.sqrt(sum((v - centre) ** 2 for v in values) / (len(values) - 1) / len(values))


def tell_rates(seats):
    """Counts and rates of each kind of players, side by side."""
    print("\nplayers: unforced plays, cube decisions, close ones; losses of plays and cube actions "
          "per thousandth of a counted decision; tavola / gnubg")
    for name, both in seats.items():
        total = [{key: sum(pair[side][key] for pair in both) for key in both[0][side]} for side in (0, 1)]
        counted = [side["unforced"] + side["close"] for side in total]
        rates = [1000 * (side["checker"] + side["cube"]) / of for side, of in zip(total, counted)]
        # What the rates would be if both had the same close cube decisions.
        plays = [1000 * side["checker"] / side["unforced"] for side in total]
        cubes = [1000 * side["cube"] / max(1, side["close"]) for side in total]
        print(f"  {name}: {total[0]['unforced']:.0f} / {total[1]['unforced']:.0f}, "
              f"{total[0]['cubes']:.0f} / {total[1]['cubes']:.0f}, "
              f"{total[0]['close']:.0f} / {total[1]['close']:.0f}; "
              f"plays {plays[0]:.2f} / {plays[1]:.2f}, cube {cubes[0]:.2f} / {cubes[1]:.2f}, "
              f"all {rates[0]:.2f} / {rates[1]:.2f}, ratio {rates[0] / rates[1]:.2f}")


def tell_correlation(pairs):
    a, b = [a for a, _ in pairs], [b for _, b in pairs]
    print(f"\n{len(pairs)} unforced plays in both: correlation {correlation(a, b):.3f}, "
          f"rank correlation {correlation(ranks(a), ranks(b)):.3f}")
    wrong = [(a, b) for a, b in pairs if a > 0 or b > 0]
    a, b = [a for a, _ in wrong], [b for _, b in wrong]
    print(f"{len(wrong)} of them wrong by either: rank correlation "
          f"{correlation(ranks(a), ranks(b)):.3f}")


def tell_disagreements(args, disagreements):
    """The largest ones, decided by rollouts."""
    print("\nthe largest disagreements (loss by tavola, by gnubg, by rollout):")
    nearer, shown = 0, sorted(disagreements, key=lambda entry: -entry[0])[:10]
    for _, decision, theirs, best, file in shown:
        plays = {decision["done"], best, *(play["play"] for play in decision["plays"][:4])}
        rolled = rolled_out(args, decision["position"], sorted(plays), args.trials)
        made, error = rolled[board_after(decision["position"], decision["done"])]
        loss = max(equity for equity, _ in rolled.values()) - made
        nearer += abs(decision["loss"] - loss) < abs(theirs - loss)
        print(f"{file} game {decision['game']} turn {decision['number']}: {decision['loss']:.3f} "
              f"{theirs:.3f} {loss:.3f} ± {1.96 * error:.3f}  {decision['done']} for "
              f"{decision['best']} or {best}  {decision['position']}", flush=True)
    print(f"tavola is nearer to the rollout in {nearer} of {len(shown)}")


def tell_confirmed(args, name, disagreements):
    """How much of what the programs say was lost rollouts confirm, on a random sample."""
    wrong = [entry for entry in disagreements if entry[1]["loss"] > 0 or entry[2] > 0]
    sample = random.Random(1).sample(wrong, min(args.sample, len(wrong)))
    said, confirmed = [[], []], [[], []]
    for _, decision, theirs, best, _ in sample:
        position = decision["position"]
        rolled = rolled_out(args, position, [decision["done"], decision["best"], best], args.sample_trials)
        equity = lambda play: rolled[board_after(position, play)][0]  # noqa: E731
        for side, (loss, play) in enumerate([(decision["loss"], decision["best"]), (theirs, best)]):
            said[side].append(1000 * loss)
            confirmed[side].append(1000 * (equity(play) - equity(decision["done"])))
    print(f"\n{name}: {len(sample)} of {len(wrong)} plays wrong by either, rolled out "
          f"{args.sample_trials} times each; means in millipoints, 95 % intervals")
    for side, program in enumerate(("tavola", "gnubg")):
        gaps = [a - b for a, b in zip(said[side], confirmed[side])]
        print(f"  {program} says {mean(said[side]):.2f}, rollouts say "
              f"{mean(confirmed[side]):.2f} ± {error_of_mean(confirmed[side]):.2f} of the same two "
              f"plays; too much by {mean(gaps):.2f} ± {error_of_mean(gaps):.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--matches", type=int, default=20, help="matches of each kind")
    parser.add_argument("--mixed", type=int, help="matches of tavola, default: as many")
    parser.add_argument("--length", type=int, default=5, help="points of a match")
    parser.add_argument("--plies", type=int, default=2, help="plies of both analyses")
    parser.add_argument("--noise", type=float, default=0.1, help="noise of the weaker player")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first match of a kind")
    parser.add_argument("--threads", type=int, default=1, help="threads of tavola")
    parser.add_argument("--trials", type=int, default=1296, help="rollout of a disagreement, 0 for none")
    parser.add_argument("--sample", type=int, default=200, help="plays of each kind to roll out, 0 for none")
    parser.add_argument("--sample-trials", type=int, default=216, help="games of each of these")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for any one program")
    parser.add_argument("--keep", help="folder for the matches, made if it is missing")
    args = parser.parse_args()
    tools.need_gnubg()
    args.tavola = tools.tavola()
    folder = args.keep or tempfile.mkdtemp(prefix="compare-analysis-")
    os.makedirs(folder, exist_ok=True)
    disagreements = {kind: [] for kind in KINDS}
    seats, seconds = {}, [0.0, 0.0]
    for kind in KINDS:
        names = {"strong": ("gnubg", "gnubg"), "weak": ("gnubg of weak files", "noise"),
                 "mixed": ("tavola of mixed files", "gnubg of mixed files")}[kind]
        # Other seeds for each kind: the same dice would bring the same openings.
        first = args.seed + 1000 * list(KINDS).index(kind)
        count = args.matches if kind != "mixed" or args.mixed is None else args.mixed
        for seed in range(first, first + count):
            file = play(args, folder, kind, seed)
            ours, our_plays = analyzed_by_tavola(args, file)
            theirs, their_plays = analyzed_by_gnubg(args, file)
            rates = [f"{rate:.1f}" for rate in ours["rate"] + theirs["rate"]]
            print(f"{os.path.basename(file)}: tavola {rates[0]} {rates[1]}, gnubg {rates[2]} "
                  f"{rates[3]}; {ours['seconds']:.1f} s and {theirs['seconds']:.1f} s", flush=True)
            for side, figures in enumerate((ours, theirs)):
                seconds[side] += figures.pop("seconds")
            for seat, name in enumerate(names):
                both = [{key: pair[seat] for key, pair in figures.items()} for figures in (ours, theirs)]
                seats.setdefault(name, []).append(both)
            for key in our_plays.keys() & their_plays.keys():
                decision, (loss, best) = our_plays[key], their_plays[key]
                gap = abs(decision["loss"] - loss)
                disagreements[kind].append((gap, decision, loss, best, os.path.basename(file)))
    tell_rates(seats)
    every = [entry for kind in disagreements.values() for entry in kind]
    tell_correlation([(decision["loss"], theirs) for _, decision, theirs, _, _ in every])
    print(f"processor time: tavola {seconds[0]:.1f} s, gnubg {seconds[1]:.1f} s, "
          f"ratio {seconds[1] / seconds[0]:.1f}", flush=True)
    if args.trials:
        tell_disagreements(args, every)
    if args.sample:
        for kind, entries in disagreements.items():
            entries.sort(key=lambda entry: (entry[4], entry[1]["game"], entry[1]["number"]))
            tell_confirmed(args, f"{kind} files, {KINDS[kind]}", entries)


if __name__ == "__main__":
    main()
