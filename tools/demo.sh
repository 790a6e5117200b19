#!/bin/sh
# The main job on the example of ten thousand hosts: makes .venv, installs, designs, says where the report is. Then it compiles
# what the other commands need, which nobody has to wait for.
set -eu
cd "$(dirname "$0")/.."
sh tools/venv.sh all
.venv/bin/topoloom design examples/cluster-10k.toml -o demo
echo "open $(pwd)/demo/report.html in a browser"
sh tools/kernels.sh
