#!/usr/bin/env python3
"""Figures through the sockets beside those of `tavola batch` and of GNU Backgammon itself.

    scripts/compare-sockets.py [--positions 1000]

Random positions are evaluated at 0-ply: by `tavola external` over its socket and by `tavola batch`;
by GNU Backgammon over its socket, asked by `tavola external --ask`, and by GNU Backgammon's Python.
The equity is cubeful for tavola and cubeless for GNU Backgammon, whose Python has no other for this.
Prints the largest differences. Ends with 1 where one is more than rounding.
"""

import argparse
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

ROUNDING = 2e-6
HERE = os.path.dirname(os.path.abspath(__file__))


def batch(tavola, requests):
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    told = subprocess.run([tavola, "batch"], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in told.stdout.splitlines()]


def random_positions(tavola, count, seed):
    """Positions of games in which every play is drawn."""
    rng = random.Random(seed)
    games, found = ["start"] * 40, []
    while len(found) < count:
        dice = [[rng.randint(1, 6), rng.randint(1, 6)] for _ in games]
        asked = [{"op": "legal", "position": p, "dice": d} for p, d in zip(games, dice)]
        for i, answer in enumerate(batch(tavola, asked)):
            plays = answer.get("plays") or []
            games[i] = rng.choice(plays)["position"] if plays else "start"
            if games[i] != "start":
                found.append(games[i])
    finished = [f for f in batch(tavola, [{"op": "eval", "position": p, "ply": 0} for p in found])]
    return [p for p, f in zip(found, finished) if max(f["probs"][0], 1 - f["probs"][0]) < 1][:count]


def served(tavola, positions):
    """What `tavola external` answers over its socket."""
    server = subprocess.Popen(
        [tavola, "external", "--port", "0", "--once"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    port = int(server.stdout.readline().rsplit(":", 1)[1])
    boards = batch(tavola, [{"op": "convert", "position": p, "to": "fibs"} for p in positions])
    numbers = []
    with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile() as lines:
        for board in boards:
            text = next(value for value in board.values() if str(value).startswith("board:"))
            connection.sendall(f"evaluation fibsboard {text} plies 0 cubeful\n".encode())
            numbers.append([float(word) for word in lines.readline().split()])
        connection.sendall(b"exit\n")
    server.wait()
    return numbers


def gnubg_socket(tavola, home, positions):
    """What GNU Backgammon answers over its socket."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    gnubg = subprocess.Popen(
        ["gnubg", "-t", "-q", "-r"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, text=True, env={**os.environ, "HOME": home},
    )
    gnubg.stdin.write(f"external localhost:{port}\n")
    gnubg.stdin.flush()
    time.sleep(3)
    ask = [tavola, "external", "--ask", f"localhost:{port}", "--ply", "0", "--json"]
    told = subprocess.run(ask + positions, capture_output=True, text=True, check=False)
    gnubg.kill()
    if told.returncode:
        sys.exit(told.stderr)
    answers = [json.loads(line) for line in told.stdout.splitlines()]
    return [answer["probs"] + [answer["value"]] for answer in answers]


def gnubg_itself(home, positions):
    """What GNU Backgammon's own Python says."""
    script = os.path.join(home, "ask.py")
    with open(script, "w") as file:
        file.write(
            "import gnubg, json, os\n"
            "gnubg.command('set jacoby off')\n"
            "cube = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0, 0)\n"
            "cube['jacoby'] = 0\ncube['gammonprice'] = ((1.0, 1.0), (1.0, 1.0))\n"
            "how = {'cubeful': 0, 'plies': 0, 'deterministic': 1, 'prune': 1, 'noise': 0.0}\n"
            f"positions = json.load(open({os.path.join(home, 'positions.json')!r}))\n"
            "boards = [gnubg.positionfromid(p) for p in positions]\n"
            "found = [list(gnubg.evaluate(b, cube, how)) for b in boards]\n"
            f"json.dump(found, open({os.path.join(home, 'found.json')!r}, 'w'))\n"
        )
    with open(os.path.join(home, "positions.json"), "w") as file:
        json.dump(positions, file)
    subprocess.run(
        ["gnubg", "-t", "-q", "-r", "-p", script], stdin=subprocess.DEVNULL, capture_output=True,
        env={**os.environ, "HOME": home}, check=False,
    )
    with open(os.path.join(home, "found.json")) as file:
        return json.load(file)


def largest(ones, others):
    return max(abs(a - b) for one, other in zip(ones, others) for a, b in zip(one, other))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.tavola = tools.tavola()
    os.environ["PATH"] += os.pathsep + "/usr/games"
    positions = random_positions(args.tavola, args.positions, args.seed)
    own = batch(args.tavola, [
        {"op": "eval", "position": p, "ply": 0, "cubeful": True} for p in positions
    ])
    own = [answer["probs"] + [answer["cubeful_equity"]] for answer in own]
    differences = {"tavola external and tavola batch": largest(served(args.tavola, positions), own)}
    with tempfile.TemporaryDirectory() as home:
        socket_figures = gnubg_socket(args.tavola, home, positions)
        differences["gnubg's socket and gnubg's Python"] = largest(
            socket_figures, gnubg_itself(home, positions)
        )
    print(f"{len(positions)} positions, five probabilities and an equity, largest difference:")
    for name, difference in differences.items():
        print(f"  {difference:.2e}  {name}")
    if max(differences.values()) > ROUNDING:
        sys.exit(1)


if __name__ == "__main__":
    main()
