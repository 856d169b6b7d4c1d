#!/usr/bin/env python3
"""What a fleet costs: processor time a game with 1, 2, 4 and 8 workers of one thread beside that of
one process, the share of time in which workers wait, bytes a game, and the network at the end,
which must be the same. Everything runs on this machine; needs Linux and nats-server.

    scripts/fleet-measure.py
    scripts/fleet-measure.py --workers 8 --delay 20 --loss 1

Processor time is user and system time of all processes of a kind, so other load on the machine
hardly shows in it. With --delay and --loss the workers reach the server through a relay of this
script, which holds every piece of data that many milliseconds, and that share of the pieces for
200 ms more, as TCP does when a packet is lost. Where the kernel has it, netem does the same to a
network namespace.
"""

import argparse
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, f"{__file__.rpartition('/')[0]}/lib")
import tools

CONFIG = """
game = "backgammon"
seed = 7
rounds = {rounds}
games_per_round = {games}
first_round_games = {games}
[network]
hidden = [32]
[learner]
batch_size = 512
[targets]
kind = "td"
lambda = {{ kind = "constant", value = 0.7 }}
{targets}
[evaluation]
every_rounds = 999999
games = 4
opponents = ["random"]
"""
# The pruning network evaluates the afterstates of all rolls, which makes games dear.
PRUNE = Path(__file__).resolve().parent.parent / "models" / "prune.safetensors"
TARGETS = f'[targets.variance_reduction]\npruning = {{ network = "{PRUNE}", keep = 1 }}\n'
TICKS = os.sysconf("SC_CLK_TCK")
# What TCP waits before it sends a lost packet again.
RETRANSMISSION = 0.2


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    end = time.time() + 30
    while time.time() < end:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit("nats-server does not listen")


def relay(port, to, delay, loss, seed):
    """Passes data on, late. Runs in a process of its own until it is killed."""
    rng = random.Random(seed)
    listener = socket.create_server(("127.0.0.1", port))
    # Where data of a socket goes, and what is on its way: when it is due, and the data.
    peers, queues = {}, {}
    while True:
        due = [queue[0][0] for queue in queues.values() if queue]
        patience = max(0.0, min(due) - time.time()) if due else 1.0
        readable, _, _ = select.select([listener, *peers], [], [], patience)
        for ready in readable:
            if ready is listener:
                one, _ = listener.accept()
                other = socket.create_connection(("127.0.0.1", to))
                for end, peer in ((one, other), (other, one)):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    peers[end], queues[end] = peer, []
                continue
            try:
                data = ready.recv(1 << 14)
            except OSError:
                data = b""
            if not data:
                # Both ends are closed; what is on its way is lost, as when a cable is cut.
                for end in (ready, peers[ready]):
                    peers.pop(end, None)
                    queues.pop(end, None)
                    end.close()
                break
            at = time.time() + delay + (RETRANSMISSION if rng.random() < loss else 0.0)
            queue = queues[ready]
            # Data stays in order, behind what is late.
            queue.append((max(at, queue[-1][0] if queue else 0.0), data))
        for end, queue in list(queues.items()):
            while queue and queue[0][0] <= time.time():
                try:
                    peers[end].sendall(queue.pop(0)[1])
                except OSError:
                    queue.clear()


