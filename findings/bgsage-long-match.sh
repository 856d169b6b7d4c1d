#!/usr/bin/env bash
# bgsage 2.0.20260907: scores beyond 25 points away are accepted and valued as if each such side were
# 25 away, so a side far behind can look level and a side a little behind lost.
#
# The start position with the player on roll, its value of "no double". The player who needs 30 points
# against 20, or against 25, is worth less than the one who needs 25 against 15; the one who needs 40
# against 30, ten points behind as well, is worth exactly as much as at a level score.
#
# Seen:
#       25-away, 15-away   +0.210
#       30-away, 20-away   -0.706
#       30-away, 25-away   -0.752
#       40-away, 30-away   +0.000
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bgsage==2.0.20260907
"$folder/venv/bin/python" - <<'EOT'
from bgsage import BgBotAnalyzer

board = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
seen = {}
for away in ((25, 15), (30, 20), (30, 25), (40, 30)):
    cube = BgBotAnalyzer(eval_level="1ply").cube_action(board, away1=away[0], away2=away[1])
    seen[away] = cube.equity_nd
    print("%d-away, %d-away  %+.3f" % (*away, cube.equity_nd))
expected = {(25, 15): 0.210, (30, 20): -0.706, (30, 25): -0.752, (40, 30): 0.0}
for away, value in expected.items():
    assert abs(seen[away] - value) < 0.002, f"{away} has changed"
EOT
echo "as described"
