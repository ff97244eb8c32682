#!/usr/bin/env bash
# Tests the packages of target/packages as somebody without Rust meets them: `make packages-test`.
#
# A fresh Debian, made by debootstrap, starts with its own systemd in namespaces of its own. The Debian package is installed there,
# asked, killed, upgraded under load, removed and purged. Then the archives and the image are unpacked and asked, with no other
# files than theirs. Last, the chart, the compose file and the bill of materials are checked against their schemas.
#
# It needs root. SUITE and MIRROR choose the Debian; by default bookworm of deb.debian.org.

set -euo pipefail
shopt -s nullglob
cd "$(dirname "$0")/../.."

readonly target=${CARGO_TARGET_DIR:-target}
readonly packages=$target/packages suite=${SUITE:-bookworm} mirror=${MIRROR:-http://deb.debian.org/debian}
# The image has a PATH of its own, in which this is not.
chroot=$(command -v chroot || echo /usr/sbin/chroot)
readonly chroot
readonly here=tests/packages
readonly answer_path=/performance.api/mapping/CABASIC-RSV/1
readonly answer_body='{"CABASICOperation":{"count_out":3}}'
work=$(mktemp -d "$(realpath "$target")/packages-test.XXXXXX")
passed=0 machine='' init=''
background=()

fail() {
    echo "packages-test: FAILED: $*" >&2
    if [[ -n $init ]]; then
        inside journalctl --no-pager -u gantry -n 40 >&2 || true
    fi
    exit 1
}

ok() {
    passed=$((passed + 1))
    printf 'ok  %s\n' "$*"
}

end() {
    local one
    for one in "${background[@]}"; do kill "$one" 2>/dev/null || true; done
    if [[ -n $machine ]]; then
        kill "$machine" 2>/dev/null || true
        wait "$machine" 2>/dev/null || true
    fi
    rm -rf --one-file-system "$work"
}
trap end EXIT

milliseconds() {
    date +%s%3N
}

need_tools() {
    local missing='' tool
    [[ $(id -u) == 0 ]] || fail 'this test needs root, for namespaces and for a Debian of its own'
    for tool in debootstrap:debootstrap systemd-nspawn:systemd-container nsenter:util-linux curl:curl python3:python3 ip:iproute2; do
        command -v "${tool%:*}" >/dev/null || missing+=" ${tool#*:}"
    done
    [[ -n $missing ]] || return 0
    if command -v apt-get >/dev/null; then
        apt-get update --quiet || true
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends $missing && return 0
    fi
    fail "missing: apt-get install$missing"
}

# A fresh Debian; the next run takes it from a file.
make_root() {
    local kept=$target/packages-test-$suite.tar
    if [[ ! -e $kept ]]; then
        echo "packages-test: making a Debian $suite"
        debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,adduser,curl "$suite" "$work/new" "$mirror" \
            >"$work/debootstrap.log" || fail "debootstrap: $(tail -3 "$work/debootstrap.log")"
        tar -C "$work/new" -cf "$kept.part" .
        mv "$kept.part" "$kept"
        rm -rf "$work/new"
    fi
    mkdir "$work/root"
    tar -C "$work/root" -xf "$kept"
}

# Starts it. It has no network but its own loopback.
boot() {
    local patience=600
    systemd-nspawn --quiet --directory="$work/root" --boot --register=no --keep-unit --private-network --console=pipe \
        </dev/null >"$work/boot.log" 2>&1 &
    machine=$!
    while ((patience-- > 0)); do
        kill -0 "$machine" 2>/dev/null || fail "systemd does not start here: $(tail -5 "$work/boot.log")"
        init=$(pgrep -P "$machine" | head -1 || true)
        if [[ -n $init ]]; then
            # It ends with 1 where a unit has failed, which is not one of ours yet.
            case $(inside systemctl is-system-running 2>/dev/null || true) in running | degraded) return ;; esac
        fi
        sleep 0.2
    done
    fail "systemd does not come up: $(tail -5 "$work/boot.log")"
}

