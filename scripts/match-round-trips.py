#!/usr/bin/env python3
"""Take matches of GNU Backgammon through every format of tavola and back, and compare.

GNU Backgammon plays matches against itself, at 0-ply with noise: money with and without the Jacoby
rule and beavers, and matches of 1 to 11 points. Each is saved as SGF and as match text, converted
by `tavola convert`, and loaded by GNU Backgammon again. Printed is a table of what was compared and
how many matches differ; each difference is shown. Ends with 1 if any does.

With --gammonview FOLDER the match text of a folder is read by GammonView instead, which
`pip install gammonview==3.1.0` gives: target/tmp/corpus has the matches of the test `corpus`. With
--ogxm FOLDER all matches of a folder go through OGXM, which `ogxm==2.3.2` reads as well; its `.xg`
files are read by GammonView, too.
"""

import argparse
import collections
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))
import tools  # noqa: E402

KINDS = [
    ("money", 0, False, 0),
    ("money, Jacoby", 0, True, 0),
    ("money, Jacoby, beavers", 0, True, 3),
    ("money, beavers", 0, False, 3),
    ("1 point", 1, False, 0),
    ("2 points", 2, False, 0),
    ("3 points", 3, False, 0),
    ("5 points", 5, False, 0),
    ("7 points", 7, False, 0),
    ("11 points", 11, False, 0),
]

# Money sessions have this many games.
SESSION = 4


class GnuBackgammon:
    """GNU Backgammon in a folder, a process for each list of commands."""

    def __init__(self, folder, timeout):
        self.folder, self.timeout = folder, timeout

    def run(self, lines):
        text = "\n".join(lines + ["quit", "y"]) + "\n"
        done = subprocess.run(
            ["gnubg", "-t", "-q"],
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            cwd=self.folder,
            timeout=self.timeout,
        )
        return done.stdout + done.stderr

    def play(self, number, seed, kind):
        """Plays one match; leaves N.sgf and N.mat."""
        _, length, jacoby, beavers = kind
        noise = [0.0, 0.1, 0.3][number % 3]
        lines = [
            "set automatic roll on",
            "set automatic move on",
            "set automatic bearoff on",
            "set confirm new off",
            "set confirm save off",
            "set display off",
            f"set automatic game {'on' if length else 'off'}",
            f"set jacoby {'on' if jacoby else 'off'}",
            f"set beavers {beavers}",
            "set rng mersenne",
            f"set seed {seed}",
        ]
        for player in (0, 1):
            lines += [
                f"set player {player} gnubg",
                f"set player {player} chequer evaluation plies 0",
                f"set player {player} cubedecision evaluation plies 0",
                f"set player {player} chequer evaluation noise {noise}",
                f"set player {player} cubedecision evaluation noise {noise}",
            ]
        lines += [f"set player 0 name Ann{number}", f"set player 1 name Bob{number}"]
        if length:
            lines += [f"new match {length}"]
        else:
            lines += ["new session"] + ["new game"] * (SESSION - 1)
        self.run(lines + [f"save match {number}.sgf", f"export match mat {number}.mat"])

    def load(self, pairs):
        """Loads files, and exports each as match text to another."""
        lines = ["set automatic roll off", "set automatic game off", "set confirm new off"]
        lines += ["set player 0 human", "set player 1 human", "set display off"]
        lines += ["set confirm save off"]
        for source, target in pairs:
            how = "load match" if source.endswith(".sgf") else "import mat"
            lines += [f"{how} {source}", f"export match mat {target}"]
        return self.run(lines)


