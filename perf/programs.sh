#!/usr/bin/env bash
# The cost of a COBOL program behind REST: CABASIC as a program, with an answer of 1 KB, beside the simulated
# provider that gives the same answer, as CPU of the gateway and its workers per request in the same run.
#
# Needs two cores, wrk, taskset and GnuCOBOL 3. PROGRAMS_SECONDS, PROGRAMS_ROUNDS shorten a trial run; GANTRY names another
# gateway binary. Prints one line a round and the medians; the exit code says whether everything ran without an error.

set -euo pipefail
cd "$(dirname "$0")/.."

readonly seconds=${PROGRAMS_SECONDS:-8} rounds=${PROGRAMS_ROUNDS:-5}
readonly simulated_port=2246 program_port=2247
# shellcheck source=perf/gateways.bash
. perf/gateways.bash

readonly simulated_path=$path program_path=/programs/CABASIC-RS2/1

need cobc pgrep
write_request
cp -r examples/performance "$folder/simulated"
cp -r examples/programs "$folder/program"
printf '[[listener]]\naddress = "127.0.0.1:%s"\n' "$simulated_port" >"$folder/simulated/gantry.toml"
# A worker that is replaced takes what it has used with it: it would be missing in the sum.
printf '[[listener]]\naddress = "127.0.0.1:%s"\n[region]\napplid = "PERF"\nsysid = "PRF1"\nworkers = 2\nworker_tasks_max = 1000000000\n' \
    "$program_port" >"$folder/program/gantry.toml"
start "$folder/simulated" "http://127.0.0.1:$simulated_port"
simulated=$started
path=$program_path
start "$folder/program" "http://127.0.0.1:$program_port"
program=$started

# An answer, but for the number of its task.
answer() {
    curl --silent --fail --request PUT --header 'Content-Type: application/json' --data "$body" "$1" |
        sed 's/"taskid":[0-9]*//'
}
expected=$(answer "http://127.0.0.1:$simulated_port$simulated_path")
found=$(answer "http://127.0.0.1:$program_port$program_path")
[[ $found == "$expected" ]] || fail "the program answers $found, the simulated provider $expected"

above=()
for ((round = 1; round <= rounds; round++)); do
    path=$simulated_path
    read -r simulated_us _ < <(window "$simulated" "http://127.0.0.1:$simulated_port" "")
    path=$program_path
    read -r program_us requests < <(window "$program" "http://127.0.0.1:$program_port" "")
    more=$(awk -v a="$program_us" -v b="$simulated_us" 'BEGIN { printf "%.2f", a - b }')
    above+=("$more")
    echo "round $round: simulated $simulated_us us, program $program_us us a request, $more us more ($requests requests)"
done
printf '%s\n' "${above[@]}" | sort -n | awk '{ v[NR] = $1 } END {
    print "above the simulated provider: median " v[int((NR + 1) / 2)] ", minimum " v[1] ", maximum " v[NR] " us (bar 6)" }'
