#!/usr/bin/env python3
"""Do the tests notice when a sign, a bound or a whole function of the core is another one?

    scripts/mutants.py [CRATE ...] [--quick] [--files REGEX]     equity and rules whole, and the cube of evaluator

Needs cargo-mutants (cargo install cargo-mutants), which lists the mutants. One program has all of a
crate, and a variable chooses among them: an hour and a half becomes ten minutes. What can't be chosen
at run time (constants, functions whose result has no name) is built one by one. Each crate's own
tests judge, the quick ones first, all of them what is then alive.

The crate is changed in a copy below target/mutants, where the answers are kept: what was judged is
not judged again unless its line is another one. Exit code 1 for a mutant that is alive and not in
scripts/mutants.txt, where each has its reason.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "target/mutants"
FOLDERS = {"equity": "crates/core/equity", "rules": "crates/core/rules", "evaluator": "crates/core/evaluator"}
ONLY = {"evaluator": r"src/(cubeful|rollout/cube)"}
# These take most of the time of their crates; most mutants are noticed without them.
SLOW = [
    "a_cut_or_changed_table", "the_longest_table", "both_generators", "every_result_has_one_play",
    "positions_of_random_play", "counts_agree_with_the_tables", "one_play_is_found", "all_21_rolls",
    "decisions_at_", "every_cube_at_a_score",
]
SWITCH = """
/// The mutant that is tried.
pub fn mutant_number() -> u32 {
    static NUMBER: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *NUMBER.get_or_init(|| std::env::var("MUTANT").map_or(0, |text| text.parse().unwrap()))
}
"""
MEMORY, QUICK, FILES = 6 << 30, False, ""


def cargo(*arguments, **environment):
    own = {"CARGO_TARGET_DIR": str(WORK / "built"), "CARGO_PROFILE_DEV_DEBUG": "0"}
    return subprocess.run(["cargo", *arguments], cwd=WORK / "tree", text=True, capture_output=True,
                          env={**os.environ, **own, **environment})


class Text:
    """A source file, with offsets of lines and columns."""

    def __init__(self, text):
        self.text, self.starts = text, [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def at(self, place):
        return self.starts[place["line"] - 1] + place["column"] - 1

    def span(self, span):
        return self.at(span["start"]), self.at(span["end"])

    def body(self, begin, end):
        """Where the body of the function in this span begins, and where its `fn` is."""
        # Of the span alone: where it begins is no beginning of a line.
        head = re.search(r"(?m)^(?!\s*//).*?\bfn\s+\w+", self.text[begin:end])
        if not head:
            return None
        at, depth = begin + head.end(), 0
        while at < end:
            here = self.text[at]
            if here in "([":
                depth += 1
            elif here in ")]":
                depth -= 1
            elif here == "{" and depth == 0:
                return at + 1, begin + head.start()
            at += 1
        return None


def apart(mutants, text):
    """Mutants by the outermost function that they are in; those that are in none."""
    spans = sorted({text.span(it["function"]["span"]) for it in mutants if it["function"]})
    outer = []
    for span in spans:
        if not outer or span[0] >= outer[-1][1]:
            outer.append(span)
    groups, rest = collections.defaultdict(list), []
    for it in mutants:
        begin, end = text.span(it["span"])
        home = next((span for span in outer if span[0] <= begin and end <= span[1]), None)
        groups[home].append(it) if home else rest.append(it)
    return groups, rest


def write(file, mutants, out):
    """The file with a switch in each function; the lines of each mutant, and those without one."""
    text = Text((ROOT / file).read_text())
    groups, rest = apart(mutants, text)
    pieces, done, ranges, line = [], 0, [], 1

    def add(piece):
        nonlocal line
        pieces.append(piece)
        line += piece.count("\n")

    for (begin, end), group in sorted(groups.items()):
        found = text.body(begin, end)
        if not found:
            rest += group
            continue
        body, head = found
        signature = re.sub(r"\bconst (?=(unsafe )?fn\b)", "", text.text[head:body])
        # Each body of `-> impl Trait` has a type of its own.
        if re.search(r"->\s*impl\b", signature):
            rest += group
            continue
        add(text.text[done:head] + signature + " match crate::mutant_number() {\n")
        for it in group:
            first, last = text.span(it["span"])
            if first < body:
                rest.append(it)
                continue
            above = line
            add(f"{it['number']} => {{\n{text.text[body:first]}{it['replacement']}{text.text[last:end - 1]}\n}}\n")
            ranges.append((above, line, it))
        above = line
        add(f"_ => {{\n{text.text[body:end - 1]}\n}}\n}} }}")
        ranges.append((above, line, None))
        done = end
    add(text.text[done:])
    out.write_text("".join(pieces))
    return ranges, rest


def errors(message_lines):
    for text in message_lines.splitlines():
        message = json.loads(text) if text.startswith("{") else {}
        if message.get("reason") == "compiler-message" and message["message"]["level"] == "error":
            yield message["message"]


def executables(messages):
    return [json.loads(line)["executable"] for line in messages.splitlines()
            if '"executable":"' in line and '"test":true' in line]


def build(crate, mutants):
    """The test programs with all mutants that can be switched; those that can't, and those that
    are no programs."""
    tree, folder = WORK / "tree", FOLDERS[crate]
    alone, invalid = [], []
    for _ in range(60):
        ranges = {}
        by_file = collections.defaultdict(list)
        for it in mutants:
            by_file[it["file"]].append(it)
        for file, group in by_file.items():
            ranges[file], rest = write(file, group, tree / file)
            alone += rest
            mutants = [it for it in mutants if it not in rest]
        library = tree / folder / "src/lib.rs"
        own = library if f"{folder}/src/lib.rs" in by_file else ROOT / folder / "src/lib.rs"
        library.write_text(own.read_text() + SWITCH)
        built = cargo("test", "-q", "-p", f"tavola-{crate}", "--tests", "--no-run", "--message-format=json")
        wrong, text = [], ""
        for error in errors(built.stdout):
            text += error["rendered"]
            for span in error["spans"]:
                hit = [it for above, below, it in ranges.get(span["file_name"], [])
                       if above < span["line_start"] <= below and it]
                wrong += [it for it in hit if span["is_primary"]]
            # A constant calls the function, or its result has no name.
            for name in re.findall(r"non-const (?:associated )?(?:fn|function|method) `([^`]+)`", error["message"]):
                last = re.sub(r"<.*?>|::<.*", "", name).split("::")[-1]
                wrong += [it | {"alone": True} for it in mutants
                          if it["function"] and it["function"]["function_name"].split("::")[-1] == last]
        if built.returncode == 0:
            return executables(built.stdout), mutants, alone, invalid
        if not wrong:
            sys.exit(f"{crate} does not compile:\n{text}{built.stderr}")
        numbers = {it["number"] for it in wrong}
        separate = {it["number"] for it in wrong if it.get("alone")}
        alone += [it for it in mutants if it["number"] in separate]
        invalid += [it for it in mutants if it["number"] in numbers - separate]
        print(f"{crate}: {len(numbers)} are no programs, or are built alone", flush=True)
        mutants = [it for it in mutants if it["number"] not in numbers]
        # Files without mutants are as they were.
        for file in by_file:
            shutil.copy(ROOT / file, tree / file)
    sys.exit(f"{crate} does not compile after 60 tries")


def judge(programs, folder, number, quick, most=100):
    """Whether a test fails, or goes on for more seconds of the processor."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    environment = {**os.environ, "MUTANT": str(number), "RUSTC_BOOTSTRAP": "1", "RUST_BACKTRACE": "0", "PROPTEST_MAX_SHRINK_ITERS": "0",
                   # A failure that is kept would judge the mutants after it, and chance would judge each in another way.
                   "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1", "PROPTEST_RNG_SEED": "1",
                   "CARGO_MANIFEST_DIR": str(WORK / "tree" / folder)}
    arguments = ["--test-threads=1", "-Zunstable-options", "--fail-fast"]
    if quick:
        environment["PROPTEST_CASES"] = "32"
        arguments += [f"--skip={name}" for name in SLOW]
    for program in programs:
        run = subprocess.run([program, *arguments], cwd=WORK / "tree" / folder, env=environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limits)
        if run.returncode != 0:
            return True
    return False


