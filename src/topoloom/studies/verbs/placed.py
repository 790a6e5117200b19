"""Verbs on a floor: layout, cost, expand."""

from functools import partial
from typing import Annotated, Any

from topoloom.cost.bill import Bill, price
from topoloom.cost.price_factors import PriceFactors, with_factors
from topoloom.cost.spares import Spares
from topoloom.expansion.expand import expand
from topoloom.expansion.expansion import Expansion
from topoloom.layout.layout import Layout
from topoloom.opening import open_network
from topoloom.settings import setting
from topoloom.studies.verb import VERBS, Verb, flat
from topoloom.studies.verbs._placing import PLACING_FILES, Placing, catalogue_of, layout_of
from topoloom.work import Work


class LayoutTask(Placing, frozen=True, kw_only=True):
    """As `topoloom layout`."""

    group = "layout"

    improve: Annotated[bool, setting("let switches change cabinets")] = False
    objective: Annotated[str, setting("what to make small: length, cost, power, longest")] = "length"
    moves: Annotated[int, setting("exchanges that each run tries", least=1)] | None = None
    runs: Annotated[int, setting("how many runs it is the best of", least=1)] | None = None


def _layout(arguments: LayoutTask, jobs: int, work: Work) -> Layout:
    parts = catalogue_of(arguments)
    by_parts = {"cost": parts.link_usd, "power": parts.link_w}
    rate = parts.link_rate(arguments.rate)
    wanted: Any = arguments.objective
    if wanted in by_parts:
        wanted = partial(by_parts[wanted], rate_gbps=rate)
    return layout_of(
        open_network(arguments.topology),
        arguments,
        parts,
        jobs,
        work,
        objective=wanted,
        improve=arguments.improve,
        moves=arguments.moves,
        runs=arguments.runs,
    )


class CostTask(Placing, frozen=True, kw_only=True):
    """As `topoloom cost`."""

    group = "cost"

    radix: Annotated[int, setting("ports of every switch", least=1)] | None = None
    spare: Annotated[float, setting("ports for growth, in % of those used", unit="%", least=0)] = 0.0
    host_cables: Annotated[bool, setting("also a cable for every host")] = False
    spares: Annotated[bool, setting("also spares")] = False
    price_factors: Annotated[PriceFactors, setting("what prices are multiplied by")] = PriceFactors()


def _cost(arguments: CostTask, jobs: int, work: Work) -> Bill:
    parts = with_factors(catalogue_of(arguments), arguments.price_factors)
    layout = layout_of(open_network(arguments.topology), arguments, parts, jobs, work)
    shelf = Spares() if arguments.spares else None
    spare = arguments.spare / 100
    return price(layout, parts, arguments.rate, arguments.radix, arguments.host_cables, spare, spares=shelf)


class ExpandTask(Placing, frozen=True, kw_only=True):
    """As `topoloom expand`; `new_hosts` is its `--hosts`."""

    group = "expand"

    to: Annotated[int, setting("size to grow to", least=1)] | None = None
    method: Annotated[str, setting("how")] = "auto"
    into: Annotated[str, setting("become this topology")] | None = None
    radix: Annotated[int, setting("ports of a switch", least=1)] | None = None
    degree: Annotated[int, setting("links of a new switch", least=1)] | None = None
    new_hosts: Annotated[int, setting("hosts of a new switch", least=0)] | None = None
    batch: Annotated[int, setting("new switches, or links, a step", least=1)] | None = None
    host_cables: Annotated[bool, setting("count the hosts' cables as well")] = False


def _expand(arguments: ExpandTask, jobs: int, work: Work) -> Expansion:
    parts = catalogue_of(arguments)
    network = open_network(arguments.topology)
    return expand(
        layout_of(network, arguments, parts, jobs, work),
        arguments.to,
        arguments.method,
        into=None if arguments.into is None else open_network(arguments.into).topology,
        parts=parts,
        rate_gbps=parts.link_rate(arguments.rate),
        radix=arguments.radix,
        degree=arguments.degree,
        hosts=arguments.new_hosts,
        batch=arguments.batch,
        host_cables=arguments.host_cables,
        plugs=network.plugs,
        seed=arguments.seed,
        jobs=jobs,
        work=work,
    )


def _expansion_row(plan: Expansion) -> dict[str, Any]:
    size = {"switches": plan.topology.switches, "hosts": plan.topology.hosts, "links": len(plan.topology.links)}
    return size | {"steps": len(plan.steps)} | flat({k: v for k, v in plan.record().items() if not isinstance(v, dict)})


VERBS.add("layout", Verb("layout", LayoutTask, _layout, PLACING_FILES))
VERBS.add("cost", Verb("cost", CostTask, _cost, PLACING_FILES))
VERBS.add("expand", Verb("expand", ExpandTask, _expand, (*PLACING_FILES, "into"), _expansion_row))
