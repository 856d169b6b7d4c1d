#!/usr/bin/env bash
# Plays the network against GNU Backgammon and prints points per game.
#
#     scripts/strength.sh [PLY] [GAMES]              # default: gnubg 0-ply, 1000 games
#     scripts/strength.sh --self [PLY] [GAMES]       # gnubg against gnubg: must be zero
#     MODEL=runs/a/final.safetensors SEED=7 scripts/strength.sh 1 400
#
# Cubeless money play, gammons at full value, games in pairs on the same dice with the seats
# swapped, variance-reduced by the built-in network. gnubg plays with its own pruning and move
# filter, without noise. Other variables: PLAYER, any other player of `tavola duel`, such as gnubg:1
# or exec:COMMAND; LUCK_NETWORK, a weights file for variance reduction; THREADS; TAVOLA, another binary.
#
# gnubg is deterministic, so against itself both games of a pair are the same with the seats
# swapped: every pair must be exactly zero, and --self fails otherwise. That shows that the
# bookkeeping favors no side.
#
# gnubg waits most of the 10 ms of a play on any machine, hence several threads a core.
# Exit code: 0 measured (or zero, with --self), 1 failed, 2 gnubg is missing or wrong arguments.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

self=0
if [ "${1:-}" = --self ]; then
    self=1
    shift
fi
ply=${1:-0}
games=${2:-1000}
seed=${SEED:-1}
threads=${THREADS:-$((4 * $(nproc)))}
if ! [[ $ply =~ ^[0-9]$ && $games =~ ^[0-9]+$ && $seed =~ ^[0-9]+$ && $threads =~ ^[0-9]+$ ]] || [ $# -gt 2 ]; then
    echo "usage: [SEED=N] scripts/strength.sh [--self] [PLY] [GAMES], got: $*" >&2
    exit 2
fi

python3 "$root/scripts/lib/tools.py" gnubg
PATH=$PATH:/usr/games
tavola=$(python3 "$root/scripts/lib/tools.py" tavola)

if [ $self = 1 ]; then
    player=gnubg:$ply
else
    player=${PLAYER:-${MODEL:-default}}
fi
luck=()
if [ -n "${LUCK_NETWORK:-}" ]; then luck=(--luck-network "$LUCK_NETWORK"); fi

result=$("$tavola" duel "$player" "gnubg:$ply" --games "$games" --seed "$seed" \
    --threads "$threads" "${luck[@]}")
echo "$result"
if [ $self = 1 ]; then
    if ! grep -q '^A scores [+-]0\.000 ± 0\.000 ppg' <<<"$result"; then
        echo "gnubg against itself is not zero: something is wrong with the measurement" >&2
        exit 1
    fi
    echo "gnubg against itself is exactly zero, as it must be"
fi
