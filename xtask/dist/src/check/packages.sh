#!/bin/sh
# shellcheck disable=SC2086 # commands with their options are in variables
#
# Tries the files of a release as people use them: installed into an empty place, run, removed, and nothing may be left.
#
# usage, in the folder of the files: packages.sh MODE VERSION PLACE TRIPLE…
#
# MODE is `packages` or `all`, which adds bare trees and the formats of files. PLACE is an absolute path for what is
# installed. The triples are the systems whose files were made. A line of the output says how a trial went.
set -eu
mode=$1 version=$2 place=$3
shift 3
triples=" $* "
# No setting of the caller's may enter a run.
for name in $(env | sed -n 's/^\(TACHO_[A-Za-z_]*\)=.*/\1/p'); do unset "$name"; done

# Runs a trial, a function of this script, if the machine has the programs that it needs: WHAT PROGRAMS TRIAL FILE…
tried() {
    what=$1 needs=$2
    shift 2
    for program in $needs; do
        if ! command -v "$program" >/dev/null; then
            echo "NOT TRIED   $what: $program is not here"
            return
        fi
    done
    root=$place/$(echo "$what" | tr '/ ' --)
    data=$root.data
    mkdir -p "$root" "$data"
    # In the background, because `set -e` is ignored in a condition.
    ("$@") >"$data/log" 2>&1 &
    if wait $!; then
        echo "ok          $what: $(tail -n 1 "$data/log")"
    else
        echo "FAILED      $what: $(cat "$data/log")"
    fi
}

fail() {
    echo "$*"
    exit 1
}

# Notes the files that exist.
before() {
    (cd "$root" && find . ! -type d | sort) >"$data/before"
}

# Fails if there is a file that `before` has not noted; those whose paths begin with $1 are the package manager's.
unchanged() {
    (cd "$root" && find . ! -type d | sort) >"$data/after"
    left=$(comm -13 "$data/before" "$data/after" | grep -v "^./$1" || true)
    test -z "$left" || fail "left behind: $left"
}

has() {
    for file in "$@"; do test -f "$root/$file" || fail "$file is not installed"; done
}

# A first measurement, by the program in these words. A busy machine makes it invalid, and not the program.
first_run() {
    code=0
    (cd "$data" && "$@" run -d 1s --progress none) >"$data/said" || code=$?
    test $code = 0 || { test $code = 4 && grep -q 'tool stopped' "$data/said"; } || fail "$(cat "$data/said")"
    how="installed, run, removed: $(grep NOPM "$data/said" | head -n 1 | sed 's/^ *//')"
}

# A value of a file in JSON, by its keys.
json() {
    python3 -c '
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2:]:
    value = value[int(key) if key.isdigit() else key]
print(value)' "$@"
}

sums() {
    sha256sum --check --quiet SHA256SUMS
    echo "each file has its checksum"
}

archive() {
    tar -C "$root" -xzf "$1"
    stem=$(basename "$1" .tar.gz)
    for file in README.md LICENSE-MIT LICENSE-APACHE THIRD-PARTY-LICENCES.txt tacho.cdx.json man/tacho-run.1 \
        completions/_tacho.ps1 completions/tacho.elv; do has "$stem/$file"; done
    first_run "$root/$stem/tacho"
    echo "$how"
}

deb() {
    for folder in updates info triggers; do mkdir -p "$root/var/lib/dpkg/$folder"; done
    touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
    before
    # The new root has no libc6 that dpkg would know of.
    dpkg="dpkg --root=$root --force-depends --force-not-root --log=/dev/null"
    $dpkg --install "$1"
    first_run "$root/usr/bin/tacho"
    has usr/share/man/man1/tacho-run.1.gz usr/share/bash-completion/completions/tacho
    $dpkg --purge tacho
    unchanged var/lib/dpkg
    echo "$how"
}

rpm_package() {
    before
    rpm="rpm --root $root --dbpath /var/lib/rpm --nodeps --nosignature"
    $rpm --install --ignoreos "$1"
    differences=$($rpm --verify tacho)
    test -z "$differences" || fail "rpm --verify finds differences: $differences"
    first_run "$root/usr/bin/tacho"
    has usr/share/man/man1/tacho-run.1.gz usr/share/zsh/site-functions/_tacho
    $rpm --erase tacho
    unchanged var/lib/rpm
    echo "$how"
}

wheel() {
    python3 -m venv "$root"
    before
    pip="$root/bin/pip --quiet --disable-pip-version-check"
    $pip install --no-index "$PWD/$1"
    first_run "$root/bin/tacho"
    $pip uninstall --yes tacho-bench
    unchanged lib
    echo "$how"
}

npm_packages() {
    npm="--no-audit --no-fund --no-save --prefix $root"
    # The other systems' packages are in no registry yet.
    npm install --offline $npm --omit=optional "$PWD/$1" "$PWD/$2"
    first_run "$root/node_modules/.bin/tacho"
    npm uninstall $npm tacho "$(basename "$2" "-$version.tgz")"
    test ! -e "$root/node_modules/tacho" || fail "npm uninstall leaves the package"
    echo "$how"
}

