#!/bin/sh
# Attacks a gateway by clients that are slow on purpose, beside good ones: crates/tools/load/examples/slow says how.
# GANTRY is the gateway and SLOW the driver (those of target/release if they are not set). Ends with 1 if something got
# through.
set -eu
cd "$(dirname "$0")/../.."
GANTRY=${GANTRY:-target/release/gantry}
SLOW=${SLOW:-target/release/examples/slow}
for binary in "$GANTRY" "$SLOW"; do
    [ -x "$binary" ] || { echo "no binary at $binary; build it, or set GANTRY and SLOW" >&2; exit 2; }
done
# Each client is a descriptor on both sides.
ulimit -n "$(ulimit -H -n)"
exec "$SLOW" "$GANTRY" "$@"
