#!/usr/bin/env bash
# Makes all packages in target/packages: `make packages`.
#
# BUILDS    which binaries, of default-glibc full-glibc default-static full-static; all by default. `default` and `full` are sets
#           of features. `glibc` is for the Debian package and the archive, `static` for the other archive and the image.
# BINARIES  a folder of binaries that are there already, named as in BUILDS; nothing is built then.
# LEVEL     of compression: 6 by default; 0 is fast, for a try.
# VERSION   the version; by default that of Cargo.toml, with the commit if it has no tag of that version, and `.dirty` if the
#           work tree has changes that no commit has.
#
# The work tree is read until the end. If it changes meanwhile, the run fails.
# The script installs missing tools where it may, and names them where it may not. It never leaves a part out
# silently.

set -euo pipefail
cd "$(dirname "$0")/.."

readonly here=packaging
readonly out=${CARGO_TARGET_DIR:-target}/packages
readonly level=${LEVEL:-6}
readonly builds=${BUILDS:-default-glibc full-glibc default-static full-static}
declare -A features=([default]=ldap [full]=ldap,parquet,wasm)

fail() {
    echo "packages: $*" >&2
    exit 1
}

as_root() {
    if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi
}

# Missing tools, by the Debian package that has them.
lacking() {
    local tool
    for tool in dpkg-deb:dpkg objdump:binutils strip:binutils xz:xz-utils gzip:gzip python3:python3 git:git tar:tar; do
        command -v "${tool%:*}" >/dev/null || echo "${tool#*:}"
    done
    [[ -d /usr/share/ca-certificates/mozilla ]] || echo ca-certificates
    # The static C library comes with the headers.
    [[ $builds != *static* || -n ${BINARIES:-} || -e $(cc -print-file-name=libc.a 2>/dev/null) ]] || echo libc6-dev
}

need_tools() {
    local missing
    missing=$(lacking | sort -u | tr '\n' ' ')
    [[ -n $missing ]] || return 0
    if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
        echo "packages: installing $missing"
        as_root apt-get update --quiet || echo 'packages: apt-get update failed; trying with what it knew before' >&2
        # shellcheck disable=SC2086
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends $missing || true
        missing=$(lacking | sort -u | tr '\n' ' ')
    fi
    [[ -z $missing ]] || fail "missing: apt-get install $missing"
}

# A checksum of the sources of the packages: the commit, and every file that differs from it.
tree_state() {
    {
        git rev-parse HEAD
        git diff --binary HEAD
        git ls-files -z --others --exclude-standard | xargs -0 --no-run-if-empty sha256sum --
    } | sha256sum
}

find_version() {
    local cargo tag
    cargo=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
    tag=$(git describe --tags --exact-match 2>/dev/null || true)
    if [[ $tag == "v$cargo" && -z $dirty ]]; then
        echo "$cargo"
    else
        echo "$cargo+git$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d%H%M%S).$(git rev-parse --short=8 HEAD)$dirty"
    fi
}

build() { # default|full glibc|static, to a file
    local set=$1 kind=$2 to=$3 host
    if [[ -n ${BINARIES:-} ]]; then
        [[ -x $BINARIES/$set-$kind ]] || fail "$BINARIES/$set-$kind is not there"
        install -m 755 "$BINARIES/$set-$kind" "$to"
        return
    fi
    local words=(--release --locked --package gantry --no-default-features --features "${features[$set]}")
    # It takes some minutes more than thin LTO, and the binary is 8% smaller.
    words+=(--config 'profile.release.lto="fat"')
    echo "packages: building $set-$kind: ${features[$set]}"
    if [[ $kind == glibc ]]; then
        GANTRY_COMMIT=$commit cargo build "${words[@]}"
        install -m 755 "${CARGO_TARGET_DIR:-target}/release/gantry" "$to"
    else
        # With --target, the flag is not for build scripts, which are no static programs.
        host=$(rustc -vV | sed -n 's/^host: //p')
        GANTRY_COMMIT=$commit cargo build "${words[@]}" --target "$host" \
            --config "target.$host.rustflags=[\"-Ctarget-feature=+crt-static\"]"
        install -m 755 "${CARGO_TARGET_DIR:-target}/$host/release/gantry" "$to"
        if objdump -p "$to" | grep -q NEEDED; then fail "$set-$kind is not static"; fi
    fi
    strip --strip-unneeded "$to"
}

