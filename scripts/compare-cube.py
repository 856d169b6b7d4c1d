#!/usr/bin/env python3
"""Compares cube decisions with GNU Backgammon's 2-ply cubeful ones: verdicts, equities, losses.

    scripts/compare-cube.py [POSITIONS [SEED [PLY]]]     # default 400 positions, seed 1, 2-ply

The positions come from 0-ply self-play of the network; every second one is close at 0-ply. Cube,
rules and score take turns (`KINDS`). Two verdicts agree if they have the same words, or if the
actions that differ are worth the same to within 5 millipoints by gnubg's equities. All others are
printed with the equities of both. $TAVOLA is another binary.
"""

import random
import sys

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

# Kinds of decisions, in turn.
KINDS = (
    "money",
    "Jacoby",
    "beavers",
    "Jacoby, beavers",
    "redouble to 4",
    "redouble to 8",
    "match",
    "match, to 4",
    "match, to 8",
    "Crawford",
    "after Crawford",
)
NEAR = 0.005
CLOSE = 0.2


def terms(kind, rng):
    """Cube, rules and score of a kind, from the player on roll."""
    if kind in ("money", "Jacoby", "beavers", "Jacoby, beavers"):
        return {"jacoby": "Jacoby" in kind, "beavers": "beavers" in kind}
    owned = {"2": {}, "4": {"value": 2, "owner": "player"}, "8": {"value": 4, "owner": "player"}}
    cube = {"cube": owned[kind[-1]]} if kind[-1] in "48" else {}
    if kind.startswith("redouble"):
        return cube
    least = 5 if kind.endswith("8") else 2
    player, opponent = rng.randint(least, 9), rng.randint(least, 9)
    if kind == "Crawford" and rng.random() < 0.5:
        player = 1
    elif "Crawford" in kind:
        opponent = 1
    length = max(player, opponent)
    score = {"length": length, "player": length - player, "opponent": length - opponent}
    return {"match": {**score, "crawford": kind == "Crawford"}, **cube}


def positions(batch, rng):
    """Positions of self-play, four of a game, in an order of their own."""
    for game in tools.games(batch, rng):
        yield from rng.sample(game, min(4, len(game)))


def chosen(batch, rng, drawn, kind, close):
    """A request: where `close`, doubling and rolling are near each other at 0-ply."""
    for _ in range(30):
        request = {"position": next(drawn), **terms(kind, rng)}
        losses = batch.ask(op="cube", ply=0, **request)["losses"]
        if not close or losses is None or max(losses["no_double"], losses["double"]) < CLOSE:
            break
    return request


def ours(answer):
    """What to do with the cube and how to respond, in gnubg's words."""
    if answer["action"] == "no_cube":
        return ("no", None)
    words = {"no": "no", "double": "double", "too": "too good"}
    double = "optional" if answer["optional"] else words[answer["action"].partition("_")[0]]
    return (double, answer["response"])


def theirs(words):
    """The same of gnubg's verdict; in a game without a cube it says what it never doubles."""
    text = " ".join(words).lower().replace("redouble", "double")
    if text.startswith("never") or text.startswith("unknown"):
        return ("no", None)
    double, _, response = text.partition(", ")
    names = {"no double": "no", "double": "double", "too good to double": "too good"}
    return (names.get(double, "optional"), response.partition(" ")[0])


def graded(answer, verdict, no_double, take, drop, beavers):
    """Losses by gnubg's equities, distances of the equities, and how far the verdicts agree."""
    row = {"difference": abs(answer["no_double"] - no_double), "losses": []}
    mine = ours(answer)
    if mine[1] is None or verdict[1] is None:
        # gnubg has a verdict of its own for a double that can never be right.
        hold = mine[0] in ("no", "optional") and verdict[0] in ("no", "optional")
        return {**row, "costs": [], "agree": "same" if hold else "differ"}
    taken = {"take": take, "pass": drop, **({"beaver": 2 * take} if beavers else {})}
    doubled = min(taken.values())
    best = max(no_double, doubled)
    made = {"double": doubled, "optional": best}.get(mine[0], no_double)
    response = taken[mine[1]] - doubled
    row["costs"] = [best - made, response]
    row["losses"].append(best - made)
    # A response is a decision only where a double is possible.
    if mine[0] == "double" or doubled > no_double - 0.1:
        row["losses"].append(response)
    near = (mine[0] == verdict[0] or best - made < NEAR) and (mine[1] == verdict[1] or response < NEAR)
    row["agree"] = "same" if mine == verdict else "near" if near else "differ"
    row["take_difference"] = abs(answer["double_take"] - take)
    return row


def report(rows, ply, seconds):
    def mean(numbers):
        return f"{1000 * sum(numbers) / len(numbers):.1f}" if numbers else "-"

    count = len(rows["all"])
    print(f"{count} positions, tavola at {ply}-ply: {1000 * seconds / count:.1f} ms of processor time a position")
    print("verdicts; losses by gnubg's 2-ply equities and mean distance of the equities, in millipoints")
    print("kind             positions  same  near  differ  decisions  lost  worst  no double  double/take")
    for kind, group in rows.items():
        losses = [loss for row in group for loss in row["losses"]]
        takes = [row["take_difference"] for row in group if "take_difference" in row]
        agree = [row["agree"] for row in group]
        print(
            f"{kind:<15}  {len(group):>9}  {agree.count('same'):>4}  {agree.count('near'):>4}  "
            f"{agree.count('differ'):>6}  {len(losses):>9}  {mean(losses):>4}  "
            f"{1000 * max(losses, default=0):>5.0f}  {mean([row['difference'] for row in group]):>9}  "
            f"{mean(takes):>11}"
        )
    print("verdicts that differ by more than 5 millipoints, with the losses of double and response:")
    for row in rows["all"]:
        if row["agree"] == "differ":
            costs = ", ".join(f"{1000 * cost:.0f}" for cost in row["costs"])
            print(f"  {costs}: {row['text']}")


def main():
    count, seed, ply = (int(word) for word in (sys.argv[1:] + [400, 1, 2][len(sys.argv) - 1 :]))
    tools.need_gnubg()
    rng, batch, gnubg = random.Random(seed), tools.Batch(tools.tavola()), tools.Gnubg(2, cube=True)
    drawn = positions(batch, rng)
    rows, seconds = {kind: [] for kind in (*KINDS, "all")}, 0.0
    for index in range(count):
        kind = KINDS[index % len(KINDS)]
        request = chosen(batch, rng, drawn, kind, close=index // len(KINDS) % 2 == 0)
        before = batch.processor_time()
        answer = batch.ask(op="cube", ply=ply, **request)
        seconds += batch.processor_time() - before
        words = gnubg.ask("decision", request["position"], *tools.cube_words(request))
        no_double, take, drop = map(float, words[:3])
        row = graded(answer, theirs(words[3:]), no_double, take, drop, request.get("beavers"))
        row["text"] = (
            f"{' '.join(map(str, (request['position'], *tools.cube_words(request)[1:])))}\n"
            f"    tavola {answer['no_double']:+.3f} {answer.get('double_take') or 0:+.3f} "
            f"{', '.join(filter(None, ours(answer)))}; "
            f"gnubg {no_double:+.3f} {take:+.3f} {drop:+.3f} {', '.join(filter(None, theirs(words[3:])))}"
        )
        rows[kind].append(row)
        rows["all"].append(row)
    report(rows, ply, seconds)


main()
