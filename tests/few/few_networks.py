"""Networks of one switch and of two, and what an operation has to answer on each: a value, or a sentence."""

import math
import re
from typing import Any

import pytest

import tiers
from topoloom.model.topology import Topology


def _made(name, links, switches, endpoints):
    return Topology(links=links, switches=switches, endpoints=endpoints, name=name)


#: By name: one switch, two that a link joins, two that nothing joins, two that two links join; and their hosts.
NETWORKS = {
    one.name: one
    for one in (
        _made("one4", [], 1, [0, 0, 0, 0]),
        _made("one1", [], 1, [0]),
        _made("one0", [], 1, []),
        _made("two4", [(0, 1)], 2, [0, 0, 1, 1]),
        _made("two1", [(0, 1)], 2, [0]),
        _made("two0", [(0, 1)], 2, []),
        _made("apart4", [], 2, [0, 0, 1, 1]),
        _made("apart1", [], 2, [0]),
        _made("apart0", [], 2, []),
        _made("twin4", [(0, 1), (0, 1)], 2, [0, 0, 1, 1]),
    )
}

#: Those that a test tries: all in the second tier, one of each kind in the first.
TRIED = {name: NETWORKS[name] for name in (NETWORKS if tiers.EVERYTHING else ("one0", "one1", "two4", "apart4"))}

ALL = " ".join(NETWORKS)
ONE, TWO, APART = "one4 one1 one0", "two4 two1 two0", "apart4 apart1 apart0"
JOINED = f"{ONE} {TWO} twin4"
LINKED = f"{TWO} twin4"

#: Sentences that many operations share; each says what would do.
PARTS = "not connected: 2 parts.*route each part, or add links|have no links among them, so there is nothing to route; name the"
NO_HOSTS = "no hosts for the ranks; add hosts, as in hosts=4"
FEW_HOSTS = "traffic needs at least two hosts, but the network has [01]; add hosts to the spec, as in hosts=4"
#: Of an application that sends between ranks, on one host.
ONE_RANK = "1 rank; at least 2 are needed"
#: Of failures of links, where there are none.
NO_LINK = "the network has no links that could fail"
#: Of failures, where the network is in parts already.
IN_PARTS = "the network is in 2 parts before anything fails; join them first"
#: Of the lifetime of one switch.
ONE_SWITCH = "the network has one switch, so it cannot be disconnected; give a network of at least two"
#: Of the number of paths.
ONE_PLACE = "paths need two switches with hosts, and there are 1"
NO_PATHS = "not connected; measure one of its parts"
ALONE = "no links|no link "


class Refused(str):
    """A pattern of the one sentence that says why there is no answer."""

    __slots__ = ()


def row(*cells: tuple[str, Any]) -> dict[str, Any]:
    """What is expected of every network: pairs of names of networks and an expectation; no cell is missing, none twice."""
    found: dict[str, Any] = {}
    for names, expected in cells:
        for name in names.split():
            if name in found:
                raise ValueError(f"two cells for {name}")
            found[name] = expected
    if found.keys() != NETWORKS.keys():
        raise ValueError(f"cells are missing: {NETWORKS.keys() ^ found.keys()}")
    return found


def check_sentence(told: str, expected: str) -> None:
    """One line that matches, of a length that can be read, without words of a programmer."""
    assert re.search(expected, told), f"{told!r} does not say {expected!r}"
    assert "\n" not in told
    assert len(told) < 400, told
    assert not re.search(r"\b(nan|NoneType|ndarray|Traceback)\b", told), told


def check_value(given: Any, expected: Any, where: str = "") -> None:
    """Equal; numbers nearly, mappings and lists in the parts that are expected."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert key in given, f"{where}: {sorted(given)} has no {key}"
            check_value(given[key], value, f"{where}.{key}")
    elif isinstance(expected, float) and math.isfinite(expected):
        assert given == pytest.approx(expected, rel=1e-6), f"{where}: {given}"
    else:
        assert given == expected, f"{where}: {given} is not {expected}"
