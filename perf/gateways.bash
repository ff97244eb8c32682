# Gateways beside each other under the same load, for chain.sh, parts.sh and programs.sh: starts them on one core, drives them with wrk
# from the other, and tells the CPU of each request. To be sourced; the name of the script that does is in its messages.

readonly server_core=${SERVER_CORE:-0} driver_core=1 connections=64
readonly gantry=${GANTRY:-${CARGO_TARGET_DIR:-target}/release/gantry}
readonly body='{"CABASICOperation":{"count_out":32}}'
# What is called; who sources this may choose another for some of its calls.
path=/performance.api/mapping/CABASIC-RS2/1

folder=$(mktemp -d)
children=()

# Ends only what this script started, and takes its files away; the trap calls it.
# shellcheck disable=SC2317
end() {
    local child
    for child in "${children[@]}"; do
        kill "$child" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap end EXIT

fail() {
    echo "$(basename "$0" .sh): $*" >&2
    exit 1
}

# What wrk sends; a token goes along where LOAD_TOKEN is set.
write_request() {
    cat >"$folder/request.lua" <<LUA
wrk.method = "PUT"
wrk.body = '$body'
wrk.headers["Content-Type"] = "application/json"
local token = os.getenv("LOAD_TOKEN")
if token and token ~= "" then wrk.headers["Authorization"] = "Bearer " .. token end
function done(summary, latency, requests)
    io.write(string.format("REQUESTS %d ERRORS %d\n", summary.requests,
        summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
LUA
}

# Needs tools beside those that every run needs.
need() {
    local tool
    for tool in wrk taskset curl "$@"; do
        command -v "$tool" >/dev/null || fail "needs $tool"
    done
    [[ -x $gantry ]] || fail "build it first: cargo build --release -p gantry"
}

# Starts a gateway on the server's core; its process id becomes `started`.
start() {
    taskset -c "$server_core" "$gantry" serve "$1" --workers 1 >"$1.log" 2>&1 &
    started=$!
    children+=("$started")
    local deadline=$((SECONDS + 20))
    until curl --silent --insecure --max-time 2 --output /dev/null "$2$path"; do
        kill -0 "$started" 2>/dev/null || fail "the gateway ended: $(tail -n 5 "$1.log")"
        ((SECONDS < deadline)) || fail "the gateway does not answer $2"
        sleep 0.2
    done
}

# CPU time of a process and its children so far, in clock ticks: workers of regions are processes of their own.
ticks() {
    local process sum=0
    for process in "$1" $(pgrep --parent "$1" || true); do
        sum=$((sum + $(awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$process/stat" 2>/dev/null || echo 0)))
    done
    echo "$sum"
}

# Microseconds of CPU for each request of a window: process, URL, token.
window() {
    local before after line requests errors
    # The connections of a run are made first: what a short run costs is subtracted with its requests left out.
    before=$(ticks "$1")
    line=$(LOAD_TOKEN=$3 taskset -c "$driver_core" wrk -t1 -c"$connections" -d"${seconds}s" \
        -s "$folder/request.lua" "$2$path" | grep '^REQUESTS')
    after=$(ticks "$1")
    read -r _ requests _ errors <<<"$line"
    [[ $errors == 0 ]] || fail "$errors requests to $2 failed"
    awk -v t="$((after - before))" -v n="$requests" -v hz="$(getconf CLK_TCK)" \
        'BEGIN { printf "%.2f %d\n", t / hz * 1e6 / n, n }'
}
