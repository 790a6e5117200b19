#!/bin/sh
# Everything that must hold: style, types, floors, tests. Installs what it needs; Debian packages where it may.
set -eu
cd "$(dirname "$0")/.."
sh tools/venv.sh test
bin=.venv/bin

# The report is opened in Chromium; without it that one test is skipped, and pytest says so.
if ! command -v chromium >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1; then
    as_root=
    if [ "$(id -u)" -ne 0 ]; then as_root="sudo -n"; fi
    if $as_root true 2>/dev/null; then
        echo "installing Debian's chromium for the page tests ..." >&2
        { $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } \
            >/dev/null 2>&1 || echo "chromium could not be installed; the page tests will be skipped" >&2
    else
        echo "chromium is missing and cannot be installed without root; the page tests will be skipped" >&2
    fi
fi

# One command a line: `set -e` looks only at the last of a chain of &&.
echo "== ruff"
$bin/ruff check .
$bin/ruff format --check .
echo "== mypy"
$bin/mypy
echo "== import-linter"
$bin/lint-imports
echo "== pytest"
$bin/pytest -n auto --dist worksteal -rs "$@"
