#!/usr/bin/env bash
# How strong is the network? Plays it against GNU Backgammon and prints points per game.
#
#     scripts/strength.sh [PLY] [GAMES]              # default: gnubg 0-ply, 1000 games
#     scripts/strength.sh --self [PLY] [GAMES]       # gnubg against gnubg: must be zero
#     MODEL=runs/a/final.safetensors SEED=7 scripts/strength.sh 1 400
#
# Cubeless money play, gammons at full value, games in pairs on the same dice with the seats
# swapped, and the luck of the dice taken off by the built-in network. gnubg plays with its own
# pruning and move filter, without noise. Other variables: PLAYER, any other player that
# `tavola duel` knows, such as gnubg:1 or exec:COMMAND; JUDGE, a weights file that judges the luck;
# THREADS.
#
# gnubg is deterministic, so against itself both games of a pair are the same with the seats
# swapped: every pair must be exactly zero, and --self fails if the result is not. That shows
# that the bookkeeping favours no side, and that gnubg answers a question always alike.
#
# Installs gnubg with apt-get if it is missing and root asks. gnubg waits most of the 10 ms that it
# takes for a play, whatever the machine, hence several threads a core.
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

PATH=$PATH:/usr/games
if ! command -v gnubg >/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends gnubg; } >&2
    else
        echo "gnubg is missing; on Debian and Ubuntu: sudo apt-get install gnubg" >&2
        exit 2
    fi
fi

cargo build --quiet --release --locked --manifest-path "$root/Cargo.toml" -p tavola-cli >&2
tavola=${CARGO_TARGET_DIR:-$root/target}/release/tavola

if [ $self = 1 ]; then
    player=gnubg:$ply
else
    player=${PLAYER:-${MODEL:-default}}
fi
judge=()
if [ -n "${JUDGE:-}" ]; then judge=(--luck-judge "$JUDGE"); fi

result=$("$tavola" duel "$player" "gnubg:$ply" --games "$games" --seed "$seed" \
    --threads "$threads" "${judge[@]}")
echo "$result"
if [ $self = 1 ]; then
    if ! grep -q '^A scores [+-]0\.000 ± 0\.000 ppg' <<<"$result"; then
        echo "gnubg against itself is not zero: something is wrong with the measurement" >&2
        exit 1
    fi
    echo "gnubg against itself is exactly zero, as it must be"
fi
