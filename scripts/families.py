#!/usr/bin/env python3
"""Decisions by family of positions, and what our levels and GNU Backgammon lose there.

    scripts/families.py draw --each 300 --out families          # a sample for each family, and its rollouts
    scripts/families.py table families --players default@0,default@2,gnubg:0,gnubg:2
    scripts/families.py second families        # GNU Backgammon as a second grader of ten decisions each
    scripts/families.py gate families --player new.safetensors --against default     # before a release

Starts are drawn from the templates of rare-starts.py; the built-in network plays some turns from each, so that
the position is one that play reaches, and the next roll is the decision. The grader is `tavola grade rollout`, which
rates every play that is within 0.06 of the best one at 2-ply: others count as worse by that at least. A decision
counts in its family whatever has become of the position. Several folders, of other seeds, count as one.

`gate` compares a network with that of the release before, at each of --plies: plays, cubes and errors of values
on the tuning sets, and the plays of each family at the first and the last. It names what is worse beyond chance:
the chance that it names anything where nothing is worse is 5 % in all. $TAVOLA is another binary.
Exit code: 0 done, 1 failed, or something is worse.
"""

import argparse
import importlib.util
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

SPEC = importlib.util.spec_from_file_location("starts", pathlib.Path(__file__).with_name("rare-starts.py"))
starts = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(starts)
FAMILIES = [kind for kind in starts.KINDS if kind not in ("crunched boards", "bear-offs with contact")]


def draw(args):
    folder = pathlib.Path(args.out)
    folder.mkdir(exist_ok=True)
    about = subprocess.run([tools.tavola(), "model", "--json"], stdout=subprocess.PIPE, check=True)
    built_in = json.loads(about.stdout)["sha256"]
    for family in FAMILIES:
        rng = random.Random(f"{args.seed} {family}")
        decisions = {}
        while len(decisions) < args.each:
            # All games take a turn together, so that one process answers them.
            games = []
            while len(games) < args.each:
                us, them = starts.KINDS[family](rng)
                if not starts.shared(us, them):
                    seats = (them, us) if rng.random() < 0.5 else (us, them)
                    games.append((tools.encode(*reversed(seats)), rng.randint(1, 5)))
            for turn in range(1, 6):
                asked = [{"op": "best", "ply": 0, "top": 500, "position": position,
                          "dice": [rng.randint(1, 6), rng.randint(1, 6)]} for position, _ in games]
                going = []
                for (_, turns), request, answer in zip(games, asked, tools.batch(asked, args.threads)):
                    plays = answer.get("plays", [])
                    if turn < turns and plays:
                        going.append((plays[0]["position"], turns))
                    elif len(plays) > 1:
                        decisions[request["position"], str(request["dice"])] = {
                            "position": request["position"], "dice": request["dice"], "phase": "middle",
                            "afterstates": [play["position"] for play in plays]}
                games = going
        decisions = list(decisions.values())[:args.each]
        header = {"format": "tavola-grade", "version": 3, "game": "backgammon", "purpose": "reporting",
                  "command": f"scripts/families.py draw, {family}", "network": f"sha256 {built_in[:12]}",
                  "seed": args.seed, "games": 0, "seeded_games": len(decisions),
                  "phases": [{"phase": "middle", "share": 1.0, "drawn": len(decisions), "seeded": len(decisions)}]}
        name = family.replace(" ", "-")
        sample = folder / f"{name}.sample"
        sample.write_text(tools.sealed([header, *decisions]))
        words = [tools.tavola(), "grade", "rollout", str(sample), "--out", str(folder / f"{name}.jsonl"), "--look", "2",
                 "--play", "0", "--truncate", str(args.truncate), "--leaf", "0", "--trials", str(args.trials), "--top",
                 "32", "--within", "0.06", "--threads", str(args.threads), "--quiet"]
        if not args.sample_only and subprocess.run(words).returncode:
            tools.stop(f"{' '.join(words)} failed")


def references(folders):
    """Families with the references that the folders have of them."""
    for folder in folders:
        if not any((pathlib.Path(folder) / f"{family.replace(' ', '-')}.jsonl").exists() for family in FAMILIES):
            tools.stop(f"{folder} has no family of positions, expected files such as back-games.jsonl")
    for family in FAMILIES:
        files = [pathlib.Path(folder) / f"{family.replace(' ', '-')}.jsonl" for folder in folders]
        files = [str(file) for file in files if file.exists()]
        if files:
            yield family, files


