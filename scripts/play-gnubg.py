#!/usr/bin/env python3
"""GNU Backgammon plays whole matches with cube against `tavola external`.

    scripts/play-gnubg.py [--matches 20] [--length 5] [--seed 1] [--ply 0]

Starts tavola as a server and GNU Backgammon as its client, plays, and prints how many matches were
played and won, and how many boards were answered or refused. Ends with 1 if a line was refused or a
match is missing.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--length", type=int, default=5, help="points; 0 plays single money games")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ply", type=int, default=0, help="of both programs")
    parser.add_argument("--gnubg", default="gnubg")
    args = parser.parse_args()
    args.tavola = tools.tavola()
    os.environ["PATH"] += os.pathsep + "/usr/games"

    serve = [args.tavola, "external", "--port", "0", "--once", "--ply", str(args.ply)]
    if args.length == 0:
        serve += ["--jacoby", "--beavers"]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = server.stdout.readline().split()[-1].replace("127.0.0.1", "localhost")

    game = f"new match {args.length}" if args.length else "new session\nend game"
    commands = [
        "set automatic game on", "set automatic roll on", "set automatic bearoff on",
        "set automatic move on", "set automatic crawford on", "set confirm new off",
        "set confirm save off", "set display off", "set output rawboard off",
        "set rng mersenne", f"set seed {args.seed}",
        "set defaultnames tavola gnubg", f"set player 0 external {address}", "set player 1 gnubg",
        f"set player 1 chequer evaluation plies {args.ply}",
        f"set player 1 cube evaluation plies {args.ply}",
    ]
    commands += [game] * args.matches
    with tempfile.TemporaryDirectory() as home:
        # Commands of a file would not wait for the end of a match; those on stdin do.
        played = subprocess.run(
            [args.gnubg, "-t", "-q", "-r"],
            input="\n".join(commands) + "\n",
            env={**os.environ, "HOME": home},
            capture_output=True, text=True, timeout=3600, check=False,
        )
    told = server.communicate(timeout=60)[1]
    text = played.stdout + played.stderr
    winners = re.findall(r"(tavola|gnubg) (?:has won|wins) the match", text)
    games = re.findall(r"(tavola|gnubg) wins a .*?(?:game|gammon|backgammon)", text)
    errors = [line for line in text.splitlines() if re.search(r"illegal|error|unable|lost", line, re.I)]
    served = re.search(r"(\d+) decisions, (\d+) evaluations, (\d+) refused", told)
    if served is None:
        sys.exit(f"tavola has not told what it answered:\n{told}\n{text[-2000:]}")
    refused = int(served[3]) + len(errors)
    done = len(winners) if args.length else len(games)
    print(f"{done} of {args.matches} played, {winners.count('tavola') if args.length else games.count('tavola')} won by tavola")
    print(f"{len(games)} games, {served[1]} decisions answered, {refused} refused")
    for line in errors[:10]:
        print(f"gnubg says: {line}")
    if refused or done < args.matches:
        sys.exit(1)


if __name__ == "__main__":
    main()
