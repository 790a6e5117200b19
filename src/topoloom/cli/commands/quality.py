"""`topoloom quality`: how much traffic a topology and its tables carry, beside what is possible."""

from typing import TYPE_CHECKING

import click

from topoloom.cli.output import json_option, plain, print_facts, print_record, print_table
from topoloom.cli.progress import working
from topoloom.cli.types import Number, Whole
from topoloom.opening import open_network
from topoloom.traffic import PATTERNS

if TYPE_CHECKING:
    from topoloom.graph.spreads import Spread
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


class _Help(click.Command):
    """Lists the patterns of traffic with their settings."""

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Traffic"):
            formatter.write_dl([(record.usage, record.words) for record in PATTERNS.values()])


@click.command(
    cls=_Help,
    help="How good TOPOLOGY (a spec or a file) and its tables are: loads, throughput for uniform traffic and for the worst"
    " permutations, effective bisection bandwidth, each beside what no routing can pass. Throughputs are shares of the"
    " full rate of a host; bounds and best flows are of the links between switches and may be over 1. Where there are no"
    " hosts, one a switch is assumed. `topoloom route --help` lists the engines.",
)
@click.argument("topology")
@click.option(
    "--engine",
    help="How paths are chosen; left out, the tables of a folder that topoloom route wrote are measured, else those of the"
    " engine that fits the network.",
)
@click.option("--lanes", type=Whole(1, 255), help="At most so many virtual lanes; what it takes when left out.")
@click.option(
    "--host-tables",
    type=Whole(1, 4096),
    help="Tables that lead to the ports of a switch in turn, as addresses of their own have them; for hosts on rails. Left out,"
    " with engine fat-tree as many as a leaf has ports, else 1.",
)
@click.option("--traffic", metavar="NAME[:KEY=VALUE,...]", help="Measure this traffic, too (below).")
@click.option("--bisections", type=Whole(1, 1_000_000), default=1000, show_default=True, help="Random halves drawn.")
@click.option(
    "--gap",
    type=Number(above=0),
    help="Bracket the best flows of networks that are too large for exact ones: 0.05 for bounds within 5 %.",
)
@click.option(
    "--paths",
    is_flag=True,
    help="Instead: how many paths join two switches, shortest and up to two hops longer, how many share no link, and how two"
    " flows interfere.",
)
@click.option(
    "--samples",
    type=Whole(1, 10_000_000),
    help="With --paths: pairs of switches that are drawn; all where that takes seconds, else 2,000, when left out.",
)
@click.option("--seed", type=Whole(0, (1 << 31) - 1), default=1, show_default=True, help="Of random choices.")
@click.option("--jobs", type=Whole(1, 1024), help="Threads; every core when left out.")
@json_option
def command(
    topology: str,
    engine: str | None,
    lanes: int | None,
    host_tables: int | None,
    traffic: str | None,
    bisections: int,
    gap: float | None,
    paths: bool,
    samples: int | None,
    seed: int,
    jobs: int | None,
    as_json: bool,
) -> None:
    if paths:
        if any(value is not None for value in (engine, lanes, host_tables, traffic, gap)):
            raise click.UsageError(
                "--paths counts what the network has, whatever its tables: leave out what is of tables"
            )
        _paths(topology, samples, seed, jobs, as_json)
        return
    if samples is not None:
        raise click.UsageError("--samples is for --paths")
    from topoloom.cli.tables import engine_told, hint_of_fit, tables_of, with_tables_of_hosts
    from topoloom.throughput.quality import check_asked, quality

    network = open_network(topology)
    opened = network.topology
    check_asked(opened, traffic, seed)
    with working("routing") as work:
        routed = tables_of(network, engine, lanes, seed, jobs, work)
        work.check()
        tables = with_tables_of_hosts(network, routed, host_tables, lanes, jobs, work)
    with working("measuring") as work:
        found = quality(tables, traffic, bisections=bisections, gap=gap, seed=seed, jobs=jobs, work=work)
    if as_json:
        print_record(found)
        return
    rows = [
        ("engine", engine_told(routed)),
        ("switches", str(opened.switches)),
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
        if not key.startswith("traffic") or traffic is not None:
            rows.append((words.format(traffic), _shown(found, key)))
    print_facts(opened.name, rows)
    if found.rails == 1:
        hint_of_fit(routed, found.uniform_throughput)


def _paths(topology: str, samples: int | None, seed: int, jobs: int | None, as_json: bool) -> None:
    """Print what `path_diversity` finds.

    Parameters
    ----------
    topology : str
    samples : int or None
    seed : int
    jobs : int or None
    as_json : bool
    """
    from topoloom.graph.path_diversity import path_diversity

    opened = open_network(topology).topology
    with working("counting paths") as work:
        found = path_diversity(opened, samples=samples, seed=seed, jobs=jobs, work=work)
    if as_json:
        print_record(found)
        return
    flows = ", ".join(f"{value:,.0f}" for value in found.flows)
    print_facts(
        opened.name,
        [
            ("hops between switches", f"{plain(found.mean_hops)} on average, {found.diameter} at most"),
            ("flows that channels hold", f"{flows} (each of that many hops, of one more, of two more)"),
        ],
    )
    headings = ("", "mean", "least", "1 %", "median", "99 %", "most", "none", "one", "of")
    rows: list[tuple[str, ...]] = [headings]
    words = ("shortest", "1 hop longer", "2 hops longer")
    rows += [_path_row(f"paths, {name}", spread) for name, spread in zip(words, found.paths, strict=True)]
    words = ("shortest", "up to 1 hop longer", "up to 2 hops longer")
    rows += [_path_row(f"disjoint, {name}", spread) for name, spread in zip(words, found.disjoint, strict=True)]
    for hops, spread in zip(found.interference_hops, found.interference, strict=True):
        rows.append(_path_row(f"interference, {hops} hops", spread, ", greedily"))
    print_table(rows)


def _path_row(name: str, spread: "Spread", inexact: str = ", at least") -> tuple[str, ...]:
    """A line of the table: what is counted, how it is spread, and of how many; `inexact`: what is added if it is not exact."""
    error = f" +- {spread.error:.2g}" if not spread.all_counted else ""
    values = (spread.least, spread.percent_1, spread.median, spread.percent_99, spread.most)
    of = f"{'all ' if spread.all_counted else ''}{spread.counted:,}{'' if spread.exact else inexact}"
    return (
        name,
        f"{spread.mean:.4g}{error}",
        *(f"{value:,.0f}" for value in values),
        f"{spread.none:.1%}",
        f"{spread.one:.1%}",
        of,
    )


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
