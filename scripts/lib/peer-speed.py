"""Speed of other engines on the positions in $TAVOLA_POSITIONS; compare-speed.py starts it.

Inside gnubg it measures gnubg, inside Python the package that $TAVOLA_PEER names, gnubg-nn or bgsage.
Seconds are of processor time, as in `tavola bench`. Results are lines `PEER <engine> <figure> <number a
second> <method>`, between gnubg's boards.
"""

import os
import random
import sys
import time

PARTS = 5
MIDDLE_GAME = "62aCAQPWnBsAAw"


def report(engine, figure, per_second, how):
    print("PEER", engine, figure, f"{per_second:.1f}", how, flush=True)


def pairs(path):
    """Position ID and roll of each line."""
    with open(path) as lines:
        for line in lines:
            position, first, second = line.split()
            yield position, int(first), int(second)


def rate(work, items, clock=time.process_time):
    """Items a second by a clock: the median over parts of the list, each item once.

    Both engines cache evaluations, so every position occurs once.
    """
    size = len(items) // PARTS
    rates = []
    for part in range(PARTS):
        piece = items[part * size : (part + 1) * size]
        started = clock()
        for item in piece:
            work(*item)
        rates.append(len(piece) / (clock() - started))
    return sorted(rates)[PARTS // 2]


def measure_nn(path):
    import gnubg_nn

    boards = [
        ([list(side) for side in gnubg_nn.board_from_position_id(position)], first, second)
        for position, first, second in pairs(path)
    ]
    report("gnubg-nn", "movegen_pairs_per_s", rate(gnubg_nn.moves, boards), "moves(), from Python")
    afterstates = {key for board in boards for key in gnubg_nn.moves(*board)}
    # Shuffled, so that neighbors are not siblings; 20,000 suffice.
    some = sorted(afterstates)
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
    decisions = rate(gnubg_nn.best_move, boards)
    report("gnubg-nn", "decisions_0ply_per_s", decisions, "best_move(), 0-ply, from Python")
    report("gnubg-nn", "decisions_0ply_pruned_per_s", decisions, "the same; both prune")


def measure_gnubg(path):
    import gnubg
    from tools import gnubg_processor_time

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

    # gnubg's own measure: rounds of 1,024 evaluations of random positions; its answer is wall time.
    started = gnubg_processor_time()
    gnubg.command("calibrate 200")
    evaluations = 200 * 1024 / (gnubg_processor_time() - started)
    report("gnubg", "evals_single_per_s", evaluations, "its own command calibrate")
    report("gnubg", "evals_per_s", evaluations, "the same, beside ours in batches")

    cube = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
    context = gnubg.evalcontext(0, 0, 1, 0, 0.0)
    boards = [
        (gnubg.positionfromid(position), (first, second))
        for position, first, second in pairs(path)
    ]

    def choose(board, dice):
        gnubg.findbestmove(board, cube, context, dice)

    # All 4,000: a call takes 0.1 ms of its thread, in 10 ms of wall time.
    decisions = rate(choose, boards, gnubg_processor_time)
    report("gnubg", "decisions_0ply_per_s", decisions, "findbestmove(), 0-ply, from Python")
    report("gnubg", "decisions_0ply_pruned_per_s", decisions, "the same; both prune")

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

    def roll_out(figure, how):
        started = gnubg_processor_time()
        gnubg.command("rollout")
        report("gnubg", figure, 648 / (gnubg_processor_time() - started), how)

    roll_out("selfplay_games_per_s", "rollout of the start position, 0-ply, no variance reduction; gnubg prunes")

    # The position of `tavola bench`, see MIDDLE_GAME in crates/lab/arena/src/quality/bench/figures.rs.
    for command in (f"set board {MIDDLE_GAME}", "set turn 1"):
        gnubg.command(command)
    assert gnubg.positionid() == MIDDLE_GAME
    roll_out("rollout_games_per_s", "rollout in the middle game, 0-ply, no variance reduction; both prune")
    gnubg.command("set rollout varredn on")
    roll_out("rollout_vr_games_per_s", "rollout in the middle game, 0-ply, variance-reduced")


def measure_sage(path):
    from bgsage import BgBotAnalyzer, flip_board
    from tools import sage_engine

    board_of = sage_engine().board_of
    positions = [board_of(position) for position in sorted({position for position, *_ in pairs(path)})]
    # The player who has moved comes first.
    boards = [flip_board(board) for board in positions]
    random.Random(1).shuffle(boards)
    bare = BgBotAnalyzer(eval_level="1ply", cubeful=False, parallel_threads=1)
    evaluations = rate(lambda *board: bare.post_move_analytics(list(board)), boards)
    report("bgsage", "evals_single_per_s", evaluations, "post_move_analytics(), 1ply, from Python")
    # Its own batches load the networks first, each time.
    report("bgsage", "evals_per_s", evaluations, "the same, beside ours in batches")
    trials = 72
    players = BgBotAnalyzer(
        eval_level="rollout", cubeful=False, n_trials=trials, decision_ply=1, parallel_threads=1
    )
    middle = flip_board(board_of(MIDDLE_GAME))
    started = time.process_time()
    players.post_move_analytics(middle, jacoby=False)
    how = "rollout in the middle game, 1ply, variance-reduced, with the cube beside it"
    report("bgsage", "rollout_vr_games_per_s", trials / (time.process_time() - started), how)


MEASURES = {"gnubg": measure_gnubg, "gnubg-nn": measure_nn, "bgsage": measure_sage}
sys.path.insert(0, os.environ.get("TAVOLA_LIB", ""))
MEASURES[os.environ.get("TAVOLA_PEER", "gnubg")](os.environ["TAVOLA_POSITIONS"])
# Past gnubg's own end, which would print and save.
os._exit(0)
