#!/usr/bin/env python3
"""Small requests while other clients are slow, hostile or gone: latency and memory of a server.

    scripts/soak.py [SECONDS] [FOLDER]     default: 600 s, target/soak

TAVOLA names the program, else target/debug/tavola. FOLDER gets memory.tsv and memory.svg.
Exit code 1: an answer with a status of 500, memory beyond 1 GB, or, from a minute on, a median of
more than 50 ms. Hostile files come 64 a minute.
"""

import contextlib
import http.client
import json
import os
import pathlib
import random
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

MEMORY_MIB, MEDIAN_MS, UPLOADS_A_MINUTE = 1000, 50, 64
BEST = json.dumps({"position": "start", "dice": [3, 1], "ply": 0, "top": 1})


def archive(records, times, index=True):
    """A file of eXtreme Gammon whose index names the same packed records many times."""
    header = b"RGMH" + bytes(4) + struct.pack("<i", 8232)
    packed = zlib.compress(records, 9)
    entry = bytearray(532)
    entry[:8] = b"\x07temp.xg"
    entry[512:528] = struct.pack("<iiiI", len(records), len(packed), 0, zlib.crc32(records))
    entries = zlib.compress(bytes(entry) * times)
    data = packed + entries
    end = struct.pack("<Iiiiii", zlib.crc32(data), times, 1, len(entries), len(packed), 1)
    file = header + bytes(8232 - len(header)) + data
    return file + end + bytes(12) if index else file


def headers(games):
    """Records of a match with this number of game headers and nothing else."""
    match = bytearray(2560)
    match[8] = 0
    match[556:560] = struct.pack("<i", 0x494C4D44)
    game = bytearray(2560)
    game[8] = 1
    return bytes(match) + bytes(game) * games


def hostile_files():
    play = "  1) 31: 8/5 6/5            42: 8/4 6/4\n"
    mat = " 25 point match\n\n" + " Game 1\n Ann : 0   Bob : 0\n" + play * 200_000
    return [
        archive(headers(26_000), 64),
        archive(headers(26_000), 1),
        archive(headers(26_000), 1, index=False),
        archive(headers(9_000) + os.urandom(1 << 16), 64),
        b"(;GM[6]" * 1_000_000,
        b"(;GM[6]FF[4]" + b";B[31abcd]" * 800_000 + b")",
        mat.encode()[: 8 << 20],
        b'{"matches":' + b"[" * 4_000_000,
        b"[" * (8 << 20),
        os.urandom(4 << 20),
    ]


