"""The register of traffic patterns: records that `traffic_of`, the command line and the messages are made from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from topoloom.errors import InputError, hint
from topoloom.modules import load_modules
from topoloom.routing.routing import Routing
from topoloom.simulator.traffic.kinds import Loop, Trace, Traffic
from topoloom.spec import Parameter, read_settings


@dataclass(frozen=True)
class Asked:
    """What traffic is asked for.

    Attributes
    ----------
    name : str
        As the user wrote it.
    routing : Routing
    seed : int
    rest : str
        What stands behind the name and its colon.
    """

    name: str
    routing: Routing
    seed: int
    rest: str

    @property
    def hosts(self) -> int:
        """Hosts of the network; one with several ports counts once a port."""
        return int(self.routing.topology.endpoints.size)


@dataclass(frozen=True)
class Pattern:
    """A pattern of traffic.

    Attributes
    ----------
    name, help, source : str
    parameters : dict of Parameter
        What it takes, as `topoloom.spec` reads it.
    rest : str or None
        The word for what stands behind the colon where that is one thing and no settings, such as FILE.
    make : callable
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


_patterns: dict[str, Pattern] = {}


def pattern(
    name: str, text: str, *, source: str = "", rest: str | None = None, **parameters: Parameter
) -> Callable[[Callable[..., Traffic | Trace | Loop]], Callable[..., Traffic | Trace | Loop]]:
    """Register a function of an `Asked` and of the parameters as a pattern of traffic."""

    def register(make: Callable[..., Traffic | Trace | Loop]) -> Callable[..., Traffic | Trace | Loop]:
        _patterns[name] = Pattern(name, text, source, parameters, rest, make)
        return make

    return register


def patterns() -> dict[str, Pattern]:
    """Every pattern by its name, in alphabetical order."""
    load_modules("topoloom.simulator.traffic.patterns")
    return dict(sorted(_patterns.items()))


def find_pattern(name: str) -> Pattern:
    """The pattern of that name.

    Raises
    ------
    InputError
        There is none; the message names near ones, or all.
    """
    known = patterns()
    if name not in known:
        raise InputError(f"no traffic '{name[:60]}'; {hint(name, known)}")
    return known[name]


def traffic_of(text: str, routing: Routing, seed: int = 1) -> Traffic | Trace | Loop:
    """The traffic that ``NAME`` or ``NAME:key=value,...`` asks for, between the hosts of a routed network.

    Parameters
    ----------
    text : str
        A pattern of `patterns`, and its settings.
    routing : Routing
        Hosts are numbered as `Topology.endpoints` lists them. Only worst-case asks for the tables.
    seed : int
        Of random choices; the same seed gives the same traffic everywhere.

    Raises
    ------
    InputError
        No such pattern, settings that it does not take, fewer than two hosts, a trace that cannot be read, or traffic in
        which nobody sends.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.spec import build
    >>> traffic_of("bit-reversal", route(build("hypercube:n=3,hosts=1"))).to.tolist()
    [0, 4, 2, 6, 1, 5, 3, 7]
    """
    name, _, rest = text.partition(":")
    record = find_pattern(name)
    asked = Asked(text, routing, seed, rest)
    if asked.hosts < 2:
        raise InputError(
            f"traffic needs two hosts or more; there are {asked.hosts} (add them to the spec, as in hosts=4)"
        )
    values: dict[str, Any] = {}
    if record.rest is None:
        values, _ = read_settings(name, record.parameters, rest)
    elif not rest:
        raise InputError(f"{name}: it needs a {record.rest.lower()}; write {record.usage}")
    made = record.make(asked, **values)
    if isinstance(made, Traffic) and not made.senders.any():
        raise InputError(f"{text}: nobody sends; {routing.topology.name} has {asked.hosts} hosts")
    return made
