"""Has GNU Backgammon judge the plays of a sample of decisions.

Runs inside GNU Backgammon, started by error-report.sh:

    TAVOLA_SAMPLE=sample.jsonl TAVOLA_JUDGED=part.jsonl TAVOLA_PART=0/2 TAVOLA_PLY=2 \\
        gnubg -t -q -r -p error-report.py

The sample is what `tavola grade sample` writes; docs/grading.md describes it and what comes out.
Part I/N judges the lines I, I+N, I+2N ... of the sample, and each line goes out as soon as it is
done, with the number of the line before it: the parts are put together by error-report.sh. The
first line of part 0 is the header with the judge in it.

Evaluations are those of cubeless money play with gammons and backgammons at their full value,
deterministic and without noise, with gnubg's pruning networks and bear-off databases.
GNU Backgammon 1.07 is known to work.
"""

import json
import os
import sys

import gnubg

# Which plays are rated: what gnubg thinks at 0-ply decides, so that no decision costs minutes.
TOP = 10
TOP_OF_SAMPLER = 3
MARGIN = 0.3


def cube_info():
    """Money play with the cube in the middle, where every win counts for what it is."""
    gnubg.command("set jacoby off")
    info = gnubg.cubeinfo(1, -1, 1, 0, (0, 0), 0, 0)
    if info["jacoby"] or info["gammonprice"] != ((1.0, 1.0), (1.0, 1.0)):
        raise ValueError(f"gammons don't have their full value: {info}")
    return info


def context(plies):
    return {"cubeful": 0, "plies": plies, "deterministic": 1, "prune": 1, "noise": 0.0}


def version():
    """What gnubg says of its version, which it only prints."""
    read, write = os.pipe()
    sys.stdout.flush()
    stdout = os.dup(1)
    os.dup2(write, 1)
    try:
        gnubg.command("show version")
        sys.stdout.flush()
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
        os.close(write)
    with os.fdopen(read, "rb") as lines:
        return lines.readline().decode(errors="replace").strip()


def equity(position, cube, plies):
    """Cubeless equity after a play, for the player who made it; his opponent is on roll."""
    board = gnubg.positionfromid(position)
    if not any(board[0]):
        # The game is over, and the player on roll has lost it.
        theirs = board[1]
        if sum(theirs) < 15:
            return 1.0
        return 3.0 if any(theirs[18:]) else 2.0
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon, _ = gnubg.evaluate(
        board, cube, context(plies)
    )
    return -(2 * win - 1 + win_gammon + win_backgammon - lose_gammon - lose_backgammon)


def judge(decision, cube, plies):
    results = decision.pop("results")
    if len(results) > TOP:
        quick = {result: equity(result, cube, 0) for result in results}
        ranked = sorted(results, key=quick.get, reverse=True)
        best = quick[ranked[0]]
        rated = set(ranked[:TOP]) | set(results[:TOP_OF_SAMPLER])
        rated |= {result for result in results if quick[result] >= best - MARGIN}
    else:
        rated = set(results)
    plays = [(result, round(equity(result, cube, plies), 4)) for result in results if result in rated]
    decision["plays"] = sorted(plays, key=lambda play: (-play[1], play[0]))
    return decision


def main():
    plies = int(os.environ["TAVOLA_PLY"])
    part, parts = map(int, os.environ["TAVOLA_PART"].split("/"))
    cube = cube_info()
    with open(os.environ["TAVOLA_SAMPLE"]) as sample, open(os.environ["TAVOLA_JUDGED"], "w") as out:

        def write(number, line):
            text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
            print(number, text, sep="\t", file=out, flush=True)

        header = json.loads(next(sample))
        header["judge"] = {
            "name": version(),
            "settings": f"{plies}-ply, cubeless money, pruning networks, no noise",
            "rated": f"all plays if there are at most {TOP}; otherwise the {TOP} best at 0-ply, "
            f"whatever is within {MARGIN} of the best of them, and the {TOP_OF_SAMPLER} best of "
            "the network that drew the sample",
            "margin": MARGIN,
        }
        if part == 0:
            write(0, header)
        for number, line in enumerate(sample):
            if number % parts == part:
                write(number + 1, judge(json.loads(line), cube, plies))


try:
    main()
    done = 0
except Exception as error:  # gnubg would print it and go on to its prompt
    print(f"\nerror-report.py: {type(error).__name__}: {error}", flush=True)
    done = 1
# Past gnubg's own end, which would print and save.
os._exit(done)
