#!/usr/bin/env bash
# Installs ironwork for its test into an environment of its own, where that may be done; prints the program's path.
# Called by run.sh. What is missing is said.

set -euo pipefail
cd "$(dirname "$0")/../.."

readonly venv=${CARGO_TARGET_DIR:-target}/ironwork requirements=tests/ironwork/requirements.txt

fail() {
    echo "ironwork: $*" >&2
    exit 1
}

python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "Python 3.11 or later with venv is missing: apt-get install python3 python3-venv"
if ! cmp --silent "$requirements" "$venv/requirements.txt"; then
    python3 -m venv --clear "$venv" >&2 || fail "the environment $venv could not be made"
    "$venv/bin/pip" install --quiet --requirement "$requirements" >&2 ||
        fail "ironwork could not be installed; see $requirements"
    cp "$requirements" "$venv/requirements.txt"
fi
echo "$venv/bin/ironwork"
