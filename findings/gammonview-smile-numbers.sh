#!/usr/bin/env bash
# gammonview 3.1.0: its reader of Smile, the binary JSON of .bgf files, takes 6 bits of each byte of a
# whole number where all but the last byte have 7, left-aligns doubles, and reads floats as 4 bytes
# instead of 5 with 7 bits each. Numbers up to 2047 are right. A text of 33 to 64 bytes is cut.
#
# The same bytes are read by smile-js 0.7.0 (npm), as by the specification of Smile 1.0.
#
# Seen: bytes              smile-js   gammonview
#       2403 88            100        100
#       2440 80            2048       0
#       2401 1c 90         5000       2952
#       29 ...             0.25       7.1202363472230444e-304
#       28 ...             0.25       7.170515540015954e-37
#       text of 40         40 bytes   9 bytes
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check gammonview==3.1.0
npm install --silent --no-audit --no-fund smile-js@0.7.0
head=3a290a00
cat > values.txt <<EOT
${head}240388
${head}244080
${head}24011c90
${head}29003f6800000000000000
${head}280374000000
${head}67$(printf '61%.0s' {1..40})
EOT
cat > read.mjs <<'EOT'
import { readFileSync } from "node:fs";
import { parse } from "smile-js";
const lines = readFileSync("values.txt", "utf8").trim().split("\n");
console.log(JSON.stringify(lines.map((line) => parse(Uint8Array.from(Buffer.from(line, "hex"))))));
EOT
node read.mjs > right.json
venv/bin/python - <<'EOT'
import json

from gvformat.bgf import decode_smile

right = json.load(open("right.json"))
seen = [decode_smile(bytes.fromhex(line)) for line in open("values.txt").read().split()]
for one, other in zip(right, seen):
    print(f"{one!s:42} {other}")
assert right == [100, 2048, 5000, 0.25, 0.25, 40 * "a"], "smile-js reads something else"
assert seen[:3] == [100, 0, 2952], "whole numbers are read in another way"
assert max(seen[3:5]) < 1e-30, "floats are read in another way"
assert seen[5] == 9 * "a", "longer texts are read in another way"
EOT
echo "as described"
