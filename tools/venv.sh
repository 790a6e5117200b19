#!/bin/sh
# Makes .venv (or the folder VENV) and installs topoloom with the given extras, and topoloom-papers (papers/): tools/venv.sh all
# Works without root, a C compiler or Debian's python3-venv; needs Python 3.11 or newer and access to PyPI.
set -eu
cd "$(dirname "$0")/.."
extras=${1:?usage: tools/venv.sh EXTRAS (all, test, bench)}
venv=${VENV:-.venv}

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

# The environment is made again when these files have changed, because an editable install does not update entry points.
made_from=$(cat pyproject.toml papers/pyproject.toml tools/venv.sh tools/install.py | cksum | tr ' ' -)
stamp="$venv/.installed-$extras-$made_from"
if [ -e "$stamp" ] && "$venv/bin/python" -c 'import topoloom, topoloom_papers' 2>/dev/null; then
    exit 0
fi

if ! "$venv/bin/python" -c '' 2>/dev/null; then
    if [ -e "$venv" ] && [ ! -e "$venv/.made-by-topoloom" ]; then
        echo "error: $venv exists without a Python, and was not made by this script; remove it and try again" >&2
        exit 1
    fi
    rm -rf "$venv"
    # tools/install.py installs pip: it is faster than ensurepip, and works without Debian's python3-venv.
    "$python" -m venv --without-pip "$venv"
    touch "$venv/.made-by-topoloom"
fi
echo "installing topoloom[$extras] and topoloom-papers into $venv: about 20 seconds ..." >&2
"$venv/bin/python" tools/install.py --editable ".[$extras]" --editable ./papers
# Stamps of other versions of these files, with any extras, are no longer valid.
for other in "$venv"/.installed-*; do
    case $other in *-"$made_from") ;; *) rm -f "$other" ;; esac
done
touch "$stamp"
