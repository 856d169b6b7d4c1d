#!/usr/bin/env python3
"""Strength over training time: points per game against GNU Backgammon 0-ply, as a table and a picture.

    scripts/strength-curve.py RUN...                   # run directories, each started from the one before
    scripts/strength-curve.py --list RUN...            # only lists the networks
    scripts/strength-curve.py --before SECONDS RUN...  # adds time spent before the first run
    scripts/strength-curve.py                          # draws the journal again, plays nothing
    scripts/strength-curve.py --point PureTD 28800 0   # adds a point: its name, seconds, points per game
    GAMES=4000 SEED=7 scripts/strength-curve.py runs/1-td runs/2-luck

A run keeps its networks with `keep_weights = true` under `[evaluation]`; otherwise it has only the final
one. Cubeless money play as in scripts/strength.sh, by the networks alone; RAW=0 adds bear-off databases.
$GAMES games a network (1000) from $SEED (5) on $THREADS threads (4 a core, since gnubg mostly waits),
variance-reduced by $LUCK_NETWORK (models/small.safetensors). $TAVOLA is another binary.

Each result is a line of the journal $OUT (docs/strength-curve.jsonl) and is not played again. The picture
goes next to the journal. The time of a network is that of its round in `metrics.jsonl`, plus the runs
before. Exit code: 0 done, 1 failed, 2 gnubg is missing or wrong arguments.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import time
from html import escape
from pathlib import Path

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

OPPONENT = "gnubg:0"

# The lower edge of the picture: random weights would flatten all else.
LOWEST = -0.2
WIDTH, HEIGHT = 960, 620
LEFT, RIGHT, TOP, BOTTOM = 84, 936, 92, 494
# The colors of the other pictures (Okabe and Ito 2008, "Color Universal Design").
BLUE, ORANGE, GRAY, PALE = "#0072B2", "#D55E00", "#5A5A5A", "#E4E4E4"


def note(text):
    print(text, file=sys.stderr, flush=True)


def header(path):
    """The metadata of a weights file: `sha256`, `training` and so on."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        try:
            return json.loads(json.loads(file.read(length))["__metadata__"]["tavola"])
        except (ValueError, KeyError, TypeError, MemoryError, OverflowError) as error:
            tools.stop(f"{path} is not a weights file of tavola: {error!r}")


def finished_lines(path, expected):
    """The JSON lines of a file with the fields `expected` of a line; an incomplete last one is left out."""
    lines = []
    for number, line in enumerate(Path(path).read_text().splitlines(keepends=True), 1):
        if not line.endswith("\n"):
            break
        try:
            value = json.loads(line)
            if missing := expected(value) - value.keys():
                raise ValueError(f"missing {', '.join(sorted(missing))}")
        except (ValueError, AttributeError) as error:
            tools.stop(f"line {number} of {path} is damaged: {error}")
        lines.append(value)
    return lines


def fields_of_metrics(line):
    return {"type", "round", "games", "seconds"} if line.get("type") == "round" else {"type"}


class Run:
    """A run directory: its name, its rounds and its networks."""

    def __init__(self, path, is_first):
        folder = Path(path)
        for name in ("metrics.jsonl", "manifest.json"):
            if not (folder / name).is_file():
                tools.stop(f"{path} is not a run directory: expected {name} in it", 2)
        try:
            manifest = json.loads((folder / "manifest.json").read_text())
            self.name, self.started_from = manifest["name"], manifest["config"].get("start")
            self.inputs = manifest["inputs"].values()
        except (ValueError, KeyError, AttributeError) as error:
            tools.stop(f"{folder / 'manifest.json'} is damaged: {error!r}")
        # Round 0 is the network at the start.
        self.rounds = {0: (0, 0.0)}
        for line in finished_lines(folder / "metrics.jsonl", fields_of_metrics):
            if line["type"] == "round":
                self.rounds[line["round"]] = (line["games"], line["seconds"])
        self.last_round = max(self.rounds)
        self.games, self.seconds = self.rounds[self.last_round]

        found = []
        for file in sorted(folder.glob("evaluated/round-*.safetensors")):
            digits = re.fullmatch(r"round-(\d+)", file.stem)
            number = int(digits[1]) if digits else None
            if number not in self.rounds:
                # A resumed run plays these rounds again.
                note(f"{file} is left out: metrics.jsonl has no such round")
            elif number > 0 or is_first:
                found.append((number, file))
        final = folder / "final.safetensors"
        self.final = final if final.is_file() else None
        if self.final:
            found.append((self.last_round, final))
        else:
            note(f"{path} has not ended: no final.safetensors, up to round {self.last_round} so far")
        self.networks = {}
        for number, file in found:
            self.networks.setdefault(header(file)["sha256"], (number, file))
        if not found:
            note(f"{path} has no networks yet, expected evaluated/round-*.safetensors")


