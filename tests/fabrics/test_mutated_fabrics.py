"""Fabrics with a few known mistakes each: every one is found by the right rule at the right place, and none is invented."""

from collections import Counter

import numpy as np
import pytest
from mutations import Mutator, mutated

import tiers
from topoloom.fabric.diagnosis.diagnose import diagnose
from topoloom.fabric.diagnosis.evidence import HardwareLimits
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.fabric import planned_fabric
from topoloom.topologies.spec import build

SPECS = [
    "slimfly:q=5,hosts=2",
    "dragonfly:h=2",
    "fat-tree:hosts=64,k=16",
    "torus:dims=4x4x3,hosts=2",
    "jellyfish:n=40,degree=6,hosts=2",
    "fat-tree:hosts=128,k=16+rails:nics=4",
    "slimfly:q=5,hosts=1+planes:count=2",
    "fat-tree:hosts=64,k=16+rails:nics=4+planes:count=2",
]
LIMITS = HardwareLimits(rate=(4, 200.0))
#: What may follow from mistakes, and says so.
FOLLOWS = {"TL303", "TL304", "TL305"}


def told(diagnostics):
    """The roots, as (code, nodes, planned, found); and what follows."""
    roots, rest = [], []
    for one in diagnostics:
        cables = (
            frozenset(frozenset((end.node, end.port) for end in cable) for cable in side)
            for side in (one.planned, one.found)
        )
        (rest if one.code in FOLLOWS else roots).append((one, one.code, frozenset(one.nodes), *cables))
    return roots, rest


def unexplained(plan, text, mistakes):
    """What is not as it has to be, in words; nothing, if every mistake is found once and nothing else is."""
    found = diagnose(plan, read_fabric(text, "found.net", lenient=True), limits=LIMITS)
    roots, rest = told(found.diagnostics)
    wrong = [f"does not say what it follows from: {one}" for one, *_ in rest if not one.because_of]
    for mistake in mistakes:
        at = next(
            (
                i
                for i, (_, code, nodes, planned, there) in enumerate(roots)
                if code == mistake.code
                and (not mistake.nodes or nodes == mistake.nodes)
                and (planned, there) == (mistake.planned, mistake.found)
            ),
            None,
        )
        if at is None:
            wrong.append(f"not found: {mistake}")
        else:
            roots.pop(at)
    return wrong + [f"invented: {one}" for one, *_ in roots]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("spec", SPECS)
def test_every_mistake_is_found_once_and_none_is_invented(spec):
    """Thirty fabrics of each family, in the first tier ten, with one to four mistakes each."""
    plan = planned_fabric(build(spec))
    for seed in range(30 if tiers.EVERYTHING else 10):
        text, mistakes = mutated(plan, np.random.default_rng([seed, SPECS.index(spec)]))
        assert unexplained(plan, text, mistakes) == [], f"seed {seed}: {[one.code for one in mistakes]}"


@pytest.mark.parametrize("spec", SPECS)
def test_a_fabric_without_a_mistake_is_clean(spec):
    """The untouched plant has nothing to tell, not even a note."""
    plan = planned_fabric(build(spec))
    text = Mutator(plan, np.random.default_rng(1)).plant.text()
    assert diagnose(plan, read_fabric(text, "found.net", lenient=True), limits=LIMITS).diagnostics == ()


@pytest.mark.exhaustive
def test_every_kind_of_mistake_is_made():
    """Three of the families together have room for all kinds; each is found alone."""
    made = Counter()
    for spec in (SPECS[2], SPECS[4], SPECS[-1]):
        plan = planned_fabric(build(spec))
        for kind in Mutator(plan, np.random.default_rng(2)).kinds():
            mutator = Mutator(plan, np.random.default_rng(3))
            mutator.make(kind)
            assert unexplained(plan, mutator.plant.text(), mutator.mistakes) == [], (spec, kind)
            made.update(one.code for one in mutator.mistakes)
    assert {*made} >= {f"TL1{n:02d}" for n in (*range(1, 8), *range(9, 12))}
    assert {*made} >= {f"TL20{n}" for n in range(1, 8)} | {"TL301", "TL302", "TL501", "TL502", "TL503"}