def one_by_one(crate, mutants, judged, keep):
    folder = FOLDERS[crate]
    for it in mutants:
        if it["name"] in judged:
            continue
        path = WORK / "tree" / it["file"]
        text = Text((ROOT / it["file"]).read_text())
        first, last = text.span(it["span"])
        path.write_text(text.text[:first] + it["replacement"] + text.text[last:])
        # The unit tests are built soonest, and notice most.
        answer = "alive"
        for tests in ("--lib",), ("--tests",):
            built = cargo("test", "-q", "-p", f"tavola-{crate}", *tests, "--no-run", "--message-format=json")
            if built.returncode:
                answer = "no program"
                break
            programs = executables(built.stdout)
            if judge(programs, folder, 0, True, 20) or not QUICK and judge(programs, folder, 0, False):
                answer = "killed"
                break
        keep(it, answer)
        shutil.copy(ROOT / it["file"], path)


def shown(it):
    """Without line and column, which every edit changes, but with the text of the line."""
    line = (ROOT / it["file"]).read_text().splitlines()[it["span"]["start"]["line"] - 1].strip()
    return re.sub(r":\d+:\d+: ", ": ", it["name"]) + f" | {line}"


def one_crate(crate):
    tree, folder = WORK / "tree", FOLDERS[crate]
    listed = cargo("mutants", "--list", "--json", "-p", f"tavola-{crate}")
    if listed.returncode:
        sys.exit(f"cargo mutants: {listed.stderr}")
    mutants = [it for it in json.loads(listed.stdout)
               if re.search(ONLY.get(crate, ""), it["file"]) and re.search(FILES, it["file"])]
    for number, it in enumerate(mutants, 1):
        it["number"] = number
    answers = WORK / f"{crate}.json"
    judged = json.loads(answers.read_text()) if answers.exists() else {}
    # Another source is judged anew.
    source = {it["file"]: (ROOT / it["file"]).read_text() for it in mutants}
    tests = "".join(path.read_text() for path in sorted((ROOT / folder).rglob("*.rs")))
    if judged.get("tests") != (key := str(hash_of(tests))):
        # New tests may kill what was alive; what is dead stays so while its file is the same.
        old = judged.get("files", {})
        same = {file for file, text in source.items() if old.get(file) == hash_of(code(text))}
        dead = judged.get("found", {})
        judged = {"tests": key, "files": {file: hash_of(code(text)) for file, text in source.items()},
                  "found": {name: what for name, what in dead.items()
                            if what != "alive" and name.split(":")[0] in same}}
    found = judged["found"]

    def keep(it, what):
        found[it["name"]] = what
        answers.write_text(json.dumps(judged, indent=0))
        if what == "alive":
            print(f"alive: {it['name']}", flush=True)

    manifest = tree / folder / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace("[lints]\nworkspace = true\n", ""))
    programs, switched, alone, invalid = build(crate, [it for it in mutants if it["name"] not in found])
    for it in invalid:
        keep(it, "no program")
    if judge(programs, folder, 0, False):
        sys.exit(f"{crate}: its tests fail without a mutant")
    print(f"{crate}: {len(mutants)} mutants, {len(switched)} in one program, {len(alone)} alone", flush=True)
    # What goes on for ever is noticed soon: four times as long as without a mutant.
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    judge(programs, folder, 0, True)
    quick = 2 + round(4 * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began.ru_utime))
    doubtful = []
    for it in switched:
        if judge(programs, folder, it["number"], True, quick):
            keep(it, "killed")
        else:
            doubtful.append(it)
            print(f"not noticed by the quick tests: {it['name']}", flush=True)
    for it in doubtful:
        if QUICK:
            continue
        keep(it, "killed" if judge(programs, folder, it["number"], False) else "alive")
    for file in source:
        shutil.copy(ROOT / file, tree / file)
    shutil.copy(ROOT / folder / "src/lib.rs", tree / folder / "src/lib.rs")
    one_by_one(crate, alone, found, keep)
    return [it for it in mutants if found.get(it["name"]) == "alive"], len(mutants)