def status(tavola, url):
    done = subprocess.run([tavola, "fleet", "status", url, "--json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def train(args, config, out, more):
    command = [args.tavola, "train", str(config), "--out", str(out), "--threads", "1", "--quiet"]
    began = time.time()
    child = subprocess.Popen([*command, *more], stdout=subprocess.DEVNULL)
    samples = []
    while True:
        pid, code, used = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        if more and args.samples:
            samples.append(status(args.tavola, more[1]))
        else:
            time.sleep(0.05)
    if code:
        sys.exit(f"tavola train failed: {code}")
    network = (out / "final.safetensors").read_bytes()
    return used.ru_utime + used.ru_stime, time.time() - began, network, samples


def waiting_share(samples):
    """Share of their threads' time in which workers did not work, between the first and the last
    status in which all of them had worked."""
    found = [
        {worker["worker"]: worker for worker in sample["workers"]}
        for sample in samples
        if sample and sample["workers"] and all(w["items"] for w in sample["workers"])
    ]
    most = max((len(sample) for sample in found), default=0)
    found = [sample for sample in found if len(sample) == most]
    if len(found) < 2:
        return None
    busy = seconds = 0.0
    for name, last in found[-1].items():
        first = found[0].get(name)
        if first:
            busy += last["busy_seconds"] - first["busy_seconds"]
            seconds += (last["seconds"] - first["seconds"]) * last["threads"]
    return 1.0 - busy / seconds if seconds else None


def with_fleet(args, config, folder, workers):
    port, children = free_port(), []
    command = ["nats-server", "-js", "-a", "127.0.0.1", "-p", str(port), "-sd", str(folder / "js")]
    try:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        server = subprocess.Popen(command, **quiet)
        children.append(server)
        wait_for(port)
        workers_port = port
        if args.delay or args.loss:
            workers_port = free_port()
            pid = os.fork()
            if pid == 0:
                relay(workers_port, port, args.delay / 1000, args.loss / 100, 1)
            children.append(pid)
            wait_for(workers_port)
        url = f"nats://127.0.0.1:{workers_port}"
        hands = []
        for number in range(workers):
            name = ["--threads", "1", "--name", f"worker-{number}", "--quiet"]
            hands.append(subprocess.Popen([args.tavola, "worker", url, *name], **quiet))
        children += hands
        time.sleep(1)
        before = [processor_seconds(hand.pid) for hand in hands]
        fleet = ["--fleet", f"nats://127.0.0.1:{port}", "--fleet-check", "0"]
        learner, seconds, network, samples = train(args, config, folder / "fleet", fleet)
        played = sum(processor_seconds(hand.pid) for hand in hands) - sum(before)
        last = next((sample for sample in reversed(samples) if sample), None)
        items = sum(w["items"] for w in last["workers"]) if last else 0
        sent = sum(w["sent_bytes"] for w in last["workers"]) / items if items else None
        return {
            "learner": learner, "workers": played, "server": processor_seconds(server.pid),
            "seconds": seconds, "network": network, "waiting": waiting_share(samples),
            "bytes": sent,
        }
    finally:
        for child in children:
            pid = child if isinstance(child, int) else child.pid
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0) if isinstance(child, int) else child.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    option = parser.add_argument
    option("--workers", type=int, nargs="+", default=[1, 2, 4, 8], help="of one thread each")
    option("--rounds", type=int, default=6)
    option("--games", type=int, default=4000, help="of a round")
    option("--plain", action="store_true", help="without variance reduction: games cost less")
    option("--delay", type=float, default=0.0, help="milliseconds each way")
    option("--loss", type=float, default=0.0, help="percent of the pieces")
    option("--repeat", type=int, default=1, help="runs of one process, of which the mean counts")
    option("--no-samples", dest="samples", action="store_false", help="do not ask for the status")
    args = parser.parse_args()
    args.tavola = tools.tavola("fleet")
    games = args.rounds * args.games
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        config = folder / "fleet.toml"
        targets = "" if args.plain else TARGETS
        config.write_text(CONFIG.format(rounds=args.rounds, games=args.games, targets=targets))
        alone, network = [], None
        for number in range(args.repeat):
            used, seconds, network, _ = train(args, config, folder / f"alone-{number}", [])
            alone.append(used)
        one = sum(alone) / len(alone)
        print(f"{games} games; one process {1000 * one / games:.3f} ms of processor time a game "
              f"({', '.join(f'{1000 * used / games:.3f}' for used in alone)})")
        print("workers  ms a game  to one process  learner  workers  server  waiting %  "
              "bytes a game  seconds  network")
        for workers in args.workers:
            place = folder / f"fleet-{workers}"
            place.mkdir()
            found = with_fleet(args, config, place, workers)
            every = found["learner"] + found["workers"]
            waiting = "-" if found["waiting"] is None else f"{100 * found['waiting']:.1f}"
            size = "-" if found["bytes"] is None else f"{found['bytes']:.0f}"
            same = "same" if found["network"] == network else "OTHER"
            ms = [1000 * found[key] / games for key in ("learner", "workers", "server")]
            print(f"{workers:7} {1000 * every / games:10.3f} {every / one:15.3f} {ms[0]:8.3f} "
                  f"{ms[1]:8.3f} {ms[2]:7.3f} {waiting:>10} {size:>13} {found['seconds']:8.1f}  {same}",
                  flush=True)


if __name__ == "__main__":
    main()
