#!/usr/bin/env python3
"""Grades cube decisions by GNU Backgammon: equity loss by its 2-ply equities.

    scripts/compare-cube.py [POSITIONS [SEED [PLY]]]     # default 300 positions, seed 1, 2-ply

The positions come from 0-ply self-play of the network. Cube and score are in turn centred and owned
for money, a match, its Crawford game and a game after it. $TAVOLA is another binary.
"""

import random
import sys

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

# Kinds of decisions, in turn.
KINDS = ("money, centred", "money, owned", "match", "Crawford", "post-Crawford")


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
    # The leader has no decision after the Crawford game.
    leader = rng.choice((True, False)) if kind == "Crawford" else False
    behind = rng.randint(0, length - 2)
    score["player"], score["opponent"] = (length - 1, behind) if leader else (behind, length - 1)
    return {"match": score}


def graded(answer, no_double, take, drop):
    """Losses of an answer by gnubg's equities, and the distances of the equities."""
    row = {"difference": abs(answer["no_double"] - no_double), "losses": []}
    if answer["action"] == "no_cube":
        return row
    doubled = min(take, drop)
    doubles = answer["action"] in ("double_take", "double_pass")
    row["losses"].append(max(no_double, doubled) - (doubled if doubles else no_double))
    # A take is a decision only where a double is possible.
    if doubles or doubled > no_double - 0.1:
        row["losses"].append((drop if answer["action"].endswith("pass") else take) - doubled)
    row["take_difference"] = abs(answer["double_take"] - take)
    return row


def report(rows, ply, seconds):
    def mean(numbers):
        return 1000 * sum(numbers) / len(numbers) if numbers else float("nan")

    count = len(rows["all"])
    print(f"{count} positions, tavola at {ply}-ply: {1000 * seconds / count:.1f} ms of processor time a position")
    print("losses by gnubg's 2-ply equities, and mean distance of the equities, in millipoints")
    print("kind              positions  decisions  lost  worst  no double  double/take")
    for kind, group in rows.items():
        losses = [loss for row in group for loss in row["losses"]]
        takes = [row["take_difference"] for row in group if "take_difference" in row]
        print(
            f"{kind:<16}  {len(group):>9}  {len(losses):>9}  {mean(losses):>4.1f}  "
            f"{1000 * max(losses, default=0):>5.0f}  {mean([row['difference'] for row in group]):>9.0f}  "
            f"{mean(takes):>11.0f}"
        )
    print("the largest:")
    for row in sorted(rows["all"], key=lambda row: -max(row["losses"], default=0))[:5]:
        losses = ", ".join(f"{1000 * loss:.0f}" for loss in row["losses"])
        print(f"  {losses}: {row['text']}")


def main():
    count, seed, ply = (int(word) for word in (sys.argv[1:] + [300, 1, 2][len(sys.argv) - 1 :]))
    tools.need_gnubg()
    rng, batch, gnubg = random.Random(seed), tools.Batch(tools.tavola()), tools.Gnubg(2, cube=True)
    positions = []
    for game in tools.games(batch, rng):
        positions += rng.sample(game, min(4, len(game)))
        if len(positions) >= count:
            break
    rng.shuffle(positions)
    rows, seconds = {kind: [] for kind in (*KINDS, "all")}, 0.0
    for index, position in enumerate(positions[:count]):
        kind = KINDS[index % len(KINDS)]
        request = {"position": position, **terms(kind, rng)}
        before = batch.processor_time()
        answer = batch.ask(op="cube", ply=ply, **request)
        seconds += batch.processor_time() - before
        no_double, take, drop = map(float, gnubg.ask("equities", position, *tools.cube_words(request)))
        row = graded(answer, no_double, take, drop)
        row["text"] = (
            f"{request} tavola {answer['no_double']:+.3f} {answer.get('double_take') or 0:+.3f} "
            f"{answer['action']}, gnubg {no_double:+.3f} {take:+.3f} {drop:+.3f}"
        )
        rows[kind].append(row)
        rows["all"].append(row)
    report(rows, ply, seconds)


main()
