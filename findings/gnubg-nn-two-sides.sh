#!/usr/bin/env bash
# gnubg-nn 1.1.0a11: each entry of the list of moves has five probabilities of the opponent and an
# equity of the mover. Whoever computes the equity from the probabilities gets the other sign, and
# whoever ranks by the win probability ranks from the worst to the best.
#
# The opening 3-1; equity = 2 W - 1 + WG + WBG - LG - LBG from the five numbers.
#
# Seen: 8/5 6/5      W 0.4485  equity of the entry +0.1597  of its probabilities -0.1597
#       24/23 13/10  W 0.5026  equity of the entry -0.0081  of its probabilities +0.0081
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check gnubg-nn==1.1.0a11
"$folder/venv/bin/python" - <<'EOT'
import gnubg_nn

start = gnubg_nn.board_from_position_id("4HPwATDgc/ABMA")
_, moves = gnubg_nn.best_move(start, 3, 1, n=0, list=1)
for _, play, (w, wg, wbg, lg, lbg), equity in moves[:2]:
    of_probabilities = 2 * w - 1 + wg + wbg - lg - lbg
    name = " ".join(f"{a}/{b}" for a, b in zip(play[::2], play[1::2]))
    print(f"{name:12} W {w:.4f}  equity of the entry {equity:+.4f}  "
          f"of its probabilities {of_probabilities:+.4f}")
    assert abs(of_probabilities + equity) < 1e-5, "both are from one side now"
assert moves[0][1] == (8, 5, 6, 5) and moves[0][3] > 0.1, "the best play has changed"
EOT
echo "as described"
