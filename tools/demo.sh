#!/bin/sh
# Designs the example of ten thousand hosts: makes .venv, installs, designs, and prints the path of the report. Then it compiles
# the kernels of the other commands; this can be interrupted.
set -eu
cd "$(dirname "$0")/.."
sh tools/venv.sh all
.venv/bin/topoloom design examples/cluster-10k.toml -o demo
echo "open $(pwd)/demo/report.html in a browser"
sh tools/kernels.sh
