#!/usr/bin/env bash
# Strength over training time: plays the networks of training runs against GNU Backgammon and draws
# points per game over the time and the games of learning, from random weights on.
#
#     scripts/strength-curve.sh RUN...                   # run directories, each begun from the one before
#     scripts/strength-curve.sh --list RUN...            # only say which networks would play
#     scripts/strength-curve.sh --before SECONDS RUN...  # time spent before the first run counts too
#     scripts/strength-curve.sh                          # draw again what the journal has, play nothing
#     GAMES=4000 SEED=7 scripts/strength-curve.sh runs/1-td runs/2-luck
#
# A run must have kept its networks, by `keep_weights = true` under `[evaluation]`; of others there
# is just the final one. Cubeless money play against gnubg 0-ply, as in scripts/strength.sh, by the
# networks alone, without bear-off databases; RAW=0 uses them. $GAMES games a network
# (1000) from $SEED (5) on $THREADS threads (4 a core, since gnubg mostly waits), variance-reduced by
# $JUDGE (models/small.safetensors).
#
# Each result is at once a line of the journal $OUT (docs/strength-curve.jsonl), and what is there is
# not played again: stopped, the script goes on where it was. The picture goes next to the journal,
# with the ending .svg; a table to standard output. Paths are from the root of the repository.
#
# $TAVOLA is another binary. Exit code: 0 done, 1 failed, 2 gnubg is missing or wrong arguments.
set -euo pipefail
cd "$(dirname "$0")/.."
curve=(python3 scripts/strength-curve.py)

plays=$#
for argument in "$@"; do
    case $argument in --list | -h | --help) plays=0 ;; esac
done
if [ "$plays" = 0 ]; then exec "${curve[@]}" "$@"; fi
# A wrong path is better told of before than after minutes of building.
"${curve[@]}" --list "$@" >/dev/null 2>&1 || exec "${curve[@]}" --list "$@"

python3 scripts/lib/tools.py gnubg
PATH=$PATH:/usr/games
TAVOLA=$(python3 scripts/lib/tools.py tavola)
export TAVOLA
exec "${curve[@]}" "$@"
