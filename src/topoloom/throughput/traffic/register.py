"""The register of traffic patterns: records that `traffic_of`, the command line and the messages are made from."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, check_type
from topoloom.core.register import Register
from topoloom.model.sources import NetworkSource, installed
from topoloom.model.topology import Topology
from topoloom.routing.routing import Routing
from topoloom.throughput.traffic.finite import Loop, Trace
from topoloom.throughput.traffic.traffic import Traffic
from topoloom.topologies.spec import Parameter, read_settings


@dataclass(frozen=True)
class PatternRequest:
    """What a pattern is asked for.

    Attributes
    ----------
    name : str
        As the user wrote it, settings included.
    topology : Topology
    tables : Routing or None
        Of the topology; only some patterns need them (`routing`).
    seed : int
        Of random choices.
    rest : str
        What stands behind the name and its colon.
    """

    name: str
    topology: Topology
    tables: Routing | None = None
    seed: int = 1
    rest: str = ""

    @property
    def hosts(self) -> int:
        """Hosts of the network; one with several ports counts once a port."""
        return int(self.topology.endpoints.size)

    @cached_property
    def switch(self) -> np.ndarray:
        """The switch of each host, int64[hosts]."""
        return self.topology.endpoints.astype(np.int64)

    @property
    def routing(self) -> Routing:
        """The tables, for patterns that go by them.

        Raises
        ------
        InputError
            There are none.
        """
        if self.tables is None:
            raise TablesNeededError(
                f"{self.name}: this pattern goes by the tables; give a Routing in place of a Topology"
            )
        return self.tables


class TablesNeededError(InputError):
    """A pattern that goes by tables was asked for without them."""


@dataclass(frozen=True)
class Pattern:
    """A pattern of traffic.

    Attributes
    ----------
    name, help, source : str
    parameters : dict of Parameter
        What it takes, as `topoloom.topologies.spec` reads it.
    rest : str or None
        The word for what stands behind the colon where that is one thing and no settings, such as FILE.
    make : callable
        A function of a `PatternRequest` and of the parameters.
    """

    name: str
    help: str
    source: str
    parameters: dict[str, Parameter]
    rest: str | None
    make: Callable[..., Traffic | Trace | Loop]

    @property
    def usage(self) -> str:
        """How it is written, settings apart: ``hotspot``, ``trace:FILE``."""
        return self.name if self.rest is None else f"{self.name}:{self.rest}"

    @property
    def words(self) -> str:
        """What it does, its settings with their defaults, and its source, for the help."""
        settings = [
            f"{key}=" + ("" if parameter.default is None else parameter.write(parameter.default))
            for key, parameter in self.parameters.items()
        ]
        told = "; ".join([self.help, *([", ".join(settings)] if settings else [])])
        return f"{told} ({self.source})" if self.source else told


#: Every pattern by its name.
PATTERNS: Register[Pattern] = Register(
    "traffic pattern", package="topoloom.throughput.traffic.patterns", group="topoloom.patterns"
)


def pattern(
    name: str, text: str, *, source: str = "", rest: str | None = None, **parameters: Parameter
) -> Callable[[Callable[..., Traffic | Trace | Loop]], Callable[..., Traffic | Trace | Loop]]:
    """Register the decorated function of a `PatternRequest` and of the parameters as a pattern of traffic.

    Parameters
    ----------
    name : str
        What users write.
    text : str
        What it does, in one line, for the help.
    source : str
        Where it is from.
    rest : str, optional
        The word for what stands behind the colon where that is one thing and no settings, such as FILE.
    **parameters : Parameter
        What it takes.

    Returns
    -------
    callable
        The decorator; it returns the function as it is.
    """

    def register(make: Callable[..., Traffic | Trace | Loop]) -> Callable[..., Traffic | Trace | Loop]:
        PATTERNS.add(name, Pattern(name, text, source, parameters, rest, make))
        return make

    return register


def traffic_of(text: str, network: NetworkSource, seed: int = 1) -> Traffic | Trace | Loop:
    """The traffic that ``NAME`` or ``NAME:key=value,...`` asks for, between the hosts of a network.

    Parameters
    ----------
    text : str
        A pattern of `PATTERNS`, and its settings.
    network : Routing or Topology
        Hosts are numbered as `Topology.endpoints` lists them. Only worst-case asks for tables.
    seed : int
        Of random choices; the same seed gives the same traffic everywhere.

    Returns
    -------
    Traffic, Trace or Loop
        The last two have an end and no load.

    Raises
    ------
    InputError
        No such pattern, settings that it does not take, fewer than two hosts, a trace that cannot be read, or traffic in
        which nobody sends.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> traffic_of("bit-reversal", build("hypercube:n=3,hosts=1")).to.tolist()
    [0, 4, 2, 6, 1, 5, 3, 7]
    """
    check_type(text, str, "traffic_of", "write NAME or NAME:key=value,...")
    network = installed(network, Routing, "traffic_of")
    name, _, rest = text.partition(":")
    record = PATTERNS.find(name)
    tables = network if isinstance(network, Routing) else None
    request = PatternRequest(text, network.topology if isinstance(network, Routing) else network, tables, seed, rest)
    if request.hosts < 2:
        raise InputError(
            f"traffic needs two hosts or more; there are {request.hosts} (add them to the spec, as in hosts=4)"
        )
    values: dict[str, Any] = {}
    if record.rest is None:
        values, _ = read_settings(name, record.parameters, rest)
    elif not rest:
        raise InputError(f"{name}: it needs a {record.rest.lower()}; write {record.usage}")
    made = record.make(request, **values)
    if isinstance(made, Traffic) and not made.senders.any():
        raise InputError(f"{text}: nobody sends; {request.topology.name} has {request.hosts} hosts")
    return made
