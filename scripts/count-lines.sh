#!/usr/bin/env bash
# usage: scripts/count-lines.sh [REVISION [PATH...]]
# Counts the lines of Rust of a revision without test files, top-level #[cfg(test)] items, comments
# and blank lines.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
revision=${1:-HEAD}
[ $# -eq 0 ] || shift
git rev-parse --verify --quiet "$revision^{commit}" >/dev/null || {
    echo "unknown revision \"$revision\", expected a commit, branch or tag" >&2
    exit 2
}
git ls-tree -r --name-only "$revision" -- "$@" | grep '\.rs$' | grep -v '/tests/\|tests\.rs$' |
    while read -r file; do
        git show "$revision:$file" | awk '
            in_test { if (/^}/) in_test = 0; next }
            /^#\[cfg\(test\)\]/ { test = 1; next }
            test && /^#\[/ { next }
            test { test = 0; if (!/;[ ]*$/ && !/}[ ]*$/) in_test = 1; next }
            !/^[ \t]*(\/\/|$)/ { lines++ }
            END { print lines + 0 }'
    done | awk '{ sum += $1 } END { print sum + 0 }'
