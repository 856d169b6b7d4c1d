#!/usr/bin/env python3
"""Print our analysis beside that of eXtreme Gammon.

    scripts/compare-xg.py                      # of benches/xg/exports.txt, the table of the documents
    scripts/compare-xg.py --check              # says whether docs/analysis.md has that table
    scripts/compare-xg.py mine.txt match.xg    # of texts that it copies, and of matches with its analysis

Of a text each position is asked at --ply. Printed are the best choice of both, with its equity, and
what our choice loses by its figures where it is another. Of a match, which any format with its analysis may hold,
printed are the decisions, those in which both find an error of 0.02 or neither does, the mean
difference of what was lost, and the losses a decision by both.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))
import tools  # noqa: E402

EXPORTS = tools.ROOT / "benches" / "xg" / "exports.txt"
DOCUMENT = tools.ROOT / "docs" / "analysis.md"
ERROR = 0.02
PLAY = re.compile(r"^\s*\d+\.\s+(.+?)\s{2,}(\S.*?)\s+eq:\s*([-+]?[\d.]+)", re.M)
# The level may fill its column.
ROLLER = re.compile(r"^\s*\d+\.\s+(XG Roller\+*)\s+(\S.*?)\s+eq:\s*([-+]?[\d.]+)", re.M)
CUBE = re.compile(r"^\s*(No (?:re)?double|(?:Red|D)ouble/(?:Take|Beaver|Pass)):\s*([-+]?[\d.]+)", re.M)


def ask(tavola, ply, command, *arguments):
    words = [tavola, command, *arguments, "--ply", str(ply), "--json"]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def normal(play):
    """A play with its moves in one order and in small letters."""
    return " ".join(sorted(play.lower().replace("*", "").split(), reverse=True))


def of_cube(figures):
    """What to do by the equities of no double, a double that is taken, and one that is passed."""
    none, take, passed = figures
    action = "double" if min(take, passed) > none else "too good" if none > passed else "no double"
    return action + (", take" if take < passed else ", pass"), max(none, min(take, passed))


def of_position(tavola, ply, text):
    """A row: roll or cube, level, both choices, both equities, what ours loses by its figures."""
    xgid = text.splitlines()[0].strip()
    dice, *score, _, length, _ = xgid.split(":")[4:10]
    where = f"{score[0]}-{score[1]} to {length}" if length != "0" else "money"
    plays = ROLLER.findall(text) or PLAY.findall(text)
    if plays:
        theirs = {normal(play): float(equity) for _, play, equity in plays}
        level, best, equity = plays[0]
        found = ask(tavola, ply, "best", xgid, "--top", "10")["plays"]
        ours, top = found[0]["play"], found[0].get("cubeful_equity", found[0]["equity"])
        # A play that it does not list is worse than those that it does.
        lost = max(theirs.values()) - theirs[normal(ours)] if normal(ours) in theirs else None
        return [f"{dice} at {where}", level, best, float(equity), ours, top, lost]
    cube = {name.replace("Re", "").replace("red", "d").lower(): float(it) for name, it in CUBE.findall(text)}
    if len(cube) < 3:
        return None
    figures = [cube["no double"], cube.get("double/take", cube.get("double/beaver")), cube["double/pass"]]
    level = re.search(r"Analyzed in (.+)", text)
    answer = ask(tavola, ply, "cube", xgid)
    (best, equity), (ours, top) = of_cube(figures), of_cube(
        [answer[name] for name in ("no_double", "double_take", "double_pass")]
    )
    doubled = min(figures[1], figures[2])
    chosen = doubled if ours.startswith("double") else figures[0]
    lost = max(doubled, figures[0]) - chosen
    return [f"cube at {where}", level.group(1).strip() if level else "", best, equity, ours, top, lost]


def of_match(tavola, ply, file):
    """A row of the decisions of a file that hold its analysis."""
    report = ask(tavola, ply, "analyze", str(file))
    matches = report.get("matches", [report])
    both = [(xg, it) for match in matches for it in match["decisions"]
            for xg in it.get("beside", []) if xg["name"] == "XG"]
    if not both:
        return None
    losses = [(xg["loss"], it["loss"]) for xg, it in both]
    agree = sum((one >= ERROR) == (two >= ERROR) for one, two in losses)
    apart = sum(abs(one - two) for one, two in losses) / len(both)
    rates = [f"{1000 * sum(it[side] for it in losses) / len(both):.2f}" for side in (0, 1)]
    return [file.name, str(len(both)), f"{100 * agree / len(both):.1f} %", f"{1000 * apart:.2f}", *rates]


def shown(what, level, best, equity, ours, top, lost):
    """A row of the table of positions: our choice only where it is another."""
    other = ours if lost is None else f"{ours} (-{lost:.3f})"
    return [what, level, best, f"{equity:+.3f}", "same" if lost == 0 else other, f"{top:+.3f}"]


def table(rows):
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[EXPORTS])
    parser.add_argument("--ply", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    tavola = tools.tavola()
    positions, matches = [], []
    for file in args.files:
        data = file.read_bytes()
        parts = data.decode(errors="replace").split("XGID=")[1:] if file.suffix.lower() == ".txt" else []
        rows = [of_position(tavola, args.ply, "XGID=" + part) for part in parts]
        if parts:
            positions += [row for row in rows if row]
        else:
            found = of_match(tavola, args.ply, file)
            if found is None:
                tools.stop(f"{file} has no analysis of eXtreme Gammon", 2)
            matches.append(found)
    text = []
    if positions:
        head = ["decision", "by", "XG", "", "ours", ""]
        text.append(table([head] + [shown(*row) for row in positions]))
        apart = sum(abs(row[3] - row[5]) for row in positions) / len(positions)
        same = sum(row[6] == 0 for row in positions)
        text[-1] += f"\n{same} of {len(positions)} choices are the same; equities differ by {apart:.3f} on average"
    if matches:
        head = ["match", "decisions", "same", "apart", "XG", "ours"]
        text.append(table([head] + matches))
    text = "\n\n".join(text)
    if args.check:
        block = "\n".join("    " + line if line else "" for line in text.splitlines())
        if block not in DOCUMENT.read_text():
            print(text)
            tools.stop(f"{DOCUMENT} has another table: put this one there")
        return
    print(text)


if __name__ == "__main__":
    main()
