#!/usr/bin/env bash
# The acceptance tests: public tools judge the running gateway and its documents. Called by `make test`.
#
# Makes .venv with the pinned packages of requirements.txt, builds the gateway, makes schemas and starts run.py. What
# cannot be had is a failed test, said with the reason; nothing is left out.

set -euo pipefail
cd "$(dirname "$0")/../.."

readonly venv=.venv requirements=tests/acceptance/requirements.txt
readonly binary=${CARGO_TARGET_DIR:-target}/debug/gantry schemas=${CARGO_TARGET_DIR:-target}/xml-cases

fail() {
    echo "acceptance: $*" >&2
    echo "0 passed, 1 failed"
    exit 1
}

has_python() {
    python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

need_python() {
    has_python && return
    if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
        echo "acceptance: installing python3 and python3-venv"
        export DEBIAN_FRONTEND=noninteractive
        apt-get update --quiet || echo "acceptance: apt-get update failed; trying with what it knew before" >&2
        apt-get install --yes --quiet --no-install-recommends python3 python3-venv ||
            fail "python3 and python3-venv are missing and could not be installed"
        has_python && return
    fi
    fail "Python 3.11 or later with venv is missing: apt-get install python3 python3-venv"
}

# A copy of the requirements in the environment says that they are all there.
need_packages() {
    if "$venv/bin/python" -c '' 2>/dev/null && cmp --silent "$requirements" "$venv/requirements.txt"; then
        return
    fi
    echo "acceptance: making $venv"
    rm -rf "$venv"
    python3 -m venv "$venv" || fail "python3 -m venv $venv failed"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --requirement "$requirements" ||
        fail "the packages of $requirements could not be installed from the Python package index"
    cp "$requirements" "$venv/requirements.txt"
}

need_python
need_packages
cargo build --locked -p gantry || fail "the gateway does not build"
rm -rf "$schemas"
cargo run --locked --quiet -p record --example xml_cases -- "$schemas" || fail "the schemas could not be made"
exec "$venv/bin/python" -B tests/acceptance/run.py "$binary" "$schemas"
