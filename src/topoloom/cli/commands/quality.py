"""`topoloom quality`: the throughput of a topology and its tables, compared with routing-independent bounds."""

from typing import TYPE_CHECKING

import click

from topoloom.cli.declared import declared, running
from topoloom.cli.output import plain, print_facts, print_record
from topoloom.cli.presentation import Json, Threads
from topoloom.model.link_rates import shown_rate
from topoloom.operations.catalogue.quality import QualityOperation
from topoloom.throughput.traffic import PATTERNS

if TYPE_CHECKING:
    from topoloom.routing.groups.state import NextHopState
    from topoloom.throughput.result import Quality

#: The rows, in their order, with their labels.
_WORDS = {
    "max_channel_load": "maximum channel load",
    "edge_forwarding_index": "edge forwarding index",
    "channel_load": "pairs of switches over a channel",
    "switch_load": "pairs of switches through a switch",
    "uniform_throughput": "uniform: tables",
    "uniform_flow": "uniform: best flow",
    "uniform_bound": "uniform: bound",
    "permutation_throughput": "maximal permutation: tables",
    "permutation_flow": "maximal permutation: best flow",
    "tub": "maximal permutation: bound (TUB)",
    "worst_load": "worst permutation: hosts over a channel",
    "worst_throughput": "worst permutation: tables",
    "worst_flow": "worst permutation: best flow",
    "traffic_throughput": "{}: tables",
    "traffic_flow": "{}: best flow",
    "traffic_bound": "{}: bound",
    "effective_bisection": "effective bisection bandwidth",
}
#: Units of the figures whose names do not say it.
_UNITS = {"max_channel_load": " pairs of hosts", "edge_forwarding_index": " pairs of switches"}


def _sections(formatter: click.HelpFormatter) -> None:
    """The patterns of traffic with their settings."""
    with formatter.section("Traffic"):
        formatter.write_dl([(record.usage, record.words) for record in PATTERNS.values()])


@declared(QualityOperation, Threads, Json, sections=_sections)
def command(operation: QualityOperation, threads: Threads, to: Json) -> None:
    from topoloom.cli.tables import engine_words, hint_of_fit

    with running(operation.doing, threads.jobs) as context:
        routed, result = operation.measured(context)
    if to.json:
        print_record(result)
        return
    rows = [
        ("engine", engine_words(routed)),
        ("switches", str(result.switches)),
        ("hosts", f"{result.hosts}{' (one per switch assumed)' if result.hosts_assumed else ''}"),
    ]
    if result.expected:
        how = "every switch splits evenly over its channels on shortest paths"
        if routed.packets_choose == "Layers":
            how = "packets are spread evenly over the layers of tables"
        elif routed.packets_choose == "NextHopGroups":
            how = "every next-hop group splits evenly over its members"
        rows.insert(1, ("loads", f"expected: {how}"))
    if result.planes > 1:
        rows.insert(1, ("planes", f"{result.planes}; a host spreads its traffic evenly over them"))
        rows[-1] = ("ports of hosts", str(result.hosts))
    if result.rails > 1:
        rows.insert(-2, ("rails", f"{result.rails}; port r of a host sends to ports r of the others"))
        rows[-1] = ("ports of hosts", str(result.hosts))
    if result.host_tables > 1:
        rows.insert(-2, ("host tables", f"{result.host_tables}, for the host ports of a switch in turn"))
    if routed.topology.mixed:
        rates = shown_rate(routed.topology.rates_gbps)
        rows.append(("rates", f"{rates}; throughputs are shares of the rate of each host port"))
    for key, words in _WORDS.items():
        if key == "worst_load" and routed.topology.mixed:
            words = "worst permutation: load of a channel"
        elif key == "worst_load" and result.rails > 1:
            words = "worst permutation: ports over a channel"
        if key == "max_channel_load" and result.max_channel_load is None:
            continue
        if not key.startswith("traffic") or operation.traffic is not None:
            rows.append((words.format(operation.traffic), _shown(result, key)))
    if result.next_hops is not None:
        rows += _rows_of_groups(result.next_hops, chosen=routed.packets_choose == "NextHopGroups")
    print_facts(routed.topology.name, rows)
    if result.rails == 1 and result.host_tables == 1:
        hint_of_fit(routed, result.uniform_throughput)


def _rows_of_groups(state: "NextHopState", *, chosen: bool) -> list[tuple[str, str]]:
    """Rows with the forwarding state, hops and disjoint paths; `chosen`: packets choose by next-hop groups of an engine."""
    shares = ", ".join(f"{hops}: {plain(share)}" for hops, share in enumerate(state.hop_shares) if share)
    loss = "lossless: one class per hop" if state.lossless else "lossy: one class, deadlock possible without loss"
    lists = [("most per switch: segment lists", f"{state.lists:,} of up to {state.segments} segments")]
    return [
        *([("links", loss)] if chosen else []),
        ("mean hops", plain(state.mean_hops)),
        ("shares by hops", shares),
        (
            "edge-disjoint paths",
            f"{state.disjoint_least} to {state.disjoint_most}, mean {plain(state.disjoint_mean)}"
            f" ({state.disjoint_pairs:,} pairs)",
        ),
        ("most per switch: routes", f"{state.routes:,} in {state.states} states"),
        ("most per switch: next-hop groups", f"{state.groups:,} of {state.members:,} members"),
        ("widest next-hop group", f"{state.width:,} members"),
        ("most next hops of all routes", f"{state.route_members:,}"),
        *(lists if state.lists else []),
        *(("exceeded", sentence) for sentence in state.exceeded),
    ]


def _shown(result: "Quality", key: str) -> str:
    """A value of the result in words."""
    value = getattr(result, key)
    if (
        value is None
        and max(result.rails, result.host_tables) > 1
        and not result.expected
        and key.startswith("worst")
        and key != "worst_flow"
    ):
        return "too large"
    if value is None and result.expected:
        return "not known from expected loads" if "worst" in key else "too large: see --gap"
    if value is None:
        return f"too large{': see --gap' if 'flow' in key else ''}"
    if hasattr(value, "turns"):  # a bracket
        return plain(value.lower) + (f" to {plain(value.upper)}" if value.turns else "")
    if hasattr(value, "three_quarters"):
        return f"{plain(value.least)} to {plain(value.most)}, mean {plain(value.mean)}"
    if key == "effective_bisection" and result.expected:
        return "not known from expected loads"
    if key == "effective_bisection" and result.hosts < 2:
        return "one host has no halves"
    if key == "effective_bisection":
        error = plain(result.effective_bisection_error)
        return f"{plain(value)} +- {error} ({result.bisections} bisections, seed {result.provenance.seed})"
    return f"{plain(value)}{_UNITS.get(key, '')}"
