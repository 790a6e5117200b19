"""The register of traffic patterns: records that `traffic_of`, the command line and the messages use."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, check_made, check_type
from topoloom.core.register import Register
from topoloom.model.sources import NetworkSource, installed
from topoloom.model.topology import Topology
from topoloom.routing.routing import Routing
from topoloom.throughput.traffic.finite import Loop, Trace
from topoloom.throughput.traffic.making import host_rates
from topoloom.throughput.traffic.traffic import Traffic
from topoloom.topologies.spec import Parameter, read_settings


@dataclass(frozen=True)
class PatternRequest:
    """A request for a pattern.

    Attributes
    ----------
    name : str
        The pattern as the user wrote it, including settings.
    topology : Topology
    tables : Routing or None
        Tables of the topology; only some patterns need them (`routing`).
    seed : int
        The seed of random choices.
    rest : str
        The text after the name and its colon.
    """

    name: str
    topology: Topology
    tables: Routing | None = None
    seed: int = 1
    rest: str = ""

    @property
    def hosts(self) -> int:
        """Hosts of the network; a host with several ports counts once per port."""
        return int(self.topology.endpoints.size)

    @cached_property
    def switch(self) -> np.ndarray:
        """The switch of each host, int64[hosts]."""
        return self.topology.endpoints.astype(np.int64)

    @cached_property
    def rate(self) -> np.ndarray | None:
        """What each host sends at full rate, float64[hosts]; None where every host sends one unit."""
        return host_rates(self.topology)

    @property
    def routing(self) -> Routing:
        """The tables, for patterns that depend on them.

        Raises
        ------
        InputError
            The request has no tables.
        """
        if self.tables is None:
            raise TablesNeededError(
                f"{self.name}: this pattern depends on the tables; give a Routing instead of a Topology"
            )
        return self.tables


class TablesNeededError(InputError):
    """A pattern that depends on tables was requested without them."""


@dataclass(frozen=True)
class Pattern:
    """A pattern of traffic.

    Attributes
    ----------
    name, help, source : str
    parameters : dict of Parameter
        Its settings, as `topoloom.topologies.spec` reads them.
    rest : str or None
        The word for the text after the colon where it is a single item, such as FILE, and not settings.
    make : callable
        A function of a `PatternRequest` and the parameters.
    of_hosts : bool
        Whether it depends on the hosts and their switches only, and not on links or tables: such patterns are also for directed
        networks.
    """

    name: str
    help: str
    source: str
    parameters: dict[str, Parameter]
    rest: str | None
    make: Callable[..., Traffic | Trace | Loop]
    of_hosts: bool = False

    @property
    def usage(self) -> str:
        """The syntax without settings: ``hotspot``, ``trace:FILE``."""
        return self.name if self.rest is None else f"{self.name}:{self.rest}"

    @property
    def words(self) -> str:
        """A description with its settings, their defaults, and the source, for the help."""
        settings = [
            f"{key}=" + ("" if parameter.default is None else parameter.write(parameter.default))
            for key, parameter in self.parameters.items()
        ]
        description = "; ".join([self.help, *([", ".join(settings)] if settings else [])])
        return f"{description} ({self.source})" if self.source else description


#: Every pattern by its name.
PATTERNS: Register[Pattern] = Register(
    "traffic pattern", package="topoloom.throughput.traffic.patterns", group="topoloom.patterns"
)


def pattern(
    name: str, text: str, *, source: str = "", rest: str | None = None, of_hosts: bool = False, **parameters: Parameter
) -> Callable[[Callable[..., Traffic | Trace | Loop]], Callable[..., Traffic | Trace | Loop]]:
    """Return a decorator that registers a function of a `PatternRequest` and parameters as a pattern of traffic.

    Parameters
    ----------
    name : str
        The name that users write.
    text : str
        A description of one line, for the help.
    source : str
        The publication that defines it.
    rest : str, optional
        The word for the text after the colon where it is a single item, such as FILE, and not settings.
    of_hosts : bool
        Whether it depends on the hosts and their switches only, and not on links or tables.
    **parameters : Parameter
        The settings.

    Returns
    -------
    callable
        The decorator; it returns the function unchanged.
    """

    def register(make: Callable[..., Traffic | Trace | Loop]) -> Callable[..., Traffic | Trace | Loop]:
        PATTERNS.add(name, Pattern(name, text, source, parameters, rest, make, of_hosts))
        return make

    return register


def traffic_of(text: str, network: NetworkSource, seed: int = 1) -> Traffic | Trace | Loop:
    """Return the traffic that ``NAME`` or ``NAME:key=value,...`` describes, between the hosts of a network.

    Parameters
    ----------
    text : str
        A pattern of `PATTERNS` with its settings.
    network : Routing or Topology
        Hosts are numbered as `Topology.endpoints` lists them. Only worst-case needs tables.
    seed : int
        The seed of random choices; the same seed gives the same traffic everywhere.

    Returns
    -------
    Traffic, Trace or Loop
        The last two end, and have no load.

    Raises
    ------
    InputError
        An unknown pattern or setting, fewer than two hosts, a trace that cannot be read, or traffic in which no host sends.

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
            f"traffic needs at least two hosts, but the network has {request.hosts}; add hosts to the spec, as in hosts=4"
        )
    values: dict[str, Any] = {}
    if record.rest is None:
        values, _ = read_settings(name, record.parameters, rest)
    elif not rest:
        raise InputError(f"{name}: the {record.rest.lower()} is missing; write {record.usage}")
    traffic = record.make(request, **values)
    check_made(traffic, (Traffic, Trace, Loop), f"pattern {name}", "a Traffic, Trace or Loop")
    if isinstance(traffic, Traffic) and not traffic.senders.any():
        raise InputError(f"{text}: no host sends; {request.topology.name} has {request.hosts} hosts")
    return traffic
