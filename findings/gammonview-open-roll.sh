#!/usr/bin/env bash
# gammonview 3.1.0: a roll that a record ends with before its play is read as a turn in which no checker
# moved. The document has no other sign of it, and the package's own check calls that turn illegal.
#
# A match to 1 point stops at `61:`, as GNU Backgammon exports a game that is broken off or resigned
# after a roll. The last ply has the dice, no moves, and the other player is on roll behind it.
#
# Seen: dice 6-1, moves [], board the same, on roll next: W, legal: False
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check gammonview==3.1.0
"$folder/venv/bin/python" - <<'EOT'
from gvformat.legality import is_play_legal
from gvformat.mat import mat_to_ogxm

MATCH = """ 1 point match

 Game 1
 Al : 0                             Bea : 0
  1) 31: 8/5 6/5                    42: 8/4 6/4
  2) 65: 24/13                      53: 8/3 6/3
  3) 61:
"""
last = mat_to_ogxm(MATCH)["games"][0]["plies"][-1]
before, after = (last[key].split(":") for key in ("ogid_before", "ogid_after"))
# Al, who is to play: points as that player numbers them, 25 is the bar.
mine, opponent = [0] * 26, [0] * 26
for point, number in {13: 6, 8: 2, 6: 4, 5: 2, 24: 1}.items():
    mine[point] = number
for point, number in {24: 2, 13: 5, 8: 1, 6: 3, 4: 2, 3: 2}.items():
    opponent[25 - point] = number
legal = is_play_legal(mine, opponent, last["d1"], last["d2"], ())
same = before[:2] == after[:2]
print(f"dice {last['d1']}-{last['d2']}, moves {last['moves']}, board {'the same' if same else 'another'}, "
      f"on roll next: {after[4]}, legal: {legal}")
assert (last["d1"], last["d2"]) == (6, 1), "the roll is not the last ply"
assert last["moves"] == [] and same and after[4] == "W", "the roll is read in another way"
assert not legal, "no play of 6-1 is legal there"
EOT
echo "as described"
