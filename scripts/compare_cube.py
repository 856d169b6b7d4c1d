"""Compares cube decisions with GNU Backgammon; started by compare-cube.sh.

As `python3 compare_cube.py TAVOLA COUNT SEED PLY FILE` it plays games with the network at 0-ply,
draws COUNT positions of them, asks `tavola batch` for the cube decision of each at PLY on one thread,
and writes questions and answers to FILE. Inside gnubg (with FILE in $TAVOLA_CUBES) it has gnubg judge
the same decisions at 2-ply and writes a report to $TAVOLA_REPORT.
"""

import json
import os
import random
import subprocess
import sys
import time

# Kinds of decisions, in turn.
KINDS = ("money, centred", "money, owned", "match", "Crawford", "post-Crawford")


class Batch:
    """A running `tavola batch`."""

    def __init__(self, tavola):
        self.process = subprocess.Popen(
            [tavola, "batch", "--threads", "1"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise SystemExit(f"{request}: {answer['error']}")
        return answer

    def processor_time(self):
        """Seconds of processor time so far, read from /proc."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            user, system = stat.read().rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def games(batch, rng):
    """Lists of the positions of games, each before the roll."""
    while True:
        position, positions = "4HPwATDgc/ABMA", []
        while True:
            dice = [rng.randint(1, 6), rng.randint(1, 6)]
            plays = batch.ask(op="best", position=position, dice=dice, top=1, cubeful=False)["plays"]
            if not plays:
                # The roll can't be played: the game is drawn no further.
                break
            position = plays[0]["position"]
            state = batch.ask(op="eval", position=position, cubeful=False)
            if state["probs"][0] in (0, 1):
                break
            positions.append(position)
        yield positions


def terms(kind, rng):
    """Cube and score of a kind, from the player on roll."""
    if kind == "money, centred":
        return {}
    if kind == "money, owned":
        return {"cube": {"value": 2, "owner": "player"}}
    length = rng.choice((3, 5, 7, 9, 11))
    score = {"length": length, "crawford": kind == "Crawford"}
    if kind == "match":
        score["player"] = rng.randint(0, length - 2)
        score["opponent"] = rng.randint(0, length - 2)
        value = rng.choice((1, 1, 2))
        owned = value > 1 and {"cube": {"value": value, "owner": "player"}}
        return {"match": score, **(owned or {})}
    # The leader has nothing to decide after the Crawford game.
    leader = rng.choice((True, False)) if kind == "Crawford" else False
    behind = rng.randint(0, length - 2)
    score["player"], score["opponent"] = (length - 1, behind) if leader else (behind, length - 1)
    return {"match": score}


def ask(tavola, count, seed, ply, file):
    rng = random.Random(seed)
    batch = Batch(tavola)
    positions = []
    for game in games(batch, rng):
        positions += rng.sample(game, min(4, len(game)))
        if len(positions) >= count:
            break
    rng.shuffle(positions)
    cases, seconds = [], 0.0
    for number, position in enumerate(positions[:count]):
        kind = KINDS[number % len(KINDS)]
        request = {"position": position, **terms(kind, rng)}
        before, started = batch.processor_time(), time.perf_counter()
        answer = batch.ask(op="cube", ply=ply, **request)
        elapsed = time.perf_counter() - started
        seconds += batch.processor_time() - before
        cases.append({"kind": kind, "request": request, "answer": answer, "seconds": elapsed})
    batch.close()
    with open(file, "w", encoding="ascii") as out:
        json.dump({"ply": ply, "processor_seconds": seconds, "cases": cases}, out)


def judge(gnubg, request):
    """No double, double and take, double and pass: equities of gnubg at 2-ply, EMG in a match."""
    cube = request.get("cube", {"value": 1, "owner": "center"})
    owner = {"center": -1, "player": 1, "opponent": 0}[cube["owner"]]
    match = request.get("match", {"length": 0, "player": 0, "opponent": 0, "crawford": False})
    info = gnubg.cubeinfo(
        cube["value"],
        owner,
        1,
        match["length"],
        (match["opponent"], match["player"]),
        int(match["crawford"]),
    )
    # cubeful, plies, deterministic, prune, noise
    context = gnubg.evalcontext(1, 2, 1, 1, 0.0)
    board = gnubg.positionfromid(request["position"])
    _, no_double, take, drop, *_ = gnubg.cfevaluate(board, info, context)
    return no_double, take, drop


def report(gnubg, file, out):
    with open(file, encoding="ascii") as text:
        data = json.load(text)
    gnubg.command("set jacoby off")
    gnubg.command("set beavers 0")
    cases = data["cases"]
    rows = {kind: [] for kind in (*KINDS, "all")}
    for case in cases:
        answer, kind = case["answer"], case["kind"]
        no_double, take, drop = judge(gnubg, case["request"])
        row = {"difference": abs(answer["no_double"] - no_double), "losses": [], "worst": ""}
        if answer["action"] != "no_cube":
            doubled = min(take, drop)
            best = max(no_double, doubled)
            doubles = answer["action"] in ("double_take", "double_pass")
            loss = best - (doubled if doubles else no_double)
            row["losses"].append(loss)
            passes = answer["action"].endswith("pass")
            answer_loss = (drop if passes else take) - doubled
            # Whether to take is a decision only where somebody might double.
            if doubles or doubled > no_double - 0.1:
                row["losses"].append(answer_loss)
            row["take_difference"] = abs(answer["double_take"] - take)
            row["agree"] = doubles == (doubled > no_double)
            row["worst"] = (
                f"{case['request']} tavola {answer['no_double']:+.3f} {answer['double_take']:+.3f} "
                f"{answer['action']}, gnubg {no_double:+.3f} {take:+.3f} {drop:+.3f}"
            )
        rows[kind].append(row)
        rows["all"].append(row)
    mean = lambda numbers: sum(numbers) / len(numbers) if numbers else float("nan")
    seconds = data["processor_seconds"] / len(cases)
    out.write(f"{len(cases)} positions, tavola at {data['ply']}-ply: ")
    out.write(f"{1000 * seconds:.1f} ms of processor time a position\n")
    out.write("losses by gnubg's 2-ply equities, and mean distance of the equities, in millipoints\n")
    out.write("kind              positions  decisions  lost  worst  no double  double/take\n")
    for kind, group in rows.items():
        losses = [1000 * loss for row in group for loss in row["losses"]]
        out.write(
            f"{kind:<16}  {len(group):>9}  {len(losses):>9}  {mean(losses):>4.1f}  "
            f"{max(losses, default=0):>5.0f}  {1000 * mean([r['difference'] for r in group]):>9.0f}  "
            f"{1000 * mean([r['take_difference'] for r in group if 'take_difference' in r]):>11.0f}\n"
        )
    out.write("the dearest:\n")
    dearest = sorted(rows["all"], key=lambda row: -max(row["losses"], default=0))[:5]
    for row in dearest:
        losses = ", ".join(f"{1000 * loss:.0f}" for loss in row["losses"])
        out.write(f"  {losses}: {row['worst']}\n")


if "TAVOLA_CUBES" in os.environ:
    import gnubg

    with open(os.environ["TAVOLA_REPORT"], "w", encoding="ascii") as out:
        report(gnubg, os.environ["TAVOLA_CUBES"], out)
else:
    tavola, count, seed, ply, file = sys.argv[1:]
    ask(tavola, int(count), int(seed), int(ply), file)
