#!/bin/sh
# Compiles the kernels of all commands into this checkout, for its processor; does nothing where they are there and up to date.
set -eu
cd "$(dirname "$0")/.."
shipped=src/topoloom/core/compiling/shipped
stamp="$shipped/.compiled-$({ find src/topoloom -name '*.py' | grep -E '/(kernels|compiling)[/.]' | sort | xargs cat; cat tools/kernels.py tools/kernels.txt; } |
    cksum | tr ' ' -)"
if [ -e "$stamp" ]; then exit 0; fi
echo "compiling the kernels of all commands, once: a minute or two (Ctrl-C does no harm; each is then compiled when needed) ..." >&2
.venv/bin/python tools/kernels.py
touch "$stamp"
