"""What family a network is of, whatever numbers its switches have by now."""

import re

import numpy as np

from topoloom.cabling.expansion.matching import by_labels
from topoloom.cabling.expansion.registry import ExpansionRequest, Known
from topoloom.cabling.expansion.stages import difference
from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import family_of, make

_NAME = re.compile(r"([a-z0-9-]+)\((.*)\)")


def recognised(topology: Topology) -> Known | None:
    """The family and the parameters that build the network; None where its spec does not.

    A network that has grown keeps the numbers of its switches and loses its spec for that; its name still says what it is,
    and its labels which switch is which. Both are believed only if all links and hosts agree.
    """
    named = _NAME.fullmatch(topology.name)
    spec = topology.spec or (f"{named[1]}:{named[2]}" if named else "")
    try:
        found = family_of(spec) if spec else None
        goal = make(*found) if found else None
    except InputError:  # a file may carry the spec of a family that this version does not know
        return None
    if goal is None or goal.switches != topology.switches:
        return None
    if goal == topology.without_rates():
        return found
    place = by_labels(topology, goal)
    if place is None or (topology.endpoints_at[place] != goal.endpoints_at).any():
        return None
    removed, added, _ = difference(topology, Topology(links=place[goal.links], switches=goal.switches))
    return None if len(removed) or len(added) else found


def one_of(request: ExpansionRequest, names: tuple[str, ...], method: str) -> Known:
    """As `recognised`, for a method that grows only some families.

    Parameters
    ----------
    request : ExpansionRequest
        The growth that is asked for.
    names : tuple of str
        The families that the method grows.
    method : str
        The method's name, for the message.

    Returns
    -------
    Known
        The family, its parameters, and its hosts as the spec has them.

    Raises
    ------
    InputError
        The network is of none of them.
    """
    topology = request.topology
    found = request.known or recognised(topology)
    if found is None or found[0].name not in names:
        specs = " or ".join(f"'{name}:...'" for name in names)
        raise InputError(f"{topology.name}: method {method} grows what {specs} builds; method splice grows anything")
    return found


def per_switch(topology: Topology) -> int | None:
    """The hosts on each switch that carries some; None where none does."""
    return int(np.max(topology.endpoints_at)) or None