def chain(paths, before):
    """The points of runs, each started from the one before, without results."""
    points, seconds, games, previous = [], before, 0, None
    for path in paths:
        run = Run(path, is_first=not points and previous is None)
        if previous is None and run.started_from:
            note(f"{path} did not start from random weights but from {run.started_from}")
        if previous and previous.final and header(previous.final)["sha256"] not in run.inputs:
            note(f"{path} did not start from the final network of {previous.name}")
        for checksum, (number, file) in run.networks.items():
            learned_from, took = run.rounds[number]
            points.append(
                {
                    "file": file,
                    "line": {
                        "run": run.name,
                        "round": number,
                        "checksum": checksum,
                        "seconds": round(seconds + took, 3),
                        "games_learned": games + learned_from,
                        "run_began": round(seconds, 3),
                        "before": before,
                    },
                }
            )
        seconds, games, previous = seconds + run.seconds, games + run.games, run
    return points


# Playing


class Settings:
    """How every network plays, from the environment."""

    def __init__(self):
        self.games = number("GAMES", 1000)
        self.seed = number("SEED", 5)
        self.threads = number("THREADS", 4 * (os.cpu_count() or 1))
        self.tables = os.environ.get("RAW", "1") == "0"
        self.luck_network = os.environ.get("LUCK_NETWORK") or "models/small.safetensors"
        self.out = Path(os.environ.get("OUT") or "docs/strength-curve.jsonl")

    def key(self):
        """The settings of a duel, as they are in the journal."""
        return {
            "opponent": OPPONENT,
            "endgame_tables": self.tables,
            "games": self.games,
            "seed": self.seed,
            "luck_network": header(self.luck_network)["sha256"],
        }


def number(name, default):
    text = os.environ.get(name) or str(default)
    if not re.fullmatch(r"[0-9]{1,12}", text):
        tools.stop(f"{name} is {text!r}, expected a number", 2)
    return int(text)


def play(file, settings):
    """The result of a network: the part of a journal line that is measured."""
    player = f"{'' if settings.tables else 'raw:'}{file}"
    options = {
        "--games": settings.games,
        "--seed": settings.seed,
        "--threads": settings.threads,
        "--luck-network": settings.luck_network,
    }
    command = [settings.tavola, "duel", player, OPPONENT, "--json"]
    command += [str(word) for option in options.items() for word in option]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        tools.stop(f"the duel of {file} failed, exit code {done.returncode}")
    result = json.loads(done.stdout)
    if result["games"] != settings.games or result["failures"]:
        tools.stop(f"the duel of {file} has failures: {result['failures']}")
    estimate = result["luck_adjusted"]
    return {
        "ppg": estimate["ppg"],
        "standard_error": estimate["standard_error"],
        "interval": estimate["interval"],
        "ppg_with_luck": result["ppg"],
        "opponent_version": result["b_version"],
    }


# A line of the journal: the network, the settings, the result.
FIELDS = set(
    "run round checksum seconds games_learned run_began before "
    "opponent endgame_tables games seed luck_network "
    "ppg standard_error interval ppg_with_luck opponent_version".split()
)


def journal_lines(journal):
    return finished_lines(journal, lambda _: FIELDS)


def append(journal, line):
    """Adds a line, in place of an incomplete one."""
    journal.parent.mkdir(parents=True, exist_ok=True)
    with open(journal, "ab+") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write(json.dumps(line).encode() + b"\n")