# The newest version of glibc that a binary asks for.
glibc_of() {
    objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -1
}

# Man pages and completions, which a binary writes itself.
pages() { # binary folder
    mkdir -p "$2/man" "$2/completions"
    "$1" man --into "$2/man"
    "$1" completions bash >"$2/completions/gantry"
    "$1" completions zsh >"$2/completions/_gantry"
    "$1" completions fish >"$2/completions/gantry.fish"
}

# Memory that is both written and executed: what compiles WebAssembly needs it.
unit() { # set
    local memory='MemoryDenyWriteExecute=yes'
    [[ $1 == default ]] || memory='# MemoryDenyWriteExecute is left out: interceptors of WebAssembly are compiled in the process.'
    sed "s|^@MEMORY@\$|$memory|" $here/debian/gantry.service
}

debian() { # set binary
    local set=$1 binary=$2 name=gantry other=gantry-full provides=/^Provides:/d page
    [[ $set == default ]] || { name=gantry-full other=gantry provides="s|@PROVIDES@|gantry (= $version)|"; }
    local root=$work/deb-$set
    rm -rf "$root"
    mkdir -p "$root"/{DEBIAN,etc/gantry,usr/bin,usr/share/man/man1,usr/share/doc/gantry,usr/share/doc/"$name",usr/lib/systemd/system} \
        "$root"/etc/gantry/{apis,services,copybooks} \
        "$root"/usr/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
    install -m 755 "$binary" "$root/usr/bin/gantry"
    install -m 644 $here/debian/gantry.toml "$root/etc/gantry/gantry.toml"
    # Files that the gateway keeps beside its configuration: switches, dumps.
    ln -s ../../var/lib/gantry/work "$root/etc/gantry/.gantry"
    unit "$set" >"$root/usr/lib/systemd/system/gantry.service"
    for page in "$work/pages-$set"/man/*.1; do
        gzip -9n <"$page" >"$root/usr/share/man/man1/${page##*/}.gz"
    done
    install -m 644 "$work/pages-$set/completions/gantry" "$root/usr/share/bash-completion/completions/gantry"
    install -m 644 "$work/pages-$set/completions/_gantry" "$root/usr/share/zsh/vendor-completions/_gantry"
    install -m 644 "$work/pages-$set/completions/gantry.fish" "$root/usr/share/fish/vendor_completions.d/gantry.fish"
    install -m 644 $here/debian/copyright "$root/usr/share/doc/$name/copyright"
    gzip -9n <CHANGELOG.md >"$root/usr/share/doc/$name/changelog.gz"
    local doc=$root/usr/share/doc/gantry
    gzip -9n <"$work/bill-$set/LICENCES-OF-CRATES.txt" >"$doc/LICENCES-OF-CRATES.txt.gz"
    gzip -9n <"$work/bill-$set/gantry.cdx.json" >"$doc/gantry.cdx.json.gz"
    install -m 644 crates/text/codepage/LICENSE-UNICODE "$doc/LICENSE-UNICODE"
    cp -r docs "$doc/docs"
    local script
    for script in postinst prerm postrm; do
        install -m 755 $here/debian/$script "$root/DEBIAN/$script"
    done
    echo /etc/gantry/gantry.toml >"$root/DEBIAN/conffiles"
    sed -e "s|@NAME@|$name|; s|@VERSION@|$version|; s|@ARCHITECTURE@|$(dpkg --print-architecture)|; s|@OTHER@|$other|" \
        -e "s|@SIZE@|$(du -sk --apparent-size "$root" | cut -f1)|; s|@GLIBC@|$(glibc_of "$binary")|" \
        -e "$provides; s|@FEATURES@|${features[$set]//,/, }|" \
        $here/debian/control.in >"$root/DEBIAN/control"
    find "$root" -type d -exec chmod 755 {} +
    find "$root/usr/share" -type f -exec chmod 644 {} +
    (cd "$root" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k2) >"$root/DEBIAN/md5sums"
    dpkg-deb --root-owner-group -Zxz "-z$level" --build "$root" "$out/${name}_${version}_$(dpkg --print-architecture).deb" >/dev/null
}

