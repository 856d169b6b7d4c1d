#!/usr/bin/env bash
# usage: scripts/count-lines.sh [--by-crate] [REVISION [PATH...]]
# Counts the lines of Rust of a revision, or with `.` of the working tree, without test files,
# top-level #[cfg(test)] items, comments and blank lines. --by-crate prints a line for each crate.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
by_crate=0
if [ "${1:-}" = --by-crate ]; then
    by_crate=1
    shift
fi
revision=${1:-HEAD}
[ $# -eq 0 ] || shift
list=(git ls-files --cached --others --exclude-standard)
if [ "$revision" != . ]; then
    git rev-parse --verify --quiet "$revision^{commit}" >/dev/null || {
        echo "unknown revision \"$revision\", expected a commit, branch or tag, or . for the working tree" >&2
        exit 2
    }
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    list=(git ls-tree -r --name-only "$revision")
    git archive "$revision" | tar -x -C "$tree"
fi
"${list[@]}" -- "$@" | grep '\.rs$' | grep -v '/tests/\|tests\.rs$' | (
    cd "${tree:-.}"
    while read -r file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done | xargs -0 -r awk -v by_crate=$by_crate '
        FNR == 1 {
            in_test = test = 0
            split(FILENAME, part, "/")
            crate = part[1]
            if (part[1] == "crates") crate = crate "/" part[2]
            if (part[1] == "crates" && part[2] != "fuzz") crate = crate "/" part[3]
        }
        in_test { if (/^}/) in_test = 0; next }
        /^#\[cfg\(test\)\]/ { test = 1; next }
        test && /^#\[/ { next }
        test { test = 0; if (!/;[ ]*$/ && !/}[ ]*$/) in_test = 1; next }
        !/^[ \t]*(\/\/|$)/ { lines[crate]++; sum++ }
        END {
            if (!by_crate) { print sum + 0; exit }
            for (crate in lines) print lines[crate], crate
        }'
) | sort -k 2
