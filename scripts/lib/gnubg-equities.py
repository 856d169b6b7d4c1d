"""Inside gnubg: the cubeless equity of each position of $TAVOLA_POSITIONS at $TAVOLA_PLIES, to $TAVOLA_EQUITIES.

A line is a position ID after a play, the opponent on roll; the equity is that of the player who made the play.
"""

import os

import gnubg

try:
    context = gnubg.evalcontext(0, int(os.environ["TAVOLA_PLIES"]), 1, 1, 0.0)
    # Money play, the cube in the middle.
    cube = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
    with open(os.environ["TAVOLA_POSITIONS"]) as lines, open(os.environ["TAVOLA_EQUITIES"], "w") as out:
        for line in lines:
            board = gnubg.positionfromid(line.strip())
            print(-gnubg.evaluate(board, cube, context)[5], file=out, flush=True)
    done = 0
except Exception as error:  # gnubg would print it and go on to its prompt
    print(f"\n{type(error).__name__}: {error}", flush=True)
    done = 1
# Past gnubg's own end, which would print and save.
os._exit(done)
