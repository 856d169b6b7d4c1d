#!/usr/bin/env python3
"""Statistics of self-play and strength of the other games, written into docs/games/.

    scripts/games.py                    # every game with a network in models/games/
    scripts/games.py tabula puff        # these
    scripts/games.py --pictures         # the special cases in docs/images/games/
    GAMES=20000 SEED=7 scripts/games.py hypergammon

$GAMES (10000) games of each network against itself, $DUEL (4000) games against the random and the simple
player, from $SEED (1), on $THREADS (2) threads. Hypergammon is also compared with its exact solution, which
is kept in $TABLE (runs/hypergammon.bin). The part of a page between the two marks is replaced,
the first of which names commit and date.
$TAVOLA is another binary.
"""

import json
import os
import subprocess
import sys
import textwrap
from datetime import date
from pathlib import Path

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

BEGIN = "<!-- figures:"
END = "<!-- end of figures -->"

# Special cases from games of the networks against themselves: file, position, roll.
PICTURES = {
    "tabula-first": ("hand:15 first / 2:1 3:2 hand:12", "321"),
    "tabula-late": ("23:2 off:13 / 24:1 off:14", "221"),
    "puff-double": ("6:6 8:2 11:2 12:1 13:1 14:1 18:1 24:1 / 2:2 3:2 4:3 5:2 9:2 10:2 16:1 21:1", "55"),
    "puff-low": ("6:2 7:2 9:2 10:2 11:2 12:2 15:1 24:1 hand:1 / 1:2 2:1 3:1 4:2 5:4 8:1 13:1 21:1 23:2", "41"),
    "fallas-hit": ("m12:2 19:11 23:1 24:1 / m7:1 m9:1 19:9 20:1 21:1 22:1 23:1", "643"),
    "fallas-guard": ("m18:1 19:10 21:2 22:1 m22:1 / m13:1 19:9 20:1 m20:1 21:1 22:1 off:1", "541"),
    "emperador-barata": ("1:5 2:1 3:1 16:1 19:2 20:2 21:2 bar:1 / 1:1 8:1 15:2 17:2 18:2 19:2 20:3 21:2", "331"),
    "buffa-heir": ("24:2 off:13 inherits:65 / 22:2 23:5 24:8", "543"),
    "ludus-stack": ("6:7 9:8 / 16:15", "622"),
    "trictrac-power": ("1:10 2:1 7:1 9:2 10:1 points:2 interrupted / 1:9 2:2 7:2 9:1 11:1 points:2", "63"),
    "trictrac-full": ("1:2 2:1 5:1 7:1 8:2 9:2 10:2 11:2 12:2 holes:8 / 1:2 5:1 6:2 7:2 8:2 9:2 11:2 12:2", "41"),
    "four-seasons-offer": (
        "6:2 8:1 9:3 10:6 / 5:2 6:2 7:1 9:2 13:2 15:3 / 10:2 11:2 13:6 15:2 / 2:3 8:2 11:6 bar:1 offers:4-4-3",
        "432",
    ),
    "astronomy-capture": (
        "0:5 8:2 / 7:6 24:1 / 14:5 18:2 / 21:4 25:2 29:1 / 28:6 47:1 / 35:6 43:1 / 42:7 rolls",
        "741",
    ),
}
DEFAULTS = {"GAMES": "10000", "DUEL": "4000", "SEED": "1"}


def points(estimate):
    """A mean with its 95 % interval."""
    half = (estimate["high"] - estimate["low"]) / 2
    return f"{estimate['mean']:+.3f} ± {half:.3f}"


def percent(share):
    return f"{100 * share:.1f} %" if share == 0 or share >= 0.001 else f"{100 * share:.3f} %"


def openings(report):
    """Where the opening plays stand."""
    free = [opening for opening in report["openings"] if opening["choices"] > 1]
    if not free:
        return ["", "The first turn leaves no choice."]
    name = lambda opening: f"{opening['roll']} ({opening['play']}, {equity(opening):+.2f})"
    equity = lambda opening: opening["equity"]
    best, worst = max(free, key=equity), min(free, key=equity)
    if equity(best) - equity(worst) < 0.005:
        return ["", f"{len(free)} opening rolls leave a choice."]
    text = f"{len(free)} opening rolls leave a choice, from {name(best)} to {name(worst)}."
    return [""] + wrapped(text)


def wrapped(text):
    return textwrap.wrap(text, width=100, break_long_words=False, break_on_hyphens=False)


def events(found, unit):
    """What happens in games, a row each, from meanings, numbers a game and shares of games."""
    rows = [f"|{meaning}|{a_game:.3f}|{percent(share)}|" for meaning, a_game, share in found if share > 0]
    return ["", f"| | {unit} a game | of games |", "|---|---|---|", *rows]


def many(report):
    """The figures of a game for more than two players."""
    mean, shortest, longest = report["decisions"]
    text = (
        f"Network {report['network']}; {report['games']:,} games with it in all seats. "
        f"Decisions a game: {mean:.1f}, {shortest} to {longest}. "
        f"Points of the winner: {points(report['winner'])}."
    )
    if report["unfinished"]:
        text += f" {report['unfinished']:,} games were truncated and do not count."
    names = [
        ("hits", "checkers of others removed"),
        ("passes", "no legal move"),
        ("offers_used", "offered dice used"),
        ("offers_declined", "offered dice declined"),
    ]
    lines = wrapped(text)
    lines += events(
        [(meaning, report[name]["a_game"], report[name]["share_of_games"]) for name, meaning in names], "decisions"
    )
    strength = report["strength"]
    heads = "".join(f" | among {other['opponent']} players" for other in strength)
    lines += ["", f"| seat | with itself in all seats{heads} |", "|---|---" + "|---" * len(strength) + "|"]
    rows = [["all", ""] + [points(other["all"]) for other in strength]]
    for seat, found in enumerate(report["seats"]):
        name = f"{seat + 1} (begins)" if seat == 0 else f"{seat + 1}"
        rows.append([name, points(found)] + [points(other["seats"][seat]) for other in strength])
    lines += [f"|{'|'.join(row)}|" for row in rows]
    if strength:
        rounds = strength[0]["rounds"]
        lines += ["", f"Among others it played {rounds:,} rounds of a game in each seat."]
    return lines + openings(report)


