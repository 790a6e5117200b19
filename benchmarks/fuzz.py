"""Damaged files through every reader: what is neither read nor refused in one sentence that names the file.

    .venv/bin/python benchmarks/fuzz.py [--minutes 10] [--seed 1] [--keep FOLDER] [READER ...]

Rounds of cases of each reader until the time is over; the files of each fault are kept in FOLDER. Exit code 1: there were
faults.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fuzz"))

from fuzz_engine import run
from fuzz_readers import READERS

#: Cases of a reader in a round.
ROUND = 40


def main() -> int:
    """Print each fault, and how many cases there were."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=None)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"of {', '.join(READERS)}")
    given = parser.parse_args()
    readers = given.readers or list(READERS)
    end, cases, faults, first = time.monotonic() + 60 * given.minutes, 0, 0, 0
    while time.monotonic() < end:
        for one in run(readers, given.seed, first, ROUND, given.keep):
            faults += 1
            print(f"{one['reader']}, case {one['case']}: {one['fault']}", flush=True)
        first, cases = first + ROUND, cases + ROUND * len(readers)
    print(f"{cases} cases of {len(readers)} readers, seed {given.seed}: {faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
