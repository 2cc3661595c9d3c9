#!/bin/sh
# shellcheck disable=SC2086 # commands with their options are in variables
#
# Tries a file of a release as people use it: installed into an empty place, run, removed, and nothing may be left.
#
# usage: packages.sh TRIAL PLACE FILE…, in the folder of the files; PLACE is an absolute path
#
# The last line of the output says how it went; an exit code other than 0 is a failure.
set -eu
trial=$1 place=$2 data=$2.data
shift 2
mkdir -p "$place" "$data"
# No setting of the caller's may enter a run.
for name in $(env | sed -n 's/^\(TACHO_[A-Za-z_]*\)=.*/\1/p'); do unset "$name"; done

fail() {
    echo "$*" >&2
    exit 1
}

# Notes the files below a folder.
before() {
    (cd "$1" && find . ! -type d | sort) >"$data/before"
}

# Fails if there is a file that `before` has not noted; those whose paths begin with $2 are the package manager's.
unchanged() {
    (cd "$1" && find . ! -type d | sort) >"$data/after"
    left=$(comm -13 "$data/before" "$data/after" | grep -v "^./$2" || true)
    test -z "$left" || fail "left behind: $left"
}

has() {
    for file in "$@"; do test -f "$place/$file" || fail "$file is not installed"; done
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

case $trial in
sums)
    sha256sum --check --quiet SHA256SUMS
    how="each file has its checksum"
    ;;
archive)
    tar -C "$place" -xzf "$1"
    root=$(basename "$1" .tar.gz)
    for file in README.md LICENSE-MIT LICENSE-APACHE THIRD-PARTY-LICENCES.txt tacho.cdx.json man/tacho-run.1 \
        completions/_tacho.ps1 completions/tacho.elv; do has "$root/$file"; done
    first_run "$place/$root/tacho"
    ;;
deb)
    for folder in updates info triggers; do mkdir -p "$place/var/lib/dpkg/$folder"; done
    touch "$place/var/lib/dpkg/status" "$place/var/lib/dpkg/available"
    before "$place"
    # The new root has no libc6 that dpkg would know of.
    dpkg="dpkg --root=$place --force-depends --force-not-root --log=/dev/null"
    $dpkg --install "$1"
    first_run "$place/usr/bin/tacho"
    has usr/share/man/man1/tacho-run.1.gz usr/share/bash-completion/completions/tacho
    $dpkg --purge tacho
    unchanged "$place" var/lib/dpkg
    ;;
rpm)
    before "$place"
    rpm="rpm --root $place --dbpath /var/lib/rpm --nodeps --nosignature"
    $rpm --install --ignoreos "$1"
    differences=$($rpm --verify tacho)
    test -z "$differences" || fail "rpm --verify finds differences: $differences"
    first_run "$place/usr/bin/tacho"
    has usr/share/man/man1/tacho-run.1.gz usr/share/zsh/site-functions/_tacho
    $rpm --erase tacho
    unchanged "$place" var/lib/rpm
    ;;
wheel)
    python3 -m venv "$place/venv"
    before "$place/venv/bin"
    pip="$place/venv/bin/pip --quiet --disable-pip-version-check"
    $pip install --no-index "$1"
    first_run "$place/venv/bin/tacho"
    $pip uninstall --yes tacho-bench
    unchanged "$place/venv/bin" -
    ;;
npm)
    npm="--no-audit --no-fund --no-save --prefix $place"
    # The other systems' packages are in no registry yet.
    npm install --offline $npm --omit=optional "$PWD/$1" "$PWD/$2"
    first_run "$place/node_modules/.bin/tacho"
    npm uninstall $npm tacho "$(basename "$2" | sed 's/-[0-9.]*\.tgz$//')"
    test ! -e "$place/node_modules/tacho" || fail "npm uninstall leaves the package"
    ;;
image)
    # Unpacked by its own index, as a container engine does it, and run in a root that holds nothing else.
    mkdir -p "$place/layout" "$place/root"
    tar -C "$place/layout" -xf "$1"
    blob() { echo "$place/layout/blobs/$(json "$@" digest | tr : /)"; }
    manifest=$(blob "$place/layout/index.json" manifests 0)
    tar -C "$place/root" -xpzf "$(blob "$manifest" layers 0)"
    config=$(blob "$manifest" config)
    export TMPDIR=/tmp
    in_root="chroot --userspec=$(json "$config" config User) $place/root $(json "$config" config Entrypoint 0)"
    first_run $in_root --dir /data
    $in_root --dir /data doctor | grep 'loads no libraries' || fail "doctor does not say what a static program lacks"
    how="$how, in a root without anything else"
    ;;
debian-tree | rpm-tree)
    # With what Debian always has, and perhaps rpm, which is used as on Fedora.
    suite=$2
    if test $trial = rpm-tree; then
        debootstrap --variant=minbase --include=rpm "$suite" "$place"
        chroot "$place" rpm --initdb
        # The libraries of Debian are in no database of rpm.
        install="rpm --install --nodeps --nosignature" remove="rpm --erase --nodeps"
    else
        debootstrap --variant=minbase "$suite" "$place"
        install="dpkg --install" remove="dpkg --purge"
    fi
    before "$place"
    cp "$1" "$place/tmp/package"
    chroot "$place" $install /tmp/package
    first_run chroot "$place" tacho --dir /tmp/data
    chroot "$place" $remove tacho
    rm -r "$place/tmp/package" "$place/tmp/data"
    unchanged "$place" '\(var/lib/dpkg\|var/lib/rpm\|var/log\)'
    ;;
busybox)
    # The static program where there is no glibc, no package manager and no shell but BusyBox.
    mkdir -p "$place/tmp"
    cp /usr/bin/busybox "$place/busybox"
    before "$place"
    cp "$1" "$place/tmp/archive.tar.gz"
    chroot "$place" /busybox tar -C /tmp -xzf /tmp/archive.tar.gz
    root=/tmp/$(basename "$1" .tar.gz)
    first_run chroot "$place" "$root/tacho" --dir /tmp/data
    chroot "$place" /busybox rm -r /tmp/archive.tar.gz "$root" /tmp/data
    unchanged "$place" -
    ;;
components)
    # By the schema of CycloneDX, in a program that knows it.
    tar -C "$place" -xzf "$1"
    "$2" -c '
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(str(error) if error else 0)' "$place/$(basename "$1" .tar.gz)/tacho.cdx.json"
    how="valid by the schema of CycloneDX 1.6"
    ;;
workflows)
    go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 "$1"/*
    how="$(ls "$1" | wc -l) files without a finding of actionlint"
    ;;
formula)
    how=$(ruby -c "$1")
    ;;
*)
    fail "there is no trial $trial"
    ;;
esac
echo "$how"
