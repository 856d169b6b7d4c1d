#!/usr/bin/env python3
"""Make the pictures of README: the terminal while a match is played, and the page of an analysis.

Needs Chromium and, from PyPI, pexpect and pyte. The terminal is a real pseudo-terminal; what it
shows is set in a fixed-width font.
"""

import argparse
import html
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

COLUMNS, ROWS = 100, 32
# Colors by name as a terminal with a dark background shows them.
NAMED = {
    "black": "#1c1c1c", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b",
    "blue": "#61afef", "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#dcdfe4",
    "brightblack": "#7f848e", "brightred": "#ff7b86", "brightgreen": "#b5e890",
    "brightbrown": "#ffd68a", "brightblue": "#7cc4ff", "brightmagenta": "#de9af5",
    "brightcyan": "#7fe0ea", "brightwhite": "#ffffff",
}


def color(name, default):
    """A color of pyte as one of CSS."""
    if name == "default":
        return default
    return NAMED.get(name, f"#{name}")


def terminal(program, keys):
    """The screen of `tavola play` after some keys, as HTML."""
    import pexpect
    import pyte

    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": ""}
    child = pexpect.spawn(
        program, ["play", "--match-length", "5", "--seed", "11"],
        dimensions=(ROWS, COLUMNS), env=environment, encoding="utf-8",
    )

    def drain(seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                stream.feed(child.read_nonblocking(65536, timeout=0.2))
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                return

    drain(4)
    for key in keys:
        child.send(key)
        drain(2.5)
    child.close(force=True)
    lines = []
    for row in range(ROWS):
        cells = []
        for column in range(COLUMNS):
            cell = screen.buffer[row][column]
            front, back = color(cell.fg, "#dcdfe4"), color(cell.bg, "#14171c")
            if cell.reverse:
                front, back = back, front
            weight = ";font-weight:bold" if cell.bold else ""
            text = html.escape(cell.data) or " "
            cells.append(f'<span style="color:{front};background:{back}{weight}">{text}</span>')
        lines.append("".join(cells))
    return (
        '<!DOCTYPE html><meta charset="utf-8"><style>body{margin:0;background:#14171c}'
        "pre{margin:12px;font:16px/20px 'DejaVu Sans Mono',monospace}</style>"
        f"<pre>{chr(10).join(lines)}</pre>"
    )


def shoot(chromium, page, picture, width, height):
    """A picture of a page."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-background-networking", "--no-first-run", f"--user-data-dir={profile}",
             f"--window-size={width},{height}", f"--screenshot={picture}", f"file://{page}"],
            check=True, capture_output=True, timeout=120,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--chromium", default=shutil.which("chromium") or "chromium")
    parser.add_argument("--match", default="crates/interfaces/cli/tests/cli/files/three-points.mat")
    parser.add_argument("--keys", default="r,h", help="keys of the player, with commas between")
    parser.add_argument("--out", default="docs/images")
    args = parser.parse_args()
    program = tools.tavola()
    os.makedirs(args.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "play.html")
        with open(page, "w", encoding="utf-8") as opened:
            opened.write(terminal(os.path.abspath(program), args.keys.split(",")))
        shoot(args.chromium, page, os.path.join(args.out, "play.png"), 1000, 664)
        page = os.path.join(folder, "match.html")
        subprocess.run(
            [program, "analyze", args.match, "--html", page, "--quiet"],
            check=True, capture_output=True,
        )
        shoot(args.chromium, page, os.path.join(args.out, "analysis.png"), 1100, 1080)
        # The errors alone: the rest of the page is hidden.
        with open(page, "a", encoding="utf-8") as opened:
            shown = ".errors, .errors *, :has(.errors)"
            opened.write(f"<style>main :not({shown}) {{ display: none }}</style>")
        shoot(args.chromium, page, os.path.join(args.out, "errors.png"), 1100, 820)


if __name__ == "__main__":
    main()
