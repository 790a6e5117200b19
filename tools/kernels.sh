#!/bin/sh
# Compiles the kernels of all commands into this checkout, for this processor; does nothing if they are up to date.
set -eu
cd "$(dirname "$0")/.."
shipped=src/topoloom/core/compiling/shipped
stamp="$shipped/.compiled-$({ find src/topoloom -name '*.py' | grep -E '/(kernels|compiling)[/.]' | sort | xargs cat; cat tools/kernels.py tools/kernels.txt; } |
    cksum | tr ' ' -)"
if [ -e "$stamp" ]; then exit 0; fi
echo "compiling the kernels of all commands, once: a minute or two (Ctrl-C is safe; kernels are then compiled when needed) ..." >&2
.venv/bin/python tools/kernels.py
touch "$stamp"
