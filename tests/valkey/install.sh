#!/usr/bin/env bash
# Installs a server of Valkey or Redis for the tests that need it, where that may be done; fails, and says what is missing,
# where it may not. Called by `make test` before all tests. The tests start the server themselves.

set -euo pipefail

fail() {
    echo "valkey: $*" >&2
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

is_there() {
    command -v valkey-server >/dev/null || command -v redis-server >/dev/null
}

need_server() {
    is_there && return
    if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
        echo "valkey: installing a server"
        as_root apt-get update --quiet || echo "valkey: apt-get update failed; trying with what it knew before" >&2
        for package in valkey-server redis-server; do
            # The package must not start a server of its own.
            as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install --yes --quiet --no-install-recommends "$package" &&
                is_there && return
        done
    fi
    fail "a server is missing: apt-get install valkey-server, or redis-server"
}

need_server
