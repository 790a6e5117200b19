#!/bin/sh
# Builds the wheels of topoloom and topoloom-papers in dist/. The first contains kernels compiled for common processors, so that
# users do not wait for the compiler. Linux, x86-64.
set -eu
cd "$(dirname "$0")/.."
sh tools/venv.sh test
for level in x86-64-v3 x86-64-v4; do
    echo "compiling for $level ..." >&2
    .venv/bin/python tools/kernels.py --level "$level"
done
.venv/bin/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . ./papers
rm -rf src/topoloom/core/compiling/shipped/x86-64-v*
ls -l dist/*.whl
