"""Thousands of fabrics with known mistakes, each read and diagnosed: which mistakes are not found, and what is invented.

    .venv/bin/python benchmarks/mutated_fabrics.py [FABRICS] [MOST]

FABRICS of each family (200), with up to MOST mistakes each (4). Exit code 1: something was not found, or invented.
"""

import logging
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "fabrics"))

from mutations import mutated
from test_mutated_fabrics import SPECS, unexplained

from topoloom.fabric.fabric import planned_fabric
from topoloom.topologies.spec import build


def main(fabrics: int, most: int) -> int:
    """Print one line per family, and every fabric in which something is wrong."""
    logging.disable(logging.WARNING)
    bad = 0
    for spec in SPECS:
        plan, made, wrong = planned_fabric(build(spec)), Counter(), 0
        started = time.monotonic()
        for seed in range(fabrics):
            text, mistakes = mutated(plan, np.random.default_rng([seed, most, 77]), most)
            made.update(one.code for one in mistakes)
            if said := unexplained(plan, text, mistakes):
                wrong += 1
                print(f"  seed {seed}: {[one.code for one in mistakes]}: {said[:3]}")
        bad += wrong
        seconds = time.monotonic() - started
        print(
            f"{spec}: {fabrics} fabrics, {made.total()} mistakes of {len(made)} codes, {wrong} fabrics wrong, {seconds:.0f} s"
        )
    return int(bad > 0)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(given + [200, 4][len(given) :])))