def graded(player, files, *words):
    """The reports of `tavola grade` on each file."""
    for reference in files:
        command = [tools.tavola(), "grade", player, "--reference", reference, "--quiet", "--json", *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            tools.stop(f"{' '.join(command)} failed")
        yield json.loads(done.stdout)


def together(parts):
    """The mean of several samples, each with its number, mean and standard error, and its standard error."""
    number = sum(part for part, _, _ in parts)
    mean = sum(part * mean for part, mean, _ in parts) / number
    return mean, sum((part * error) ** 2 for part, _, error in parts) ** 0.5 / number


def table(args):
    players = args.players.split(",")
    print(f"| family | decisions | {' | '.join(players)} |\n|---|---|" + "---|" * len(players))
    for family, files in references(args.folders):
        cells = []
        for player in players:
            reports = list(graded(player, files))
            losses = [(report["decisions"], report["players"][0]["loss"]["in_play"]) for report in reports]
            mean, error = together([(number, loss["mean"], loss["standard_error"]) for number, loss in losses])
            cells.append(f"{500 * mean:.2f} ± {500 * 1.96 * error:.2f}")
        print(f"| {family} | {sum(number for number, _ in losses)} | {' | '.join(cells)} |", flush=True)


def gate(args):
    """Nothing may get worse: names that in which a network is worse than the other one beyond chance."""
    compared, families = [], list(references(args.folders))
    states = [word for file in args.states for word in ("--states", file)]
    command = [tools.tavola(), "grade", "plies", args.against, args.player, "--reference", args.reference, *states,
               "--plies", args.plies, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        tools.stop(f"{' '.join(command)} failed")
    for player in json.loads(done.stdout)["players"]:
        if "worse_by" in player:
            at, found = f"{player['ply']}-ply", player["worse_by"]
            compared.append((f"plays {at}", found["loss"]["mean"], found["loss"]["standard_error"]))
            for file, difference in zip(args.states, found["states"]):
                for what, estimate in difference.items():
                    name = f"{what} {at} in {pathlib.Path(file).stem}"
                    compared.append((name, estimate["mean"], estimate["standard_error"]))
    plies = args.plies.split(",")
    for family, files in families:
        for ply in sorted({plies[0], plies[-1]}):
            reports = list(graded(f"{args.player}@{ply}", files, "--against", f"{args.against}@{ply}"))
            parts = [(report["decisions"], report["difference"]["in_play"]) for report in reports]
            parts = [(number, loss["mean"], loss["standard_error"]) for number, loss in parts]
            compared.append((f"{family} {ply}-ply", *together(parts)))
    # One bound for all, by Bonferroni.
    bound = statistics.NormalDist().inv_cdf(1 - 0.05 / len(compared))
    worse = []
    print("| millipoints | worse by |\n|---|---|")
    for name, mean, error in compared:
        is_worse = mean > bound * error > 0
        verdict = ", WORSE" if is_worse else ""
        print(f"| {name} | {1000 * mean:+.2f} ± {1000 * bound * error:.2f}{verdict} |")
        worse += [name] * is_worse
    if worse:
        tools.stop(f"{args.player} is worse than {args.against} in: {', '.join(worse)}")


def second(args):
    """The first plays of the reference, at most four of each decision, as GNU Backgammon evaluates them: how
    often it finds the same one best, and what the best play of each grader loses to that of the other."""
    tools.need_gnubg()
    print("| family | decisions | same best play | our best play by gnubg | gnubg's by our rollouts |\n|---|---|---|---|---|")
    for family, files in references(args.folders):
        decisions = [json.loads(line) for file in files for line in open(file)]
        decisions = [line for line in decisions if len(line.get("plays", [])) > 1][:args.each]
        plays = [decision["plays"][:4] for decision in decisions]
        with tempfile.TemporaryDirectory() as folder:
            asked, told = pathlib.Path(folder) / "positions", pathlib.Path(folder) / "equities"
            asked.write_text("".join(f"{play[0]}\n" for some in plays for play in some))
            tools.inside_gnubg("gnubg-equities.py", TAVOLA_POSITIONS=str(asked), TAVOLA_EQUITIES=str(told),
                               TAVOLA_PLIES=str(args.plies))
            equities = iter([float(line) for line in told.read_text().split()])
        ours, theirs, same = 0.0, 0.0, 0
        for some in plays:
            seen = [next(equities) for _ in some]
            choice = max(range(len(some)), key=lambda at: seen[at])
            same += choice == 0
            ours += max(seen) - seen[0]
            theirs += some[0][1] - some[choice][1]
        count = len(plays)
        print(f"| {family} | {count} | {same} | {500 * ours / count:.2f} | {500 * theirs / count:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("--each", type=int, default=300)
    drawing.add_argument("--seed", type=int, default=1)
    drawing.add_argument("--trials", type=int, default=1296)
    drawing.add_argument("--truncate", type=int, default=11)
    drawing.add_argument("--threads", type=int, default=2)
    drawing.add_argument("--sample-only", action="store_true", help="draw the decisions, and do not roll them out")
    drawing.add_argument("--out", required=True)
    tabling = commands.add_parser("table")
    tabling.add_argument("--players", default="default@0,default@1,default@2,gnubg:0,gnubg:2")
    gating = commands.add_parser("gate")
    gating.add_argument("--player", required=True)
    gating.add_argument("--against", required=True, help="the network of the release before")
    gating.add_argument("--plies", default="0,1,2")
    sets = [str(tools.ROOT / "benches/grade" / f"tuning{name}") for name in
            ("-fine.states", "-search.states", "-back-games.states", ".jsonl")]
    gating.add_argument("--states", nargs="+", default=sets[:-1], help="files of rolled-out states")
    gating.add_argument("--reference", default=sets[-1], help="file of graded decisions")
    grading = commands.add_parser("second")
    grading.add_argument("--each", type=int, default=10)
    grading.add_argument("--plies", type=int, default=3)
    for command in (tabling, gating, grading):
        command.add_argument("folders", nargs="+")
    args = parser.parse_args()
    {"draw": draw, "table": table, "gate": gate, "second": second}[args.command](args)


if __name__ == "__main__":
    main()
