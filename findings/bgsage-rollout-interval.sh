#!/usr/bin/env bash
# bgsage 2.0.20260907: the standard error that a rollout prints is several times too large when the
# number of trials is a multiple of 36, and about right when it is not.
#
# The same rollout of one position with twelve seeds: the scatter of the twelve results is what the
# standard error of one of them should be. (A multiple of 36 shares the first rolls out evenly, which
# lowers the scatter; the printed figure does not know of it.) This takes about two minutes.
#
# Seen: 72 trials   scatter 0.0022  printed 0.0124  5.5 times
#       100 trials  scatter 0.0017  printed 0.0029  1.7 times
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bgsage==2.0.20260907
"$folder/venv/bin/python" - <<'EOT'
from statistics import mean, stdev

from bgsage import BgBotAnalyzer

board = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
times = {}
for trials in (72, 100):
    results, printed = [], []
    for seed in range(1, 13):
        rollout = BgBotAnalyzer(
            eval_level="rollout", n_trials=trials, truncation_depth=5, decision_ply=1, seed=seed
        )
        cube = rollout.cube_action(board, jacoby=False, beaver=False)
        results.append(cube.cubeless_equity)
        printed.append(cube.cubeless_se)
    times[trials] = mean(printed) / stdev(results)
    print(
        "%d trials  scatter %.4f  printed %.4f  %.1f times"
        % (trials, stdev(results), mean(printed), times[trials])
    )
assert 3.5 < times[72] < 9, "72 trials: the printed standard error has changed"
assert times[100] < 2.7, "100 trials: the printed standard error has changed"
EOT
echo "as described"
