"""Specs: ``slimfly:q=19,hosts=15`` to a Topology, and the register of families."""

from topoloom.topologies.spec.grammar import (
    bisection_by_theory,
    build,
    check_size,
    facts_of,
    family_of,
    make,
    read_settings,
)
from topoloom.topologies.spec.listing import listed, sizes_listed
from topoloom.topologies.spec.parameters import (
    Choice,
    Integer,
    Integers,
    Numbers,
    Parameter,
    Ratio,
    Real,
    Seed,
    Text,
    Word,
)
from topoloom.topologies.spec.registry import FAMILIES, TRANSFORMS, Facts, Family, Transform, family, transform

__all__ = [
    "FAMILIES",
    "TRANSFORMS",
    "Choice",
    "Facts",
    "Family",
    "Integer",
    "Integers",
    "Numbers",
    "Parameter",
    "Ratio",
    "Real",
    "Seed",
    "Text",
    "Transform",
    "Word",
    "bisection_by_theory",
    "build",
    "check_size",
    "facts_of",
    "family",
    "family_of",
    "listed",
    "make",
    "read_settings",
    "sizes_listed",
    "transform",
]
