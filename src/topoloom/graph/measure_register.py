"""The register of measures: functions of a topology, or of a network, to one number with a unit."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

from topoloom.core.errors import InputError
from topoloom.core.register import Register
from topoloom.model.sources import NetworkSource, network_of, taken
from topoloom.model.topology import Topology


@dataclass(frozen=True)
class Measure:
    """One measure.

    Attributes
    ----------
    name, text, unit : str
        As users write it; a line for the help; the unit, empty for a pure number.
    value : callable
        Takes a Topology of one plane, or a Network if `of_network`, and returns a number.
    over_planes : callable
        Joins the numbers of the planes of a network: `min`, `max` or `sum`.
    of_network : bool
        Whether `value` takes the whole Network, with its layout, tables and parts.
    better : "less", "more" or ""
        Which values are good, where networks are ranked; "": not said, and less comes first.
    """

    name: str
    text: str
    unit: str
    value: Callable[[Any], float]
    over_planes: Callable[[Sequence[float]], float]
    of_network: bool = False
    better: Literal["less", "more", ""] = ""


MEASURES: Register[Measure] = Register("measure", package="topoloom.graph.measures", group="topoloom.measures")


def topology_measure(
    name: str,
    text: str,
    unit: str = "",
    *,
    over_planes: Callable[[Sequence[float]], float] = min,
    of_network: bool = False,
    better: Literal["less", "more", ""] = "",
) -> Callable[[Callable[[Any], float]], Callable[[Any], float]]:
    """Register a function as a measure.

    Parameters
    ----------
    name : str
        The name that users write: "girth".
    text : str
        A line for the help.
    unit : str
        The unit, such as "links".
    over_planes : callable
        For a network of several planes, what joins their numbers: `min`, `max` or `sum`.
    of_network : bool
        Whether the function takes a Network instead of a Topology; then it is called once.
    better : "less", "more" or ""
        Which values are good, where `compare` ranks networks by it.

    Returns
    -------
    callable
        A decorator that returns the function itself.

    Examples
    --------
    >>> @topology_measure("links-per-switch", "links per switch", "links")
    ... def links_per_switch(topology):
    ...     return len(topology.links) / topology.switches
    >>> measured("petersen", ("links-per-switch",))
    {'links-per-switch': 1.5}
    """

    def add(function: Callable[[Any], float]) -> Callable[[Any], float]:
        MEASURES.add(name, Measure(name, text, unit, function, over_planes, of_network, better))
        return function

    return add


def measured(topology: NetworkSource, names: Sequence[str]) -> dict[str, float]:
    """The values of measures by their names.

    Parameters
    ----------
    topology : NetworkSource
    names : sequence of str
        Of `MEASURES`.

    Returns
    -------
    dict of str to float
        In the order of `names`; infinite where a measure has no finite value, such as the girth of a tree.

    Raises
    ------
    InputError
        No measure has that name, or a measure refuses the network or returns something else than a number.

    Examples
    --------
    >>> measured("petersen", ("girth", "vertex-connectivity"))
    {'girth': 5.0, 'vertex-connectivity': 3.0}
    """
    from topoloom.graph.planes import distinct_planes, plane_count

    if isinstance(names, str):
        raise InputError(f"measures takes a list of names, not the text '{names}'; write ['{names}']")
    chosen = [MEASURES.find(name) for name in names]
    network = network_of(topology, "measured") if any(entry.of_network for entry in chosen) else topology
    whole = taken(network, Topology, "measured")
    several = plane_count(whole) > 1
    planes = [(plane.topology, count) for plane, count in distinct_planes(whole)] if several else [(whole, 1)]
    values = {}
    for entry in chosen:
        if entry.of_network:
            values[entry.name] = _number(entry, network)
        else:
            values[entry.name] = entry.over_planes(
                [v for part, count in planes for v in [_number(entry, part)] * count]
            )
    return values


def _number(entry: Measure, source: object) -> float:
    value: Any = entry.value(source)
    if type(value) is bool or not isinstance(value, Real) or math.isnan(value):
        raise InputError(f"the measure '{entry.name}' returned {value!r:.60}; it must return a number")
    return float(value)