def same(line, wanted):
    return all(line.get(name) == value for name, value in wanted.items())


def measure(points, settings):
    """Plays the missing points; returns the journal's line of every point."""
    key, lines = settings.key(), []
    known = journal_lines(settings.out) if settings.out.exists() else []
    missing = 0
    for index, point in enumerate(points, 1):
        wanted = {"checksum": point["line"]["checksum"], **key}
        line = next((line for line in reversed(known) if same(line, wanted)), None)
        if line is None:
            began = time.monotonic()
            line = {**point["line"], **key, **play(point["file"], settings)}
            append(settings.out, line)
            missing += 1
            note(
                f"{index} of {len(points)}: {point['line']['run']} round {point['line']['round']}, "
                f"{clock(line['seconds'])} of learning: {points_per_game(line)} "
                f"({time.monotonic() - began:.0f} s)"
            )
        elif not same(line, point["line"]):
            # The same result, with other runs or another time before it.
            line = {**line, **point["line"]}
            append(settings.out, line)
        lines.append(line)
    note(f"{missing} of {len(points)} networks played, the others' results taken from {settings.out}")
    return lines


def best_of_journal(journal):
    """Of each network the line with the most games, the last of several."""
    best = {}
    for line in journal_lines(journal):
        other = best.get(line["checksum"])
        if other is None or line["games"] >= other["games"]:
            best[line["checksum"]] = line
    return list(best.values())


# Table and picture


def clock(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def count(value):
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.0f}"


def points_per_game(line):
    low, high = line["interval"]
    return f"{line['ppg']:+.3f} ± {(high - low) / 2:.3f}"


def conditions(lines):
    """The conditions of the lines, in a sentence."""

    def all_of(name, show=str):
        return " or ".join(sorted({show(line[name]) for line in lines}))

    tables = all_of("endgame_tables", lambda tables: "with" if tables else "without")
    return (
        f"{all_of('games', lambda games: f'{games:,}')} games a network, seed {all_of('seed')}, "
        f"{tables} bear-off databases, variance-reduced by network "
        f"{all_of('luck_network', lambda network: network[:12])}; {all_of('opponent_version')}"
    )


def time_before(lines):
    """The time before the runs, or nothing."""
    before = max(line["before"] for line in lines)
    return f"{clock(before)} spent before the first run included" if before else ""


def table(lines):
    rows = [
        "| wall time | games learned from | run | round | points per game against gnubg 0-ply |",
        "|---:|---:|---|---:|---:|",
    ]
    for line in lines:
        run = line["run"].replace("|", "\\|")
        rows.append(
            f"| {clock(line['seconds'])} | {line['games_learned']:,} | {run} | {line['round']} "
            f"| {points_per_game(line)} |"
        )
    included = time_before(lines)
    return "\n".join([*rows, "", f"{conditions(lines)}{'; ' if included else ''}{included}."])


class Axes:
    """From time and points per game to places in the picture. Time is on a logarithmic axis."""

    def __init__(self, lines, others):
        times = [line["seconds"] for line in lines if line["seconds"] > 0] or [60]
        times += [seconds for _, seconds, _ in others]
        self.first, self.last = min(times) / 1.25, max(max(times), 4 * min(times)) * 1.1
        self.low = LOWEST
        self.high = 0.01 + max([0.05] + [line["interval"][1] for line in lines])

    def x(self, seconds):
        if seconds <= self.first:
            return LEFT
        share = math.log(seconds / self.first) / math.log(self.last / self.first)
        return LEFT + share * (RIGHT - LEFT)

    def y(self, ppg):
        return BOTTOM - (ppg - self.low) / (self.high - self.low) * (BOTTOM - TOP)

    def time_ticks(self):
        minute, hour = 60, 3600
        steps = [10, 20, 30]
        steps += [minute * n for n in (1, 2, 5, 10, 20, 30)] + [hour * n for n in (1, 2, 4, 8, 16, 32)]
        for step in steps:
            if self.first <= step <= self.last:
                for size, unit in ((hour, "h"), (minute, "min"), (1, "s")):
                    if step >= size:
                        yield step, f"{step // size} {unit}"
                        break


