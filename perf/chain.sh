#!/usr/bin/env bash
# The whole chain beside the bare API: TLS 1.3 with keep-alive, a token from the cache, audit and metrics, against none of
# them, as CPU of the gateway per request in the same run. Handshakes are outside of the window.
#
# Needs two cores, wrk, openssl, python3 and taskset. CHAIN_SECONDS, CHAIN_ROUNDS shorten a trial run; GANTRY names another
# gateway binary. Prints one line a round and the medians; the exit code says whether everything ran without an error.

set -euo pipefail
cd "$(dirname "$0")/.."

readonly seconds=${CHAIN_SECONDS:-8} rounds=${CHAIN_ROUNDS:-5}
readonly bare_port=2242 chain_port=2244
# shellcheck source=perf/gateways.bash
. perf/gateways.bash

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
    write_request
}

need openssl python3
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
