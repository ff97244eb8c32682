#!/usr/bin/env bash
# The whole chain beside the bare API: TLS 1.3 with keep-alive, a token from the cache, audit and metrics, against none of
# them, as CPU of the gateway per request in the same run. Handshakes are outside of the window.
#
# Needs two cores, wrk, openssl, python3 and taskset. CHAIN_SECONDS, CHAIN_ROUNDS shorten a trial run; GANTRY names another
# gateway binary. Prints one line a round and the medians; the exit code says whether everything ran without an error.

set -euo pipefail
cd "$(dirname "$0")/.."

readonly server_core=0 driver_core=1 connections=64
readonly seconds=${CHAIN_SECONDS:-8} rounds=${CHAIN_ROUNDS:-5}
readonly gantry=${GANTRY:-${CARGO_TARGET_DIR:-target}/release/gantry}
readonly bare_port=2242 chain_port=2244
readonly path=/performance.api/mapping/CABASIC-RS2/1 body='{"CABASICOperation":{"count_out":32}}'

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
    echo "chain: $*" >&2
    exit 1
}

token() {
    python3 - "$1" <<'PYTHON'
import base64, hashlib, hmac, json, sys, time
def part(data): return base64.urlsafe_b64encode(data).rstrip(b"=")
head = part(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
claims = {"iss": "https://issuer.example", "aud": "gantry", "sub": "caller", "exp": int(time.time()) + 3600}
text = head + b"." + part(json.dumps(claims).encode())
print((text + b"." + part(hmac.new(sys.argv[1].encode(), text, hashlib.sha256).digest())).decode())
PYTHON
}

make_folders() {
    local secret=0123456789abcdef0123456789abcdef
    cp -r examples/performance "$folder/bare"
    cp -r examples/performance "$folder/chain"
    printf '[[listener]]\naddress = "127.0.0.1:%s"\n' "$bare_port" >"$folder/bare/gantry.toml"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost \
        -keyout "$folder/chain/key.pem" -out "$folder/chain/cert.pem" 2>/dev/null
    printf '%s' "$secret" >"$folder/chain/secret"
    cat >"$folder/chain/gantry.toml" <<TOML
[[listener]]
address = "127.0.0.1:$chain_port"
tls = { certificate = "cert.pem", private_key = "key.pem" }

[security]
require_auth = true

[[security.authenticator]]
kind = "jwt"
issuer = "https://issuer.example"
audiences = ["gantry"]
algorithms = ["HS256"]
secret = { file = "secret" }

[[interceptor]]
name = "audit"
kind = "audit"

[interceptor.file]
path = ".gantry/audit.jsonl"
overflow = "block"
TOML
    token "$secret" >"$folder/token"
    cat >"$folder/request.lua" <<LUA
wrk.method = "PUT"
wrk.body = '$body'
wrk.headers["Content-Type"] = "application/json"
local token = os.getenv("CHAIN_TOKEN")
if token then wrk.headers["Authorization"] = "Bearer " .. token end
function done(summary, latency, requests)
    io.write(string.format("REQUESTS %d ERRORS %d\n", summary.requests,
        summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
LUA
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

# CPU time of a process so far, in clock ticks.
ticks() {
    awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"
}

# Microseconds of CPU for each request of a window: process, URL, token.
window() {
    local before after line requests errors
    # The connections of a run are made first: what a short run costs is subtracted with its requests left out.
    before=$(ticks "$1")
    line=$(CHAIN_TOKEN=$3 taskset -c "$driver_core" wrk -t1 -c"$connections" -d"${seconds}s" \
        -s "$folder/request.lua" "$2$path" | grep '^REQUESTS')
    after=$(ticks "$1")
    read -r _ requests _ errors <<<"$line"
    [[ $errors == 0 ]] || fail "$errors requests to $2 failed"
    awk -v t="$((after - before))" -v n="$requests" -v hz="$(getconf CLK_TCK)" \
        'BEGIN { printf "%.2f %d\n", t / hz * 1e6 / n, n }'
}

for tool in wrk openssl python3 taskset curl; do
    command -v "$tool" >/dev/null || fail "needs $tool"
done
[[ -x $gantry ]] || fail "build it first: cargo build --release -p gantry"
make_folders
start "$folder/bare" "http://127.0.0.1:$bare_port"
bare=$started
start "$folder/chain" "https://127.0.0.1:$chain_port"
chain=$started
bearer=$(cat "$folder/token")
ratios=()
for ((round = 1; round <= rounds; round++)); do
    read -r bare_us _ < <(window "$bare" "http://127.0.0.1:$bare_port" "")
    read -r chain_us requests < <(window "$chain" "https://127.0.0.1:$chain_port" "$bearer")
    ratio=$(awk -v a="$chain_us" -v b="$bare_us" 'BEGIN { printf "%.3f", a / b }')
    ratios+=("$ratio")
    echo "round $round: bare $bare_us us, chain $chain_us us a request, ratio $ratio ($requests requests)"
done
lines=$(wc -l <"$folder/chain/.gantry/audit.jsonl")
printf '%s\n' "${ratios[@]}" | sort -n | awk '{ v[NR] = $1 } END {
    print "ratio: median " v[int((NR + 1) / 2)] ", minimum " v[1] ", maximum " v[NR] " (bar 1.6)" }'
echo "audit records in the last file: $lines"
