#!/usr/bin/env bash
# Installs GnuCOBOL 3 for the tests that need it, where that may be done; fails, and says what is missing, where it may not.
# Called by `make test` before all tests.

set -euo pipefail

fail() {
    echo "gnucobol: $*" >&2
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
