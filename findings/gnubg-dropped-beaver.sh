#!/usr/bin/env bash
# gnubg 1.07.001: in a .mat file of a money session, a beaver that is passed makes the reader lose the
# plays of the next game, without a word on stderr and with exit status 0.
#
# Game 1: a double, a beaver, "Drops", 2 points, in the spelling that gnubg itself writes. Game 2 has
# three plays, a double and a pass. After the import game 2 has the double and the pass alone: gnubg
# has taken the end of game 1 for the beginning of game 2. Its own export of the session lacks the
# plays, too.
#
# Needs `gnubg` of this version (Debian 12: package gnubg).
#
# Seen: "Take record found but doesn't follow a double" three times on stdout, and a game 2 of
#        1)  Doubles => 2                Drops
set -euo pipefail
gnubg=$(command -v gnubg || echo /usr/games/gnubg)
"$gnubg" --version | head -n 1 | grep -F "GNU Backgammon 1.07.001"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/session.mat" <<'EOT'
 0 point match

 Game 1
 Al : 0                             Bea : 0
  1) 31: 8/5 6/5                     42: 8/4 6/4
  2)  Doubles => 2                    Beavers => 4
  3)  Drops                           Wins 2 points

 Game 2
 Al : 0                             Bea : 2
  1)                                 21: 13/11 6/5
  2) 42: 8/4 6/4                     65: 24/13
  3)  Doubles => 2                    Drops
      Wins 1 point
EOT
cd "$folder"
printf 'import mat session.mat\nexport match mat out.mat\n' | "$gnubg" -t -q -r > out.txt 2> err.txt
complaints=$(grep -c "Take record found but doesn't follow a double" out.txt || true)
game=$(sed -n '/Game 2/,$p' out.mat)
printf '%s complaints\n%s\n' "$complaints" "$game"
[ "$complaints" = 3 ] || { echo "other complaints"; exit 1; }
if grep -q "42: 8/4" <<< "$game"; then echo "game 2 has its plays now"; exit 1; fi
grep -q "Doubles => 2" <<< "$game"
echo "as described"
