#!/usr/bin/env bash
# Requests that schemathesis makes up from docs/openapi.json, against a server of one's own; any
# answer with a status of 500 or more fails.
#   scripts/hostile-requests.sh [SECONDS]     default: 60
# TAVOLA names the program, else target/debug/tavola. Installs schemathesis into target/tools.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
seconds=${1:-60}
program=${TAVOLA:-target/debug/tavola}
tools=target/tools/schemathesis

if [ ! -x "$tools/bin/schemathesis" ]; then
  python3 -m venv "$tools"
  timeout --kill-after=10 300 "$tools/bin/pip" install --quiet 'schemathesis>=4.3,<5'
fi
folder=$(mktemp -d)
"$program" serve --port 0 --no-tables --games "$folder/games" --patience 5 >"$folder/address" &
server=$!
disown "$server"
trap 'kill -9 "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 300); do
  [ -s "$folder/address" ] && break
  kill -0 "$server" || exit 1
  sleep 0.2
done
url=$(cat "$folder/address")
result=0
timeout --kill-after=10 $((seconds + 120)) "$tools/bin/schemathesis" run docs/openapi.json --url "${url%/}" \
  --phases examples,fuzzing,stateful --checks not_a_server_error --max-time "$seconds" \
  --workers 2 --seed 1 --continue-on-failure --warnings off --suppress-health-check all \
  --no-color || result=$?
# It still answers.
curl --silent --fail --max-time 10 "${url}api/v1/engine" >/dev/null
exit "$result"