inside() {
    nsenter -t "$init" -a -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb "$@"
}

# Tools of this machine on the loopback of the other.
in_its_network() {
    nsenter -t "$init" -n -- "$@"
}

# Asks for an answer; prints it, and fails without one.
ask() { # port
    in_its_network curl --noproxy '*' --silent --show-error --fail --max-time 20 -X PUT -H 'Content-Type: application/json' -d "$answer_body" \
        "http://127.0.0.1:$1$answer_path"
}

# Asks until there is an answer, for so many seconds.
await() { # port seconds
    local begin=$SECONDS
    until ask "$1" >"$work/answer" 2>"$work/why"; do
        ((SECONDS - begin < $2)) || fail "no answer within $2 s: $(<"$work/why")"
        sleep 0.05
    done
    grep -q '"recv_size":8' "$work/answer" || fail "another answer than expected: $(<"$work/answer")"
}

main_pid() {
    inside systemctl show --property MainPID --value gantry
}

# The first file of a name in the packages; nothing if there is none.
one() { # pattern
    local found
    # shellcheck disable=SC2206
    found=("$packages"/$1)
    echo "${found[0]:-}"
}

test_install() { # deb
    local begin name
    name=$(dpkg-deb -f "$1" Package)
    if inside sh -c 'command -v cargo || command -v rustc || command -v cc'; then fail 'the Debian has a compiler'; fi
    cp "$1" "$work/root/root/gantry.deb"
    begin=$(milliseconds)
    inside dpkg -i /root/gantry.deb >"$work/dpkg.log" 2>&1 || fail "dpkg -i: $(<"$work/dpkg.log")"
    inside systemctl is-active --quiet gantry || fail 'the unit is not active after the installation'
    # An API for the first answer: the running gateway takes it without a restart.
    inside sh -ec 'gantry example performance /root/p >/dev/null && cp -r /root/p/apis /root/p/services /root/p/copybooks /etc/gantry/'
    await 2222 60
    local took=$(($(milliseconds) - begin))
    ((took < 60000)) || fail "from the package to the first answer: $took ms"
    ok "$name: from the package to the first REST answer in $took ms"
    [[ $(inside stat -c %U "/proc/$(main_pid)") == gantry ]] || fail 'the gateway has another user than gantry'
    inside gantry health | grep -qx ready || fail 'gantry health'
    inside gantry check /etc/gantry >/dev/null || fail 'gantry check /etc/gantry'
    inside systemd-analyze verify --man=no /usr/lib/systemd/system/gantry.service || fail 'systemd-analyze verify'
    ok "the unit: $(inside systemd-analyze security --no-pager gantry.service | tail -1 | sed 's/.*Overall/overall/')"
    inside test -s /usr/share/man/man1/gantry-serve.1.gz || fail 'no man page of gantry serve'
    inside sh -c 'test -s /usr/share/bash-completion/completions/gantry && test -s /usr/share/doc/gantry/docs/README.md' ||
        fail 'completions or documentation'
    ok "man pages: $(inside sh -c 'ls /usr/share/man/man1/gantry*.gz | wc -l'), completions, documentation"
}

# An administrator stops an API: the unit lets the gateway write the switch.
test_writes() {
    inside curl --noproxy '*' --silent --fail -X PUT 'http://127.0.0.1:2223/zosConnect/apis/performance?status=stopped' >/dev/null ||
        fail 'an API cannot be stopped'
    inside grep -q performance /var/lib/gantry/work/stopped || fail 'the stopped API is not kept'
    inside curl --noproxy '*' --silent --fail -X PUT 'http://127.0.0.1:2223/zosConnect/apis/performance?status=started' >/dev/null
    ok 'a stopped API is kept below /var/lib/gantry'
}

