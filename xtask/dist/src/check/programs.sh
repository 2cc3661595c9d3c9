#!/bin/sh
# shellcheck disable=SC2086 # commands with their options are in variables
#
# Tries a program as a person does in the first minutes, in the current folder.
#
# usage: programs.sh WHAT VERSION SERVER SUITE WORD…
#
# The words run the program, perhaps by an emulator, and the last of them is the program. SERVER is a target, and SUITE
# a program of tests that is run in the same way; each may be empty. A line of the output says how a trial went.
set -eu
name=$1 version=$2 server=$3 suite=$4
shift 4
program="$*"
# No setting of the caller's may enter a run.
for variable in $(env | sed -n 's/^\(TACHO_[A-Za-z_]*\)=.*/\1/p'); do unset "$variable"; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a trial, a function of this script.
tried() {
    # In the background, because `set -e` is ignored in a condition.
    $2 >"$work/log" 2>&1 &
    if wait $!; then
        line=$(tail -n 1 "$work/log")
        case $line in
        "NOT TRIED "*) echo "NOT TRIED   $name $1: ${line#NOT TRIED }" ;;
        *) echo "ok          $name $1: $line" ;;
        esac
    else
        echo "FAILED      $name $1: $(cat "$work/log")"
    fi
}

fail() {
    cat "$work/said"
    echo "$*"
    exit 1
}

# Runs the program. A busy machine makes a measurement invalid, and not the program.
tacho() {
    code=0
    $program "$@" >"$work/said" || code=$?
    test $code = 0 || { test $code = 4 && grep -q 'tool stopped' "$work/said"; } || fail "tacho $*: exit code $code"
}

# Fails unless the program has said all of this.
said() {
    for wanted in "$@"; do grep -qF -- "$wanted" "$work/said" || fail "it does not say \"$wanted\""; done
}

# The first line with a figure.
figure() {
    grep -E 'NOPM|TPM|TPS' "$work/said" | head -n 1 | sed 's/^ *//'
}

# Values of JSON, by an expression of Python.
json() {
    python3 -c "import json, sys; value = json.load(open('$work/said')); print($1)"
}

# Starts the program in a terminal: `script` makes one and passes the exit code. The input stays open: a terminal whose
# input has ended is a terminal that was closed.
in_terminal() {
    rm -f "$work/keys"
    mkfifo "$work/keys"
    # Emulated programs take long to load the data.
    timeout 240 script --quiet --return --command "stty cols 100 rows 30; $program $*" /dev/null \
        <"$work/keys" >"$work/said" 2>&1 &
    terminal=$!
    exec 3>"$work/keys"
}

ended() {
    code=0
    wait "$terminal" || code=$?
}

version() {
    tacho version --json
    test "$(json 'value["version"]')" = "$version" || fail "it is another version"
    json 'value["system"]'
}

first_runs() {
    tacho run -d 3s --progress none
    said 'commits match'
    grep -Eq '([0-9]+) of \1 after the run' "$work/said" || fail "not all checks after the run are passed"
    how=$(figure)
    tacho doctor
    said Machine Client 'own cost'
    tacho report latest -o report.html
    test "$(head -c 2 report.html)" = '<!' && test "$(wc -c <report.html)" -gt 100000 || fail "the report is no page"
    echo "$how"
}

host_metrics() {
    tacho show latest -o json
    load='{key: own for key, own in value["result"]["hosts"][0]["load"].items() if own is not None}'
    test "$(json "'cpu' in $load and 'available_bytes' in $load")" = True || fail "the record has no load of the host"
    json "', '.join($load)"
}

ctrl_c() {
    in_terminal run -d 10m --ramp-up 1s --progress plain
    while ! grep -q measure "$work/said"; do
        kill -0 "$terminal" || fail "the run does not begin to measure"
        sleep 0.2
    done
    # The system of the program makes of the byte what it does there: a signal, or an event of the console.
    printf '\003' >&3
    ended
    test $code = 130 || fail "exit code $code after Ctrl-C"
    said 'commits match' Saved
    echo "summary, saved run, exit code $code"
}

live_view() {
    in_terminal run -d 3s --ramp-up 1s --progress tui
    ended
    # QEMU 7 does not know the call that sets a terminal to raw bytes (TCGETS2).
    if grep -qF 'cannot draw on the terminal (Function not implemented' "$work/said"; then
        said 'commits match'
        echo "NOT TRIED the emulator has no raw terminal; the program says so and prints lines"
        return
    fi
    # The terminal's second screen, and a colour of its palette of 256.
    escape=$(printf '\033')
    said "$escape[?1049h" "$escape[38;5;" "$escape[?1049l" 'commits match'
    echo "opened, in colours, closed before the summary"
}

postgres() {
    tacho prepare tpcb "$server" --progress none
    tacho run tpcb "$server" -d 2s --progress none
    said 'commits match'
    how=$(figure)
    tacho clean tpcb "$server" --yes
    echo "$how"
}

conformance() {
    case $program in
    *" "*) program="${program% *} $suite" ;;
    *) program=$suite ;;
    esac
    tacho
    said 'test result: ok. '
    sed -n 's/^test result: ok\. \([^;]*\);.*/\1/p' "$work/said"
}

tried version version
tried "run on SQLite, doctor, report" first_runs
tried "metrics of the host" host_metrics
tried "Ctrl-C in a terminal" ctrl_c
tried "live view" live_view
if test -n "$server"; then
    tried "with PostgreSQL over TCP" postgres
else
    echo "NOT TRIED   $name with PostgreSQL: no program here can start a server"
fi
if test -n "$suite"; then tried "conformance and faults of SQLite" conformance; fi
