#!/usr/bin/env python3
"""Draw the positions of `tavola quiz` from our own rollouts and our own 2-ply cube decisions.

Plays come from a file of rolled-out decisions whose two best plays are close, but not equal. Cube
decisions come from a file of rolled-out states: those where the wrong action loses something, and
less than a blunder. Printed is a line for each: phase and XGID.
"""

import argparse
import json
import subprocess
import sys

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools


def lines_of(path):
    """The entries of a reference file, without its header and checksums."""
    decoder = json.JSONDecoder()
    with open(path, encoding="utf-8") as opened:
        for line in opened:
            entry, _ = decoder.raw_decode(line)
            if "position" in entry:
                yield entry


def batch(program, requests):
    """The answers of `tavola batch`, in the order of the requests."""
    text = "\n".join(json.dumps(request) for request in requests)
    done = subprocess.run(
        [program, "batch", "--quiet"], input=text, capture_output=True, text=True, check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for answer in answers:
        if "error" in answer:
            sys.exit(f"tavola batch: {answer['error']['message']}")
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--decisions", default="benches/grade/rollouts.jsonl")
    parser.add_argument("--states", default="benches/grade/tuning.states")
    parser.add_argument("--least", type=float, default=0.015, help="loss of the second best")
    parser.add_argument("--most", type=float, default=0.12, help="loss of the second best")
    parser.add_argument("--cubes", type=int, default=40, help="cube decisions")
    args = parser.parse_args()
    args.tavola = tools.tavola()

    drawn = []
    for decision in lines_of(args.decisions):
        plays = decision["plays"]
        if len(plays) < 2:
            continue
        loss, error = plays[0][1] - plays[1][1], plays[1][3]
        # Surely worse, by no more than a player may miss.
        if args.least <= loss <= args.most and loss > 2 * error:
            drawn.append((decision["phase"], decision["position"], decision["dice"]))

    states = list(lines_of(args.states))
    answers = batch(
        args.tavola,
        [{"id": n, "op": "cube", "position": s["position"]} for n, s in enumerate(states)],
    )
    double, response = [], []
    for state, answer in zip(states, answers):
        losses = answer["losses"]
        if not losses:
            continue
        cost = max(losses["no_double"], losses["double"])
        if args.least <= cost <= args.most:
            double.append((cost, state, None))
        cost = max(losses["take"], losses["pass"])
        if args.least <= cost <= args.most:
            response.append((cost, state, "double"))
    for cubes in (double, response):
        cubes.sort(key=lambda entry: entry[0])
        for _, state, offer in cubes[: args.cubes // 2]:
            drawn.append((state["phase"], state["position"], offer))

    requests = []
    for number, (_, position, dice) in enumerate(drawn):
        request = {"id": number, "op": "convert", "to": "xgid", "position": position}
        if isinstance(dice, list):
            request["dice"] = dice
        requests.append(request)
    for (phase, _, dice), answer in zip(drawn, batch(args.tavola, requests)):
        fields = answer["position"].removeprefix("XGID=").split(":")
        if dice == "double":
            fields[4] = "D"
        # The cube in the middle, as in money play without the rules of Jacoby and beavers.
        print(f"{phase} XGID={':'.join(fields)}")


if __name__ == "__main__":
    main()
