"""The operations layout and cost: the places of switches on a floor, and the bill."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.cost.bill import Bill, price
from topoloom.cost.price_factors import PriceFactors
from topoloom.machine.recognizing import names_machine
from topoloom.network import Network
from topoloom.network.opening import open_network
from topoloom.operations.catalogue._placing import PLACING, TERMS, PanelledPlacing, placing_of, terms_of
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import HostCables, Radix, Spares
from topoloom.placement.layout.layout import Layout

if TYPE_CHECKING:
    from topoloom.machine.bill import MachineBill
    from topoloom.machine.machine import Machine
    from topoloom.machine.overview import MachineOverview

#: What decides where switches stand.
_SEARCH = (*PLACING, "seed", "improve", "objective", "seconds", "moves", "runs")


@operation
class LayoutOperation(PanelledPlacing, frozen=True, kw_only=True):
    """Put the switches of TOPOLOGY into racks on a floor; every cable with its length.

    -o writes a folder with everything to build the network: cables in the order of pulling, labels, an order list, sheets for
    every rack and switch, NetBox imports, and the floor plan. The folder of a machine, and those of its networks, are shown as
    they stand; -o floor.svg draws the room of a machine.
    """

    group: ClassVar[str] = "layout"
    doing: ClassVar[str] = "laying out"
    functions: ClassVar[tuple[str, ...]] = ("place",)

    improve: Annotated[
        bool, setting("move switches between racks as long as that leaves fewer links between racks")
    ] = False
    objective: Annotated[
        Literal["length", "cost", "power", "longest"],
        setting("minimize the length of all cables, their cost or power by the parts, or the longest cable"),
    ] = "length"
    seconds: (
        Annotated[
            float,
            setting(
                "how long to search; if omitted, a number of tries that depends on the size only, the same on every machine",
                unit="s",
                above=0,
            ),
        ]
        | None
    ) = None
    moves: (
        Annotated[int, setting("exchanges per run of the maps anneal and tabu", least=1, most=1_000_000_000_000)] | None
    ) = None
    runs: (
        Annotated[int, setting("runs of the maps anneal and tabu; the best one counts", least=1, most=1_000_000)] | None
    ) = None

    def repeatable(self) -> "LayoutOperation":
        if self.seconds is not None:
            raise InputError("layout: with `seconds` the layout depends on the machine; give `moves` and `runs`")
        return self

    def placed(self, context: RunContext, host_cables: bool | None = None) -> Network:
        """The network, newly placed on the floor.

        Parameters
        ----------
        context : RunContext
        host_cables : bool, optional
            Whether the network's lists include the cables of hosts; as stored with the network if omitted.

        Returns
        -------
        Network
        """
        network = open_network(self.topology)
        terms = terms_of({**self.arguments(), "host_cables": host_cables}, [network], context)
        if network.layout is not None and network.layout.housing is not None and network.layout.housing.shared:
            self.refuse_changed(_SEARCH, f"{network.source} stands in the racks of a machine")
            return network.priced(**terms) if terms else network
        search = {name: getattr(self, name) for name in ("objective", "improve", "seed", "seconds", "moves", "runs")}
        return network.priced(**terms).placed(
            **placing_of(self.arguments()), **search, jobs=context.jobs, work=context.work
        )

    @property
    def of_machine(self) -> bool:
        """Whether it is asked about a machine, not a network."""
        return names_machine(self.topology)

    def machine(self) -> "Machine":
        """The machine, which is laid out already.

        Raises
        ------
        InputError
            An option is given that would place it again.
        """
        from topoloom.machine.opening import open_machine

        terms = ("parts", "prices", "rate_gbps")
        self.refuse_changed((*_SEARCH, *terms), "a machine has its own parts, rates and racks, in its folder")
        return open_machine(self.topology)

    def run(self, context: RunContext) -> "Layout | MachineOverview":
        if self.of_machine:
            from topoloom.machine.overview import overview

            return overview(self.machine())
        return self.placed(context).part(Layout)


@operation
class CostOperation(PanelledPlacing, frozen=True, kw_only=True):
    """Switches, cables, power and cost of TOPOLOGY on a floor; several TOPOLOGIES are compared.

    A TOPOLOGY may also be a network folder: its layout is priced without changes, with the parts, quotes and rate that are
    stored in the folder, unless options replace them. A machine's folder has a bill per network, and in total.
    """

    group: ClassVar[str] = "cost"
    functions: ClassVar[tuple[str, ...]] = ("price",)

    radix: Radix | None = None
    spare: (
        Annotated[float, setting("spare ports for growth, in % of the used ports", unit="%", least=0, most=1e6)] | None
    ) = None
    price_factors: Annotated[
        PriceFactors,
        setting(
            "factor for the prices of switch, cable, transceiver, nic or panel: cable=0.8", option="--price-factor"
        ),
    ] = PriceFactors()
    host_cables: HostCables | None = None
    spares: Spares | None = None

    @property
    def of_machine(self) -> bool:
        """Whether it is asked about a machine, not a network."""
        return names_machine(self.topology)

    def machine_bill(self, *, orders: bool = False) -> "MachineBill":
        """The bill of a machine, by the terms in its folder.

        Parameters
        ----------
        orders : bool
            Whether to list what to order.

        Raises
        ------
        InputError
            An option is given that changes the terms or the places of one network.
        """
        from topoloom.machine.bill import price_machine
        from topoloom.machine.opening import open_machine

        self.refuse_changed((*PLACING, *TERMS), "a machine has its own parts, rates and racks, in its folder")
        return price_machine(open_machine(self.topology), orders=orders)

    def run(self, context: RunContext) -> "Bill | MachineBill":
        return self.machine_bill() if self.of_machine else price(self.laid_out(context))
