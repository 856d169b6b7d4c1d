#!/usr/bin/env bash
# bgsage 2.0.20260907: a cube decision at the last roll of the game is exact at its `2ply` and far off
# at its `1ply`, although both know the exact probability to win.
#
# The player on roll has a checker on his 6 point and one on his ace point, the opponent one checker on
# the ace point. 15 of 36 rolls win, every other roll loses, and nobody turns the cube again. So "no
# double" is worth 2 * 15/36 - 1 = -0.167 and "double, take" twice that, -0.333.
#
# Seen: 1ply  win 0.4167  no double -0.233  double, take -0.683
#       2ply  win 0.4167  no double -0.167  double, take -0.333
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bgsage==2.0.20260907
"$folder/venv/bin/python" - <<'EOT'
from bgsage import BgBotAnalyzer

board = [0] * 26  # index 0: the opponent's bar, 1 to 24: points of the player on roll, 25: own bar
board[6] = board[1] = 1
board[24] = -1
seen = {}
for level in ("1ply", "2ply"):
    cube = BgBotAnalyzer(eval_level=level).cube_action(board, jacoby=False, beaver=False)
    seen[level] = (cube.probs.win, cube.equity_nd, cube.equity_dt)
    print(level, " win %.4f  no double %+.3f  double, take %+.3f" % seen[level])
exact = (15 / 36, -1 / 6, -1 / 3)
near = lambda a, b: all(abs(x - y) < 0.001 for x, y in zip(a, b))
assert near(seen["2ply"], exact), "2ply is no longer exact"
assert near(seen["1ply"], (15 / 36, -0.2333, -0.6834)), "1ply has changed"
EOT
echo "as described"
