#!/usr/bin/env bash
# The same COBOL programs in a region and under ironwork, compared field by field. Called by `make ironwork`.
#
# ironwork is an engine of its own that keeps EBCDIC and IBM's arithmetic; install.sh gets it. Arguments are names of programs;
# without them, all are compared. Needs GnuCOBOL too.

set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "ironwork: $*" >&2
    echo "0 compared, 1 differs"
    exit 1
}

tests/gnucobol/install.sh || fail "see above"
ironwork=$(tests/ironwork/install.sh) || fail "see above"
cargo build --locked --quiet -p gantry || fail "the gateway does not build"
exec python3 tests/ironwork/compare.py "${CARGO_TARGET_DIR:-target}/debug/gantry" "$ironwork" "$@"
