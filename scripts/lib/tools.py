"""What the scripts share: the tavola of this checkout, GNU Backgammon, and processes that answer lines.

    tavola=$(python3 scripts/lib/tools.py tavola)   # builds it; $TAVOLA names another binary
    python3 scripts/lib/tools.py gnubg              # installs gnubg as root, or says what is missing
"""

import base64
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = "4HPwATDgc/ABMA"


def stop(message, code=1):
    print(message, file=sys.stderr)
    sys.exit(code)


def write_between(page, name, text):
    """Writes what stands between the marks of this name in a document."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, rest = page.read_text().split(begin)
    page.write_text(before + begin + text + end + rest.split(end)[1])


def tavola(*features):
    """The binary: $TAVOLA, or the release build of this checkout, with these features beside the usual."""
    if os.environ.get("TAVOLA"):
        return os.environ["TAVOLA"]
    build = ["cargo", "build", "--quiet", "--release", "--locked", "-p", "tavola-cli"]
    build += [f"--features={feature}" for feature in features]
    if subprocess.run(build, cwd=ROOT, stdout=sys.stderr).returncode:
        stop("tavola does not build")
    target = Path(os.environ.get("CARGO_TARGET_DIR") or "target")
    return str(ROOT / target / "release" / "tavola")


def batch(requests, threads):
    """The answers of `tavola batch` in the order of the requests."""
    text = "\n".join(json.dumps(request) for request in requests)
    words = [tavola(), "batch", "--quiet", "--threads", str(threads)]
    done = subprocess.run(words, input=text, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        stop("tavola batch failed")
    return [json.loads(line) for line in done.stdout.splitlines()]


def need_gnubg():
    """Installs gnubg with apt-get if it is missing and root asks; exit code 2 without it."""
    os.environ["PATH"] += ":/usr/games"
    if shutil.which("gnubg"):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "gnubg"]):
            subprocess.run(["apt-get", *words], stdout=sys.stderr, check=True)
    if not shutil.which("gnubg"):
        stop("gnubg is missing; on Debian and Ubuntu: sudo apt-get install gnubg", 2)


def gnubg_command(script):
    return ["gnubg", "-t", "-q", "-r", "-p", str(script)]


def inside_gnubg(name, **variables):
    """Runs a script of this folder inside gnubg and returns the output, boards included."""
    script = Path(__file__).with_name(name)
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            gnubg_command(script),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, "HOME": home, "TAVOLA_LIB": str(script.parent), **variables},
        )
    if done.returncode:
        stop("\n".join(done.stdout.splitlines()[-20:] + [f"{name} failed inside gnubg"]))
    return done.stdout


def gnubg_processor_time(pid="self"):
    """Seconds of processor time in which a gnubg with one calculating thread has calculated.

    Its main thread asks in a loop whether that thread is done. In short calls this waiting takes
    as much time as the work, so the main thread is left out.
    """
    threads = Path(f"/proc/{pid}/task")
    main = os.getpid() if pid == "self" else pid
    others = [thread for thread in threads.iterdir() if thread.name != str(main)]
    # The first number is of nanoseconds on a processor.
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in others) / 1e9


def bench(positions, *arguments):
    """What `tavola bench` measures, by name; its positions are written to a file."""
    command = [tavola(), "bench", "--full", "--json", "--write-positions", positions, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE)
    if done.returncode:
        stop(f"tavola bench failed with {' '.join(arguments)!r}")
    return json.loads(done.stdout)


def sealed(values):
    """The text of a file of JSON objects, one a line, each with a checksum as its last member."""
    lines = [json.dumps(value, separators=(",", ":"), ensure_ascii=False)[:-1] for value in values]
    return "".join(f'{line},"crc32":"{zlib.crc32(line.encode()):08x}"}}\n' for line in lines)


class Answers:
    """A process that answers lines."""

    def __init__(self, command, **variables):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **variables},
        )

    def line(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            stop(f"{self.process.args[0]} ended at: {request}")
        return answer.strip()

    def processor_time(self):
        """Seconds of processor time so far, read from /proc."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text()
        user, system = stat.rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Batch(Answers):
    """A running `tavola batch` on one thread."""

    def __init__(self, binary, *arguments):
        super().__init__([binary, "batch", "--threads", "1", *arguments])

    def ask(self, **request):
        answer = json.loads(self.line(json.dumps(request)))
        if "error" in answer:
            stop(f"{request}: {answer['error']}")
        return answer


