#!/usr/bin/env python3
"""What a fleet of many workers needs: traffic, storage, the learner's share, and the time that
shards and stragglers cost. A calculation and a small simulation; nothing is run.

    scripts/fleet-plan.py --workers 1000 --games 50e6
"""

import argparse
import heapq
import random


def cut(games, size, workers):
    """The rule of the learner: shards of `size`, and smaller ones towards the end."""
    shards = []
    while games > 0:
        count = min(max(games // (2 * workers), -(-size // 8)), size, games)
        shards.append(count)
        games -= count
    return shards


def round_seconds(args, workers, size, rng):
    """Seconds of a round: threads take shards from a queue, some are slow, some are killed."""
    speeds = [rng.lognormvariate(0.0, args.spread) for _ in range(workers)]
    free = [(0.0, thread) for thread in range(workers)]
    heapq.heapify(free)
    shards = cut(args.round, size, workers)[::-1]
    end = busy = 0.0
    while shards:
        begin, thread = heapq.heappop(free)
        games = shards.pop()
        seconds = games * args.seconds_per_game / speeds[thread] + args.latency
        if rng.random() < args.failures:
            # The worker dies: the shard comes back after the acknowledgement wait.
            shards.insert(0, games)
            heapq.heappush(free, (begin + seconds / 2 + args.ack_wait, thread))
            continue
        end = max(end, begin + seconds)
        busy += seconds - args.latency
        heapq.heappush(free, (begin + seconds, thread))
    return end, busy


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    option = parser.add_argument
    option("--workers", type=int, default=1000, help="threads that play")
    option("--games", type=float, default=50e6, help="games of the run")
    option("--round", type=int, default=20_000, help="games of a round")
    option("--seconds-per-game", type=float, default=0.002, help="of a thread, packing included")
    option("--bytes-per-game", type=float, default=7_700, help="of a result, packed")
    option("--network-bytes", type=float, default=2.2e6, help="of a weights file")
    option("--learner-ms", type=float, default=0.37, help="to take, check and learn a game")
    option("--server-ms", type=float, default=0.1, help="of the NATS server a game")
    option("--latency", type=float, default=0.005, help="seconds around a shard")
    option("--ack-wait", type=float, default=30.0, help="seconds until a lost shard comes back")
    option("--failures", type=float, default=0.0005, help="share of shards whose worker dies")
    option("--spread", type=float, default=0.2, help="of the logarithm of the workers' speeds")
    option("--threads-per-worker", type=int, default=8, help="that share one network")
    option("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)

    print("threads  shard  round s  busy %  games/s  results MB/s  networks MB/s  learner s/s  server s/s")
    workers = 1
    counts = []
    while workers < args.workers:
        counts.append(workers)
        workers *= 4
    for workers in [*counts, args.workers]:
        # A shard takes a second.
        size = max(1, min(int(1.0 / args.seconds_per_game), 10_000))
        seconds, busy = round_seconds(args, workers, size, rng)
        # The round after next can't begin before the learner has learned this one.
        learning = args.round * args.learner_ms / 1000
        seconds = max(seconds, learning)
        rate = args.round / seconds
        networks = args.network_bytes * -(-workers // args.threads_per_worker) / seconds / 1e6
        print(f"{workers:7} {size:6} {seconds:8.1f} {100 * busy / (seconds * workers):7.1f} {rate:8.0f} "
              f"{rate * args.bytes_per_game / 1e6:13.2f} {networks:14.2f} "
              f"{learning / seconds:12.2f} {rate * args.server_ms / 1000:11.2f}")
    rounds = args.games / args.round
    days = rounds * seconds / 86_400
    print(f"\n{args.games:.0f} games with {args.workers} threads: {rounds:.0f} rounds, {days:.1f} "
          f"days, {args.games * args.seconds_per_game / 86_400:.1f} days of a thread")
    print(f"learner at most {1000 / args.learner_ms:.0f} games a second: busy with "
          f"{1000 / args.learner_ms * args.seconds_per_game:.0f} threads")
    print(f"results {args.games * args.bytes_per_game / 1e9:.0f} GB in all, of which the server "
          f"stores {args.round * args.bytes_per_game / 1e6:.0f} MB at a time")


if __name__ == "__main__":
    main()
