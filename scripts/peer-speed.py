"""Speed of two other engines, on the positions that `tavola bench --write-positions` wrote.

    python peer-speed.py nn POSITIONS       with the Python package gnubg-nn installed
    gnubg -t -q -r -p peer-speed.py         inside GNU Backgammon, POSITIONS in $TAVOLA_POSITIONS

Seconds are of processor time, as `tavola bench` counts them: a machine that does other things
too does not matter much, and gnubg's waiting for its event loop at every call does not count.

Prints lines `<engine> <figure> <number a second> <how it was measured>`; those that matter begin
with `PEER`, since gnubg draws boards in between. Started by compare-speed.sh, which puts the
figures beside those of tavola.
"""

import os
import random
import sys
import time

PARTS = 5


def report(engine, figure, per_second, how):
    print("PEER", engine, figure, f"{per_second:.1f}", how, flush=True)


def pairs(path):
    """Position ID and roll of each line."""
    with open(path) as lines:
        for line in lines:
            position, first, second = line.split()
            yield position, int(first), int(second)


def rate(work, items):
    """Items a second: the median over parts of the list, each item once.

    Both engines keep what they have judged, so that the same position twice would cost nothing.
    """
    size = len(items) // PARTS
    rates = []
    for part in range(PARTS):
        piece = items[part * size : (part + 1) * size]
        started = time.process_time()
        for item in piece:
            work(*item)
        rates.append(len(piece) / (time.process_time() - started))
    return sorted(rates)[PARTS // 2]


def measure_nn(path):
    import gnubg_nn

    boards = [
        ([list(side) for side in gnubg_nn.board_from_position_id(position)], first, second)
        for position, first, second in pairs(path)
    ]
    report("gnubg-nn", "movegen_pairs_per_s", rate(gnubg_nn.moves, boards), "moves(), from Python")
    results = {key for board in boards for key in gnubg_nn.moves(*board)}
    # Shuffled, so that neighbours are not siblings; only so many, to be quick.
    some = sorted(results)
    random.Random(1).shuffle(some)
    boards_after = [
        ([list(side) for side in gnubg_nn.board_from_position_key(key)], 0) for key in some[:20000]
    ]
    report(
        "gnubg-nn",
        "evals_single_per_s",
        rate(gnubg_nn.probabilities, boards_after),
        "probabilities(), 0-ply, distinct positions, from Python",
    )
    report(
        "gnubg-nn",
        "decisions_0ply_per_s",
        rate(gnubg_nn.best_move, boards),
        "best_move(), 0-ply, from Python",
    )


def measure_gnubg(path):
    import gnubg

    for command in (
        "set automatic game off",
        "set automatic roll off",
        "set automatic move off",
        "set automatic bearoff off",
        "set player 0 human",
        "set player 1 human",
        "set confirm new off",
        "set threads 1",
        "set cache 0",
    ):
        gnubg.command(command)

    # gnubg's own measure: so many rounds of 1,024 evaluations of random positions. Its answer
    # goes by the clock on the wall.
    started = time.process_time()
    gnubg.command("calibrate 200")
    report(
        "gnubg",
        "evals_single_per_s",
        200 * 1024 / (time.process_time() - started),
        "its own command calibrate",
    )

    cube = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
    context = gnubg.evalcontext(0, 0, 1, 0, 0.0)
    boards = [
        (gnubg.positionfromid(position), (first, second))
        for position, first, second in pairs(path)
    ]

    def choose(board, dice):
        gnubg.findbestmove(board, cube, context, dice)

    # Only so many: a call can take 10 ms on the wall, waiting for the event loop.
    report(
        "gnubg",
        "decisions_0ply_per_s",
        rate(choose, boards[:500]),
        "findbestmove(), 0-ply, from Python",
    )

    for command in (
        "new session",
        "set turn 1",
        "set rollout trials 648",
        "set rollout varredn off",
        "set rollout cubeful off",
        "set rollout truncation enable off",
        "set rollout bearofftruncation exact off",
        "set rollout bearofftruncation onesided off",
        "set rollout chequerplay plies 0",
        "set rollout cubedecision plies 0",
        "set rollout jsd stop off",
        "set rollout limit enable off",
    ):
        gnubg.command(command)
    started = time.process_time()
    gnubg.command("rollout")
    report(
        "gnubg",
        "selfplay_games_per_s",
        648 / (time.process_time() - started),
        "rollout of the start position, 0-ply, no variance reduction",
    )


if "TAVOLA_POSITIONS" in os.environ:
    measure_gnubg(os.environ["TAVOLA_POSITIONS"])
elif __name__ == "__main__" and len(sys.argv) == 3 and sys.argv[1] == "nn":
    measure_nn(sys.argv[2])
else:
    sys.exit(__doc__)
