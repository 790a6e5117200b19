"""The register of routing engines: the request that an engine gets, the properties of each engine, and how to add one."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from topoloom.core.errors import InputError
from topoloom.core.register import Register
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.topologies.spec import Parameter, read_settings


@dataclass(frozen=True)
class RoutingRequest:
    """The request that an engine gets.

    Attributes
    ----------
    topology : Topology
        Connected, of at least one switch.
    virtual_channels : int or None
        Most virtual channels; None: as many as the engine needs.
    seed : int
        Seed of all random draws.
    jobs : int or None
        Threads; the tables do not depend on them.
    layout : Layout or None
        The places of the switches, which give the length of each cable.
    folder : str or None
        The folder for tables that do not fit in memory; only for engines with `Engine.streams`.
    host : (int, int) or None
        (i, k): tables for every k-th host of each switch, from host i on. Engines with `Engine.by_host` give these hosts other
        paths than the other hosts of the switch.
    root : int or None
        The root switch of up*/down* paths; only for engines with `Engine.rooted`. None: a switch with the most links.
    work : Work
        Receives the engine's progress. The engine calls `work.check()` between steps, at least once per second.
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
    """A method that makes forwarding tables.

    Attributes
    ----------
    name, help : str
        The name that users type, and a line of help.
    safe : bool
        Whether it guarantees deadlock-free tables; `route` checks this.
    make : callable (Request) -> Routing
    streams : bool
        Whether it can keep tables in files (`RoutingRequest.folder`).
    by_host : bool
        Whether it uses `RoutingRequest.host`.
    bytes_a_pair : float
        Most memory per ordered pair of switches, in bytes, without the ports.
    rooted : bool
        Whether it uses `RoutingRequest.root`.
    together : str
        The engine that makes the tables of all hosts of a switch as one routing; only for engines with `by_host`.
    fits : callable (Topology) -> str or None, optional
        Returns why the engine fits a network, in words, or None. When omitted, the engine is never chosen automatically.
    options : dict of str to Parameter
        The settings after its name, as those of a family: ``spraypoint:p=4,h=2``. `make` takes them as keywords.
    """

    name: str
    help: str
    safe: bool
    make: Callable[..., Routing]
    streams: bool = False
    by_host: bool = False
    bytes_a_pair: float = 2.0
    rooted: bool = False
    fits: Callable[[Topology], str | None] | None = None
    together: str = ""
    options: dict[str, Parameter] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """Its line of help, and its settings with their defaults."""
        shown = (
            f"{key}=" + ("" if option.default is None else option.write(option.default))
            for key, option in self.options.items()
        )
        return "; ".join([self.help, *([", ".join(shown)] if self.options else [])])


class _Engines(Register[Engine]):
    """The register of engines, whose names may have settings: ``spraypoint:p=4,h=2``."""

    def find(self, name: str) -> Engine:
        """The engine of that name, with its settings bound to `make`.

        Raises
        ------
        InputError
            The name is unknown, or it does not take these settings.
        """
        plain, _, text = name.partition(":") if isinstance(name, str) else (name, "", "")
        record = super().find(plain)
        if not record.options and not text:
            return record
        values, _ = read_settings(f"engine {plain}", record.options, text)

        def make(request: RoutingRequest) -> Routing:
            return replace(record.make(request, **values), engine=name)

        return replace(record, make=make)

    def __getitem__(self, name: str) -> Engine:
        if isinstance(name, str) and ":" in name:
            try:
                return self.find(name)
            except InputError:
                raise KeyError(name) from None
        return super().__getitem__(name)


#: All engines by name: those of this package, and those of packages with entry points ``topoloom.engines``.
engines: Register[Engine] = _Engines(
    "engine", package="topoloom.routing.engines", group="topoloom.engines", listed="topoloom route --help"
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
    together: str = "",
    **options: Parameter,
) -> Callable[[Callable[..., Routing]], Callable[..., Routing]]:
    """Register a function (Request, settings) -> Routing as an engine.

    Parameters
    ----------
    name, text : str
        The name that users type, and a line of help.
    safe, streams, by_host, bytes_a_pair, rooted, fits, together
        As for `Engine`.
    **options : Parameter
        The settings after its name, which the function takes as keywords.

    Returns
    -------
    decorator

    Raises
    ------
    InputError
        Another package already has an engine of this name.
    """

    def register(make: Callable[..., Routing]) -> Callable[..., Routing]:
        engines.add(
            name, Engine(name, text, safe, make, streams, by_host, bytes_a_pair, rooted, fits, together, options)
        )
        return make

    return register