class Soak:
    def __init__(self, port, process, seconds):
        self.port, self.process, self.files = port, process, hostile_files()
        self.end = time.monotonic() + seconds
        self.times, self.statuses, self.memory, self.failures = [], {}, [], []
        self.lock = threading.Lock()

    def is_going(self):
        return time.monotonic() < self.end

    def ask(self, method, path, body=None, client=None):
        connection = client or http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, "/api/v1/" + path, body)
        answer = connection.getresponse()
        text = answer.read()
        with self.lock:
            self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
            if answer.status == 500:
                self.failures.append(f"{method} {path}: {text[:200]!r}")
        return answer.status, text

    def open(self, text):
        stream = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        stream.sendall(text)
        return stream

    def small(self):
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while self.is_going():
            began = time.monotonic()
            status, _ = self.ask("POST", "best", BEST, client)
            if status == 200:
                self.times.append(1000 * (time.monotonic() - began))
            time.sleep(0.1)

    def uploads(self):
        """Each comes at its time, whether those before are answered or not, from one of 8 addresses."""

        def upload(number):
            source = (f"127.0.0.{2 + number % 8}", 0)
            client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60, source_address=source)
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.ask("POST", "analyses?ply=0", self.files[number % len(self.files)], client)

        began = time.monotonic()
        for number in range(1 << 30):
            time.sleep(max(0, began + number * 60 / UPLOADS_A_MINUTE - time.monotonic()))
            if not self.is_going():
                return
            threading.Thread(target=upload, args=(number,), daemon=True).start()

    def matches(self):
        while self.is_going():
            status, text = self.ask("POST", "games", '{"length": 3}')
            if status == 201:
                key = json.loads(text)["id"]
                self.ask("GET", f"games/{key}/hint")
                self.ask("POST", f"games/{key}/actions", b"{" * random.randrange(9))
                self.ask("DELETE", f"games/{key}")
            time.sleep(0.5)

    def slow(self):
        """Half a head, half a body, and answers that no one takes."""
        held = []
        host = b"Host: localhost\r\n"
        while self.is_going():
            held.append(self.open(b"GET / HTTP/1.1\r\n" + host[:5]))
            held.append(self.open(b"POST /api/v1/analyses HTTP/1.1\r\n" + host + b"Content-Length: 8000000\r\n\r\n("))
            held.append(self.open((b"GET /openapi.json HTTP/1.1\r\n" + host + b"\r\n") * 50))
            while len(held) > 600:
                held.pop(0).close()
            time.sleep(0.1)

    def vanishing(self):
        """Long work for clients that are gone."""
        body = json.dumps({"op": "rollout", "position": "start", "trials": 100_000_000})
        while self.is_going():
            text = json.dumps({"position": "start", "trials": 100_000}).encode()
            head = f"POST /api/v1/rollout HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(text)}\r\n\r\n"
            self.open(head.encode() + text).close()
            status, answer = self.ask("POST", "jobs", body)
            if status == 202:
                key = json.loads(answer)["id"]
                self.open(f"GET /api/v1/jobs/{key}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()).close()
                self.ask("DELETE", f"jobs/{key}")
            time.sleep(1)

    def watch(self):
        began = time.monotonic()
        while self.is_going():
            text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            resident = next(line for line in text.splitlines() if line.startswith("VmRSS"))
            self.memory.append((time.monotonic() - began, int(resident.split()[1]) / 1024))
            time.sleep(0.25)

    def guarded(self, work):
        while self.is_going():
            try:
                return work()
            except Exception as error:  # A server may refuse a connection, but not end.
                if self.process.poll() is not None:
                    return self.failures.append(f"{work.__name__}: {error!r}")
                time.sleep(0.1)

    def run(self):
        works = [self.small] * 4 + [self.uploads, self.matches, self.slow, self.vanishing, self.watch]
        threads = [threading.Thread(target=self.guarded, args=(work,), daemon=True) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0, self.end - time.monotonic()) + 90)
        # It still answers.
        if self.ask("GET", "engine")[0] != 200:
            self.failures.append("no answer at the end")


def picture(memory):
    """The memory over time, in MiB, as SVG."""
    last = max(memory[-1][0], 1)
    most = max(size for _, size in memory)
    points = " ".join(f"{780 * at / last + 10:.1f},{210 - 200 * size / most:.1f}" for at, size in memory)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 230">'
        f'<text x="10" y="226" font-size="12">{last:.0f} s, at most {most:.0f} MiB</text>'
        f'<polyline fill="none" stroke="black" points="{points}"/></svg>\n'
    )


def main():
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "target/soak")
    folder.mkdir(parents=True, exist_ok=True)
    program = os.environ.get("TAVOLA", "target/debug/tavola")
    with tempfile.TemporaryDirectory() as games:
        command = [program, "serve", "--port", "0", "--no-tables", "--games", games]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            port = int(process.stdout.readline().strip().rstrip("/").rsplit(":", 1)[1])
            soak = Soak(port, process, seconds)
            soak.run()
        finally:
            process.terminate()
            process.wait(60)
    if not soak.times:
        sys.exit(f"no small request was answered; answers by status {soak.statuses}, {soak.failures[:20]}")
    median = statistics.median(soak.times)
    slow = sorted(soak.times)[int(0.95 * len(soak.times))]
    most = max(size for _, size in soak.memory)
    (folder / "memory.tsv").write_text("".join(f"{at:.2f}\t{size:.1f}\n" for at, size in soak.memory))
    (folder / "memory.svg").write_text(picture(soak.memory))
    print(
        f"{seconds:.0f} s, {len(soak.times)} small requests: median {median:.1f} ms, 95 % {slow:.1f} ms; "
        f"memory at most {most:.0f} MiB; answers by status {dict(sorted(soak.statuses.items()))}"
    )
    failures = soak.failures
    if most > MEMORY_MIB:
        failures.append(f"{most:.0f} MiB, expected at most {MEMORY_MIB}")
    if seconds >= 60 and median > MEDIAN_MS:
        failures.append(f"a median of {median:.1f} ms, expected at most {MEDIAN_MS}")
    for failure in failures[:20]:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
