"""The operations layout and cost: where switches stand, and what they cost."""

from typing import Annotated, ClassVar, Literal

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.cost.bill import Bill, price
from topoloom.cost.price_factors import PriceFactors
from topoloom.model.link_rates import refuse_mixed
from topoloom.network import Network
from topoloom.network.opening import open_network
from topoloom.operations.catalogue._placing import HousedPlacing, placing_of, terms_of
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import HostCables, Radix, Spares
from topoloom.placement.layout.layout import Layout


@operation
class LayoutOperation(HousedPlacing, frozen=True, kw_only=True):
    """Put the switches of TOPOLOGY into racks on a floor; every cable with its length.

    With -o the folder gets what it takes to build it: cables in the order of pulling, labels, an order list, sheets for
    every rack and switch, NetBox imports, and the floor plan.
    """

    group: ClassVar[str] = "layout"
    doing: ClassVar[str] = "laying out"
    functions: ClassVar[tuple[str, ...]] = ("place",)

    improve: Annotated[bool, setting("let switches change racks while fewer links run between racks")] = False
    objective: Annotated[
        Literal["length", "cost", "power", "longest"],
        setting("what to make small: the length of all cables, their cost or power by the parts, or the longest cable"),
    ] = "length"
    seconds: (
        Annotated[
            float,
            setting(
                "how long to search; as many tries as the size asks for if omitted, the same on every machine",
                unit="s",
                above=0,
            ),
        ]
        | None
    ) = None
    moves: (
        Annotated[
            int, setting("exchanges that each run of the maps anneal and tabu tries", least=1, most=1_000_000_000_000)
        ]
        | None
    ) = None
    runs: Annotated[int, setting("runs of these maps, of which the best counts", least=1, most=1_000_000)] | None = None

    def repeatable(self) -> "LayoutOperation":
        if self.seconds is not None:
            raise InputError("layout: `seconds` gives another layout on another machine; give `moves` and `runs`")
        return self

    def placed(self, context: RunContext, host_cables: bool | None = None, *, listed: bool = False) -> Network:
        """The network placed again, with the layout that was asked for.

        Parameters
        ----------
        context : RunContext
        host_cables : bool, optional
            Whether its lists have the cables of hosts, too; as it remembers if omitted.
        listed : bool
            Whether its cables are listed afterwards, which takes one rate for all: refused before it is placed.

        Returns
        -------
        Network

        Raises
        ------
        InputError
            Links of several rates, where cables are listed.
        """
        network = open_network(self.topology)
        if listed:
            refuse_mixed(network.topology, "a cable list")
        terms = terms_of({**self.arguments(), "host_cables": host_cables}, [network], context)
        search = {name: getattr(self, name) for name in ("objective", "improve", "seed", "seconds", "moves", "runs")}
        return network.priced(**terms).placed(
            **placing_of(self.arguments()), **search, jobs=context.jobs, work=context.work
        )

    def run(self, context: RunContext) -> Layout:
        return self.placed(context).part(Layout)


@operation
class CostOperation(HousedPlacing, frozen=True, kw_only=True):
    """Switches, cables, power and cost of TOPOLOGY on a floor; several TOPOLOGIES are compared.

    A TOPOLOGY may also be a network folder: its layout is priced as it stands, with the parts, quotes and rate that the folder
    remembers, unless options say otherwise.
    """

    group: ClassVar[str] = "cost"
    functions: ClassVar[tuple[str, ...]] = ("price",)

    radix: Radix | None = None
    spare: (
        Annotated[float, setting("ports for growth, in % of those that are used", unit="%", least=0, most=1e6)] | None
    ) = None
    price_factors: Annotated[
        PriceFactors,
        setting("prices of switch, cable, transceiver or nic times this: cable=0.8", option="--price-factor"),
    ] = PriceFactors()
    host_cables: HostCables | None = None
    spares: Spares | None = None

    def run(self, context: RunContext) -> Bill:
        return price(self.laid_out(context))
