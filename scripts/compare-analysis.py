#!/usr/bin/env python3
"""Have GNU Backgammon and tavola analyse the same matches at 2-ply, and compare.

GNU Backgammon plays the matches itself: half of them at full strength against itself, half
against a player with noise. Both programs then analyse every match. Printed are the error rates
of each player side by side, the correlation of their losses decision by decision, and the
processor time. The largest disagreements are then rolled out by tavola.
"""

import argparse
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile


def processor_seconds():
    """Processor time of all programs that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def gnubg(program, lines, folder, timeout=1800):
    """What GNU Backgammon prints for these commands."""
    text = "\n".join(lines + ["quit", "y"]) + "\n"
    done = subprocess.run(
        [program, "-t", "-q"], input=text, capture_output=True, text=True, cwd=folder, timeout=timeout
    )
    return done.stdout


def play(program, folder, seed, length, noise, timeout):
    """Plays a match and writes it as match text; returns the file."""
    name = f"match-{seed}.mat"
    commands = [
        "set automatic game on",
        "set automatic roll on",
        "set automatic move on",
        "set automatic bearoff on",
        "set display off",
        "set player 0 gnubg",
        "set player 1 gnubg",
        "set player 0 chequer evaluation plies 0",
        "set player 1 chequer evaluation plies 0",
        "set player 0 cubedecision evaluation plies 0",
        "set player 1 cubedecision evaluation plies 0",
        f"set player 1 chequer evaluation noise {noise}",
        f"set player 1 cubedecision evaluation noise {noise}",
        "set rng mersenne",
        f"set seed {seed}",
        f"new match {length}",
        f"export match mat {name}",
    ]
    gnubg(program, commands, folder, timeout)
    return os.path.join(folder, name)


def analysed_by_gnubg(program, file, plies, timeout):
    """Error rates of both players, losses by (game, turn), and the seconds it took."""
    folder, name = os.path.split(file)
    saved = os.path.splitext(name)[0] + ".sgf"
    commands = [
        "set display off",
        f"import mat {name}",
        f"set analysis chequer evaluation plies {plies}",
        f"set analysis cubedecision evaluation plies {plies}",
        "analyse match",
        "show statistics match",
        f"save match {saved}",
    ]
    started = processor_seconds()
    text = gnubg(program, commands, folder, timeout)
    seconds = processor_seconds() - started
    overall = text[text.rfind("Overall statistics") :]
    number = r"(-?[\d.]+)\s+\([^)]*\)"
    rates = re.search(r"Error rate mEMG[^\n]*?" + number + r"\s+" + number, overall)
    if not rates:
        return None
    with open(os.path.join(folder, saved), encoding="utf-8") as opened:
        losses = losses_of_sgf(opened.read())
    return [abs(float(rate)) for rate in rates.groups()], losses, seconds


def losses_of_sgf(text):
    """EMG lost by plays, by (game, turn), from the analysis in an SGF file."""
    losses = {}
    for game, tree in enumerate(re.split(r"\(;FF", text)[1:], start=1):
        turn = 0
        for node in re.split(r"\n;", tree)[1:]:
            if not re.match(r"[WB]\[[1-6]{2}", node):
                continue
            turn += 1
            plays = re.search(r"\bA\[(\d+)\]((?:\[[^\]]*\])+)", node)
            if not plays:
                continue
            chosen = int(plays.group(1))
            equities = []
            for play in re.findall(r"\[([^\]]*)\]", plays.group(2)):
                fields = play.split()
                if len(fields) > 9 and fields[1] == "E":
                    equities.append(float(fields[9]))
            if len(equities) > 1 and chosen < len(equities):
                losses[(game, turn)] = max(0.0, equities[0] - equities[chosen])
    return losses


def analysed_by_tavola(program, file, plies, threads, timeout):
    """The same from tavola."""
    command = [program, "analyse", file, "--ply", str(plies), "--no-cache", "--json", "--quiet"]
    if threads:
        command += ["--threads", str(threads)]
    started = processor_seconds()
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    seconds = processor_seconds() - started
    if done.returncode != 0:
        sys.exit(f"tavola failed on {file}: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    losses = {
        (decision["game"], decision["number"]): decision
        for decision in answer["decisions"]
        if decision["kind"] == "checker" and not decision["forced"]
    }
    rates = [player["error_rate_memg"] or 0.0 for player in answer["players"]]
    return rates, losses, seconds


def rolled_out(program, decision, trials):
    """The loss of the play that was made, by rollout, and its standard error."""
    plays = {decision["done"], *(play["play"] for play in decision["plays"][:4])}
    command = [program, "rollout", decision["position"], "--json", "--quiet", "--cubeful"]
    command += ["--trials", str(trials), "--seed", "1"]
    for play in sorted(plays):
        command += ["--play", play]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"tavola rollout failed: {done.stderr.strip()}")
    for play in json.loads(done.stdout)["plays"]:
        if play["play"] == decision["done"]:
            return play["loss"], play["loss_se"]
    return None


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--matches", type=int, default=20, help="matches of each kind")
    parser.add_argument("--length", type=int, default=5, help="points of a match")
    parser.add_argument("--plies", type=int, default=2, help="plies of both programs")
    parser.add_argument("--noise", type=float, default=0.1, help="noise of the weaker player")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first match")
    parser.add_argument("--threads", type=int, default=1, help="threads of tavola")
    parser.add_argument("--trials", type=int, default=1296, help="games of a rollout, 0 for none")
    parser.add_argument("--gnubg", default=shutil.which("gnubg") or "/usr/games/gnubg")
    parser.add_argument("--tavola", default="target/release/tavola")
    parser.add_argument("--keep", help="folder for the matches, made if it is missing")
    args = parser.parse_args()
    for program in (args.gnubg, args.tavola):
        if not shutil.which(program):
            sys.exit(f"{program!r} is no program, expected gnubg and a release build of tavola")
    folder = args.keep or tempfile.mkdtemp(prefix="compare-analysis-")
    os.makedirs(folder, exist_ok=True)
    pairs, disagreements = [], []
    rates = {"strong": [], "weak": []}
    seconds = [0.0, 0.0]
    for index in range(2 * args.matches):
        kind = "strong" if index < args.matches else "weak"
        noise = 0.0 if kind == "strong" else args.noise
        file = play(args.gnubg, folder, args.seed + index, args.length, noise, 1800)
        if not os.path.exists(file):
            sys.exit(f"gnubg wrote no {file}")
        ours = analysed_by_tavola(args.tavola, file, args.plies, args.threads, 1800)
        theirs = analysed_by_gnubg(args.gnubg, file, args.plies, 1800)
        if theirs is None:
            sys.exit(f"gnubg printed no statistics of {file}")
        print(f"{index + 1:3} of {2 * args.matches}, {kind}, error rates: tavola "
              f"{ours[0][0]:.1f} {ours[0][1]:.1f}, gnubg {theirs[0][0]:.1f} {theirs[0][1]:.1f}; "
              f"{ours[2]:.1f} s and {theirs[2]:.1f} s", flush=True)
        rates[kind] += list(zip(ours[0], theirs[0]))
        seconds[0] += ours[2]
        seconds[1] += theirs[2]
        for key, decision in ours[1].items():
            if key in theirs[1]:
                pairs.append((decision["loss"], theirs[1][key]))
                gap = abs(decision["loss"] - theirs[1][key])
                disagreements.append((gap, decision, theirs[1][key], os.path.basename(file)))
    a, b = [a for a, _ in pairs], [b for _, b in pairs]
    print(f"\n{len(pairs)} unforced plays in both: correlation {correlation(a, b):.3f}, "
          f"rank correlation {correlation(ranks(a), ranks(b)):.3f}")
    wrong = [(a, b) for a, b in pairs if a > 0 or b > 0]
    a, b = [a for a, _ in wrong], [b for _, b in wrong]
    print(f"{len(wrong)} of them wrong by either: rank correlation "
          f"{correlation(ranks(a), ranks(b)):.3f}")
    for kind, values in rates.items():
        tavola = sum(a for a, _ in values) / len(values)
        other = sum(b for _, b in values) / len(values)
        print(f"mean error rate, {kind} files: tavola {tavola:.2f}, gnubg {other:.2f}, "
              f"ratio {tavola / other if other else float('nan'):.2f}")
    print(f"processor time: tavola {seconds[0]:.1f} s, gnubg {seconds[1]:.1f} s, "
          f"ratio {seconds[1] / seconds[0]:.1f}")
    print("\nthe largest disagreements (loss by tavola, by gnubg, by rollout):")
    disagreements.sort(key=lambda entry: -entry[0])
    nearer = 0
    for _, decision, other, file in disagreements[:10]:
        rolled = ""
        if args.trials:
            loss, error = rolled_out(args.tavola, decision, args.trials)
            rolled = f" {loss:.3f} ± {error:.3f}"
            nearer += abs(decision["loss"] - loss) < abs(other - loss)
        print(f"{file} game {decision['game']} turn {decision['number']}: {decision['loss']:.3f} "
              f"{other:.3f}{rolled}  {decision['done']} for {decision['best']}  "
              f"{decision['position']}", flush=True)
    if args.trials:
        print(f"tavola is nearer to the rollout in {nearer} of {len(disagreements[:10])}")


if __name__ == "__main__":
    main()
