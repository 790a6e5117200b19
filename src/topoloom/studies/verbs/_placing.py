"""What verbs on laid-out networks share: the arguments of floor, placement and parts, and the layout that they give."""

from typing import Annotated, Any, ClassVar

from topoloom.cost.feed import switch_w
from topoloom.cost.parts import Parts
from topoloom.cost.quotes import quoted_parts
from topoloom.cost.servers import housing_of
from topoloom.floors.chosen import chosen_floor
from topoloom.layout.layout import Layout
from topoloom.layout.place import DEFAULT_MAP, place
from topoloom.network import Network
from topoloom.settings import Settings, setting
from topoloom.work import Work


class Placing(Settings, frozen=True, kw_only=True):
    """Arguments of floor, placement, parts and rate, as the commands have them."""

    group: ClassVar[str] = "placing"

    topology: Annotated[str, setting("a spec, a file or a folder")]
    floor: Annotated[str, setting("a floor's name or file")] = "slimfly-2014"
    rows: Annotated[int, setting("rows of cabinets", least=1)] | None = None
    columns: Annotated[int, setting("cabinets in a row", least=1)] | None = None
    cabinet: Annotated[int, setting("most switches in a cabinet", least=1)] | None = None
    cluster: Annotated[str, setting("which switches share a cabinet")] = "auto"
    map: Annotated[str, setting("where everything stands")] = DEFAULT_MAP
    hosts: Annotated[str, setting("hosts in racks of their own: a server or a file")] | None = None
    parts: Annotated[str, setting("a parts catalogue or its file")] = "slimfly-2014"
    prices: Annotated[str, setting("quotes laid over the catalogue")] | None = None
    rate: Annotated[float, setting("rate of a link", unit="Gb/s", above=0)] | None = None
    seed: Annotated[int, setting("of random choices", least=0)] = 1


PLACING_FILES = ("topology", "floor", "hosts", "parts", "prices")


def catalogue_of(arguments: Placing) -> Parts:
    """The parts catalogue, with quotes where there are some."""
    return quoted_parts(arguments.parts, arguments.prices)


def layout_of(network: Network, arguments: Placing, parts: Parts, jobs: int, work: Work, **search: Any) -> Layout:
    """The layout that lies in the folder, or a new one.

    Parameters
    ----------
    network : Network
    arguments : Placing
    parts : Parts
    jobs : int
    work : Work
    **search
        What `place` takes besides.

    Returns
    -------
    Layout
    """
    if network.layout is not None:
        return network.layout
    floor = chosen_floor(arguments.floor, arguments.rows, arguments.columns, arguments.cabinet)
    housing = None if arguments.hosts is None else housing_of(arguments.hosts, parts)
    topology, rate = network.topology, parts.link_rate(arguments.rate)
    watts = switch_w(floor, parts, topology.radix, rate, housed=housing is not None)
    return place(
        topology,
        floor,
        arguments.cluster,
        arguments.map,
        seed=arguments.seed,
        switch_w=watts,
        housing=housing,
        jobs=jobs,
        work=work,
        **search,
    )