test_own_copybook() {
    cp $here/ORDER.cpy "$work/root/srv/ORDER.cpy"
    inside useradd --create-home somebody
    local begin
    begin=$(milliseconds)
    inside su somebody -c 'cd && gantry new shop --copybook /srv/ORDER.cpy >new.txt </dev/null' || fail 'gantry new'
    inside systemd-run --quiet --unit=own --uid=somebody --working-directory=/home/somebody \
        gantry serve shop --listen 127.0.0.1:3222 --admin 127.0.0.1:3223 || fail 'gantry serve'
    # The file with the request to try: method and path in a line, then a line of JSON.
    local requests=$work/root/home/somebody/shop/requests.http line json patience=200
    line=$(grep -m1 -E '^(GET|PUT|POST) ' "$requests")
    json=$(sed -n '/^$/,$p' "$requests" | grep -v '^#' | tr -d '\n')
    set -- $line
    until in_its_network curl --noproxy '*' --silent --fail -X "$1" -H 'Content-Type: application/json' ${json:+-d "$json"} \
        "http://127.0.0.1:3222/${2#*//*/}" >"$work/own"; do
        ((patience-- > 0)) || fail "no answer of the own copybook: $line"
        sleep 0.05
    done
    grep -qi order "$work/own" || fail "another answer than expected: $(<"$work/own")"
    ok "a copybook of one's own: two commands, an answer after $(($(milliseconds) - begin)) ms"
    inside systemctl stop own
}

test_kill() {
    local pid begin took slowest=0 round
    for round in 1 2 3 4 5; do
        pid=$(main_pid)
        inside sh -c "kill -9 $pid"
        begin=$(milliseconds)
        ask 2222 >/dev/null || fail "a request after kill -9 was refused (round $round)"
        took=$(($(milliseconds) - begin))
        ((took > slowest)) && slowest=$took
        [[ $(main_pid) != "$pid" ]] || fail 'the process is the same after kill -9'
    done
    ((slowest < 1000)) || fail "after kill -9, the slowest of 5 answers took $slowest ms"
    ok "kill -9, five times: the next request is not refused; the slowest waits $slowest ms for its answer"
}

test_reload() {
    local pid
    pid=$(main_pid)
    inside systemctl reload gantry || fail 'systemctl reload'
    [[ $(main_pid) == "$pid" ]] || fail 'a reload has replaced the process'
    ask 2222 >/dev/null || fail 'no answer after a reload'
    ok 'systemctl reload'
}

# Another version with the same files but for a changed binary: what dpkg and the unit do is the same.
make_next() { # deb
    dpkg-deb -R "$1" "$work/next"
    sed -i 's/^Version: .*/&+next/' "$work/next/DEBIAN/control"
    echo next >>"$work/next/usr/share/doc/gantry/docs/README.md"
    dpkg-deb --root-owner-group -Zgzip -b "$work/next" "$work/root/root/next.deb" >/dev/null
}

test_upgrade() { # deb
    local pid answer
    make_next "$1"
    echo '# a line of the operator' >>"$work/root/etc/gantry/gantry.toml"
    pid=$(main_pid)
    in_its_network python3 -B $here/load.py 127.0.0.1 2222 PUT $answer_path "$answer_body" 15 >"$work/load.json" &
    local load=$!
    sleep 3
    inside dpkg -i /root/next.deb >"$work/dpkg.log" 2>&1 || fail "the upgrade: $(<"$work/dpkg.log")"
    [[ $(main_pid) != "$pid" ]] || fail 'the upgrade has not replaced the process'
    inside systemctl restart gantry || fail 'systemctl restart under load'
    wait "$load" || fail 'the clients'
    answer=$(<"$work/load.json")
    python3 -c 'import json, sys; r = json.load(sys.stdin); sys.exit(r["requests"] < 100 or r["lost"] > 0)' <"$work/load.json" ||
        fail "an upgrade and a restart under load: $answer"
    inside dpkg-query -W -f '${Version}' gantry\* | grep -q '+next' || fail 'the version after the upgrade'
    grep -q 'a line of the operator' "$work/root/etc/gantry/gantry.toml" || fail 'the upgrade took the configuration'
    ok "an upgrade and a restart under load: $answer"
}