def meaning(match):
    """What was played, without what only some formats can hold.

    Match text of GNU Backgammon passes over the Jacoby rule, so a gammon that was played out with a
    cube at 1 counts one point here in all money play.
    """
    games = []
    for game in match["games"]:
        actions = [
            tuple(
                json.dumps(action.get(key))
                for key in ("player", "act", "dice", "play", "win", "position", "cube")
            )
            for action in game["actions"]
        ]
        result = dict(game.get("result") or {})
        if not match["length"] and result.get("ending") == "played" and result["cube"] == 1:
            result["points"] = 1
        games.append(
            {
                "score": game["score"],
                "crawford": game.get("crawford", False),
                "actions": actions,
                "result": (result.get("winner"), result.get("points")),
                "broken": "broken" in game,
            }
        )
    options = match.get("options", {})
    return {
        "players": match["players"],
        "length": match["length"],
        "jacoby": options.get("jacoby", False),
        "games": games,
    }


def first_difference(one, two):
    """Where two meanings part."""
    for key in ("players", "length"):
        if one[key] != two[key]:
            return f"{key}: {one[key]} and {two[key]}"
    if len(one["games"]) != len(two["games"]):
        return f"{len(one['games'])} and {len(two['games'])} games"
    for number, (left, right) in enumerate(zip(one["games"], two["games"]), 1):
        for key in ("score", "crawford", "result", "broken"):
            if left[key] != right[key]:
                return f"game {number}, {key}: {left[key]} and {right[key]}"
        if left["actions"] != right["actions"]:
            pairs = zip(left["actions"], right["actions"])
            for at, (a, b) in enumerate(pairs, 1):
                if a != b:
                    return f"game {number}, action {at}: {a} and {b}"
            return f"game {number}: {len(left['actions'])} and {len(right['actions'])} actions"
    return None


def without_steps(text):
    """Match text without how the checkers move: rolls, cube and results stay."""
    lines = [re.sub(r"\S+/\S+", "", line).split() for line in text.splitlines()]
    return [line for line in lines if line]


def text_difference(one, two):
    """The first line in which two match texts differ, apart from plays."""
    lines = [without_steps(text) for text in (one, two)]
    if lines[0] == lines[1]:
        return None
    for a, b in zip(*lines):
        if a != b:
            return f"{' '.join(a)!r} and {' '.join(b)!r}"
    return f"{len(lines[0])} and {len(lines[1])} lines"


def statistics(output):
    """Both players' sums of errors and luck, as GNU Backgammon prints them."""
    found = {}
    part = None
    for line in output.splitlines():
        if line.startswith("Chequerplay statistics"):
            found, part = {}, "plays"
        elif line.startswith("Luck statistics"):
            part = "luck"
        elif line.startswith("Cube statistics"):
            part = "cube"
        elif line.startswith("Overall statistics"):
            part = None
        elif part and line.startswith(("Error total", "Luck total")):
            # In parentheses stand chances or points.
            numbers = re.findall(r"[-+]\d+\.\d+", re.sub(r"\([^)]*\)", "", line))
            found[part] = [float(number) for number in numbers]
    return found


def figures_difference(report, shown):
    """Where the figures of an analysis and those that GNU Backgammon makes of it part."""
    for part, key, sign in (
        ("plays", "checker_error_emg", -1),
        ("cube", "cube_error_emg", -1),
        ("luck", "luck_emg", 1),
    ):
        ours = [sign * player[key] for player in report["players"]]
        theirs = shown.get(part)
        if not theirs or any(abs(a - b) > 0.0011 for a, b in zip(ours, theirs)):
            return f"{part}: {ours} and {theirs}"
    return None


def play_on(board, seat, play):
    """Moves on a board of both players' checkers by their own points: 25 the bar, 0 off."""
    for token in play.split():
        hop, _, count = token.partition("(")
        names = hop.replace("*", "").replace("bar", "25").replace("off", "0").split("/")
        points = [int(name) for name in names]
        for _ in range(int(count[:-1] or 1) if count else 1):
            for start, end in zip(points, points[1:]):
                board[seat][start] -= 1
                board[seat][end] += 1
                if 0 < end < 25 and board[1 - seat][25 - end] == 1:
                    board[1 - seat][25 - end] = 0
                    board[1 - seat][25] += 1


