#!/bin/sh
# Fetches what tests use into the current folder.
#
# usage: sources.sh SOURCE ARGUMENT…
set -eu
source=$1
shift
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
case $source in
npm)
    case $(uname -m) in aarch64) machine=arm64 ;; *) machine=x64 ;; esac
    npm pack --silent "$(echo "$1" | sed "s/{machine}/$machine/")" >/dev/null
    tar -xzf ./*.tgz --strip-components=1
    rm ./*.tgz
    ;;
maven)
    copy=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy
    for artifact in "$@"; do mvn -q -B $copy "-Dartifact=$artifact" "-DoutputDirectory=$PWD"; done
    ;;
wheel)
    # Kept as it is.
    python3 -m pip download -q --no-deps --only-binary=:all: "$1" -d .
    ;;
pip)
    # With all that it depends on.
    python3 -m pip install -q --target . "$1"
    ;;
debian)
    # Packages of another suite, unpacked aside with all that they need, the C library included. A suite such as sid
    # moves, so the minor version is whatever it has today. The mirror that this machine uses has all suites.
    command -v mmdebstrap >/dev/null || apt-get install --yes --no-install-recommends mmdebstrap
    suite=$1
    shift
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
    # A mirror that is updated rarely may be older than its index allows. This machine's own setting decides.
    valid=$(apt-config dump Acquire::Check-Valid-Until)
    mmdebstrap --quiet --variant=extract --skip=output/dev ${valid:+"--aptopt=$valid"} "--include=$*" "$suite" . \
        "deb [signed-by=$keyring] $mirror $suite main"
    ;;
loaded)
    # Scripts in the places of programs that other scripts call, which know nothing of the tree's loader.
    for program in "$@"; do
        mv "$program" "$program.program"
        cat >"$program" <<'END'
#!/bin/sh
tree=$(cd "$(dirname "$0")/../.." && pwd)
set -- "$0.program" "$@"
for loader in "$tree"/usr/lib/*/ld-linux*; do break; done
exec "$loader" --library-path "${loader%/*}" "$@"
END
        chmod 755 "$program"
    done
    ;;
esac