# The address is another one: the socket that systemd keeps must not be in its way.
test_other_address() {
    sed -i 's/^address = "127.0.0.1:2222"/address = "0.0.0.0:2222"\nallow_unprotected = true/' "$work/root/etc/gantry/gantry.toml"
    inside systemctl restart gantry || fail 'a restart with another address'
    in_its_network curl --noproxy '*' --silent --fail -o /dev/null "http://127.0.0.2:2222/performance.api/api-docs" || fail 'the other address'
    ok 'a restart with a wider address'
}

test_faulty_configuration() {
    cp "$work/root/etc/gantry/gantry.toml" "$work/good.toml"
    echo 'nonsense = 1' >>"$work/root/etc/gantry/gantry.toml"
    inside systemctl reload gantry
    ask 2222 >/dev/null || fail 'a faulty configuration ended the service'
    cp "$work/good.toml" "$work/root/etc/gantry/gantry.toml"
    ok 'a faulty configuration is refused, and the old one serves on'
}

test_remove() { # name
    inside dpkg --remove "$1" >"$work/dpkg.log" 2>&1 || fail "dpkg --remove: $(<"$work/dpkg.log")"
    if ask 2222 2>/dev/null; then fail 'something answers after the removal'; fi
    inside test ! -e /usr/bin/gantry || fail 'the binary is still there'
    inside test -e /etc/gantry/gantry.toml -a -d /var/lib/gantry/work || fail 'the removal took the configuration or the state'
    ok 'removed: configuration and state stay'
    inside dpkg --purge "$1" >"$work/dpkg.log" 2>&1 || fail "dpkg --purge: $(<"$work/dpkg.log")"
    inside test ! -e /var/lib/gantry -a ! -e /var/cache/gantry -a ! -e /etc/gantry/gantry.toml || fail 'the purge left something'
    inside test -d /etc/gantry/apis/performance || fail 'the purge took an API of the operator'
    if inside getent passwd gantry >/dev/null; then fail 'the purge left the user'; fi
    rm -rf "$work/root/etc/gantry"
    ok "purged: state, cache, gantry.toml and the user are gone; the operator's own APIs stay"
}

# A folder with the files of the example in it, as Kubernetes mounts a ConfigMap.
as_config_map() { # folder
    local data=$1/..2026_01_01
    "$gantry" example performance "$data" >/dev/null
    cp packaging/container/gantry.toml "$data/gantry.toml"
    ln -s "${data##*/}" "$1/..data"
    local entry
    for entry in "$data"/*; do ln -s "..data/${entry##*/}" "$1/${entry##*/}"; done
}

test_archive() { # tar.xz
    local folder=$work/archive binary
    rm -rf "$folder"
    mkdir "$folder"
    tar -C "$folder" -xf "$1"
    binary=$(cd "$folder" && ls -d gantry*/gantry)
    # The static one needs none but its own files; the other one a Debian.
    local root=$folder
    if [[ $1 != *static* ]]; then
        mkdir -p "$work/root/opt"
        cp -r "$folder"/* "$work/root/opt/"
        root=$work/root binary=opt/$binary
    fi
    # No function, so that the process is the gateway itself and not a shell around it.
    nsenter -t "$init" -n -- chroot "$root" "/$binary" serve --example performance --listen 127.0.0.1:4222 --admin 127.0.0.1:4223 \
        >"$work/serve.log" 2>&1 &
    local served=$!
    background+=("$served")
    await 4222 20
    kill "$served"
    wait "$served" || fail "the gateway of ${1##*/} does not end well: $(tail -3 "$work/serve.log")"
    ok "${1##*/}: answers, from $([[ $root == "$folder" ]] && echo 'its own files alone' || echo 'a bare Debian')"
}

