#!/bin/sh
# Builds the site of docs/ in build/site/index.html; only changed pages are built again. A warning is an error.
set -eu
cd "$(dirname "$0")/.."
sh tools/venv.sh test
.venv/bin/sphinx-build -q -W --keep-going -j auto -d build/doctrees docs build/site
echo "open $(pwd)/build/site/index.html in a browser"