def facts(report):
    if "strength" in report and "decisions" in report:
        return many(report)
    games, length, wins = report["games"], report["length"], report["wins"]
    text = (
        f"Network {report['network']}, 0-ply; {games:,} games against itself. "
        f"Turns a game: {length['mean']:.1f}, {length['shortest']} to {length['longest']}. "
        f"The first player wins {percent(wins['first'] / games)}, or {points(report['first_mover'])} points"
    )
    text += f"; {percent(wins['draws'] / games)} are drawn." if wins["draws"] else "."
    if wins["gammon"] + wins["backgammon"]:
        text += (
            f" {percent(wins['single'] / games)} of the wins are single, "
            f"{percent(wins['gammon'] / games)} double, {percent(wins['backgammon'] / games)} triple."
        )
    if report["unfinished"]:
        text += f" {report['unfinished']:,} games were truncated at the turn limit and do not count."
    if report["strength"]:
        against = ", ".join(f"{points(other['ppg'])} against {other['opponent']}" for other in report["strength"])
        text += f" Points per game: {against}."
    lines = wrapped(text)
    endings = [end for end in report["endings"] if end["share"] > 0]
    if len(endings) > 1:
        ends = ", ".join(f"{end['meaning']} {percent(end['share'])}" for end in endings)
        lines += [""] + wrapped(f"Ends: {ends}.")
    found = [(event["meaning"], event["turns_a_game"], event["share_of_games"]) for event in report["events"]]
    return lines + events(found, "turns") + openings(report)


def truth(report):
    """The error of the network against the exact solution."""

    def millis(number):
        return f"{1000 * number:.2f}"

    every, some, played = report["all"], report["reachable"], report["played"]
    text = f"Against the exact solution (the start is worth {report['equity']:+.4f}), in thousandths of a point:"
    return [
        "",
        *wrapped(text),
        "",
        "| | all positions | that can arise | its own games |",
        "|---|---|---|---|",
        f"|positions|{every['positions']:,}|{some['positions']:,}|{played['decisions']:,}|",
        f"|mean error of the equity|{millis(every['mean_error'])}|"
        f"{millis(some['mean_error'])}|{millis(played['mean_error'])}|",
        f"|largest error|{millis(every['largest_error'])}|{millis(some['largest_error'])}||",
        f"|lost a 0-ply decision|{millis(every['lost_a_decision'])}|"
        f"{millis(some['lost_a_decision'])}|{millis(played['lost_a_decision'])}|",
        "",
        f"In {played['games']:,} games against itself both sides together lose "
        f"{millis(played['lost_a_game'])} a game.",
    ]


def run(binary, words):
    options = ["--threads", os.environ.get("THREADS", "2"), "--json"]
    done = subprocess.run([binary, *words, *options], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def pictures(binary):
    for name, (position, roll) in PICTURES.items():
        game, path = name.rpartition("-")[0], f"docs/images/games/{name}.svg"
        subprocess.run([binary, "show", "--game", game, position, "--roll", roll, "--svg", path, "--force"], check=True)
        print(path)


def main():
    os.chdir(tools.ROOT)
    if sys.argv[1:] == ["--pictures"]:
        return pictures(tools.tavola())
    games = sys.argv[1:] or sorted(path.stem for path in Path("models/games").glob("*.safetensors"))
    setting = lambda name, default: os.environ.get(name) or default
    common = ["--games", setting("GAMES", DEFAULTS["GAMES"]), "--seed", setting("SEED", DEFAULTS["SEED"])]
    binary = tools.tavola()
    for game in games:
        model, page = f"models/games/{game}.safetensors", Path(f"docs/games/{game}.md")
        if not Path(model).exists():
            tools.stop(f"no network for {game}, expected {model}", 2)
        duel = ["--duel-games", setting("DUEL", DEFAULTS["DUEL"])]
        report = run(binary, ["stats", "--game", game, "--model", model, *common, *duel])
        lines = facts(report)
        if game == "hypergammon":
            table = setting("TABLE", "runs/hypergammon.bin")
            Path(table).parent.mkdir(parents=True, exist_ok=True)
            lines += truth(run(binary, ["solve", "--table", table, "--model", model, *common]))
        settings = " ".join(f"{name}={setting(name, default)}" for name, default in DEFAULTS.items())
        lines += ["", f"    {settings} scripts/games.py {game}"]
        text = page.read_text()
        begin, end = text.find(BEGIN), text.find(END)
        if begin < 0 or end < begin:
            tools.stop(f"{page} has no marks {BEGIN!r} and {END!r} around the figures")
        commit = report["provenance"]["commit"][:8]
        mark = f"{BEGIN} scripts/games.py@{commit},{date.today()} -->\n"
        page.write_text(text[:begin] + mark + "\n" + "\n".join(lines) + "\n\n" + text[end:])
        print(page)


main()
