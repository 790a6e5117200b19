#!/bin/sh
# Builds the site of docs/ in build/site/index.html; only changed pages are built again. A warning is an error. With --check it
# builds the same pages for their warnings only, in a plain theme.
set -eu
cd "$(dirname "$0")/.."
sh tools/venv.sh test
if [ "${1:-}" = --check ]; then
    exec .venv/bin/sphinx-build -q -W --keep-going -j auto -t plain -d build/checked/doctrees docs build/checked/site
fi
.venv/bin/sphinx-build -q -W --keep-going -j auto -d build/doctrees docs build/site
echo "open $(pwd)/build/site/index.html in a browser"