def games_at(seconds, lines):
    """Games learned from at a time, between the two points around it in proportion; else None."""
    for one, other in zip(lines, lines[1:]):
        begin, end = one["seconds"], other["seconds"]
        if begin <= seconds <= end and end > begin:
            share = (seconds - begin) / (end - begin)
            return one["games_learned"] + share * (other["games_learned"] - one["games_learned"])
    return None


def text(x, y, content, size=13, anchor="middle", fill="#000000", more=""):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="{size}" '
        f'text-anchor="{anchor}" fill="{fill}"{more}>{escape(content)}</text>'
    )


def straight(x1, y1, x2, y2, stroke, more=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}"{more}/>'


def grid(axes, lines):
    parts = []
    for step in range(math.ceil(axes.low / 0.05 - 1e-9), math.floor(axes.high / 0.05 + 1e-9) + 1):
        y = axes.y(0.05 * step)
        if step:
            parts.append(straight(LEFT, y, RIGHT, y, PALE))
        parts.append(text(LEFT - 8, y + 4, f"{0.05 * step:+.2f}" if step else "0", anchor="end"))
    last_label = -math.inf
    for seconds, name in axes.time_ticks():
        x = axes.x(seconds)
        parts.append(straight(x, TOP, x, BOTTOM, PALE))
        if x - last_label < 62:
            continue
        last_label = x
        parts.append(text(x, BOTTOM + 19, name))
        games = games_at(seconds, lines)
        if games is not None:
            parts.append(text(x, BOTTOM + 36, count(games), size=12, fill=GRAY))
    zero = axes.y(0)
    parts.append(straight(LEFT, zero, RIGHT, zero, "#000000"))
    parts.append(text(LEFT + 8, zero - 6, "gnubg 0-ply", anchor="start", fill=GRAY))
    frame = f'x="{LEFT}" y="{TOP}" width="{RIGHT - LEFT}" height="{BOTTOM - TOP}"'
    parts.append(f'<rect {frame} fill="none" stroke="#000000"/>')
    parts.append(text(LEFT - 8, BOTTOM + 36, "games", size=12, anchor="end", fill=GRAY))
    middle = (TOP + BOTTOM) / 2
    turned = f' transform="rotate(-90 22 {middle})"'
    parts.append(text(22, middle, "points per game, bars: 95 % interval", size=15, more=turned))
    return parts


def stages(axes, lines):
    """A line and a name for the beginning of each run."""
    parts, row_ends = [], [LEFT - 40.0] * 3
    for name, began in dict.fromkeys((line["run"], line["run_began"]) for line in lines):
        x = axes.x(began)
        if x > LEFT:
            parts.append(straight(x, TOP, x, BOTTOM, ORANGE, ' stroke-dasharray="4 3"'))
        # A name goes to the lowest row where it does not run into the one before.
        width = 7.5 * len(name) + 10
        row = next((row for row, end in enumerate(row_ends) if end < x), 0)
        start = min(x, RIGHT - width)
        row_ends[row] = start + width
        parts.append(text(start, TOP - 7 - 15 * row, name, anchor="start", fill=ORANGE))
    return parts


def curve(axes, lines):
    places = [(axes.x(line["seconds"]), axes.y(line["ppg"])) for line in lines]
    # Time zero has no place on this axis: points on its edge are not joined to the rest.
    timed = [place for place, line in zip(places, lines) if line["seconds"] >= axes.first]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in timed)
    inside = ' clip-path="url(#inside)"'
    parts = [f'<polyline points="{path}" fill="none" stroke="{BLUE}" stroke-width="2"{inside}/>']
    row_ends = [-math.inf] * 2
    for (x, y), line in zip(places, lines):
        if line["ppg"] >= axes.low:
            low, high = (axes.y(end) for end in line["interval"])
            parts.append(straight(x, low, x, high, BLUE, inside))
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{BLUE}"/>')
            continue
        tip = f"{x - 5:.1f},{BOTTOM - 11} {x + 5:.1f},{BOTTOM - 11} {x:.1f},{BOTTOM - 2}"
        parts.append(f'<polygon points="{tip}" fill="{BLUE}"/>')
        # Beside the left edge the figure would be on the frame; beside another one it goes above.
        label = max(x, LEFT + 22)
        row = next((row for row, end in enumerate(row_ends) if end < label), None)
        if row is not None:
            row_ends[row] = label + 44
            parts.append(text(label, BOTTOM - 16 - 14 * row, f"{line['ppg']:+.2f}", 12, fill=BLUE))
    return parts


