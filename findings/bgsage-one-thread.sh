#!/usr/bin/env bash
# bgsage 2.0.20260907: an analyzer with `parallel_threads=1` starts further threads when it is asked,
# three or more on two cores. To measure it on one core, bind the process to a core (`taskset`).
#
# The opening 3-1 at `3ply`. The threads of the process are counted before the analyzer is asked and
# while it answers; the thread that counts is not counted.
#
# Seen: before 1, while it answers 5
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bgsage==2.0.20260907
"$folder/venv/bin/python" - <<'EOT'
import os
import threading

from bgsage import BgBotAnalyzer

start = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
threads = lambda: len(os.listdir("/proc/self/task"))
analyzer = BgBotAnalyzer(eval_level="3ply", parallel_threads=1)
before, most, done = threads(), 0, threading.Event()


def count():
    global most
    while not done.is_set():
        most = max(most, threads() - 1)
        done.wait(0.0005)


counting = threading.Thread(target=count)
counting.start()
analyzer.checker_play(start, 3, 1)
done.set()
counting.join()
print(f"before {before}, while it answers {most}")
assert before == 1, "threads are started with the analyzer"
assert most > 1, "one thread is one thread now"
EOT
echo "as described"