test_image() { # tar
    local folder=$work/image user start environment health workdir
    rm -rf "$folder"
    mkdir "$folder"
    eval "$(python3 -B $here/unpack.py "$1" "$folder")"
    [[ $user == 10001:10001 ]] || fail "the image runs as $user"
    # What an engine adds.
    mkdir "$folder/proc"
    echo '127.0.0.1 localhost' >"$folder/etc/hosts"
    gantry=$folder/usr/bin/gantry as_config_map "$work/map"
    # shellcheck disable=SC2154
    local in_it=(env -i "${environment[@]}" "$chroot" --userspec="$user" "$folder" "${start[@]}")
    # Its files cannot be written, and the configuration is mounted over its own.
    nsenter -t "$init" -n -- unshare --mount sh -ec '
        mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"
        mount -t proc proc "$1/proc"
        for state in var/lib/gantry var/cache/gantry tmp; do mount -t tmpfs -o mode=1777 tmpfs "$1/$state"; done
        mount --bind "$2" "$1/etc/gantry"; shift 2; exec "$@"' sh "$folder" "$work/map" "${in_it[@]}" >"$work/serve.log" 2>&1 &
    local served=$!
    background+=("$served")
    await 2222 20
    in_its_network env -i "${environment[@]}" "$chroot" --userspec="$user" "$folder" "${health[@]}" | grep -qx ready ||
        fail 'the health check of the image'
    # The static C library finds names.
    in_its_network env -i "${environment[@]}" "$chroot" --userspec="$user" "$folder" /usr/bin/gantry health --live \
        --admin http://localhost:2223 | grep -qx up || fail 'a name is not found in the image'
    kill "$served"
    wait "$served" || fail "the gateway of the image does not end well: $(tail -3 "$work/serve.log")"
    if in_its_network env -i "$chroot" --userspec="$user" "$folder" /usr/bin/gantry health 2>/dev/null; then
        fail 'the health check says that a gateway is there that is not'
    fi
    ok "${1##*/}: answers with only its files, read-only, as user $user; health check"
}

need_tools
[[ -e $packages/SHA256SUMS ]] || fail "there are no packages in $packages: make packages"
(cd "$packages" && sha256sum --quiet --check SHA256SUMS) || fail 'the checksums'
ok "checksums of $(wc -l <"$packages/SHA256SUMS") files"
mkdir -p "$work/map"
make_root
boot
deb=$(one 'gantry_*.deb')
[[ -n $deb ]] || deb=$(one 'gantry-full_*.deb')
[[ -n $deb ]] || fail 'there is no Debian package'
test_install "$deb"
test_writes
test_own_copybook
test_kill
test_reload
test_upgrade "$deb"
test_other_address
test_faulty_configuration
test_remove "$(dpkg-deb -f "$deb" Package)"
for file in "$packages"/*.tar.xz; do
    test_archive "$file"
done
for file in "$packages"/*-image.tar; do
    rm -rf "$work/map"
    mkdir "$work/map"
    test_image "$file"
done
other=$(one 'gantry-full_*.deb')
if [[ -n $other && $other != "$deb" ]]; then
    cp "$deb" "$work/root/root/one.deb"
    cp "$other" "$work/root/root/other.deb"
    inside dpkg -i /root/one.deb >/dev/null 2>&1 || fail 'the package again'
    inside dpkg -i /root/other.deb >"$work/dpkg.log" 2>&1 || fail "the other package: $(<"$work/dpkg.log")"
    inside gantry --version | grep -q wasm || fail 'gantry-full has no wasm'
    inside systemctl is-active --quiet gantry || fail 'gantry-full does not serve'
    ok 'gantry-full replaces gantry'
fi
$here/deployments.sh
passed=$((passed + 1))
echo "$passed passed, 0 failed"
