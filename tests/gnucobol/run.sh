#!/usr/bin/env bash
# The tests that need GnuCOBOL. Called by `make test`.
#
# First, translated EXEC CICS programs: exec_cics.sh. Then the differential test: generated records as COBOL programs make
# them, and as our binds do. Arguments go to `cargo xtask gnucobol` (--seed N, --count N, --only ID, --show N). Without cobc, GnuCOBOL is installed
# where that may be done; where it may not, the test has failed, and says what is missing.

set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "gnucobol: $*" >&2
    echo "0 passed, 1 failed"
    exit 1
}

# Runs a command as root, or fails.
as_root() {
    if [[ $(id -u) == 0 ]]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

need_cobc() {
    command -v cobc >/dev/null && return
    if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
        echo "gnucobol: installing gnucobol3"
        as_root apt-get update --quiet || echo "gnucobol: apt-get update failed; trying with what it knew before" >&2
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends gnucobol3 ||
            fail "GnuCOBOL is missing and could not be installed: apt-get install gnucobol3"
        command -v cobc >/dev/null && return
    fi
    fail "GnuCOBOL is missing: apt-get install gnucobol3"
}

need_cobc
tests/gnucobol/exec_cics.sh || fail "see above"
cargo xtask gnucobol "$@" || fail "see above"
echo "2 passed, 0 failed"
