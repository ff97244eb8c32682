#!/usr/bin/env bash
# The cost of each part of observability: gateways with one part each beside one with none, as CPU per request
# in the same run. PARTS_SECONDS and PARTS_ROUNDS shorten a trial run; GANTRY names another gateway binary.
# Needs two cores, wrk, python3 and taskset. Prints medians in microseconds, above none and as a ratio to it.

set -euo pipefail
cd "$(dirname "$0")/.."

readonly seconds=${PARTS_SECONDS:-5} rounds=${PARTS_ROUNDS:-5}
readonly first_port=2250 collector_port=2249
# shellcheck source=perf/gateways.bash
. perf/gateways.bash

readonly off=$'[metrics]\ntimes = false\nsizes = false\n'
readonly file=$'[interceptor.file]\npath = ".gantry/lines.jsonl"\noverflow = "block"\n'
readonly traces="[traces]"$'\n'"url = \"http://127.0.0.1:$collector_port/v1/traces\""$'\n'
names=(none times sizes audit log traces-1% traces-all all)
declare -A parts=(
    [none]=$off
    [times]=${off/times = false/times = true}
    [sizes]=${off/sizes = false/sizes = true}
    [audit]=$off$'[[interceptor]]\nname = "audit"\nkind = "audit"\n'$file
    [log]=$off$'[[interceptor]]\nname = "log"\nkind = "log"\nredact = ["count_out"]\n'$file
    [traces-1%]=$off${traces}$'ratio = 0.01\n'
    [traces-all]=$off${traces}$'ratio = 1.0\nqueue_max_requests = 100000\n'
    [all]=${traces}$'ratio = 0.01\n[[interceptor]]\nname = "audit"\nkind = "audit"\n'$file
)

# Takes spans and throws them away.
collector() {
    exec python3 - "$1" <<'PYTHON'
import http.server, sys
class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Collector).serve_forever()
PYTHON
}

need python3
write_request
collector "$collector_port" &
children+=("$!")
declare -A pids ports
for at in "${!names[@]}"; do
    name=${names[$at]}
    ports[$name]=$((first_port + at))
    cp -r examples/performance "$folder/$name"
    printf '%s\n[[listener]]\naddress = "127.0.0.1:%s"\n' "${parts[$name]}" "${ports[$name]}" >"$folder/$name/gantry.toml"
    start "$folder/$name" "http://127.0.0.1:${ports[$name]}"
    pids[$name]=$started
done
for ((round = 1; round <= rounds; round++)); do
    for name in "${names[@]}"; do
        read -r us _ < <(window "${pids[$name]}" "http://127.0.0.1:${ports[$name]}" "")
        echo "$us" >>"$folder/$name.us"
    done
done
median() {
    sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
none=$(median "$folder/none.us")
for name in "${names[@]}"; do
    awk -v name="$name" -v us="$(median "$folder/$name.us")" -v none="$none" \
        'BEGIN { printf "%-11s %6.2f us a request  %+6.2f us  %.3f times none\n", name, us, us - none, us / none }'
done