START = {24: 2, 13: 5, 8: 3, 6: 5}


def of_game(game, white):
    """Rolls and turns of the cube by player, the last board as the sides of an OGID, the result."""
    acts, board = [], [collections.Counter(START), collections.Counter(START)]
    for action in game["actions"]:
        seat = action["player"] - 1
        if action["act"] == "roll":
            acts.append((seat, *sorted(action["dice"])))
            play = action.get("play", "(no play)")
            play_on(board, seat, "" if play == "(no play)" else play)
        elif action["act"] in ("double", "take", "drop"):
            acts.append((seat, action["act"]))
    digits = "0123456789abcdefghijklmnop"
    # White's points are counted from the other end.
    sides = [
        "".join(sorted((digits[25 - at] if seat == white else digits[at]) * count
                       for at, count in board[seat].items() if at and count))
        for seat in (white, 1 - white)
    ]
    if acts and acts[-1][1] == "double":
        # Which GammonView passes over.
        acts.pop()
    result = game.get("result") or {}
    return acts, sides, (result.get("winner"), result.get("points"))


def of_gammonview(game, white):
    """The same of a game of GammonView, whose white is this player."""
    acts, position = [], "11ccccchhhjjjjj:66666888dddddoo"
    for ply in game["plies"]:
        seat = white if ply["color"] else 1 - white
        if ply["action_id"] in (21, 22, 23):
            acts.append((seat, {21: "double", 22: "take", 23: "drop"}[ply["action_id"]]))
        elif ply.get("d1"):
            acts.append((seat, *sorted((ply["d1"], ply["d2"]))))
        position = ply["ogid_after"]
    sides = [side.replace("q", "") for side in position.split(":")[:2]]
    winner = {0: white + 1, 1: 2 - white}.get(game.get("winner"))
    return acts, sides, (winner, game["points_won"] if winner else None)


def through_gammonview(folder):
    """Match text of a folder as GammonView reads it, against what tavola reads."""
    import gvformat

    tavola, seen, differs, left = os.path.abspath(tools.tavola()), 0, [], 0
    with tempfile.TemporaryDirectory() as temporary:
        for path in sorted(Path(folder).glob("*.mat")):
            target = os.path.join(temporary, path.stem + ".json")
            words = [tavola, "convert", path, target]
            subprocess.run(words, check=True, capture_output=True)
            with open(target, encoding="utf-8") as file:
                match = json.load(file)["matches"][0]
            acts = {action["act"] for game in match["games"] for action in game["actions"]}
            # What it does not read, see docs/matches.md.
            if acts & {"beaver", "raccoon", "set_up"} or match.get("options", {}).get("start"):
                left += 1
                continue
            read = gvformat.mat_to_ogxm(path.read_text(encoding="utf-8"))
            white = int(read["player_white"] != match["players"][0])
            games = [
                (of_game(ours, white), of_gammonview(theirs, white))
                for ours, theirs in zip(match["games"], read["games"])
            ]
            seen += 1
            for number, (ours, theirs) in enumerate(games, 1):
                if ours != theirs:
                    acts = [next((pair for pair in itertools.zip_longest(ours[0], theirs[0]) if pair[0] != pair[1]), ())]
                    differs.append(f"{path.name}, game {number}: {acts} {ours[1:]} and {theirs[1:]}")
            if len(match["games"]) != len(read["games"]):
                differs.append(f"{path.name}: {len(match['games'])} games, {len(read['games'])}")
    print("\n".join(differs))
    print(f"{seen} matches, {len(differs)} differences; {left} have what GammonView does not read")
    return 1 if differs or not seen else 0


def played(match):
    """Score, winner, points and actions of each game, by the names of the players: GammonView may
    swap them."""
    names = match["players"]
    return [
        (
            dict(zip(names, game["score"])),
            names[game["result"]["winner"] - 1] if game.get("result") else None,
            game.get("result", {}).get("points"),
            [
                (names[action["player"] - 1], action["act"], action.get("dice"), action.get("play"))
                for action in game["actions"]
                if action["act"] != "set_up"
            ],
        )
        for game in match["games"]
    ]


