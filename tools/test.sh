#!/bin/sh
# Everything that must hold: style, types, layers, documents, tests. Installs what it needs; Debian packages where it may.
# Without arguments the first tier of tests; -m "exhaustive or not exhaustive" (make test-all) runs the second, too. Arguments go
# to pytest. What does not depend on each other runs at the same time, each with its output in build/test.
set -eu
cd "$(dirname "$0")/.."
began=$(date +%s)
said=build/test
rm -rf "$said"
mkdir -p "$said"
bin=.venv/bin

# The report is worked with in Chromium, by its driver, a real OpenSM on ibsim takes the forwarding tables, SimGrid runs
# applications, a Slurm of one node runs studies, and FRR routes small fabrics in network namespaces; without them those
# tests are skipped, and pytest says so.
debian() {
    missing=
    command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
    [ -x /usr/bin/chromedriver ] || missing="$missing chromium-driver"
    PATH="$PATH:/usr/sbin:/sbin" command -v opensm >/dev/null 2>&1 || missing="$missing opensm"
    command -v ibsim >/dev/null 2>&1 || missing="$missing ibsim-utils"
    command -v ibdmchk >/dev/null 2>&1 || missing="$missing ibutils"
    command -v smpirun >/dev/null 2>&1 || missing="$missing libsimgrid-dev"
    command -v g++ >/dev/null 2>&1 || missing="$missing g++"
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
            echo "cannot be installed without root:$missing; their tests will be skipped" >&2
        fi
    fi
}

# One command a line: `set -e` looks only at the last of a chain of &&.
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
    sh tools/docs.sh
}

# Waits for a part, prints what it said, and ends everything where it failed.
ended() {
    code=0
    wait "$2" || code=$?
    cat "$said/$1"
    if [ "$code" -ne 0 ]; then
        echo "== $1 failed ($code)" >&2
        kill $running 2>/dev/null || true
        exit 1
    fi
}

debian >"$said/debian" 2>&1 &
debian=$!
running=$debian
trap 'kill $running 2>/dev/null || true' INT TERM
sh tools/venv.sh test
sh tools/kernels.sh >"$said/kernels" 2>&1 &
kernels=$!
echo "checking and compiling; what each part prints follows when it has ended, that of the checks after the tests ..." >&2
(static) >"$said/static" 2>&1 &
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
