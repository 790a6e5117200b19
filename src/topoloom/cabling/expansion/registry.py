"""The register of methods of growth: ``dsn-f``, ``splice`` and others, one function each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from topoloom.cabling.expansion.growing_floor import GrowingFloor
from topoloom.cabling.expansion.stages import Growth
from topoloom.core.errors import InputError
from topoloom.core.register import Register
from topoloom.model.topology import Topology
from topoloom.topologies.families._shuffle_boxes import ShuffleBoxes
from topoloom.topologies.spec import Family

#: A family, its parameters, and its hosts as in the spec.
Known = tuple[Family, dict[str, Any], Any]


@dataclass(frozen=True, eq=False)
class ExpansionRequest:
    """The request for a method.

    Attributes
    ----------
    topology : Topology
        The existing network.
    to : int
        The new number of switches, hosts or links, as the method counts.
    growing_floor : GrowingFloor
        The floor, and the places of switches.
    ports : int or None
        Ports of every switch; None: as many as needed.
    degree, hosts : int or None
        Links and hosts of a new switch; None: those of most switches.
    batch : int or None
        New switches per step; None: the method's own steps.
    seed : int
    known : family, parameters and hosts, or None
        The family of the topology, if recognised already.
    boxes : ShuffleBoxes or None
        The shuffle boxes of the topology, where its panels state them; None: as its spec.
    """

    topology: Topology
    to: int
    growing_floor: GrowingFloor
    ports: int | None = None
    degree: int | None = None
    hosts: int | None = None
    batch: int | None = None
    seed: int = 1
    known: Known | None = None
    boxes: ShuffleBoxes | None = None


def must_grow(request: ExpansionRequest, has: int, what: str = "switches") -> None:
    """Refuse a size that the network already has.

    Parameters
    ----------
    request : ExpansionRequest
        The request for growth.
    has : int
        The current number.
    what : str
        The counted unit, for the message.

    Raises
    ------
    InputError
        The requested size is not larger.
    """
    if request.to <= has:
        raise InputError(f"{request.topology.name}: it has {has} {what} already; grow it to more than that")


@dataclass(frozen=True)
class Method:
    """A method of growth: the unit of `to`, the families whose default it is, its parameters among degree, hosts and batch."""

    name: str
    grow: Callable[[ExpansionRequest], Growth]
    description: str
    counts: str
    families: tuple[str, ...]
    takes: tuple[str, ...]


#: The methods, by name.
METHODS: Register[Method] = Register(
    "method", package="topoloom.cabling.expansion.methods", group="topoloom.growth_methods", listed="topoloom methods"
)


def method(
    name: str,
    description: str,
    *,
    counts: str = "switches",
    families: tuple[str, ...] = (),
    takes: tuple[str, ...] = (),
) -> Callable[[Callable[[ExpansionRequest], Growth]], Callable[[ExpansionRequest], Growth]]:
    """Register the decorated function under `name`; it is the default of the `families`.

    Parameters
    ----------
    name : str
        The value of ``--method``.
    description : str
        One line of help.
    counts : str
        The unit in which a growth is counted: "switches", or another unit of the family.
    families : tuple of str
        The families whose default it is.
    takes : tuple of str
        Those of degree, hosts and batch that it takes.

    Returns
    -------
    callable
        The decorator; it returns the function unchanged.
    """

    def register(grow: Callable[[ExpansionRequest], Growth]) -> Callable[[ExpansionRequest], Growth]:
        METHODS.add(name, Method(name, grow, description, counts, families, takes))
        return grow

    return register


def find_method(name: str, family: str | None) -> Method:
    """The method with that name; for ``auto`` the default of the family, otherwise ``splice``.

    Raises
    ------
    InputError
        No method has that name.
    """
    if name == "auto":
        return next((record for record in METHODS.values() if family in record.families), METHODS["splice"])
    return METHODS.find(name)


def methods_listed() -> dict[str, Any]:
    """The record of the methods of growth: a description of each, and the unit of its size.

    Examples
    --------
    >>> listed = methods_listed()
    >>> listed["schema"], [method["counts"] for method in listed["methods"] if method["name"] == "hosts"]
    ('topoloom/growth-methods/1', ['hosts'])
    """
    methods = [{"name": m.name, "description": m.description, "counts": m.counts} for m in METHODS.values()]
    return {"schema": "topoloom/growth-methods/1", "methods": methods}
