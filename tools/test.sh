#!/bin/sh
# All checks: style, types, layers, documentation, tests. Installs what it needs; Debian packages if it has the permission.
# Without arguments it runs the first tier of tests; -m "exhaustive or not exhaustive" (make test-all) also runs the second.
# Arguments go to pytest. Independent parts run at the same time, each with its output in build/test.
set -eu
cd "$(dirname "$0")/.."
began=$(date +%s)
# The tests start hundreds of processes: each would compile every module again.
unset PYTHONDONTWRITEBYTECODE
output=build/test
rm -rf "$output"
mkdir -p "$output"
bin=.venv/bin

# Chromium and its driver test the report, OpenSM on ibsim loads the forwarding tables, SimGrid runs applications, a Slurm of one
# node runs studies, FRR routes small fabrics in network namespaces, and Node.js runs the explorer's reader of requirements; in
# the second tier, LibreOffice computes workbooks.
# Without them these tests are skipped, and pytest reports it.
debian() {
    missing=
    case "$*" in *"or not exhaustive"*) command -v soffice >/dev/null 2>&1 || missing="$missing libreoffice-calc" ;; esac
    command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
    [ -x /usr/bin/chromedriver ] || missing="$missing chromium-driver"
    PATH="$PATH:/usr/sbin:/sbin" command -v opensm >/dev/null 2>&1 || missing="$missing opensm"
    command -v ibsim >/dev/null 2>&1 || missing="$missing ibsim-utils"
    command -v ibdmchk >/dev/null 2>&1 || missing="$missing ibutils"
    command -v smpirun >/dev/null 2>&1 || missing="$missing libsimgrid-dev"
    command -v g++ >/dev/null 2>&1 || missing="$missing g++"
    command -v node >/dev/null 2>&1 || missing="$missing nodejs"
    command -v gfortran >/dev/null 2>&1 || missing="$missing gfortran"
    PATH="$PATH:/usr/sbin:/sbin" command -v slurmctld >/dev/null 2>&1 || missing="$missing slurmctld slurmd slurm-client"
    command -v vtysh >/dev/null 2>&1 || missing="$missing frr"
    command -v ip >/dev/null 2>&1 || missing="$missing iproute2"
    command -v sysctl >/dev/null 2>&1 || missing="$missing procps"
    if [ -n "$missing" ] && command -v apt-get >/dev/null 2>&1; then
        as_root=
        if [ "$(id -u)" -ne 0 ]; then as_root="sudo -n"; fi
        if $as_root true 2>/dev/null; then
            echo "installing for the tests, from Debian:$missing ..." >&2
            { $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing; } \
                >/dev/null 2>&1 || echo "not installed:$missing; their tests will be skipped" >&2
        else
            echo "not installed, as this needs root:$missing; their tests will be skipped" >&2
        fi
    fi
}

# One command per line: `set -e` checks only the last command of a chain of &&.
static() {
    set -e
    echo "== ruff"
    $bin/ruff check .
    $bin/ruff format --check .
    echo "== mypy"
    $bin/mypy
    echo "== import-linter"
    $bin/lint-imports
    echo "== docs"
    sh tools/docs.sh --check
}

# Waits for a part and prints its output; if it failed, stops everything.
ended() {
    code=0
    wait "$2" || code=$?
    cat "$output/$1"
    if [ "$code" -ne 0 ]; then
        echo "== $1 failed ($code)" >&2
        kill $running 2>/dev/null || true
        exit 1
    fi
}

debian "$@" >"$output/debian" 2>&1 &
debian=$!
running=$debian
trap 'kill $running 2>/dev/null || true' INT TERM
sh tools/venv.sh test
sh tools/kernels.sh >"$output/kernels" 2>&1 &
kernels=$!
echo "checking and compiling; the output of each part follows when it has ended, that of the checks after the tests ..." >&2
(static) >"$output/static" 2>&1 &
static=$!
running="$debian $kernels $static"
ended debian $debian
ended kernels $kernels
running=$static
echo "== pytest, after $(($(date +%s) - began)) s"
tested=0
$bin/pytest -n auto --dist worksteal -rs "$@" || tested=$?
ended static $static
echo "== done in $(($(date +%s) - began)) s"
exit "$tested"
