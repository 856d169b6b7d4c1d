"""Rolls out cube actions inside GNU Backgammon, for scripts/compare-rollouts.py.

$TAVOLA_XGIDS holds lines of an XGID and the word `jacoby` or `plain`, $TAVOLA_TRIALS the number of
trials, $TAVOLA_PLIES that of plies. The text export of each position is written to $TAVOLA_EXPORTS
and its number.
"""

import os

import gnubg

SETTINGS = """
set output matchpc off
set output mwc off
set output digits 5
set automatic game off
set automatic roll off
set threads 1
set analysis cubedecision type rollout
"""

ROLLOUT = """
seed 1
cubeful on
varredn on
quasirandom on
initial off
truncation enable off
later enable off
jsd stop off
limit enable off
"""

for line in SETTINGS.split("\n"):
    if line:
        gnubg.command(line)
CHOSEN = [
    "trials " + os.environ["TAVOLA_TRIALS"],
    "chequerplay plies " + os.environ["TAVOLA_PLIES"],
    "cubedecision plies " + os.environ["TAVOLA_PLIES"],
]
for line in [*ROLLOUT.split("\n"), *CHOSEN]:
    if line:
        gnubg.command("set rollout " + line)
        gnubg.command("set analysis cubedecision rollout " + line)
with open(os.environ["TAVOLA_XGIDS"]) as lines:
    for number, line in enumerate(lines):
        xgid, jacoby = line.split()
        # A record of the turn is needed to keep the analysis. After a roll that leaves no choice the
        # program plays on, to another position: then another roll must do.
        for seed in range(1, 1000):
            # Without a game there is no position to set.
            gnubg.command("new session")
            gnubg.command("set jacoby " + ("on" if jacoby == "jacoby" else "off"))
            gnubg.command("set xgid " + xgid)
            asked = gnubg.positionid()
            gnubg.command(f"set seed {seed}")
            gnubg.command("roll")
            if gnubg.positionid() == asked:
                break
        else:
            raise SystemExit(f"every roll leads away from {xgid}")
        gnubg.command("analyse rollout cube")
        gnubg.command("export position text " + os.environ["TAVOLA_EXPORTS"] + str(number))
