#!/usr/bin/env bash
# bgsage 2.0.20260907: `batch_post_move_evaluate` loads the network at every call. A batch of 32 positions
# takes longer than 32 calls of `post_move_analytics` of an analyzer, many times as long; a batch of one
# takes about as long as one of 32. The probabilities are the same.
#
# The positions are those of random play, at `1ply`. The figures depend on the machine, the ratios hardly.
#
# Seen: positions a second: one by one 62977, batches of 32 162 (389 times slower)
#       a batch of 32 takes 1.6 times as long as a batch of 1
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bgsage==2.0.20260907
"$folder/venv/bin/python" - <<'EOT'
import random
import time

from bgsage import (BgBotAnalyzer, STARTING_BOARD, batch_post_move_evaluate, check_game_over,
                    flip_board, possible_moves)

rng, boards, board = random.Random(1), [], STARTING_BOARD
while len(boards) < 32:
    plays = possible_moves(board, rng.randint(1, 6), rng.randint(1, 6))
    board = list(rng.choice(plays) if plays else board)
    over = check_game_over(board) != 0
    boards += [] if over else [board]
    board = STARTING_BOARD if over else flip_board(board)
analyzer = BgBotAnalyzer(eval_level="1ply")
positions = [{"board": board, "cube_owner": "centered"} for board in boards]


def seconds(work):
    """The least of several times."""
    times = []
    for _ in range(10):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


alone = [analyzer.post_move_analytics(board).probs for board in boards]
assert [it.probs for it in batch_post_move_evaluate(positions)] == alone, "the probabilities differ"
single = seconds(lambda: [analyzer.post_move_analytics(board) for board in boards])
batch = seconds(lambda: batch_post_move_evaluate(positions))
one = seconds(lambda: batch_post_move_evaluate(positions[:1]))
print(f"positions a second: one by one {32 / single:.0f}, batches of 32 {32 / batch:.0f} "
      f"({batch / single:.0f} times slower)")
print(f"a batch of 32 takes {batch / one:.1f} times as long as a batch of 1")
assert batch > 5 * single, "a batch is no longer that slow"
assert batch < 4 * one, "the time of a batch depends on its positions"
EOT
echo "as described"