# Unpacked by its own index, as a container engine does it, and run in a root that holds nothing else.
image() {
    mkdir -p "$root/layout" "$root/root"
    tar -C "$root/layout" -xf "$1"
    blob() { echo "$root/layout/blobs/$(json "$@" digest | tr : /)"; }
    manifest=$(blob "$root/layout/index.json" manifests 0)
    tar -C "$root/root" -xpzf "$(blob "$manifest" layers 0)"
    config=$(blob "$manifest" config)
    export TMPDIR=/tmp
    in_root="chroot --userspec=$(json "$config" config User) $root/root $(json "$config" config Entrypoint 0)"
    first_run $in_root --dir /data
    $in_root --dir /data doctor >"$data/doctor"
    grep -q 'loads no libraries' "$data/doctor" || fail "doctor does not say what a static program lacks"
    echo "$how, in a root without anything else"
}

# With what Debian always has, and perhaps rpm, which is used as on Fedora: FILE SUITE INSTALL REMOVE PACKAGES
tree() {
    debootstrap --variant=minbase "--include=$5" "$2" "$root"
    before
    cp "$1" "$root/tmp/package"
    chroot "$root" $3 /tmp/package
    first_run chroot "$root" tacho --dir /tmp/data
    chroot "$root" $4 tacho
    rm -r "$root/tmp/package" "$root/tmp/data"
    unchanged '\(var/lib/dpkg\|var/lib/rpm\|var/log\)'
    echo "$how"
}

# The static program where there is no glibc, no package manager and no shell but BusyBox.
busybox_tree() {
    mkdir -p "$root/tmp"
    cp /usr/bin/busybox "$root/busybox"
    before
    cp "$1" "$root/tmp/archive.tar.gz"
    chroot "$root" /busybox tar -C /tmp -xzf /tmp/archive.tar.gz
    stem=/tmp/$(basename "$1" .tar.gz)
    first_run chroot "$root" "$stem/tacho" --dir /tmp/data
    chroot "$root" /busybox rm -r /tmp/archive.tar.gz "$stem" /tmp/data
    unchanged -
    echo "$how"
}

# By the schema of CycloneDX, in a program that knows it.
components() {
    tar -C "$root" -xzf "$1"
    python3 -m venv "$root/venv"
    "$root/venv/bin/pip" install --quiet 'cyclonedx-python-lib[json-validation]==11.12.0'
    "$root/venv/bin/python" -c '
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(str(error) if error else 0)' "$root/$(basename "$1" .tar.gz)/tacho.cdx.json"
    echo "valid by the schema of CycloneDX 1.6"
}

workflows() {
    go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 ../../.github/workflows/*
    echo "no finding of actionlint"
}

case $(uname -m) in
aarch64) processor=aarch64 debian=arm64 npm=arm64 ;;
*) processor=x86_64 debian=amd64 npm=x64 ;;
esac
gnu=$processor-unknown-linux-gnu musl=$processor-unknown-linux-musl
deb=tacho_${version}_$debian.deb rpm=tacho-$version-1.$processor.rpm image=tacho-$version-$debian.oci.tar
is_made() { case $triples in *" $1 "*) ;; *) return 1 ;; esac }

tried checksums sha256sum sums
if is_made $gnu; then
    tried tacho-$version-$gnu.tar.gz tar archive tacho-$version-$gnu.tar.gz
    tried $deb dpkg deb $deb
    tried $rpm rpm rpm_package $rpm
    for file in tacho_bench-$version-py3-none-manylinux_*_$processor.*.whl; do tried $file python3 wheel $file; done
    tried npm "npm node" npm_packages npm/tacho-$version.tgz npm/tacho-linux-$npm-$version.tgz
fi
if is_made $musl; then tried $image "tar chroot python3" image $image; fi
test $mode = all || exit 0
if is_made $gnu; then
    for suite in bookworm trixie; do
        tried "$deb in a bare tree of Debian $suite" "debootstrap chroot" \
            tree $deb $suite "dpkg --install" "dpkg --purge" dpkg
    done
    # The libraries of Debian are in no database of rpm.
    tried "$rpm in a tree of Debian with rpm" "debootstrap chroot" \
        tree $rpm trixie "rpm --install --nodeps --nosignature" "rpm --erase --nodeps" rpm
    tried "list of components" python3 components tacho-$version-$gnu.tar.gz
fi
if is_made $musl; then
    tried "tacho-$version-$musl.tar.gz in a tree with BusyBox alone" "/usr/bin/busybox chroot" \
        busybox_tree tacho-$version-$musl.tar.gz
fi
tried "workflows of GitHub" go workflows
if test -e manifests/tacho.rb; then tried "syntax of the formula of Homebrew" ruby ruby -c manifests/tacho.rb; fi
echo "NOT TRIED   trees of Alpine and Fedora themselves: no registry of theirs is to be had here"
echo "NOT TRIED   Homebrew, winget and Scoop, and container engines: they are not to be had here"
