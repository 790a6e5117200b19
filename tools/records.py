"""Compute the networks of docs/records again with their commands: .venv/bin/python tools/records.py [FILE ...]

Prints for each network whether the graph is the same; --write stores it in docs/records. A command fixes the moves, the seed
and one thread, so that it gives the same graph on every machine.
"""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from topoloom.core.files import write_atomically
from topoloom.formats import load

_FOLDER = Path(__file__).parents[1] / "docs" / "records"
#: The kinds of records; the JSON file of each kind lists its networks.
KINDS = ("all-to-all", "order-degree", "grids", "host-switch")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help="File names; all when omitted.")
    parser.add_argument("--write", action="store_true", help="Store new graphs in docs/records.")
    options = parser.parse_args()
    records = [record for kind in KINDS for record in json.loads((_FOLDER / f"{kind}.json").read_text())["networks"]]
    unknown = set(options.files) - {record["file"] for record in records}
    if unknown:
        parser.error(f"no record {min(unknown)}; the records are {', '.join(record['file'] for record in records)}")
    differ = 0
    for record in records:
        if options.files and record["file"] not in options.files:
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            computed = Path(folder) / record["file"]
            command = [sys.executable, "-m", *shlex.split(record["command"]), "-o", str(computed)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stored = _FOLDER / record["file"]
            same = stored.exists() and load(stored).digest == load(computed).digest
            if options.write and not same:
                write_atomically(stored, computed.read_text())
        differ += not same
        print(
            f"{record['file']:28s} {'the same' if same else 'a different graph'}, {time.monotonic() - began:.0f} s",
            flush=True,
        )
    sys.exit(1 if differ and not options.write else 0)


if __name__ == "__main__":
    main()