def number_of(word, lowest):
    """A number of the command line that is above `lowest`."""
    try:
        if lowest < float(word) < math.inf:
            return float(word)
    except ValueError:
        pass
    tools.stop(f"--point: {word!r} is no number above {lowest}, expected a name, seconds and points per game", 2)


def beside(axes, points):
    """Points that are no networks of the journal: a name, seconds and points per game each."""
    parts = []
    for name, seconds, ppg in points:
        x, y = axes.x(seconds), axes.y(ppg)
        is_left = x < (LEFT + RIGHT) / 2
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="none" stroke="{ORANGE}" stroke-width="2"/>')
        parts.append(text(x, y + 20, name, anchor="start" if is_left else "end", fill=ORANGE))
    return parts


def picture(lines, others):
    axes, middle, ends = Axes(lines, others), (LEFT + RIGHT) / 2, lines[-1]
    title = (
        f"points per game against GNU Backgammon 0-ply: {points_per_game(ends)} "
        f"after {clock(ends['seconds'])}, {count(ends['games_learned'])} games"
    )
    included = time_before(lines)
    axis = f"evaluations on the way {f'and {included}' if included else 'included'}"
    below = sum(line["ppg"] < axes.low for line in lines)
    remarks = []
    if below == 1:
        remarks.append(f"One network is below {axes.low:.1f}: a triangle at the edge.")
    elif below:
        remarks.append(f"{below} networks are below {axes.low:.1f}: triangles at the edge.")
    if lines[0]["seconds"] < axes.first:
        remarks.append("On the left edge: random weights, before any learning.")
    measured, opponent = conditions(lines).split("; ", 1)
    under = [measured, opponent, " ".join(remarks)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">',
        f'<clipPath id="inside"><rect x="{LEFT - 4}" y="{TOP}" width="{RIGHT - LEFT + 8}" '
        f'height="{BOTTOM - TOP}"/></clipPath>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#FFFFFF"/>',
        text(WIDTH / 2, 30, title, size=17),
        *grid(axes, lines),
        *stages(axes, lines),
        *curve(axes, lines),
        *beside(axes, others),
        text(middle, BOTTOM + 60, f"wall time of learning (logarithmic; {axis})", size=15),
        *(text(middle, BOTTOM + 80 + 16 * n, line, 12, fill=GRAY) for n, line in enumerate(under)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("runs", nargs="*", metavar="RUN", type=Path)
    parser.add_argument("--before", type=float, default=0, metavar="SECONDS")
    parser.add_argument(
        "--point", nargs=3, action="append", default=[], metavar=("NAME", "SECONDS", "PPG"), dest="points"
    )
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    others = [(name, number_of(seconds, 0), number_of(ppg, -3)) for name, seconds, ppg in given.points]
    os.chdir(tools.ROOT)
    settings = Settings()
    if given.runs:
        points = chain(given.runs, given.before)
        if given.list:
            for point in points:
                line = point["line"]
                print(clock(line["seconds"]), f"{line['games_learned']:,} games", point["file"])
            return
        tools.need_gnubg()
        settings.tavola = tools.tavola()
        lines = measure(points, settings)
    else:
        lines = best_of_journal(settings.out)
    if not lines:
        tools.stop("no networks to play or to draw")
    lines.sort(key=lambda line: line["seconds"])
    drawn = settings.out.with_suffix(".svg")
    drawn.write_text(picture(lines, others))
    note(f"picture: {drawn}")
    print(table(lines))


try:
    main()
except OSError as error:
    tools.stop(f"strength-curve: {error}")
except KeyboardInterrupt:
    tools.stop("stopped; the next start resumes from here", 130)
