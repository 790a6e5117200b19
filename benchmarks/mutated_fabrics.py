"""Reads and diagnoses thousands of fabrics with known mistakes: finds missed mistakes and false findings.

    .venv/bin/python benchmarks/mutated_fabrics.py [FABRICS] [MOST]

FABRICS is the number per family (200), MOST the maximum number of mistakes per fabric (4). Exit code 1 means that a mistake was
missed or a finding is false.
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
    """Print one line per family, and every fabric with a wrong diagnosis."""
    logging.disable(logging.WARNING)
    bad = 0
    for spec in SPECS:
        plan, made, wrong = planned_fabric(build(spec)), Counter(), 0
        started = time.monotonic()
        for seed in range(fabrics):
            text, mistakes = mutated(plan, np.random.default_rng([seed, most, 77]), most)
            made.update(mistake.code for mistake in mistakes)
            if findings := unexplained(plan, text, mistakes):
                wrong += 1
                print(f"  seed {seed}: {[mistake.code for mistake in mistakes]}: {findings[:3]}")
        bad += wrong
        seconds = time.monotonic() - started
        print(
            f"{spec}: {fabrics} fabrics, {made.total()} mistakes of {len(made)} codes, {wrong} fabrics wrong, {seconds:.0f} s"
        )
    return int(bad > 0)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(given + [200, 4][len(given) :])))
