#!/usr/bin/env bash
# gnubg 1.07.001: a game of an SGF file that ends with a double without an answer and a resignation,
# RE[B+1R], is exported as match text with "Wins 2 points", although the cube was never taken. The
# score above the next game has 1 point. With RE[B+2R] the text says 4 points.
#
# Needs `gnubg` of this version (Debian 12: package gnubg).
#
# Seen:   2)  Doubles => 2                Wins 2 points
#        Game 2
#        Al : 0                         Bea : 1
set -euo pipefail
gnubg=$(command -v gnubg || echo /usr/games/gnubg)
"$gnubg" --version | head -n 1 | grep -F "GNU Backgammon 1.07.001"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > match.sgf <<'EOT'
(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]MI[length:5][game:0][ws:0][bs:0]PW[Al]PB[Bea]RE[B+1R];W[31hefe];B[42qusu];W[double])
(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]MI[length:5][game:1][ws:0][bs:1]PW[Al]PB[Bea];B[31qtst];W[42hdfd])
EOT
printf 'load match match.sgf\nexport match mat out.mat\n' | "$gnubg" -t -q -r > out.txt 2>&1
cat out.mat
grep -Eq "Doubles => 2 +Wins 2 points" out.mat || { echo "another result"; exit 1; }
grep -Eq "Al : 0 +Bea : 1" out.mat || { echo "another score"; exit 1; }
echo "as described"
