"""Make the networks of docs/records again, each by its command: .venv/bin/python tools/records.py [FILE ...]

Says of each whether the same graph came out; --write puts it into docs/records. A command names moves, a seed and one thread,
so that it gives the same graph on every machine.
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
#: What is recorded: a file of these names lists networks.
KINDS = ("all-to-all", "order-degree", "grids")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help="Names of files; all when omitted.")
    parser.add_argument("--write", action="store_true", help="Put what comes out into docs/records.")
    options = parser.parse_args()
    records = [record for kind in KINDS for record in json.loads((_FOLDER / f"{kind}.json").read_text())["networks"]]
    unknown = set(options.files) - {record["file"] for record in records}
    if unknown:
        parser.error(f"no record {min(unknown)}; they are {', '.join(record['file'] for record in records)}")
    differ = 0
    for record in records:
        if options.files and record["file"] not in options.files:
            continue
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / record["file"]
            command = [sys.executable, "-m", *shlex.split(record["command"]), "-o", str(made)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            kept = _FOLDER / record["file"]
            same = kept.exists() and load(kept).digest == load(made).digest
            if options.write and not same:
                write_atomically(kept, made.read_text())
        differ += not same
        print(
            f"{record['file']:28s} {'the same' if same else 'another graph'}, {time.monotonic() - began:.0f} s",
            flush=True,
        )
    sys.exit(1 if differ and not options.write else 0)


if __name__ == "__main__":
    main()
