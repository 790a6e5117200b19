"""The register of routing engines: what an engine is asked for, what is known of each, and how one is added."""

from collections.abc import Callable
from dataclasses import dataclass, field

from topoloom.core.register import Register
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing


@dataclass(frozen=True)
class RoutingRequest:
    """What an engine is asked for.

    Attributes
    ----------
    topology : Topology
        Connected, of at least one switch.
    virtual_channels : int or None
        At most so many virtual channels; None: as many as the engine needs.
    seed : int
        Of everything that is drawn.
    jobs : int or None
        Threads, on which no table depends.
    layout : Layout or None
        Where the switches stand, and so how long each cable is.
    folder : str or None
        Where tables that do not fit in memory are kept; only some engines can (`Engine.streams`).
    host : (int, int) or None
        Tables for some hosts of each switch only: every so many-th (the second) from one on (the first). Engines that know
        of it (`Engine.by_host`) lead them over other paths than the switch's other hosts.
    root : int or None
        The switch that paths go up to; only some engines have one (`Engine.rooted`). None: one of most links.
    work : Work
        Told how far the engine is; asked between steps whether to go on (`work.check()`), at least once a second.
    """

    topology: Topology
    virtual_channels: int | None = None
    seed: int = 1
    jobs: int | None = None
    layout: Layout | None = None
    folder: str | None = None
    host: tuple[int, int] | None = None
    root: int | None = None
    work: Work = field(default_factory=Work)


@dataclass(frozen=True)
class Engine:
    """A method that makes tables.

    Attributes
    ----------
    name, help : str
        What users type, and a line about it.
    safe : bool
        Whether it promises tables that are free of deadlock; `route` insists on it.
    make : callable (Request) -> Routing
    streams : bool
        Whether it can keep its tables in files (`RoutingRequest.folder`).
    by_host : bool
        Whether it knows of `RoutingRequest.host`.
    bytes_a_pair : float
        The most memory that it takes for each ordered pair of switches beside the ports.
    rooted : bool
        Whether it knows of `RoutingRequest.root`.
    fits : callable (Topology) -> str or None, optional
        Why it is the one for a network, in words; None where it is not. Left out: it is the one for none in particular.
    """

    name: str
    help: str
    safe: bool
    make: Callable[[RoutingRequest], Routing]
    streams: bool = False
    by_host: bool = False
    bytes_a_pair: float = 2.0
    rooted: bool = False
    fits: Callable[[Topology], str | None] | None = None


#: Every engine by its name: those of this package, and those of packages with entry points ``topoloom.engines``.
engines: Register[Engine] = Register(
    "engine", room="topoloom.routing.engines", group="topoloom.engines", listed="topoloom route --help"
)


def engine(
    name: str,
    text: str,
    *,
    safe: bool,
    streams: bool = False,
    by_host: bool = False,
    bytes_a_pair: float = 2.0,
    rooted: bool = False,
    fits: Callable[[Topology], str | None] | None = None,
) -> Callable[[Callable[[RoutingRequest], Routing]], Callable[[RoutingRequest], Routing]]:
    """Register a function (Request) -> Routing as an engine.

    Parameters
    ----------
    name, text : str
        What users type, and a line about it.
    safe, streams, by_host, bytes_a_pair, rooted, fits
        As `Engine` has them.

    Returns
    -------
    decorator

    Raises
    ------
    InputError
        The name is that of another package's engine.
    """

    def register(make: Callable[[RoutingRequest], Routing]) -> Callable[[RoutingRequest], Routing]:
        engines.add(name, Engine(name, text, safe, make, streams, by_host, bytes_a_pair, rooted, fits))
        return make

    return register
