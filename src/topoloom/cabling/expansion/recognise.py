"""Recognising the family of a network, whatever the numbers of its switches."""

import re

import numpy as np

from topoloom.cabling.expansion.matching import by_labels
from topoloom.cabling.expansion.registry import ExpansionRequest, Known
from topoloom.cabling.expansion.stages import difference
from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import family_of, make

#: The transform that gives rates, in a spec or a name: a family's growth does not depend on it.
_RATES = re.compile(r"\+rates:[^+]*")
_NAME = re.compile(r"([a-z0-9-]+)\((.*)\)")


def recognised(topology: Topology) -> Known | None:
    """The family and the parameters that build the network; None if its spec does not.

    A network that has grown keeps the numbers of its switches and therefore loses its spec; its name still holds its family and
    parameters, and its labels identify its switches. Both are trusted only if all links and hosts agree.
    """
    named = _NAME.fullmatch(_RATES.sub("", topology.name))
    spec = _RATES.sub("", topology.spec or "") or (f"{named[1]}:{named[2]}" if named else "")
    try:
        family = family_of(spec) if spec else None
        goal = make(*family) if family else None
    except InputError:  # a file may carry the spec of a family that this version does not know
        return None
    if goal is None or goal.switches != topology.switches:
        return None
    if goal == topology.without_rates():
        return family
    place = by_labels(topology, goal)
    if place is None or (topology.endpoints_at[place] != goal.endpoints_at).any():
        return None
    removed, added, _ = difference(topology, Topology(links=place[goal.links], switches=goal.switches))
    return None if len(removed) or len(added) else family


def family_name(topology: Topology, known: Known | None) -> str | None:
    """The name of the family that a network belongs to, also after it has grown in its spec; None if it is not known.

    Parameters
    ----------
    topology : Topology
    known : Known or None
        As `recognised` gives it.
    """
    if known is not None:
        return known[0].name
    base, grown, _ = (topology.spec or "").partition("+spliced:")
    return base.partition(":")[0] if grown else None


def one_of(request: ExpansionRequest, names: tuple[str, ...], method: str) -> Known:
    """Like `recognised`, for a method that grows only some families.

    Parameters
    ----------
    request : ExpansionRequest
        The request for growth.
    names : tuple of str
        The families that the method grows.
    method : str
        The method's name, for the message.

    Returns
    -------
    Known
        The family, its parameters, and its hosts as in the spec.

    Raises
    ------
    InputError
        The network belongs to none of these families.
    """
    topology = request.topology
    family = request.known or recognised(topology)
    if family is None or family[0].name not in names:
        specs = " or ".join(f"'{name}:...'" for name in names)
        raise InputError(
            f"{topology.name}: method {method} grows networks that {specs} builds; use method splice for any other"
        )
    return family


def per_switch(topology: Topology) -> int | None:
    """The number of hosts on each switch that has some; None if none has."""
    return int(np.max(topology.endpoints_at)) or None
