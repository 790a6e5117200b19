"""`topoloom verify`: what is cabled beside what was planned; and tables that another program made, judged."""

import click

from topoloom.cli.comparing import Comparing, comparing_options, counters_of
from topoloom.cli.output import json_option, plain, print_facts, print_record, say
from topoloom.cli.types import Whole
from topoloom.errors import InputError
from topoloom.files import read_text
from topoloom.network import Network
from topoloom.opening import open_network

#: What is shown of a comparison, and of tables, in this order.
_COMPARED = (
    *("same", "switches_known_by", "switches_known_by_neighbours", "links_that_agree", "ports", "planned_cables"),
    *("right_cables", "right_but_for_ports", "wrong_cables", "missing_cables", "extra_cables", "swapped_cables"),
    *("slow_cables", "one_sided_cables"),
)
_JUDGED = (
    *("deadlock_free", "pairs", "reached_pairs", "minimal", "minimal_share", "mean_hops", "max_hops", "stretch"),
    *("edge_forwarding_index", "load_over_mean"),
)
#: Everything was done, and there are differences: neither the user's mistake nor ours.
DIFFERENT = 3
_LONGEST_TEXT = 1 << 30
#: A share of agreeing links below which the match itself is in doubt.
_DOUBTFUL = 0.5


@click.command(
    help="Compare what is cabled (ACTUAL: what ibnetdiscover prints, or any topology file) with the plan (PLAN: a spec,"
    " a file, or the folder of topoloom layout -o). Every wrong, missing, extra, swapped or slow cable is named. Exit code 0:"
    " all as planned; 3: there are differences.\n\nWith --tables: judge forwarding tables of OpenSM for the fabric PLAN,"
    " as topoloom route does its own; 3: something does not arrive, or can deadlock."
)
@click.argument("plan")
@click.argument("actual", required=False)
@comparing_options
@click.option(
    "--counters",
    multiple=True,
    type=click.Path(),
    help="Error counters of ports: what ibqueryerrors or perfquery print, or ibdiagnet's db_csv; shown beside cables.",
)
@click.option("--tables", type=click.Path(), help="Forwarding tables (LFT) as OpenSM or ibroute dump them.")
@click.option("--qos", type=click.Path(), help="With --tables: a QoS policy, or lines of source GUID, LID, level.")
@click.option(
    "--guid2lid", type=click.Path(), help="With --tables: OpenSM's guid2lid, for entries without a port GUID."
)
@click.option("--jobs", type=Whole(1, 1024), help="Threads; every core when left out.")
@json_option
def command(
    plan: str,
    actual: str | None,
    by: str,
    map_file: str | None,
    ports: str | None,
    hosts: bool,
    machines: str,
    rate: str | None,
    seed: int,
    counters: tuple[str, ...],
    tables: str | None,
    qos: str | None,
    guid2lid: str | None,
    jobs: int | None,
    as_json: bool,
) -> int:
    one_of_two = "name what to compare the plan with (ACTUAL), or tables to judge (--tables), one of the two"
    if tables is not None:
        if actual is not None:
            raise InputError(one_of_two)
        return _judged(plan, tables, qos, guid2lid, jobs, as_json)
    if actual is None:
        raise InputError(one_of_two)
    if qos is not None or guid2lid is not None:
        raise InputError("--qos and --guid2lid go with --tables")
    how = Comparing(by, map_file, ports, hosts, machines, rate, seed)
    return _compared(open_network(plan), actual, how, counters, as_json)


def _compared(plan: Network, actual: str, how: Comparing, counters: tuple[str, ...], as_json: bool) -> int:
    found, match = how.compared(plan, actual, counters_of(counters))
    if as_json:
        print_record(found)
    else:
        rows = [(key, plain(getattr(found, key))) for key in _COMPARED]
        print_facts(f"{found.plan} (plan) and {found.actual}", rows)
        for line in (*found.nodes, *(fault.text for fault in found.faults), *(one.text for one in found.errors)):
            say(line)
    if match.share < _DOUBTFUL:
        say("few links agree: are switches called alike by chance? try --by shape, or give a map", err=True)
    return 0 if found.same else DIFFERENT


def _judged(name: str, tables: str, qos: str | None, guid2lid: str | None, jobs: int | None, as_json: bool) -> int:
    from topoloom.fabrics.judge import judge
    from topoloom.fabrics.lft import read_guid2lid, read_lft
    from topoloom.fabrics.service_levels import read_levels

    fabric = open_network(name).fabric
    if not fabric.topology.endpoints.size:
        raise InputError(f"{fabric.topology.name}: no hosts, so tables have nowhere to lead; add them, as in hosts=4")
    lids = None if guid2lid is None else read_guid2lid(read_text(guid2lid, _LONGEST_TEXT), guid2lid)
    read = read_lft(read_text(tables, _LONGEST_TEXT), tables, fabric, lids)
    levels = None if qos is None else read_levels(read_text(qos, _LONGEST_TEXT), qos, fabric, read.lid_of)
    found = judge(read, fabric, levels, jobs)
    if as_json:
        print_record(found)
    else:
        rows = [(key, plain(getattr(found, key))) for key in ("tables", "switches", "pairs_between")]
        rows.append(("pairs_in_each_lane", " ".join(map(str, found.lane_pairs.tolist()))))
        rows.append(("lanes_used", plain(found.lanes_used)))
        print_facts(fabric.topology.name, [*rows, *((key, plain(getattr(found, key))) for key in _JUDGED)])
        if found.cycle:
            ring = " -> ".join(start for start, _ in found.cycle)
            say(f"waits in a cycle: {ring} (lane {found.cycle_lane})")
        if found.fault:
            say(found.fault)
    return 0 if found.deadlock_free and not found.fault else DIFFERENT
