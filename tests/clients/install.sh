#!/usr/bin/env bash
# Installs the clients of SOAP that the acceptance tests call with, where that may be done; fails, and says what is missing,
# where it may not. `make test` needs node and gSOAP: install.sh node gsoap. `make soap` needs CXF too: install.sh cxf.

set -euo pipefail

missing=0

# Runs a command as root, or fails.
as_root() {
    if [[ $(id -u) == 0 ]]; then
        "$@"
    else
        sudo -n "$@"
    fi
}

# Versions before 18 cannot run node-soap.
has_node() {
    command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null
}

has_gsoap() {
    command -v wsdl2h >/dev/null && command -v soapcpp2 >/dev/null && command -v cc >/dev/null &&
        echo '#include <stdsoap2.h>' | cc -E - >/dev/null 2>&1
}

has_cxf() {
    command -v mvn >/dev/null && [[ $(javac -version 2>&1) =~ ^javac\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 17))
}

install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "$@"
}

# need CHECK NAME PACKAGE...
need() {
    local check=$1 name=$2
    shift 2
    "$check" && return
    if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
        echo "clients: installing $*"
        as_root apt-get update --quiet || echo "clients: apt-get update failed; trying with what it knew before" >&2
        # The nodejs of NodeSource has npm inside, and refuses that of Debian beside it.
        { install "$@" || install "$1"; } && "$check" && return
    fi
    echo "clients: $name is missing: apt-get install $*" >&2
    missing=1
}

for client in "$@"; do
    case $client in
    node) need has_node 'Node.js 18 or later with npm' nodejs npm ;;
    gsoap) need has_gsoap 'gSOAP' gsoap libgsoap-dev gcc libc6-dev ;;
    cxf) need has_cxf 'a JDK 17 or later with Maven' default-jdk-headless maven ;;
    *) echo "clients: there is no client '$client'" >&2 && exit 2 ;;
    esac
done
exit $missing
