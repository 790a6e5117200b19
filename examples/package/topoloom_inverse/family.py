"""The family `inverse`: a ring of p switches, p a prime, in which switch x has one more link, to 1/x modulo p."""

import numpy as np

from topoloom import InputError, Topology
from topoloom.topologies.spec import Facts, Integer, family


def _facts(p: int) -> Facts:
    """What is known without building it."""
    return Facts(p, degree=3, degree_min=2)


@family(
    "inverse",
    p=Integer(5, 20_000, "switches, a prime"),
    facts=_facts,
    source="Hoory, Linial and Wigderson, Bull. AMS 43(4), 2006",
)
def inverse(p: int) -> Topology:
    """A ring of a prime number of switches, each linked to its inverse modulo that prime."""
    if any(p % k == 0 for k in range(2, int(p**0.5) + 1)):
        raise InputError(f"inverse:p={p}: p is not a prime")
    ring = [(x, (x + 1) % p) for x in range(p)]
    chords = [(x, pow(x, -1, p)) for x in range(1, p)]
    links = {(min(x, y), max(x, y)) for x, y in ring + chords if x != y}
    return Topology(links=np.array(sorted(links)), switches=p)
