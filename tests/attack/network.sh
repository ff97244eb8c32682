#!/bin/sh
# Attacks a gateway by clients that are slow on purpose, beside good ones: tests/attack/network.py says how.
# GANTRY is the binary (target/release/gantry if it is not set). Ends with 1 if something got through.
set -eu
cd "$(dirname "$0")/../.."
GANTRY=${GANTRY:-target/release/gantry}
[ -x "$GANTRY" ] || { echo "no binary at $GANTRY; build it, or set GANTRY" >&2; exit 2; }
# Each client is a descriptor on both sides.
ulimit -n "$(ulimit -H -n)"
exec python3 tests/attack/network.py "$GANTRY" "$@"
