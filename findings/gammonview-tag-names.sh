#!/usr/bin/env bash
# gammonview 3.1.0: names in the tags of a .mat file that differ from those above the columns give the
# score to the wrong player. The document that comes out contradicts itself.
#
# A match to 3 points. Bea, in the right column, wins game 1, and the score above game 2 says
# "Al : 0, Bea : 1". If the tags say Al and Bea too, all is right. If they have other names for the same
# people, as where a server's names and real ones stand in one file, Bea still wins game 1, but the score
# of game 2 is one point of the player on the left.
#
# Seen: tags as in the columns  winner of game 1: Bea, score of game 2: Al 0, Bea 1
#       tags with other names   winner of game 1: bea_1990, score of game 2: albert 1, bea_1990 0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check gammonview==3.1.0
"$folder/venv/bin/python" - <<'EOT'
from gvformat.mat import mat_to_ogxm

MATCH = """; [Player 1 "{}"]
; [Player 2 "{}"]

 3 point match

 Game 1
 Al : 0                             Bea : 0
  1) 31: 8/5 6/5                    42: 8/4 6/4
  2) 65: 24/13                       Doubles => 2
  3)  Drops                           Wins 1 point

 Game 2
 Al : 0                             Bea : 1
  1)                                31: 8/5 6/5
  2) 42: 8/4 6/4                    65: 24/13
"""
seen = []
for names in (("Al", "Bea"), ("albert", "bea_1990")):
    match = mat_to_ogxm(MATCH.format(*names))
    players = match["player_white"], match["player_black"]
    score = match["white_score"], match["black_score"]
    winner = players[match["games"][0]["winner"]]
    print(f"winner of game 1: {winner}, score of game 2: "
          f"{players[0]} {score[0]}, {players[1]} {score[1]}")
    seen.append((winner, score))
assert seen[0] == ("Bea", (0, 1)), "names that agree are read in another way"
assert seen[1] == ("bea_1990", (1, 0)), "names that differ are read in another way"
EOT
echo "as described"
