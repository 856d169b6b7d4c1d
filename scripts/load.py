#!/usr/bin/env python3
"""What a cheap question costs while others ask for much, and how fast all of it ends.

    scripts/load.py [ROUNDS] [--write]     default: 1, about two minutes; 30 are an hour

A server with two threads gets each load of clients of their own addresses (Linux). Another client
asks for `best` at 0-ply, 200 times with and without the load. The table is Markdown, of all rounds
together; exit code 1 where a limit is not kept: the median at most 3 times, the 99th percentile at
most 10 times that without the load, nothing refused, cancelled work gone within 1 s, 400 MB, the end
within 10 s, and after the last round the answers, descriptors and memory as after the seventh, when
the server keeps as many jobs as it may. With --write the table goes to docs/serving.md, and the list
of limits too.
"""

import argparse
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = "| load | median alone, with it | p99 alone, with it | refused | cancelled | peak |\n"
MEDIAN, P99, CANCEL_S, END_S, MEMORY_MB = 3, 10, 1.0, 10.0, 400
# After so many rounds of 72 jobs as many are kept as may be.
SETTLED = 7
QUESTIONS, PAUSE = 200, 0.01
CHEAP = json.dumps({"position": "start", "dice": [3, 1], "ply": 0, "top": 1})
DEAR = json.dumps({"position": "start", "dice": [3, 1], "ply": 3})


def ordinary(games):
    """Match text with games of plays that are there, some hundred bytes each."""
    rows = "  1) 31: 8/5 6/5              42: 8/4 6/4\n  2) 65: 24/13               11: 8/7(2) 6/5(2)\n"
    text = [f" Game {game}\n Ann : 0   Bob : 0\n{rows}\n" for game in range(1, games + 1)]
    return (" 25 point match\n\n" + "".join(text)).encode()


