"""Verbs on a floor: layout, cost, expand."""

from typing import Annotated, Any, Literal

from topoloom.cost.bill import Bill, price
from topoloom.cost.price_factors import PriceFactors
from topoloom.expansion.expand import expand
from topoloom.expansion.expansion import Expansion
from topoloom.layout.layout import Layout
from topoloom.operations.catalogue._placing import Placing
from topoloom.operations.context import RunContext
from topoloom.operations.operation import flat, operation
from topoloom.operations.shared import Radix
from topoloom.settings import setting
from topoloom.work import Work


@operation
class LayoutOperation(Placing, frozen=True, kw_only=True):
    """As `topoloom layout`."""

    group = "layout"

    improve: Annotated[bool, setting("let switches change cabinets")] = False
    objective: Annotated[
        Literal["length", "cost", "power", "longest"],
        setting("what to make small: the length of all cables, their cost or power by the parts, or the longest cable"),
    ] = "length"
    moves: Annotated[int, setting("exchanges that each run tries", least=1)] | None = None
    runs: Annotated[int, setting("how many runs it is the best of", least=1)] | None = None

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
    """As `topoloom cost`."""

    group = "cost"

    radix: Radix | None = None
    spare: Annotated[float, setting("ports for growth, in % of those used", unit="%", least=0)] | None = None
    host_cables: Annotated[bool, setting("also a cable for every host")] | None = None
    spares: Annotated[bool, setting("also spares")] | None = None
    price_factors: Annotated[PriceFactors, setting("what prices are multiplied by")] = PriceFactors()

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
    host_cables: Annotated[bool, setting("count the hosts' cables as well")] | None = None

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