def through_ogxm(folder):
    """Matches of a folder as OGXM through its reference codec, and through GammonView and back."""
    import gvformat
    import ogxm

    tavola, seen, differs = os.path.abspath(tools.tavola()), 0, []
    with tempfile.TemporaryDirectory() as temporary:
        path = lambda name: os.path.join(temporary, name)

        def convert(source, target):
            done = subprocess.run([tavola, "convert", source, path(target), "--force"], capture_output=True)
            if done.returncode != 0:
                return None
            with open(path(target), "rb") as file:
                return file.read()

        for source in sorted(Path(folder).iterdir()):
            written = convert(source, "1.ogxm")
            if written is None:
                continue
            seen += 1
            try:
                document = ogxm.binary_to_json(written)
                problem = ogxm.v2_problem(document)
                if problem or ogxm.json_to_binary(document) != written:
                    differs.append(f"{source.name}: {problem or 'other bytes from the codec'}")
                with open(path("2.ogxm"), "wb") as file:
                    file.write(gvformat.write_gvab(gvformat.read_gvab(written)))
            except (RuntimeError, ValueError) as error:
                differs.append(f"{source.name}: {error}")
                continue
            if convert(path("1.ogxm"), "1.json") != convert(path("2.ogxm"), "2.json"):
                differs.append(f"{source.name}: another match behind GammonView")
            if source.suffix == ".xg":
                document = gvformat.convert_xg(source)
                with open(path("3.gvab"), "wb") as file:
                    file.write(gvformat.write_gvab(document))
                with open(path("3.gva"), "w", encoding="utf-8") as file:
                    json.dump(document, file)
                ours = played(json.loads(convert(source, "3.json"))["matches"][0])
                for name in ("3.gvab", "3.gva"):
                    theirs = played(json.loads(convert(path(name), "4.json"))["matches"][0])
                    if ours != theirs:
                        differs.append(f"{source.name}: GammonView reads another match ({name[2:]})")
    print("\n".join(differs))
    print(f"{seen} files, {len(differs)} differences")
    return 1 if differs or not seen else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--matches", type=int, default=200, help="matches to play [200]")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first match [1]")
    parser.add_argument("--analyzed", type=int, default=20, help="matches to analyze, too [20]")
    parser.add_argument("--keep", help="keep all files in this folder")
    parser.add_argument("--timeout", type=int, default=600, help="seconds a process may take [600]")
    parser.add_argument("--gammonview", metavar="FOLDER", help="read match text with GammonView")
    parser.add_argument("--ogxm", metavar="FOLDER", help="take matches through OGXM's codec and GammonView")
    args = parser.parse_args()
    if args.ogxm:
        return through_ogxm(args.ogxm)
    if args.gammonview:
        return through_gammonview(args.gammonview)
    tools.need_gnubg()
    tavola = os.path.abspath(tools.tavola())
    folder = args.keep or tempfile.mkdtemp(prefix="round-trips-")
    os.makedirs(folder, exist_ok=True)
    gnubg = GnuBackgammon(folder, args.timeout)
    path = lambda name: os.path.join(folder, name)
    compared, differs = collections.Counter(), collections.Counter()
    by_kind, games, failures = collections.Counter(), 0, []
    acts = collections.Counter()

    def convert(source, target):
        done = subprocess.run(
            [tavola, "convert", path(source), path(target), "--force"], capture_output=True, text=True
        )
        if done.returncode != 0:
            raise RuntimeError(f"{source} to {target}: {done.stderr.strip()}")
        return done.stderr.strip()

    def read_json(name):
        with open(path(name), encoding="utf-8") as file:
            matches = json.load(file)["matches"]
        if len(matches) != 1:
            raise RuntimeError(f"{name} has {len(matches)} matches")
        return matches[0]

    def read_text(name):
        with open(path(name), encoding="utf-8") as file:
            return file.read()

    def check(what, number, difference):
        compared[what] += 1
        if difference:
            differs[what] += 1
            failures.append(f"{number}, {what}: {difference}")
            print(f"  {failures[-1]}", flush=True)

    began = time.monotonic()
    for number in range(args.matches):
        kind = KINDS[number % len(KINDS)]
        gnubg.play(number, args.seed + number, kind)
        try:
            notes = [convert(f"{number}.sgf", f"{number}-1.json")]
            convert(f"{number}-1.json", f"{number}-2.sgf")
            convert(f"{number}-2.sgf", f"{number}-3.json")
            convert(f"{number}-1.json", f"{number}-4.json")
            notes.append(convert(f"{number}.mat", f"{number}-5.json"))
            convert(f"{number}-1.json", f"{number}-6.mat")
            notes.append(convert(f"{number}-6.mat", f"{number}-7.json"))
            sgf = read_json(f"{number}-1.json")
            played = meaning(sgf)
            notes = " / ".join(note for note in notes if note)
            check("read without a note", number, notes)
            sgf_again = read_json(f"{number}-3.json")
            check("SGF to SGF, everything", number, None if sgf == sgf_again else
                  first_difference(played, meaning(sgf_again)) or "comments, properties or details")
            same = read_text(f"{number}-1.json") == read_text(f"{number}-4.json")
            check("JSON to JSON, byte by byte", number, None if same else "another text")
            check("match text of gnubg and its SGF", number,
                  first_difference(played, meaning(read_json(f"{number}-5.json"))))
            check("match text of tavola, read again", number,
                  first_difference(played, meaning(read_json(f"{number}-7.json"))))
            gnubg.load([(f"{number}-2.sgf", f"{number}-8.mat")])
            convert(f"{number}-8.mat", f"{number}-8.json")
            check("SGF of tavola in gnubg, match text exported again", number,
                  text_difference(read_text(f"{number}.mat"), read_text(f"{number}-8.mat"))
                  or first_difference(meaning(read_json(f"{number}-5.json")),
                                      meaning(read_json(f"{number}-8.json"))))
            gnubg.load([(f"{number}-6.mat", f"{number}-9.mat")])
            convert(f"{number}-9.mat", f"{number}-9.json")
            check("match text of tavola in gnubg, exported again", number,
                  first_difference(played, meaning(read_json(f"{number}-9.json"))))
            if number < args.analyzed:
                words = [tavola, "analyze", path(f"{number}.sgf"), "--ply", "0", "--no-cache"]
                words += ["--no-tables", "--json", "--sgf", path(f"{number}-a.sgf"), "--force"]
                report = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)
                lines = ["set display off", f"load match {number}-a.sgf", "show statistics match"]
                check("error and luck sums of an analysis, in gnubg", number,
                      figures_difference(report, statistics(gnubg.run(lines))))
        except (RuntimeError, OSError, ValueError) as error:
            check("no failure", number, str(error))
            continue
        by_kind[kind[0]] += 1
        games += len(played["games"])
        for game in played["games"]:
            acts.update(json.loads(action[1]) for action in game["actions"])
        if (number + 1) % 20 == 0:
            passed = time.monotonic() - began
            print(f"{number + 1} of {args.matches} matches, {passed:.0f} s", flush=True)

    kinds = ", ".join(f"{kind}: {count}" for kind, count in by_kind.items())
    print(f"\n{sum(by_kind.values())} matches with {games} games ({kinds})")
    print("actions: " + ", ".join(f"{act}: {count}" for act, count in acts.most_common()))
    print("\n| compared | matches | differ |\n|---|---|---|")
    for what, count in compared.items():
        print(f"| {what} | {count} | {differs[what]} |")
    if not args.keep:
        shutil.rmtree(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