def large(kind):
    """8 MB of the kinds that are dearest to read."""
    rows = {
        "words": "  1) 31: 8/5 6/5              " + "word " * 12 + "\n",
        "wide": "  1) 31: " + "2 " * 2030 + "\n",
        "plays": "31: 8/5 6/5 " * 330 + "\n",
        "doubles": "  1) 11: " + "24/23 " * 600 + "\n",
    }
    head = " 25 point match\n\n Game 1\n Ann : 0   Bob : 0\n"
    return (head + rows[kind] * (7_900_000 // len(rows[kind]))).encode()


class Server:
    def __init__(self):
        command = [tools.tavola(), "serve", "--port", "0", "--forget", "--threads", "2", "--patience", "120"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline())[1])

    def ask(self, client, method, path, body=None, connection=None):
        """Status, text and seconds of an answer to a client."""
        own = connection or self.connect(client)
        began = time.perf_counter()
        own.request(method, path, body, {"Content-Type": "application/json"})
        answer = own.getresponse()
        text = answer.read().decode()
        if connection is None:
            own.close()
        return answer.status, text, time.perf_counter() - began

    def connect(self, client):
        source = (f"127.0.{client // 250}.{client % 250 + 1}", 0)
        return http.client.HTTPConnection("127.0.0.1", self.port, 300, source_address=source)

    def memory(self):
        """The most megabytes so far; counting begins again."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        with contextlib.suppress(OSError):
            pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1000

    def state(self):
        """Answers, descriptors and megabytes, once nothing is under way."""
        time.sleep(2)
        questions = [("best", CHEAP), ("best", DEAR), ("cube", '{"position":"start","ply":2}'),
                     ("eval", '{"position":"start"}'), ("best", '{"position":"nonsense"}')]
        answers = [self.ask(1, "POST", f"/api/v1/{op}", body)[:2] for op, body in questions]
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        memory = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1000
        return answers, len(os.listdir(f"/proc/{self.process.pid}/fd")), memory

    def probe(self):
        """Median and 99th percentile in ms of cheap questions, and how many were refused."""
        connection, times, refused = self.connect(2400), [], 0
        for _ in range(QUESTIONS):
            status, text, seconds = self.ask(2400, "POST", "/api/v1/best", CHEAP, connection)
            times.append(1000 * seconds)
            refused += status != 200 or "8/5 6/5" not in text
            time.sleep(PAUSE)
        return times, refused

    def cancel(self, jobs):
        """Cancels all jobs; seconds until none is there that waits or runs."""
        began = time.perf_counter()
        for client, path in jobs:
            self.ask(client, "DELETE", path)
        while "tavola_jobs_running 0\n" not in self.ask(2401, "GET", "/metrics")[1]:
            time.sleep(0.01)
            if time.perf_counter() - began > 60:
                break
        return time.perf_counter() - began

    def upload(self, client, file, ply):
        status, text, _ = self.ask(client, "POST", f"/api/v1/analyses?ply={ply}", file)
        path = f"/api/v1/jobs/{json.loads(text)['id']}" if status == 202 else None
        # A file that is none is told so, which is no refusal.
        return status in (202, 400), client, path


def uploads(server, files, ply):
    """Sends files at once, each of a client; the jobs, and how many were refused."""
    with concurrent.futures.ThreadPoolExecutor(len(files)) as pool:
        clients = [number % 32 + 1 for number in range(len(files))]
        sent = list(pool.map(lambda each: server.upload(*each, ply), zip(clients, files)))
    jobs = [(client, path) for _, client, path in sent if path]
    return jobs, sum(not accepted for accepted, *_ in sent)


def analyses(server, measure):
    jobs, refused = uploads(server, [ordinary(300)] * 64, 3)
    return measure(), refused, lambda: server.cancel(jobs)


def files(server, measure):
    kinds = ["words", "wide", "plays", "doubles"] * 2
    later = concurrent.futures.ThreadPoolExecutor(1)
    sent = later.submit(uploads, server, [large(kind) for kind in kinds], 0)
    measured = measure()
    jobs, refused = sent.result()
    return measured, refused, lambda: server.cancel(jobs)


def searches(server, measure):
    stop, refused = threading.Event(), []

    def client(number):
        while not stop.is_set():
            status, *_ = server.ask(number, "POST", "/api/v1/best", DEAR)
            if status != 200:
                refused.append(status)

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for number in range(1, 17):
            pool.submit(client, number)
        time.sleep(1)
        measured = measure()
        stop.set()
    return measured, len(refused), None


def half_sent(server, measure):
    with contextlib.ExitStack() as held:
        for number in range(1000):
            half = held.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            half.sendall(b"POST /api/v1/best HTTP/1.1\r\nHost: localhost\r\n" + b"Content-Length: 99\r\n\r\n{" * (number % 2))
        return measure(), 0, None


LOADS = {
    "64 analyses at 3-ply": analyses,
    "16 clients with 3-ply `best`": searches,
    "8 uploads of 8 MB": files,
    "1,000 half-sent requests": half_sent,
}


def share(times, part):
    return sorted(times)[min(int(len(times) * part), len(times) - 1)]


def write(table):
    """Replaces the table of the document, and the list of limits."""
    document = ROOT / "docs/serving.md"
    text = document.read_text()
    begin = text.index(HEAD)
    document.write_text(text[:begin] + table + text[text.index("\n\n", begin) + 1:])
    test = ["cargo", "test", "-q", "-p", "tavola-files", "--lib", "the_document_has_the_table"]
    subprocess.run(test, cwd=ROOT, env={**os.environ, "TAVOLA_WRITE": "1"}, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rounds", metavar="ROUNDS", type=int, nargs="?", default=1)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rounds = arguments.rounds
    if rounds < 1:
        parser.error(f"{rounds} rounds, expected 1 or more")
    server, missed, states, began = Server(), [], [], time.perf_counter()
    found = {name: {"alone": [], "with": [], "refused": 0, "seconds": None, "memory": 0.0} for name in LOADS}
    server.probe()
    for number in range(1, rounds + 1):
        for name, load in LOADS.items():
            row = found[name]
            alone, _ = server.probe()[0], server.memory()
            (times, lost), refused, cancel = load(server, server.probe)
            if cancel:
                row["seconds"] = max(row["seconds"] or 0.0, cancel())
            row["alone"] += alone
            row["with"] += times
            row["refused"] += lost + refused
            row["memory"] = max(row["memory"], server.memory())
        states.append(server.state())
        _, descriptors, memory = states[-1]
        print(f"round {number} of {rounds}, {time.perf_counter() - began:.0f} s: {descriptors} descriptors, "
              f"{memory:.0f} MB, refused {[row['refused'] for row in found.values()]}", file=sys.stderr, flush=True)
    table = HEAD + "|---|---|---|---|---|---|\n"
    for name, row in found.items():
        (median, p99), (with_median, with_p99) = (
            [share(row[which], part) for part in (0.5, 0.99)] for which in ("alone", "with"))
        seconds, memory = row["seconds"], row["memory"]
        cancelled = "" if seconds is None else f"{seconds:.2f} s"
        table += (f"|{name}|{median:.1f}, {with_median:.1f} ms|{p99:.1f}, {with_p99:.1f} ms"
                  f"|{row['refused']}|{cancelled}|{memory:.0f} MB|\n")
        for what, value, most in [
            ("median", with_median, MEDIAN * median),
            ("p99", with_p99, P99 * p99),
            ("refused", row["refused"], 0),
            ("cancelled", seconds or 0.0, CANCEL_S),
            ("peak", memory, MEMORY_MB),
        ]:
            if value > most:
                missed.append(f"{name}: {what} {value:.3g}, expected at most {most:.3g}")
    print(table)
    settled = min(SETTLED, rounds)
    (answers, descriptors, memory), (answers_after, descriptors_after, memory_after) = states[settled - 1], states[-1]
    print(f"After round {settled} and round {rounds}: {descriptors}, {descriptors_after} descriptors; "
          f"{memory:.0f}, {memory_after:.0f} MB")
    if answers_after != answers:
        missed.append("the answers are other ones")
    if descriptors_after > descriptors + 2:
        missed.append(f"{descriptors_after} descriptors, {descriptors} before")
    if memory_after > 1.2 * memory + 10:
        missed.append(f"{memory_after:.0f} MB, {memory:.0f} before")
    if arguments.write:
        write(table)
    uploads(server, [ordinary(300)] * 16, 3)
    began = time.perf_counter()
    server.process.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.process.wait(60)
    seconds = time.perf_counter() - began
    server.process.kill()
    print(f"\nThe end, with 16 analyses under way: {seconds:.1f} s")
    if seconds > END_S:
        missed.append(f"the end took {seconds:.1f} s, expected at most {END_S:.0f} s")
    print("\n".join(missed))
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
