#!/bin/sh
# Builds the wheels of topoloom and topoloom-papers in dist/: per Python one wheel of topoloom, with kernels that are compiled for
# the processor levels of this type of machine (src/topoloom/core/compiling/levels.py), so that users do not wait for the
# compiler. Linux, x86-64 or aarch64; run it on a machine of the type that the wheel is for.
#
# Pythons: those of 3.11 to 3.13 that are on the path or in pyenv, else PYTHONS="python3.12 /opt/python3.13/bin/python3".
# Levels: all that this type of machine has, else LEVELS="x86-64-v3". JOBS: processes (all cores).
set -eu
cd "$(dirname "$0")/.."
shipped=src/topoloom/core/compiling/shipped

if [ -z "${PYTHONS:-}" ]; then
    PYTHONS=
    for version in 3.11 3.12 3.13; do
        for candidate in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python3; do
            if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c '' >/dev/null 2>&1; then
                PYTHONS="$PYTHONS $candidate"
                break
            fi
        done
    done
fi
if [ -z "$PYTHONS" ]; then
    echo "error: no Python 3.11 to 3.13 was found; set PYTHONS=" >&2
    exit 1
fi

# Kernels of levels in a checkout would be those of another Python.
clear_levels() {
    for level in $levels; do rm -rf "${shipped:?}/$level"; done
}
levels=
trap clear_levels EXIT
papers=./papers
for python in $PYTHONS; do
    tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    kept=build/kernels-$tag
    PYTHON=$python VENV=build/venv-$tag sh tools/venv.sh all
    levels=$(build/venv-"$tag"/bin/python tools/kernels.py --levels)
    if [ -z "$levels" ]; then
        echo "error: kernels are compiled for x86-64 and aarch64, and this is $(uname -m); \`pip wheel .\` makes a wheel without" >&2
        exit 1
    fi
    clear_levels
    for level in ${LEVELS:-$levels}; do
        echo "$tag: compiling for $level ..." >&2
        # Kernels of an earlier run: only those that changed are compiled.
        if [ -d "$kept/$level" ]; then cp -R "$kept/$level" "$shipped/"; fi
        build/venv-"$tag"/bin/python tools/kernels.py --level "$level" ${JOBS:+--jobs "$JOBS"}
        mkdir -p "$kept"
        rm -rf "${kept:?}/$level"
        cp -R "$shipped/$level" "$kept/"
    done
    build/venv-"$tag"/bin/python -m pip wheel --quiet --no-deps --wheel-dir dist . $papers
    papers=  # one wheel for all Pythons
    numba=$(build/venv-"$tag"/bin/python -c 'import numba; print(numba.__version__)')
    echo "$tag: with another Numba than $numba the kernels are compiled again; pin it: pip install WHEEL numba==$numba" >&2
done
ls -l dist/*.whl
