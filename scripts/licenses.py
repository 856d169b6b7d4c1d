#!/usr/bin/env python3
"""What a package must say of the crates that are linked into it: their licenses, and an SBOM.

    scripts/licenses.py [PACKAGE [TARGET [FOLDER]]]   default: tavola-cli, this machine, target/packaging

Writes THIRD-PARTY-LICENSES.txt, the crates with the texts of their licenses, and sbom.cdx.json, in
the format CycloneDX. Exit code 1: a crate has neither a text nor the name of a license.
"""

import json
import pathlib
import re
import subprocess
import sys

NAMES = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.I)


def cargo(*words):
    return subprocess.run(["cargo", *words, "--locked"], check=True, stdout=subprocess.PIPE, text=True).stdout


def linked(package, target):
    """Name and version of each crate that is linked into the package."""
    # Packages have fleets, which the default build leaves out.
    features = ["--features", "fleet"] if package == "tavola-cli" else []
    tree = cargo("tree", "-p", package, *features, "--target", target, "-e", "normal,no-proc-macro", "--prefix", "none")
    found = re.findall(r"^(\S+) v(\S+)", tree, re.M)
    return sorted(set(found) - {(name, version) for name, version in found if name == package})


def texts(folder):
    """The texts of licenses in the folder of a crate."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and NAMES.match(path.name))
    found = [path.read_text(errors="replace").strip() for path in files if path.suffix != ".rs"]
    return [re.sub(r"[ \t]+$", "", text, flags=re.M) for text in found if text]


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    package = sys.argv[1] if len(sys.argv) > 1 else "tavola-cli"
    host = subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE, text=True).stdout
    target = sys.argv[2] if len(sys.argv) > 2 else re.search(r"^host: (.*)$", host, re.M)[1]
    folder = root / (sys.argv[3] if len(sys.argv) > 3 else "target/packaging")
    manifest = ["--manifest-path", str(root / "Cargo.toml")]
    known = json.loads(cargo("metadata", "--format-version", "1", *manifest))["packages"]
    known = {(crate["name"], crate["version"]): crate for crate in known}
    locked = re.compile(r'^name = "(.*)"\nversion = "(.*)"\n(?:source = .*\nchecksum = "(.*)"\n)?', re.M)
    lock = (root / "Cargo.lock").read_text()
    sums = {(name, version): checksum or None for name, version, checksum in locked.findall(lock)}
    about, users, components, missing = [], {}, [], []
    for key in linked(package, target):
        name, version = key
        expression = (known[key]["license"] or "").replace("/", " OR ")
        own = texts(pathlib.Path(known[key]["manifest_path"]).parent)
        if not own and not expression:
            missing.append(f"{name} {version}")
        link = known[key]["repository"] or ""
        about.append(f"{name} {version}, {expression or 'see its text'}, {link}".rstrip(", "))
        for text in own:
            users.setdefault(" ".join(text.lower().split()), (text, []))[1].append(name)
        purl = f"pkg:cargo/{name}@{version}"
        component = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
        if expression:
            component["licenses"] = [{"expression": expression}]
        if sums.get(key):
            component["hashes"] = [{"alg": "SHA-256", "content": sums[key]}]
        components.append(component)
    if missing or not components:
        sys.exit(f"no license of {', '.join(missing) or package}, expected one of each crate")
    folder.mkdir(parents=True, exist_ok=True)
    title = f"The {len(components)} crates that are linked into {package} for {target}, and the texts of their licenses.\n\n"
    listed = (f"\n{80 * '='}\n{', '.join(names)}\n\n{text}\n" for text, names in users.values())
    (folder / "THIRD-PARTY-LICENSES.txt").write_text(title + "\n".join(about) + "\n" + "".join(listed))
    version = next(crate["version"] for (name, _), crate in known.items() if name == package)
    program = {"type": "application", "name": package, "version": version, "licenses": [{"expression": "MIT OR Apache-2.0"}]}
    bom = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": program}}
    (folder / "sbom.cdx.json").write_text(json.dumps({**bom, "components": components}, indent=1) + "\n")
    print(f"{len(components)} crates of {package}, {len(users)} texts of licenses, in {folder}")


main()
