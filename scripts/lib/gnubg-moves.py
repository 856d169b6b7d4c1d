"""Inside gnubg: a line of legal moves for each pair of compare-gnubg.py, from $TAVOLA_PAIRS to $TAVOLA_MOVES."""

import os

import gnubg


def main(pairs, out):
    for setting in ("automatic game off", "automatic roll off", "automatic move off"):
        gnubg.command(f"set {setting}")
    for setting in ("automatic bearoff off", "player 0 human", "player 1 human", "confirm new off"):
        gnubg.command(f"set {setting}")
    gnubg.command("set evaluation chequerplay evaluation plies 0")
    gnubg.command("new session")
    for line in pairs:
        _, position_id, first, second, *_ = line.split()
        gnubg.command("set turn 1")
        gnubg.command(f"set board {position_id}")
        gnubg.command(f"set dice {first} {second}")
        hint = gnubg.hint(9999) or {"gnubgid": position_id}
        if hint["gnubgid"].split(":")[0] != position_id:
            raise ValueError(f"{position_id} became {hint['gnubgid']}")
        print(*(move["move"] for move in hint.get("hint", [])), sep="\t", file=out)


try:
    with open(os.environ["TAVOLA_PAIRS"]) as pairs, open(os.environ["TAVOLA_MOVES"], "w") as out:
        main(pairs, out)
    done = 0
except Exception as error:  # gnubg would print it and go on to its prompt
    print(f"\n{type(error).__name__}: {error}", flush=True)
    done = 1
# Past gnubg's own end, which would print and save.
os._exit(done)
