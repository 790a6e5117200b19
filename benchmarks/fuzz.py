"""Damaged files for every reader: finds those that are neither read nor refused in one sentence that names the file.

    .venv/bin/python benchmarks/fuzz.py [--minutes 10] [--seed 1] [--keep FOLDER] [READER ...]

Runs rounds of cases for each reader until the time is over; the files of each fault are kept in FOLDER. Exit code 1 means that
faults were found.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fuzz"))

from fuzz_engine import run
from fuzz_readers import READERS

#: Cases per reader and round.
ROUND = 40


def main() -> int:
    """Print each fault, and the number of cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=None)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"of {', '.join(READERS)}")
    options = parser.parse_args()
    readers = options.readers or list(READERS)
    end, cases, faults, first = time.monotonic() + 60 * options.minutes, 0, 0, 0
    while time.monotonic() < end:
        for fault in run(readers, options.seed, first, ROUND, options.keep):
            faults += 1
            print(f"{fault['reader']}, case {fault['case']}: {fault['fault']}", flush=True)
        first, cases = first + ROUND, cases + ROUND * len(readers)
    print(f"{cases} cases of {len(readers)} readers, seed {options.seed}: {faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
