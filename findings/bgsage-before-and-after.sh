#!/usr/bin/env bash
# bgsage 2.0.20260907 (Open Sage): at `1ply` the same position has two values. `checker_play` evaluates
# it as the one after a play, `cube_action` as the one before the opponent's roll, and they are not
# each other's mirror image. From `2ply` on they agree.
#
# The plays 8/5 6/5 and 13/10 6/5 of 3-1 from the start, money without Jacoby and beavers.
#
# Seen: 1ply  8/5 6/5    after +0.2345, before the roll +0.2382
#       1ply  13/10 6/5  after -0.0069, before the roll -0.0234
#       2ply  8/5 6/5    after +0.2330, before the roll +0.2330
#       2ply  13/10 6/5  after -0.0187, before the roll -0.0187
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bgsage==2.0.20260907
"$folder/venv/bin/python" - <<'EOT'
from bgsage import BgBotAnalyzer

START = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
PLAYS = {"8/5 6/5": ((8, 5), (6, 5)), "13/10 6/5": ((13, 10), (6, 5))}
MONEY = {"jacoby": False, "beaver": False}


def after(moves):
    board = list(START)
    for start, end in moves:
        board[start] -= 1
        board[end] += 1
    return board


def mirrored(board):
    return [board[25], *(-count for count in reversed(board[1:25])), board[0]]


apart = {"1ply": [], "2ply": []}
for level, differences in apart.items():
    analyzer = BgBotAnalyzer(eval_level=level, cubeful=True, parallel_threads=1)
    found = analyzer.checker_play(START, 3, 1, **MONEY)
    equities = {tuple(move.board): move.equity for move in found.moves}
    for name, moves in PLAYS.items():
        board = after(moves)
        before = -analyzer.cube_action(mirrored(board), **MONEY).optimal_equity
        differences.append(abs(equities[tuple(board)] - before))
        print(f"{level}  {name:10} after {equities[tuple(board)]:+.4f}, before the roll {before:+.4f}")
assert max(apart["1ply"]) > 0.01, "1ply has one value now"
assert max(apart["2ply"]) < 0.001, "2ply has two values now"
EOT
echo "as described"
