#!/bin/sh
# Compiles the kernels of all commands, or with --demo those of `make demo`, into this checkout, for this processor. Does nothing
# if they are up to date.
set -eu
cd "$(dirname "$0")/.."
shipped=src/topoloom/core/compiling/shipped
sum=$({ find src/topoloom -name '*.py' | grep -E '/(kernels|compiling)[/.]' | sort | xargs cat; cat tools/kernels.py tools/kernels.txt; } |
    cksum | tr ' ' -)
if [ -e "$shipped/.compiled-$sum" ]; then exit 0; fi
stamp="$shipped/.compiled-$sum"
if [ "${1:-}" = --demo ]; then
    stamp="$shipped/.compiled-demo-$sum"
    if [ -e "$stamp" ]; then exit 0; fi
    echo "compiling the kernels that the demo needs, once: about 30 seconds ..." >&2
else
    echo "compiling the kernels of all commands, once: about three minutes (Ctrl-C is safe; kernels are then compiled when needed) ..." >&2
fi
.venv/bin/python tools/kernels.py "$@"
touch "$stamp"
