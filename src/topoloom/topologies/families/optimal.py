"""The small graphs with the least mean path length, stored as data."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families._sizing import serving
from topoloom.topologies.spec import Facts, Integer, family

#: (order, degree): links. Found by annealing; order, degree, diameter, ASPL (2.2, 1.75, 91/31, 73/31) and bisection
#: (6, 12, 10, 16) are those of Xu 2019 Table 1 (errata of Xu 2019, 1: the (32, 4) ASPL published there is a misprint).
_LINKS = {
    (16, 3): (
        "0-4 0-9 0-12 1-7 1-9 1-11 2-7 2-8 2-15 3-6 3-8 3-12 4-10 4-15 5-7 5-10 5-12 6-11 6-14 8-13 9-14 "
        "10-13 11-15 13-14"
    ),
    (16, 4): (
        "0-1 0-6 0-12 0-15 1-3 1-8 1-9 2-4 2-6 2-9 2-10 3-4 3-5 3-14 4-7 4-12 5-9 5-11 5-15 6-11 6-14 7-11 "
        "7-13 7-15 8-10 8-11 8-12 9-13 10-14 10-15 12-13 13-14"
    ),
    (32, 3): (
        "0-16 0-22 0-28 1-19 1-22 1-31 2-9 2-23 2-31 3-5 3-10 3-29 4-7 4-13 4-20 5-20 5-23 6-8 6-13 6-31 7-12 "
        "7-15 8-10 8-14 9-18 9-21 10-24 11-21 11-27 11-29 12-17 12-18 13-28 14-17 14-26 15-22 15-29 16-25 "
        "16-26 17-27 18-24 19-20 19-30 21-28 23-26 24-25 25-30 27-30"
    ),
    (32, 4): (
        "0-8 0-13 0-15 0-31 1-7 1-18 1-25 1-29 2-3 2-16 2-20 2-26 3-6 3-10 3-27 4-10 4-14 4-20 4-31 5-9 5-13 "
        "5-17 5-21 6-9 6-19 6-25 7-26 7-28 7-30 8-9 8-11 8-23 9-29 10-11 10-17 11-18 11-26 12-13 12-14 12-18 "
        "12-19 13-20 14-15 14-22 15-25 15-30 16-21 16-23 16-24 17-24 17-25 18-24 19-23 19-28 20-30 21-22 "
        "21-28 22-26 22-29 23-30 24-27 27-28 27-31 29-31"
    ),
}
_KNOWN = {(16, 3): (3, 6), (16, 4): (3, 12), (32, 3): (4, 10), (32, 4): (3, 16)}  # diameter, bisection


def _facts(n: int, degree: int) -> Facts:
    if (n, degree) not in _KNOWN:
        stored = ", ".join(f"n={a},degree={b}" for a, b in _KNOWN)
        raise InputError(f"optimal: n={n},degree={degree} is not stored (stored: {stored})")
    diameter, bisection = _KNOWN[n, degree]
    return Facts(n, degree, degree, n * degree // 2, diameter, bisection_links=bisection)


def _optima(hosts: int, radix: int) -> Iterator[dict[str, Any]]:
    yield from serving(hosts, radix, (({"n": n, "degree": degree}, n, degree) for n, degree in _KNOWN))


@family(
    "optimal",
    title="optimal regular graph",
    n=Integer(16, 32, "switches: 16 or 32"),
    degree=Integer(3, 4, "links at each switch: 3 or 4"),
    facts=_facts,
    source="Xu 2019 Table 1, after Deng et al.; Cerf et al.'s bound is met by all but (16, 4)",
    sizes=_optima,
)
def optimal(n: int, degree: int) -> Topology:
    """The regular graph of 16 or 32 switches and degree 3 or 4 with the least mean path length.

    >>> optimal(16, 3)
    Topology(topology: 16 switches, 24 links)
    """
    links = [[int(end) for end in link.split("-")] for link in _LINKS[n, degree].split()]
    return Topology(links=np.array(links), switches=n)
