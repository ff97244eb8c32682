#!/usr/bin/env bash
# Translated programs under GnuCOBOL: the golden files compile without a message, and one of them runs and does what its
# commands say. Called by tests/gnucobol/run.sh.

set -euo pipefail
cd "$(dirname "$0")/../.."

flags=(-std=ibm-strict -fsign=EBCDIC)
golden=$PWD/crates/text/program/tests/golden
here=$PWD/tests/gnucobol/exec_cics
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "exec_cics: $*" >&2
    exit 1
}

version=$(cobc --version | head -1)
[[ $version == *' 3.'* ]] || fail "GnuCOBOL 3 is needed (apt-get install gnucobol3), found $version"

for program in "$golden"/*/program.i; do
    # To the end: some faults are only found by the C compiler.
    found=$(cobc -m "${flags[@]}" -debug -o "$folder/any.so" "$program" 2>&1) || fail "$program does not compile: $found"
    [[ -z $found ]] || fail "$program compiles with messages: $found"
done

# A wrong name is shown where the user wrote it, not where the translator did.
sed 's/WS-ORDER MOVE/WS-ODER MOVE/' "$golden/fixed/program.i" >"$folder/wrong.i"
found=$(cobc -fsyntax-only "${flags[@]}" "$folder/wrong.i" 2>&1 || true)
[[ $found == *"PROGRAM.cbl:24: error: 'WS-ODER' is not defined"* ]] || fail "a wrong name was shown as: $found"

cd "$folder"
cp "$golden/calls/program.i" CALLS.i
cobc -m "${flags[@]}" -debug -o CALLS.so CALLS.i
cobc -x -std=ibm-strict -o DRIVER "$here/DRIVER.cbl"
cc -shared -fPIC -Wall -Wextra -Werror -o runtime.so "$here/runtime.c"
COB_PRE_LOAD=runtime COB_LIBRARY_PATH=$folder ./DRIVER >found.txt || fail "the program failed: $(cat found.txt)"
diff "$here/expected.txt" found.txt || fail "the program did something else than expected"
