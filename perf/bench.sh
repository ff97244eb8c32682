#!/usr/bin/env bash
# The benchmark of the project: report 000's first experiment, and the gateway beside a bare hyper server.
#
# Called by `make bench`; needs two cores, curl, python3 and util-linux' taskset. One run is one folder under
# perf/runs: command, commit, machine, raw numbers, report and summary. The exit code says whether everything ran
# without an error; whether the figures are good is judged by people.
#
# BENCH_DURATION_S, BENCH_WARMUP_S, BENCH_ROUNDS, BENCH_CLIENTS shorten a trial run.
# GANTRY names another gateway binary; then it is not built here.

set -euo pipefail
cd "$(dirname "$0")/.."

readonly server_core=0 driver_core=1
readonly duration_s=${BENCH_DURATION_S:-10} warmup_s=${BENCH_WARMUP_S:-2} rounds=${BENCH_ROUNDS:-3}
readonly clients=${BENCH_CLIENTS:-100,200,300,400,500}
readonly saturated_connections=64
readonly ready_max_s=20
readonly gateway_url=http://127.0.0.1:2222 metrics_url=http://127.0.0.1:2223/metrics
readonly path_1k=/performance.api/mapping/CABASIC-RS2/1
readonly body_1k='{"CABASICOperation":{"count_out":32}}'
readonly targets=${CARGO_TARGET_DIR:-target}/release
readonly gantry=${GANTRY:-$targets/gantry}
readonly bare=$targets/bare-hyper

children=()
run=

fail() {
    echo "bench: $*" >&2
    exit 1
}

# Ends only what this script started; the trap calls it.
# shellcheck disable=SC2317
end_children() {
    local child
    for child in "${children[@]}"; do
        kill "$child" 2>/dev/null || true
    done
}
trap end_children EXIT

check_machine() {
    (("$(nproc)" >= 2)) || fail "needs two cores, one for the server and one for the driver; this machine gives $(nproc)"
    local tool
    for tool in curl python3 taskset git; do
        command -v "$tool" >/dev/null || fail "needs $tool"
    done
    if curl --silent --output /dev/null --max-time 2 "$gateway_url"; then
        fail "something listens on $gateway_url already: stop it first"
    fi
}

build() {
    cargo build --release --locked -p bare-hyper
    [[ -n ${GANTRY:-} ]] || cargo build --release --locked -p gantry
}

commit() {
    local id
    id=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
    # The run's own folder is no change.
    [[ -z $(git status --porcelain -- . ':!perf/runs' 2>/dev/null) ]] || id+=-changed
    echo "$id"
}

make_run_folder() {
    run=perf/runs/$(date -u +%Y-%m-%dT%H%M)-$(commit)
    mkdir -p "$run/saturated"
    {
        echo "command: perf/bench.sh"
        echo "commit: $(commit)"
        echo "duration_s: $duration_s, warmup_s: $warmup_s, rounds: $rounds, clients: $clients"
        echo "limits: the defaults of gantry, so 1000 connections from one address (limits.connections_per_address_max)"
        echo "server core: $server_core, driver core: $driver_core"
        uname -srm
        grep -m1 'model name' /proc/cpuinfo || true
        rustc --version
    } >"$run/run.txt"
}

# Status and length of the gateway's answer to the 1K request, as "200 1580".
ask_1k() {
    curl --silent --show-error --max-time 5 --request PUT --header 'content-type: application/json' \
        --data "$body_1k" --output /dev/null --write-out '%{http_code} %{size_download}' "$1$path_1k"
}

start_gateway() {
    taskset -c "$server_core" "$gantry" serve --example performance --workers 1 >"$run/gateway.log" 2>&1 &
    children+=($!)
    local deadline=$((SECONDS + ready_max_s))
    until [[ $(ask_1k "$gateway_url" 2>/dev/null) == 200\ * ]]; do
        kill -0 "${children[-1]}" 2>/dev/null || fail "the gateway ended: $(tail -n 3 "$run/gateway.log")"
        ((SECONDS < deadline)) || fail "the gateway does not answer $gateway_url$path_1k within $ready_max_s s"
        sleep 0.2
    done
}

# Starts the peer and prints its URL into bare.log; its answers are as long as the gateway's.
start_bare() {
    taskset -c "$server_core" "$bare" --listen 127.0.0.1:0 --bytes "$1" --threads 1 >"$run/bare.log" 2>&1 &
    children+=($!)
    local deadline=$((SECONDS + ready_max_s))
    until grep -q '^127' "$run/bare.log"; do
        kill -0 "${children[-1]}" 2>/dev/null || fail "bare-hyper ended: $(cat "$run/bare.log")"
        ((SECONDS < deadline)) || fail "bare-hyper does not start"
        sleep 0.1
    done
}

drive() {
    taskset -c "$driver_core" "$gantry" load --pin-core "$driver_core" --label "$(commit)" \
        --duration-s "$duration_s" --warmup-s "$warmup_s" "$@"
}

# (a) Report 000, sections 3.3 and 4: 1K and 4K responses, 100 ms think time.
experiment() {
    echo "== report 000, first experiment"
    drive --clients "$clients" --rounds "$rounds" --metrics-url "$metrics_url" --output "$run/api-mapping"
}

# (b) Both servers fully loaded on the same core, by turns, so that a slow change of the machine meets both.
saturated_round() {
    drive --think-ms 0 --clients "$saturated_connections" --rounds 1 --target "1K=$2$path_1k" \
        --body "$body_1k" --output "$run/saturated/$1-$3" >/dev/null
}

comparison() {
    local length=$1 bare_url number failed=0
    bare_url=http://$(head -n 1 "$run/bare.log")
    echo "== saturated: $saturated_connections connections, no think time, responses of $length bytes"
    for ((number = 1; number <= (rounds > 3 ? rounds : 3); number++)); do
        saturated_round gateway "$gateway_url" "$number" || failed=1
        saturated_round bare "$bare_url" "$number" || failed=1
    done
    return "$failed"
}

# (c) HOOK: the codec's micro benchmark. Its lines go into the summary as they are.
codec() {
    if [[ -d crates/data/record/benches ]]; then
        echo "== codec"
        taskset -c "$server_core" cargo bench --locked -p record 2>"$run/codec.log" | tee "$run/codec.txt"
    fi
}

check_machine
build
make_run_folder
start_gateway
outcome=0
experiment || outcome=1
# The answer has a task number in it, which has grown to about its length by now.
read -r _ length < <(ask_1k "$gateway_url"; echo)
start_bare "$length"
comparison "$length" || outcome=1
codec || outcome=1
python3 perf/summary.py "$run" | tee "$run/summary.md" || outcome=1
echo "written to $run"
exit "$outcome"
