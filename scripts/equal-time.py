#!/usr/bin/env python3
"""Equal time: points per game against engines that take as long for a decision.

    scripts/equal-time.py                                        # 200 games a row: some minutes
    scripts/equal-time.py --games 12000 --peers gnubg:0 --threads 32 --keep equal
    scripts/equal-time.py --peers gnubg:2,sage:3ply --levels 2,roller
    scripts/equal-time.py --peers gnubg:0=12000,gnubg:2=1000 --write    # the table of README.md

A first duel of a few games tells the processor time that a peer takes for a decision on this machine.
Then the built-in network plays it with that time (`default@28ms`), and at each of --levels, on the same
dice, cubeless, variance-reduced; `=GAMES` after a peer says how many. Prints a Markdown table with the
time of both sides and the 95 % interval of the gain. Peers that are not installed are left out. With --keep a folder has the pairs and
the times, so that the same command with more --games goes on. $TAVOLA is another binary.
Exit code: 0 done, 1 failed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

# Games that tell how long a peer thinks.
FEW = 20


def duel(options, player, peer, games, pairs=None):
    """The report of a duel as JSON, or nothing if the peer is not there."""
    words = [tools.tavola(), "duel", player, peer, "--games", str(games), "--seed", str(options.seed)]
    words += ["--threads", str(options.threads), "--quiet", "--json"]
    if pairs:
        words += ["--resume" if pairs.exists() else "--save", str(pairs)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print(f"{player} against {peer} is left out", file=sys.stderr)
        return None
    return json.loads(done.stdout)


def milliseconds(seconds):
    return f"{1000 * seconds:.2g}" if seconds < 0.1 else f"{1000 * seconds:.0f}"


def row(options, player, peer, games, folder, times):
    pairs = Path(folder) / f"{player}-{peer}.jsonl".replace(":", "-")
    report = duel(options, player, peer, games, pairs)
    if report is None:
        return None
    found = report.get("luck_adjusted") or report
    low, high = found["interval"]
    # A duel that was complete has measured nothing.
    measured = [report[f"{side}_decision_seconds"] for side in "ab"]
    if None in measured:
        measured = times.get(f"{player} {peer}", measured)
    times[f"{player} {peer}"] = measured
    of_each = ["" if seconds is None else milliseconds(seconds) for seconds in measured]
    gain = f"{found['ppg']:+.3f} ± {(high - low) / 2:.3f}"
    return f"| {' | '.join([player, peer, str(report['games']), gain, *of_each])} |"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", default="gnubg:0,gnubg:2,sage:3ply", help="players of `tavola duel`")
    parser.add_argument("--levels", default="", help="levels beside the equal time, such as 0,0+")
    parser.add_argument("--games", type=int, default=200, help="games of each row (200)")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2 * os.cpu_count(), help="two a core by default")
    parser.add_argument("--write", action="store_true", help="write the table of README.md")
    parser.add_argument("--keep", help="folder for the pairs and times")
    options = parser.parse_args()
    peers = []
    for named in options.peers.split(","):
        peer, _, games = named.partition("=")
        if games and not games.isdecimal():
            parser.error(f"argument --peers: {named!r}, expected PEER=GAMES such as gnubg:0=12000")
        peers.append((peer, int(games or options.games)))
    os.environ["PATH"] += ":/usr/games"
    failed = False
    with tempfile.TemporaryDirectory() as nowhere:
        folder = Path(options.keep or nowhere)
        folder.mkdir(parents=True, exist_ok=True)
        known = folder / "times.json"
        times = json.loads(known.read_text()) if known.exists() else {}
        lines = ["| tavola | against | games | points a game | ms a decision | its ms |", "|---|---|---|---|---|---|"]
        print("\n".join(lines), flush=True)
        for peer, games in peers:
            if peer not in times:
                first = duel(options, "default", peer, FEW)
                if first is None:
                    failed = True
                    continue
                times[peer] = round(1e6 * first["b_decision_seconds"])
                known.write_text(json.dumps(times))
            players = [f"default@{level}" for level in options.levels.split(",") if level]
            for player in [f"default@{times[peer]}us", *players]:
                line = row(options, player, peer, games, folder, times)
                known.write_text(json.dumps(times))
                failed |= line is None
                if line:
                    lines.append(line)
                    print(line, flush=True)
        if options.write and not failed:
            tools.write_between(tools.ROOT / "README.md", "equal time", "\n".join(lines) + "\n")
    sys.exit(int(failed))


main()