archive() { # set kind binary
    local set=$1 kind=$2 name
    name=gantry-$version-$(uname -m)-linux-$kind
    [[ $set == default ]] || name=gantry-full-${name#gantry-}
    local root=$work/$name
    rm -rf "$root"
    mkdir -p "$root/systemd" "$root/etc"
    install -m 755 "$3" "$root/gantry"
    cp -r "$work/pages-$set/man" "$work/pages-$set/completions" docs "$root/"
    unit "$set" >"$root/systemd/gantry.service"
    install -m 644 $here/debian/gantry.toml "$root/etc/gantry.toml"
    install -m 644 LICENSE README.md CHANGELOG.md crates/text/codepage/LICENSE-UNICODE "$root/"
    install -m 644 "$work/bill-$set"/* "$root/"
    local needs='It is static: it needs no libraries. It cannot run COBOL programs, which need the archive for glibc.'
    [[ $kind == static ]] || needs="It needs glibc $(glibc_of "$3") or newer. COBOL programs need GnuCOBOL 3."
    printf 'Gantry %s, with %s.\n%s\nHow to install it: docs/guides/install.md\n' \
        "$version" "${features[$set]//,/, }" "$needs" >"$root/INSTALL"
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$created" -C "$work" -c "$name" | xz -T0 "-$level" >"$out/$name.tar.xz"
}

image() { # set binary
    local set=$1 name=gantry-$version-image tag=${version//+/-}
    [[ $set == default ]] || { name=gantry-full-$version-image tag=$tag-full; }
    python3 -B $here/image.py --binary "$2" --config $here/container/gantry.toml \
        --certificates /usr/share/ca-certificates/mozilla --tag "$tag" --version "$version" --title gantry \
        --created "$created" --legal LICENSE --legal "$work/bill-$set/LICENCES-OF-CRATES.txt" \
        --legal "$work/bill-$set/gantry.cdx.json" --output "$out/$name.tar"
}

# The chart and the compose file, with the version in them.
deployments() {
    local chart=$work/chart/gantry
    rm -rf "$work/chart"
    mkdir -p "$work/chart"
    cp -r $here/helm/gantry "$chart"
    sed -i "s|^version: .*|version: $version|; s|^appVersion: .*|appVersion: \"$version\"|" "$chart/Chart.yaml"
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$created" -C "$work/chart" -c gantry |
        gzip -9n >"$out/gantry-chart-$version.tgz"
    sed "s|@VERSION@|$version|; s|@TAG@|${version//+/-}|" $here/container/compose.yaml >"$out/compose.yaml"
}

need_tools
dirty=$([[ -z $(git status --porcelain) ]] || echo .dirty)
state=$(tree_state)
version=${VERSION:-$(find_version)}
commit=$(git rev-parse --short HEAD)$dirty
created=$(git log -1 --format=%ct)
work=$out/work
rm -rf "$out"
mkdir -p "$work"
bills=" "
for one in $builds; do
    set=${one%-*} kind=${one#*-}
    [[ -n ${features[$set]:-} && ($kind == glibc || $kind == static) ]] || fail "BUILDS: $one is not known"
    build "$set" "$kind" "$work/$one"
    if [[ $bills != *" $set "* ]]; then
        bills+="$set "
        mkdir -p "$work/bill-$set"
        cargo xtask bill "${features[$set]}" "$work/bill-$set"
        pages "$work/$one" "$work/pages-$set"
        suffix=$([[ $set == default ]] || echo -full)
        install -m 644 "$work/bill-$set/gantry.cdx.json" "$out/gantry$suffix-$version.cdx.json"
        install -m 644 "$work/bill-$set/LICENCES-OF-CRATES.txt" "$out/gantry$suffix-$version-licences.txt"
    fi
    archive "$set" "$kind" "$work/$one"
    if [[ $kind == glibc ]]; then debian "$set" "$work/$one"; else image "$set" "$work/$one"; fi
done
deployments
rm -rf "$work"
[[ $(tree_state) == "$state" ]] || fail "the work tree changed meanwhile, so the packages in $out are of no one commit; make them again"
(cd "$out" && sha256sum -- * >SHA256SUMS)
echo "packages: in $out"
(cd "$out" && ls -l --block-size=K | awk 'NR > 1 { print "  " $5 "  " $9 }')
