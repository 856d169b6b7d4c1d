#!/usr/bin/env python3
"""Writes what `tavola facts` and `tavola solve` have found into a page of docs/games/.

Usage: games_figures.py PAGE FACTS.json [SOLVE.json] -- COMMAND...

The part of the page between the two marks is replaced. scripts/games.sh calls this.
"""

import json
import sys
from pathlib import Path

BEGIN = "<!-- figures:"
END = "<!-- end of figures -->"


def points(estimate):
    """A mean with its 95 % interval."""
    half = (estimate["high"] - estimate["low"]) / 2
    return f"{estimate['mean']:+.3f} ± {half:.3f}"


def percent(share):
    return f"{100 * share:.1f} %" if share == 0 or share >= 0.001 else f"{100 * share:.3f} %"


def facts(report):
    games, length, wins = report["games"], report["length"], report["wins"]
    lines = [
        f"Network {report['network']}, 0-ply; {games:,} games against itself, seed {report['seed']}.",
        "",
        "| | |",
        "|---|---|",
        f"| length of a game | {length['mean']:.1f} turns of both sides, standard deviation "
        f"{length['standard_deviation']:.1f}, {length['shortest']} to {length['longest']} |",
        f"| worth of beginning | {points(report['first_mover'])} points per game |",
        f"| won by who begins, by the other, by nobody | {percent(wins['first'] / games)}, "
        f"{percent(wins['second'] / games)}, {percent(wins['draws'] / games)} |",
        f"| single, double, triple | {percent(wins['single'] / games)}, "
        f"{percent(wins['gammon'] / games)}, {percent(wins['backgammon'] / games)} |",
    ]
    if report["unfinished"]:
        lines.append(f"| given up as too long, not counted | {report['unfinished']:,} games |")
    for other in report["strength"]:
        lines.append(
            f"| against {other['opponent']} | {points(other['ppg'])} points per game, "
            f"{other['games']:,} games |"
        )
    lines += ["", "| end of a game | of all games |", "|---|---|"]
    lines += [f"| {end['meaning']} | {percent(end['share'])} |" for end in report["endings"]]
    lines += ["", "| what happens | turns a game | games with it |", "|---|---|---|"]
    lines += [
        f"| {event['meaning']} | {event['turns_a_game']:.3f} | {percent(event['share_of_games'])} |"
        for event in report["events"]
    ]
    free = [opening for opening in report["openings"] if opening["choices"] > 1]
    if not free:
        return lines + ["", "The first turn leaves no choice, whatever the roll."]
    lines += [
        "",
        "| opening roll | play | equity | second best | loses |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {opening['roll']} | {opening['play'] or 'pass'} | {opening['equity']:+.3f} | "
        f"{opening['second']} | {opening['second_loses']:.3f} |"
        for opening in free
    ]
    forced = len(report["openings"]) - len(free)
    if forced:
        lines += ["", f"The other {forced} opening rolls leave no choice."]
    return lines


def truth(report):
    """How far the network is from the exact solution."""

    def millis(number):
        return f"{1000 * number:.2f}"

    every, some, played = report["all"], report["reachable"], report["played"]
    return [
        "",
        f"Beside the exact solution (the start is worth {report['equity']:+.4f} to the player on roll), in "
        "thousandths of a point:",
        "",
        "| | all positions | that can arise | its own games |",
        "|---|---|---|---|",
        f"| positions | {every['positions']:,} | {some['positions']:,} | {played['decisions']:,} |",
        f"| mean error of the equity | {millis(every['mean_error'])} | "
        f"{millis(some['mean_error'])} | {millis(played['mean_error'])} |",
        f"| root of the mean square | {millis(every['root_mean_square'])} | "
        f"{millis(some['root_mean_square'])} | |",
        f"| largest error | {millis(every['largest_error'])} | {millis(some['largest_error'])} | |",
        f"| lost a 0-ply decision | {millis(every['lost_a_decision'])} | "
        f"{millis(some['lost_a_decision'])} | {millis(played['lost_a_decision'])} |",
        "",
        f"In {played['games']:,} games against itself both sides together lose "
        f"{millis(played['lost_a_game'])} a game. The worst position that can arise is "
        f"`{some['largest_at']}`: judged {some['largest_judged']:+.3f}, truly "
        f"{some['largest_exact']:+.3f}.",
    ]


def main(arguments):
    if "--" not in arguments or len(arguments) < 4:
        sys.exit(__doc__)
    split = arguments.index("--")
    page, files, commands = Path(arguments[0]), arguments[1:split], arguments[split + 1 :]
    reports = [json.loads(Path(file).read_text()) for file in files]
    lines = facts(reports[0])
    if len(reports) > 1:
        lines += truth(reports[1])
    lines += ["", "By", ""] + [f"    {command}" for command in commands]
    text = page.read_text()
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin:
        sys.exit(f"{page} has no two marks {BEGIN!r} and {END!r}, expected them around the figures")
    mark = text[begin : text.index("\n", begin) + 1]
    page.write_text(text[:begin] + mark + "\n" + "\n".join(lines) + "\n\n" + text[end:])


if __name__ == "__main__":
    main(sys.argv[1:])
