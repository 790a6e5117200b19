#!/bin/sh
# Designs the example of ten thousand hosts: makes .venv, installs, compiles the kernels that the design needs, and designs.
# Takes under three minutes on two cores. The kernels of other commands are compiled when a command first needs them.
set -eu
cd "$(dirname "$0")/.."
sh tools/venv.sh all
sh tools/kernels.sh --demo || echo "not all kernels could be compiled ahead; the design compiles them itself" >&2
echo "designing the network of examples/cluster-10k.toml: about 100 seconds ..." >&2
.venv/bin/topoloom design examples/cluster-10k.toml -o demo
cat <<END

open $(pwd)/demo/report.html in a browser
next:
  .venv/bin/topoloom layout demo/shortlist/1   the best network on the floor; every command opens such a folder
  docs/tutorials/architect.md                  from your requirement to a network
  make kernels                                 compiles the kernels of all commands: about three minutes
END
