"""The records of a flat network and a tree side by side: what each has, and the verdict of each measure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from topoloom.designer.flat_verdicts import LOSES, WINS, Verdict, verdict
from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Result, json_value


@dataclass(frozen=True)
class PatternCarried:
    """What a network carries of one pattern, as a share of the rate that the hosts' links allow.

    Attributes
    ----------
    traffic : str
    tables : float
        By the network's routing; at most 1.
    flow_low, flow_high : float or None
        Some routing reaches the first and none exceeds the second, at most 1; None where the network is too large.
    bound : float
        What no routing exceeds, by the hops and by the links of the busiest switch; at most 1.
    """

    traffic: str
    tables: float
    flow_low: float | None
    flow_high: float | None
    bound: float


@dataclass(frozen=True)
class ComparedSide:
    """One of the two networks.

    Attributes
    ----------
    name : "flat" or "tree"
    spec, engine, rule : str
        The network, its routing, and the rule by which it was sized.
    switches, hosts, hosts_per_switch, links_per_switch : int
        Hosts per switch that has hosts, at most; links of such a switch to others, at least.
    oversubscription : float
        1 / what uniform traffic between hosts on different switches gets.
    mean_hops, latency_ns : float
        Of uniform traffic, along the paths of the routing: links of a path, and delay of its switches and cables without load.
    carried : tuple of PatternCarried
        Uniform traffic first.
    cables, optics, runs, racks : int
        Cables between switches, transceivers of the bill, pairs of racks with cables between them, and racks. With panels,
        cables are pieces: cords, trunks, and the cables of links that pass through no panel.
    cable_m : float
        Of these cables.
    cost_usd, power_w : float or None
        None where the catalogue has no price or power for a part.
    moved, growth_usd : float or None
        Cables removed, and the cost, per host that is added by a plan for 10 % more hosts; None without such a plan.
    growth_note : str
        The plan, or why there is none.
    lost_cable, lost_switch : float
        The share of its links that a switch with hosts loses at most with one cable, and with one other switch.
    panels : str
        How panels are planned: ``shuffle``, ``field``, ``racks`` or ``rows``; empty where every link is a cable of its own.
    panel_count : int
    lost_panel : float or None
        The share of its links that a switch with hosts loses at most with one panel; None without panels.
    cables_per_link, runs_per_link : int or None
        Cables and runs of the same network laid out with a cable per link; None without panels.
    cable_m_per_link : float or None
    """

    name: str
    spec: str
    engine: str
    rule: str
    switches: int
    hosts: int
    hosts_per_switch: int
    links_per_switch: int
    oversubscription: float
    mean_hops: float
    latency_ns: float
    carried: tuple[PatternCarried, ...]
    cables: int
    optics: int
    runs: int
    racks: int
    cable_m: float
    cost_usd: float | None
    power_w: float | None
    moved: float | None
    growth_usd: float | None
    growth_note: str
    lost_cable: float
    lost_switch: float
    panels: str = ""
    panel_count: int = 0
    lost_panel: float | None = None
    cables_per_link: int | None = None
    cable_m_per_link: float | None = None
    runs_per_link: int | None = None

    def per_host(self, value: float | None) -> float | None:
        """A value divided by the hosts."""
        return None if value is None else value / self.hosts


@dataclass(frozen=True)
class FlatOrTree(Result):
    """A flat network and a tree of equal hosts and equal switches.

    Attributes
    ----------
    least_hosts, radix : int
        The hosts that both networks have at least, and the ports of every switch.
    oversubscription : float
        That of the tree's leaves.
    equal : "oversubscription" or "switches"
        What the flat network was sized for.
    flat, tree : ComparedSide
    verdicts : tuple of Verdict
        The comparison, measure by measure.
    """

    record_name = "flat-or-tree"

    least_hosts: int
    radix: int
    oversubscription: float
    equal: str
    flat: ComparedSide
    tree: ComparedSide
    verdicts: tuple[Verdict, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @drawn(height_in=6.0)
    def plot(self, axes: "Axes") -> None:
        """Draw flat / tree of every measure, and colour the bars by the side that wins."""
        from topoloom.figures.bars import draw_ratios

        ratios = [
            (own.label, own.ratio, (own.wins == WINS) - (own.wins == LOSES)) for own in self.verdicts if own.ratio
        ]
        draw_ratios(axes, ratios, "flat / tree [ratio]", self.provenance.name, ("flat wins", "even", "tree wins"))

    def rows(self) -> list[dict[str, Any]]:
        """One row per measure."""
        return [json_value(row) for row in self.verdicts]


def _per_thousand(side: ComparedSide, count: int | None) -> float | None:
    return None if count is None else 1000.0 * count / side.hosts


#: The measures except throughput: key, label, unit, and the value of a network.
_MEASURES: tuple[tuple[str, str, str, Any], ...] = (
    ("oversubscription", "oversubscription, measured", ":1", lambda side: side.oversubscription),
    ("switches", "switches per 1,000 hosts", "", lambda side: _per_thousand(side, side.switches)),
    ("latency_ns", "latency without load", "ns", lambda side: side.latency_ns),
    ("cables", "cables per host", "", lambda side: side.per_host(side.cables)),
    ("optics", "optics per host", "", lambda side: side.per_host(side.optics)),
    ("cable_m", "cable per host", "m", lambda side: side.per_host(side.cable_m)),
    ("runs", "runs between racks per 1,000 hosts", "", lambda side: _per_thousand(side, side.runs)),
    ("cost_per_host_usd", "cost per host", "USD", lambda side: side.per_host(side.cost_usd)),
    ("power_per_host_w", "power per host", "W", lambda side: side.per_host(side.power_w)),
    ("moved", "cables removed per added host", "", lambda side: side.moved),
    ("growth_usd", "growth, per added host", "USD", lambda side: side.growth_usd),
    ("lost_cable", "links of a switch lost with a cable", "", lambda side: side.lost_cable),
    ("lost_switch", "links of a switch lost with another switch", "", lambda side: side.lost_switch),
    ("cut_off", "hosts cut off by a lost switch", "", lambda side: float(side.hosts_per_switch)),
)
#: Those of networks with panels, in addition.
_PANEL_MEASURES: tuple[tuple[str, str, str, Any], ...] = (
    ("panels", "panels per 1,000 hosts", "", lambda side: _per_thousand(side, side.panel_count)),
    ("lost_panel", "links of a switch lost with a panel", "", lambda side: side.lost_panel),
    ("cables_per_link", "without panels: cables per host", "", lambda side: side.per_host(side.cables_per_link)),
    ("cable_m_per_link", "without panels: cable per host", "m", lambda side: side.per_host(side.cable_m_per_link)),
    (
        "runs_per_link",
        "without panels: runs between racks per 1,000 hosts",
        "",
        lambda side: _per_thousand(side, side.runs_per_link),
    ),
)


def verdicts_of(flat: ComparedSide, tree: ComparedSide) -> tuple[Verdict, ...]:
    """The comparison: throughput of each pattern, then all other measures.

    Parameters
    ----------
    flat, tree : ComparedSide

    Returns
    -------
    tuple of Verdict
    """
    verdicts = [
        verdict(
            own.traffic,
            f"throughput, {own.traffic}",
            "of full rate",
            own.tables,
            other.tables,
            better="more",
            flat_bound=own.bound if own.flow_high is None else min(own.bound, own.flow_high),
        )
        for own, other in zip(flat.carried, tree.carried, strict=True)
    ]
    measures = (*_MEASURES, *(_PANEL_MEASURES if flat.panels or tree.panels else ()))
    return (*verdicts, *(verdict(key, label, unit, value(flat), value(tree)) for key, label, unit, value in measures))


#: What a row of a study has of each side in addition to its measures.
_COUNTS = ("hosts", "hosts_per_switch", "links_per_switch", "racks", "mean_hops", "growth_note")


def row_of(result: FlatOrTree) -> Mapping[str, Any]:
    """The comparison as a row of a study: for each measure ``flat_KEY``, ``tree_KEY``, ``ratio_KEY`` and ``wins_KEY``.

    Where even the bound of the flat network is below the tree, ``any_routing_KEY`` is true.

    Parameters
    ----------
    result : FlatOrTree

    Returns
    -------
    mapping
    """
    row: dict[str, Any] = {}
    for side in (result.flat, result.tree):
        row |= {f"{side.name}_spec": side.spec, f"{side.name}_panel_method": side.panels}
        row |= {f"{side.name}_{name}": getattr(side, name) for name in _COUNTS}
    for own in result.verdicts:
        row |= {
            f"flat_{own.key}": own.flat,
            f"tree_{own.key}": own.tree,
            f"ratio_{own.key}": own.ratio,
            f"wins_{own.key}": own.wins,
        }
    row |= {f"any_routing_{own.key}": own.any_routing for own in result.verdicts[: len(result.flat.carried)]}
    for side in (result.flat, result.tree):
        row |= {f"{side.name}_bound_{pattern.traffic}": pattern.bound for pattern in side.carried}
    return row
