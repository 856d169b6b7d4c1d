"""Rolls out cube actions inside GNU Backgammon, for scripts/compare-rollouts.py.

$TAVOLA_XGIDS holds lines of an XGID and the word `jacoby` or `plain`, $TAVOLA_TRIALS the number of
trials. The text export of each position is written to $TAVOLA_EXPORTS and its number.
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
chequerplay plies 0
cubedecision plies 0
later enable off
jsd stop off
limit enable off
"""

for line in SETTINGS.split("\n"):
    if line:
        gnubg.command(line)
for line in [*ROLLOUT.split("\n"), "trials " + os.environ["TAVOLA_TRIALS"]]:
    if line:
        gnubg.command("set rollout " + line)
        gnubg.command("set analysis cubedecision rollout " + line)
with open(os.environ["TAVOLA_XGIDS"]) as lines:
    for number, line in enumerate(lines):
        xgid, jacoby = line.split()
        # Without a game there is no position to set.
        gnubg.command("new session")
        gnubg.command("set jacoby " + ("on" if jacoby == "jacoby" else "off"))
        gnubg.command("set xgid " + xgid)
        # A record of the turn is needed to keep the analysis.
        gnubg.command("roll")
        gnubg.command("analyse rollout cube")
        gnubg.command("export position text " + os.environ["TAVOLA_EXPORTS"] + str(number))
