"""The register of routing engines: records that `route`, the command line and the messages are made from."""

from collections.abc import Callable
from dataclasses import dataclass

from topoloom.errors import InputError, hint
from topoloom.layout.layout import Layout
from topoloom.modules import load_modules
from topoloom.routing.routing import Routing
from topoloom.topology import Topology


@dataclass(frozen=True)
class Request:
    """What a routing is asked for.

    Attributes
    ----------
    topology : Topology
        Of at least two switches, every one joined to every other by some path.
    lanes : int or None
        At most so many; None: as many as the engine needs.
    seed : int
    jobs : int or None
        Threads, on which no table depends.
    layout : Layout or None
        Where the switches stand: how long each cable is.
    folder : str or None
        Where tables that do not fit in memory are kept; only some engines can (`Engine.streams`).
    host : (int, int) or None
        Tables for some hosts of each switch only: every so many-th (the second) from one on (the first). Engines that know
        of it lead them over other paths than the switch's other hosts.
    """

    topology: Topology
    lanes: int | None = None
    seed: int = 1
    jobs: int | None = None
    layout: Layout | None = None
    folder: str | None = None
    host: tuple[int, int] | None = None


@dataclass(frozen=True)
class Engine:
    """A method that makes tables.

    Attributes
    ----------
    name, help : str
    safe : bool
        Whether its tables are free of deadlock.
    streams : bool
        Whether it can keep its tables in files.
    by_host : bool
        Whether it knows of `Request.host`.
    make : callable
    """

    name: str
    help: str
    safe: bool
    make: Callable[[Request], Routing]
    streams: bool = False
    by_host: bool = False


_engines: dict[str, Engine] = {}


def engine(
    name: str, text: str, *, safe: bool, streams: bool = False, by_host: bool = False
) -> Callable[[Callable[[Request], Routing]], Callable[[Request], Routing]]:
    """Register a function as an engine. `safe`: it promises tables without deadlock, which `route` then insists on."""

    def register(make: Callable[[Request], Routing]) -> Callable[[Request], Routing]:
        _engines[name] = Engine(name, text, safe, make, streams, by_host)
        return make

    return register


def engines() -> dict[str, Engine]:
    """Every engine by its name, in alphabetical order."""
    load_modules("topoloom.routing.engines")
    return dict(sorted(_engines.items()))


def find_engine(name: str) -> Engine:
    """The engine of that name.

    Raises
    ------
    InputError
        There is none; the message names near ones, or all.
    """
    known = engines()
    if name not in known:
        raise InputError(f"no routing engine '{name}'; {hint(name, known)}")
    return known[name]
