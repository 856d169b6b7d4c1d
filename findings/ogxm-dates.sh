#!/usr/bin/env bash
# ogxm 2.3.2: in the JSON of a match the start stands twice, as `started_at` in milliseconds and as
# `timestamp` in seconds. `json_to_binary` follows `timestamp`: another `started_at` changes nothing
# unless `timestamp` is taken out or changed too.
#
# With `date_precision` "day" the start must be midnight (UTC). A time of day is not rounded: the document
# is refused as corrupt data, without the name of the field.
#
# Seen: started_at 1795551300000; a day later 1795551300000, without timestamp 1795637700000
#       precision day: midnight 1795478400000, 20:15 ogxm_json_to_binary failed: corrupt data (code -7)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ogxm==2.3.2 gammonview==3.1.0
"$folder/venv/bin/python" - <<'EOT'
import gvformat
import ogxm

MATCH = """; [EventDate "2026.11.24"]
; [EventTime "20.15"]

 1 point match

 Game 1
 Al : 0                             Bea : 0
  1) 31: 8/5 6/5                    42: 8/4 6/4
"""
DAY = 86_400_000


def through(document):
    """The start behind the binary file of a document, or why there is none."""
    try:
        return ogxm.binary_to_json(ogxm.json_to_binary(document))["started_at"]
    except ogxm.OgxmError as error:
        return str(error)


document = ogxm.binary_to_json(gvformat.write_gvab(gvformat.mat_to_ogxm(MATCH)))
assert ogxm.v2_problem(document) is None
start = document["started_at"]
moved = {**document, "started_at": start + DAY}
alone = {key: value for key, value in moved.items() if key != "timestamp"}
print(f"started_at {start}; a day later {through(moved)}, without timestamp {through(alone)}")
assert (through(document), through(alone)) == (start, start + DAY), "the start is read in another way"
assert through(moved) == start, "started_at goes before timestamp"
of_day = lambda at: through({**alone, "started_at": at, "date_precision": "day"})
midnight = start - start % DAY
print(f"precision day: midnight {of_day(midnight)}, 20:15 {of_day(start)}")
assert start != midnight and of_day(midnight) == midnight, "a day is read in another way"
assert "corrupt data" in of_day(start) and "date" not in of_day(start), "a time of day is read, or named"
EOT
echo "as described"
