"""The register of methods of growth: ``dsn-f``, ``splice`` and the others, one function each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from topoloom.cabling.expansion.growing_floor import GrowingFloor
from topoloom.cabling.expansion.stages import Growth
from topoloom.core.errors import InputError
from topoloom.core.register import Register
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Family

#: A family, its parameters, and its hosts as the spec has them.
Known = tuple[Family, dict[str, Any], Any]


@dataclass(frozen=True, eq=False)
class ExpansionRequest:
    """What a method is asked for.

    Attributes
    ----------
    topology : Topology
        What stands.
    to : int
        Switches, hosts or links, as the method counts.
    growing_floor : GrowingFloor
        The floor, and who stands where.
    ports : int or None
        Ports of every switch; None: as many as are needed.
    degree, hosts : int or None
        Links and hosts of a new switch; None: those of most switches.
    batch : int or None
        New switches a step; None: the method's own steps.
    seed : int
    known : family, parameters and hosts, or None
        What the topology is, where somebody has found out already.
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


def must_grow(request: ExpansionRequest, has: int, what: str = "switches") -> None:
    """Refuse a size that is there already.

    Parameters
    ----------
    request : ExpansionRequest
        The growth that is asked for.
    has : int
        How many are there.
    what : str
        What is counted, for the message.

    Raises
    ------
    InputError
        It asks for no more than are there.
    """
    if request.to <= has:
        raise InputError(f"{request.topology.name}: it has {has} {what} already; grow it to more than that")


@dataclass(frozen=True)
class Method:
    """A method of growth: what `to` counts, families that it is the default of, which of degree, hosts and batch it takes."""

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
        What ``--method`` calls it.
    description : str
        What it does, in a line of help.
    counts : str
        What a growth by it counts: "switches", or another unit of the family.
    families : tuple of str
        The families whose default it is.
    takes : tuple of str
        Which of degree, hosts and batch it takes.

    Returns
    -------
    callable
        The decorator; it returns the function as it is.
    """

    def register(grow: Callable[[ExpansionRequest], Growth]) -> Callable[[ExpansionRequest], Growth]:
        METHODS.add(name, Method(name, grow, description, counts, families, takes))
        return grow

    return register


def find_method(name: str, family: str | None) -> Method:
    """The method of that name; ``auto`` is the one made for the family, else ``splice``.

    Raises
    ------
    InputError
        There is no such method.
    """
    if name == "auto":
        return next((found for found in METHODS.values() if family in found.families), METHODS["splice"])
    return METHODS.find(name)


def methods_listed() -> dict[str, Any]:
    """The record of the methods of growth: what each does, and what its size counts.

    Examples
    --------
    >>> found = methods_listed()
    >>> found["schema"], [one["counts"] for one in found["methods"] if one["name"] == "hosts"]
    ('topoloom/growth-methods/1', ['hosts'])
    """
    found = [{"name": m.name, "description": m.description, "counts": m.counts} for m in METHODS.values()]
    return {"schema": "topoloom/growth-methods/1", "methods": found}