def code(text):
    return text.split("#[cfg(test)]\nmod tests {")[0]


def hash_of(text):
    import hashlib
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("crates", metavar="CRATE", nargs="*", default=[])
    parser.add_argument("--quick", action="store_true", help="the quick tests alone")
    parser.add_argument("--files", metavar="REGEX", default="", help="those alone")
    arguments = parser.parse_args()
    global QUICK, FILES
    crates, QUICK, FILES = arguments.crates or list(FOLDERS), arguments.quick, arguments.files
    if unknown := set(crates) - set(FOLDERS):
        parser.error(f"{min(unknown)!r} is none of {', '.join(FOLDERS)}")
    shutil.rmtree(WORK / "tree", ignore_errors=True)
    WORK.mkdir(parents=True, exist_ok=True)
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True,
                           capture_output=True, check=True).stdout.splitlines()
    for file in files:
        if (ROOT / file).is_file():
            (WORK / "tree" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, WORK / "tree" / file)
    explained = {line.split(" # ")[0] for line in (ROOT / "scripts/mutants.txt").read_text().splitlines()}
    alive, total = [], 0
    for crate in crates:
        found, count = one_crate(crate)
        alive, total = alive + found, total + count
    new = [it for it in alive if shown(it) not in explained]
    print(f"{total} mutants, {len(alive)} alive, {len(new)} of them unexplained")
    for it in new:
        print(f"{it['name']}\n    {shown(it)}")
    sys.exit(bool(new))


if __name__ == "__main__":
    main()
