#!/usr/bin/env bash
# The tests that need GnuCOBOL. Called by `make test`.
#
# First, translated EXEC CICS programs: exec_cics.sh. Then the differential test: generated records as COBOL programs make
# them, and as our binds do. Arguments go to `cargo xtask gnucobol` (--seed N, --count N, --only ID, --show N). Without cobc,
# install.sh installs GnuCOBOL where that may be done; where it may not, the test has failed, and says what is missing.

set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "gnucobol: $*" >&2
    echo "0 passed, 1 failed"
    exit 1
}

tests/gnucobol/install.sh || fail "see above"
tests/gnucobol/exec_cics.sh || fail "see above"
cargo xtask gnucobol "$@" || fail "see above"
echo "2 passed, 0 failed"
