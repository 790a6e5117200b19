#!/bin/sh
# Makes .venv and installs topoloom into it with the given extras, and topoloom-papers (papers/): tools/venv.sh all
# Works without root, without a C compiler and without Debian's python3-venv; needs Python 3.11 or newer and PyPI.
set -eu
cd "$(dirname "$0")/.."
extras=${1:?usage: tools/venv.sh EXTRAS (all, test, bench)}
venv=.venv

if [ -n "${PYTHON:-}" ] && ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
    echo "error: PYTHON=$PYTHON is not a Python 3.11 or newer" >&2
    exit 1
fi
python=
for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$candidate" >/dev/null 2>&1 &&
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "error: no Python 3.11 or newer was found; install one (Debian 12: apt-get install python3), or set PYTHON=" >&2
    exit 1
fi

# Made again when what it is made from has changed, as entry points are: an editable install does not follow these.
made_from=$(cat pyproject.toml papers/pyproject.toml tools/venv.sh tools/install.py | cksum | tr ' ' -)
stamp="$venv/.installed-$extras-$made_from"
if [ -e "$stamp" ] && "$venv/bin/python" -c 'import topoloom, topoloom_papers' 2>/dev/null; then
    exit 0
fi

if ! "$venv/bin/python" -c '' 2>/dev/null; then
    if [ -e "$venv" ] && [ ! -e "$venv/.made-by-topoloom" ]; then
        echo "error: $venv is there but has no Python, and was not made by this script; remove it and try again" >&2
        exit 1
    fi
    rm -rf "$venv"
    # Without pip: tools/install.py puts it there, faster than ensurepip does, and also where Debian has no python3-venv.
    "$python" -m venv --without-pip "$venv"
    touch "$venv/.made-by-topoloom"
fi
echo "installing topoloom[$extras] and topoloom-papers into $venv: about 20 seconds ..." >&2
"$venv/bin/python" tools/install.py --editable ".[$extras]" --editable ./papers
# What was installed from other versions of these files, with whatever extras, is replaced.
for other in "$venv"/.installed-*; do
    case $other in *-"$made_from") ;; *) rm -f "$other" ;; esac
done
touch "$stamp"
