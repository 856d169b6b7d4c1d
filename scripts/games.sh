#!/usr/bin/env bash
# What networks make of their games: writes the figures in docs/games/ anew.
#
#     scripts/games.sh                    # every game with a network in models/games/
#     scripts/games.sh tabula puff        # these
#     GAMES=20000 SEED=7 scripts/games.sh hypergammon
#
# $GAMES (10000) games of each network against itself, $DUEL (4000) games against the random and the
# simple player, from $SEED (1), on $THREADS (2) threads. Hypergammon is compared with its exact
# solution too, which is kept in $TABLE (runs/hypergammon.bin).
#
# Exit code: 0 done, 1 failed, 2 no network for a game that was named.
set -euo pipefail
cd "$(dirname "$0")/.."
tavola=${TAVOLA:-target/release/tavola}
[[ -n ${TAVOLA:-} ]] || cargo build --release --quiet --locked -p tavola-cli
games=("$@")
if [ $# = 0 ]; then
    for file in models/games/*.safetensors; do
        [ -e "$file" ] || { echo "no network in models/games/" >&2; exit 2; }
        games+=("$(basename "$file" .safetensors)")
    done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for game in "${games[@]}"; do
    model=models/games/$game.safetensors
    if [ ! -e "$model" ]; then
        echo "no network for $game, expected $model" >&2
        exit 2
    fi
    seed=${SEED:-1} threads=${THREADS:-2} number=${GAMES:-10000} duel=${DUEL:-4000}
    facts=("facts" --game "$game" --model "$model" --games "$number" --duel-games "$duel" --seed "$seed")
    "$tavola" "${facts[@]}" --threads "$threads" --json >"$work/facts.json"
    commands=("tavola ${facts[*]}")
    files=("$work/facts.json")
    if [ "$game" = hypergammon ]; then
        table=${TABLE:-runs/hypergammon.bin}
        mkdir -p "$(dirname "$table")"
        solve=("solve" --table "$table" --model "$model" --games "$number" --seed "$seed")
        "$tavola" "${solve[@]}" --threads "$threads" --json >"$work/solve.json"
        commands+=("tavola ${solve[*]}")
        files+=("$work/solve.json")
    fi
    python3 scripts/games_figures.py "docs/games/$game.md" "${files[@]}" -- "${commands[@]}"
    echo "docs/games/$game.md"
done
