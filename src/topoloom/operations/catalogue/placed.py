"""Verbs on a floor: layout, cost, expand."""

from typing import Annotated, Any, ClassVar, Literal

from topoloom.cabling.expansion.expand import expand
from topoloom.cabling.expansion.expansion import Expansion
from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.core.work import Work
from topoloom.cost.bill import Bill, price
from topoloom.cost.price_factors import PriceFactors
from topoloom.operations.catalogue._placing import Placing
from topoloom.operations.context import RunContext
from topoloom.operations.operation import flat, operation
from topoloom.operations.shared import HostCables, Radix
from topoloom.placement.layout.layout import Layout


@operation
class LayoutOperation(Placing, frozen=True, kw_only=True):
    """Put the switches of TOPOLOGY into cabinets on a floor; every cable with its length.

    With -o the folder gets what it takes to build it: cables in the order of pulling, labels, an order list, sheets for
    every cabinet and switch, NetBox imports, and the floor plan.
    """

    group: ClassVar[str] = "layout"
    doing: ClassVar[str] = "laying out"
    functions: ClassVar[tuple[str, ...]] = ("place",)

    improve: Annotated[bool, setting("let switches change cabinets while fewer links run between cabinets")] = False
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

    def run(self, context: RunContext) -> Any:
        return _layout(self, context.jobs, context.work)


def _layout(arguments: LayoutOperation, jobs: int | None, work: Work) -> Layout:
    return arguments.laid_out(
        jobs,
        work,
        again=True,
        objective=arguments.objective,
        improve=arguments.improve,
        moves=arguments.moves,
        runs=arguments.runs,
    ).part(Layout)


@operation
class CostOperation(Placing, frozen=True, kw_only=True):
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
    spares: Annotated[bool, setting("also spares: 1 % of the switches and 2 % of cables and optics")] | None = None

    def run(self, context: RunContext) -> Any:
        return _cost(self, context.jobs, context.work)


def _cost(arguments: CostOperation, jobs: int | None, work: Work) -> Bill:
    return price(
        arguments.laid_out(jobs, work, factors=arguments.price_factors),
        radix=arguments.radix,
        host_cables=arguments.host_cables,
        spare_ports=None if arguments.spare is None else arguments.spare / 100,
        spares=arguments.spares,
    )


@operation
class ExpandOperation(Placing, frozen=True, kw_only=True):
    """As `topoloom expand`."""

    group = "expand"

    to: Annotated[int, setting("size to grow to", least=1)] | None = None
    method: Annotated[str, setting("how")] = "auto"
    into: Annotated[str, setting("become this topology", names="file")] | None = None
    radix: Radix | None = None
    degree: Annotated[int, setting("links of a new switch", least=1)] | None = None
    new_hosts: Annotated[int, setting("hosts of a new switch", least=0)] | None = None
    batch: Annotated[int, setting("new switches, or links, a step", least=1)] | None = None
    host_cables: HostCables | None = None

    def run(self, context: RunContext) -> Any:
        return _expand(self, context.jobs, context.work)

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        return _expansion_row(result)


def _expand(arguments: ExpandOperation, jobs: int | None, work: Work) -> Expansion:
    return expand(
        arguments.laid_out(jobs, work),
        arguments.to,
        arguments.method,
        into=arguments.into,
        radix=arguments.radix,
        degree=arguments.degree,
        hosts=arguments.new_hosts,
        batch=arguments.batch,
        host_cables=arguments.host_cables,
        seed=arguments.seed,
        jobs=jobs,
        work=work,
    )


def _expansion_row(plan: Expansion) -> dict[str, Any]:
    size = {"switches": plan.topology.switches, "hosts": plan.topology.hosts, "links": len(plan.topology.links)}
    return size | {"steps": len(plan.steps)} | flat({k: v for k, v in plan.record().items() if not isinstance(v, dict)})
