"""`topoloom quality`: how much traffic a topology and its tables carry, compared with what is possible."""

from typing import TYPE_CHECKING

import click

from topoloom.cli.declared import declared, running
from topoloom.cli.output import plain, print_facts, print_record
from topoloom.cli.presentation import Json, Threads
from topoloom.operations.catalogue.quality import QualityOperation
from topoloom.throughput.traffic import PATTERNS

if TYPE_CHECKING:
    from topoloom.throughput.result import Quality

#: The rows, in their order, and what they are called.
_WORDS = {
    "edge_forwarding_index": "edge forwarding index",
    "channel_load": "pairs over a channel",
    "switch_load": "pairs through a switch",
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


def _sections(formatter: click.HelpFormatter) -> None:
    """The patterns of traffic with their settings."""
    with formatter.section("Traffic"):
        formatter.write_dl([(record.usage, record.words) for record in PATTERNS.values()])


@declared(QualityOperation, Threads, Json, sections=_sections)
def command(operation: QualityOperation, threads: Threads, to: Json) -> None:
    from topoloom.cli.tables import engine_words, hint_of_fit

    with running(operation.doing, threads.jobs) as context:
        routed, found = operation.measured(context)
    if to.json:
        print_record(found)
        return
    rows = [
        ("engine", engine_words(routed)),
        ("switches", str(found.switches)),
        ("hosts", f"{found.hosts}{' (one a switch assumed)' if found.hosts_assumed else ''}"),
    ]
    if found.expected:
        how = "every switch splits evenly over its channels on shortest paths"
        if routed.by_host:
            how = "each host of a switch by its own table"
        elif routed.packets_choose == "Layers":
            how = "packets are spread evenly over the layers of tables"
        rows.insert(1, ("loads", f"expected: {how}"))
    if found.planes > 1:
        rows.insert(1, ("planes", f"{found.planes}; a host spreads its traffic evenly over them"))
        rows[-1] = ("ports of hosts", str(found.hosts))
    if found.rails > 1:
        rows.insert(-2, ("rails", f"{found.rails}; port r of a host sends to ports r of the others"))
        if found.host_tables > 1:
            rows.insert(-2, ("host tables", f"{found.host_tables}, for the ports of a switch in turn"))
        rows[-1] = ("ports of hosts", str(found.hosts))
    for key, words in _WORDS.items():
        if not key.startswith("traffic") or operation.traffic is not None:
            rows.append((words.format(operation.traffic), _shown(found, key)))
    print_facts(routed.topology.name, rows)
    if found.rails == 1:
        hint_of_fit(routed, found.uniform_throughput)


def _shown(found: "Quality", key: str) -> str:
    """A value of the result in words."""
    value = getattr(found, key)
    if value is None and found.rails > 1 and "worst" in key:
        return "not measured on rails"
    if value is None and found.expected:
        return "not said by expected loads" if "worst" in key else "too large: see --gap"
    if value is None:
        return f"too large{': see --gap' if 'flow' in key else ''}"
    if hasattr(value, "turns"):  # a bracket
        return plain(value.lower) + (f" to {plain(value.upper)}" if value.turns else "")
    if hasattr(value, "three_quarters"):
        return f"{plain(value.least)} to {plain(value.most)}, mean {plain(value.mean)}"
    if key == "effective_bisection" and found.expected:
        return "not said by expected loads"
    if key == "effective_bisection" and found.hosts < 2:
        return "one host has no halves"
    if key == "effective_bisection":
        error = plain(found.effective_bisection_error)
        return f"{plain(value)} +- {error} ({found.bisections} bisections, seed {found.provenance.seed})"
    return plain(value)