class Gnubg(Answers):
    """GNU Backgammon behind scripts/gnubg-engine.py; `name` has version and plies."""

    def __init__(self, plies, cube=False):
        self.home = tempfile.TemporaryDirectory()
        script = ROOT / "scripts/gnubg-engine.py"
        variables = {"HOME": self.home.name, "TAVOLA_GNUBG_PLY": str(plies)}
        super().__init__(gnubg_command(script), **variables)
        greeting = "tavola-engine 1"
        answer = self.line(f"{greeting} backgammon{' cube' if cube else ''}")
        # Lines before the answer are the program's banner.
        while not answer.startswith((greeting, "error")):
            answer = self.process.stdout.readline().strip()
        self.name = answer.removeprefix(greeting).strip()

    def processor_time(self):
        return gnubg_processor_time(self.process.pid)

    def ask(self, request, *words):
        """The words of the answer behind the name of the request."""
        answer = self.line(" ".join([request, *map(str, words)])).split()
        if answer[:1] != [request]:
            stop(f"gnubg answered {' '.join(answer)!r} to {request} {words}")
        return answer[1:]


def games(batch, rng):
    """Lists of the positions of 0-ply games, each before the roll."""
    while True:
        position, positions = START, []
        while True:
            dice = [rng.randint(1, 6), rng.randint(1, 6)]
            plays = batch.ask(op="best", position=position, dice=dice, ply=0, top=1, cubeful=False)["plays"]
            if not plays:
                # A pass ends the list.
                break
            position = plays[0]["position"]
            state = batch.ask(op="eval", position=position, ply=0, cubeful=False)
            if state["probs"][0] in (0, 1):
                break
            positions.append(position)
        yield positions


def sage_engine():
    """Open Sage's adapter as a module."""
    spec = importlib.util.spec_from_file_location("sage_engine", ROOT / "scripts/sage-engine.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Sage(Answers):
    """Open Sage behind scripts/sage-engine.py in an interpreter that has it."""

    def __init__(self, python, level):
        super().__init__([python, str(ROOT / "scripts/sage-engine.py"), level])
        self.name = self.line("tavola-engine 1 backgammon").removeprefix("tavola-engine 1 ")
        if self.name.startswith("error"):
            stop(self.name)

    def ask(self, request, *words):
        """The words of the answer behind the name of the request."""
        answer = self.line(" ".join([request, *map(str, words)])).split()
        if answer[:1] != [request]:
            stop(f"Open Sage answered {' '.join(answer)!r} to {request} {words}")
        return answer[1:]


def cube_words(request):
    """Cube and score of a request to `tavola batch` in the words of the engine protocol."""
    cube = request.get("cube", {"value": 1, "owner": "center"})
    match = request.get("match")
    if not match:
        rules = [rule for rule in ("jacoby", "beavers") if request.get(rule)]
        return ["cube", cube["value"], cube["owner"], "money", *rules]
    crawford = ["crawford"] if match["crawford"] else []
    score = [match["length"], match["player"], match["opponent"], *crawford]
    return ["cube", cube["value"], cube["owner"], "match", *score]


def decode(position_id):
    """Two lists of 26 counts, opponent's and mover's: points 1 to 24 in own numbering, then bar."""
    bits = int.from_bytes(base64.b64decode(position_id + "=="), "little")
    sides = []
    for _ in range(2):
        counts = [0] * 26
        for point in range(1, 26):
            while bits & 1:
                counts[point] += 1
                bits >>= 1
            bits >>= 1
        sides.append(counts)
    return sides


def encode(not_on_roll, on_roll):
    """The GNU Position ID of such counts."""
    bits = length = 0
    for counts in (not_on_roll, on_roll):
        for point in range(1, 26):
            bits |= ((1 << counts[point]) - 1) << length
            length += counts[point] + 1
    return base64.b64encode(bits.to_bytes(10, "little")).decode().rstrip("=")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["tavola"]:
            print(tavola())
        case ["gnubg"]:
            need_gnubg()
        case _:
            sys.exit(__doc__)
