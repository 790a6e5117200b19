"""`topoloom verify`: what is wrong with a plan, with what is cabled beside it, and with tables that another program made."""

import os
from typing import Any

import click

from topoloom.cli.comparing import Comparing, comparing_options, counters_of
from topoloom.cli.output import json_option, plain, print_facts, print_record, say
from topoloom.cli.types import Number, Whole
from topoloom.errors import InputError
from topoloom.fabrics.diagnosis.diagnose import diagnose
from topoloom.fabrics.diagnosis.diagnostics import Diagnostics
from topoloom.fabrics.diagnosis.evidence import MOST_LANES, HardwareLimits
from topoloom.fabrics.diagnosis.rule import chosen
from topoloom.fabrics.fabric import Fabric
from topoloom.fabrics.table_verifier import Judgement
from topoloom.files import read_text
from topoloom.opening import open_network

#: What is shown of a comparison, and of tables, in this order.
_COMPARED = (
    *("same", "switches_known_by", "switches_known_by_neighbours", "links_that_agree", "ports", "planned_cables"),
    *("right_cables", "right_but_for_ports", "wrong_cables", "missing_cables", "extra_cables", "swapped_cables"),
    *("slow_cables", "one_sided_cables"),
)
_JUDGED = (
    *("tables", "switches", "pairs_between", "lane_pairs", "lanes_used"),
    *("deadlock_free", "pairs", "reached_pairs", "minimal", "minimal_share", "mean_hops", "max_hops", "stretch"),
    *("edge_forwarding_index", "load_over_mean"),
)
#: Everything was done, and there are differences: neither the user's mistake nor ours.
DIFFERENT = 3
_LONGEST_TEXT = 1 << 30
#: A share of agreeing links below which the match itself is in doubt.
_DOUBTFUL = 0.5


@click.command(
    help="What is wrong with a network, by numbered rules (--rules lists them).\n\nPLAN is a spec, a file, or the folder of"
    " topoloom layout -o; alone it is looked at by itself. With ACTUAL (what ibnetdiscover prints, or any topology file), what"
    " is cabled is compared with it: every wrong, missing, extra, swapped or slow cable is named. With --tables,"
    " forwarding tables of OpenSM are judged for ACTUAL (for PLAN where there is none) as topoloom route does its own."
    "\n\nExit code 0: nothing is wrong (there may be notes); 3: there are errors or warnings."
)
@click.argument("plan", required=False)
@click.argument("actual", required=False)
@click.option("--rules", is_flag=True, help="List the rules, and do nothing else.")
@click.option("--only", multiple=True, metavar="CODE", help="Ask these rules only: TL203, host-missing, TL3xx.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Leave these rules out.")
@click.option("--sarif", type=click.Path(dir_okay=False), help="Also write SARIF 2.1.0 into this file, for pipelines.")
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
@click.option("--radix", type=Whole(1, 65_535), help="Ports of a switch, where it has fewer than the file says.")
@click.option("--lanes", type=Whole(1, 255), default=MOST_LANES, show_default=True, help="Data lanes of the switches.")
@click.option("--taper", type=Number(most=1e6, above=0), help="Most host ports of a leaf for a link upwards: 2 is 2:1.")
@click.option("--longest", type=Number(most=1e6, above=0), help="The longest that a link's cable may be, in metres.")
@click.option("--parts", help="The catalogue whose cables have a reach; with the folder of a layout.")
@click.option("--jobs", type=Whole(1, 1024), help="Threads; every core when left out.")
@json_option
def command(
    plan: str | None,
    actual: str | None,
    rules: bool,
    only: tuple[str, ...],
    ignore: tuple[str, ...],
    sarif: str | None,
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
    radix: int | None,
    lanes: int,
    taper: float | None,
    longest: float | None,
    parts: str | None,
    jobs: int | None,
    as_json: bool,
) -> int:
    chosen(only, ignore)  # a wrong code is told before any work
    if rules:
        _list_rules(only, ignore, as_json)
        return 0
    if plan is None:
        raise InputError("name a PLAN to look at, and an ACTUAL beside it; --rules lists what is looked for")
    if tables is None and (qos is not None or guid2lid is not None):
        raise InputError("--qos and --guid2lid go with --tables")
    if actual is None and (map_file is not None or ports is not None or by != "auto" or counters):
        raise InputError("--by, --map, --ports and --counters belong to a comparison; name an ACTUAL beside the plan")
    if actual == plan == "-":
        raise InputError("standard input holds one network; name the other one")
    how = Comparing(by, map_file, ports, hosts, machines, rate, seed)
    limits = HardwareLimits(radix, lanes, longest, {} if parts is None else _reaches(parts), taper, how.planned_rate)
    planned = open_network(plan, borne=True)
    there = None if actual is None else how.opened(planned, actual, borne=True)
    match, exact = (None, True) if there is None else how.matched(planned, there)
    found = diagnose(
        planned.fabric,
        there,
        None if tables is None else _judged(there or planned.fabric, tables, qos, guid2lid, jobs),
        match=match,
        ports=exact,
        hosts=hosts,
        facts=planned.facts,
        limits=limits,
        counters=counters_of(counters),
        only=only,
        ignore=ignore,
    )
    code = 0 if found.clean else DIFFERENT
    if as_json:
        print_record(found)
    else:
        _show(found)
    if match is not None and match.share < _DOUBTFUL:
        say("few links agree: are switches called alike by chance? try --by shape, or give a map", err=True)
    if sarif is not None:
        from topoloom.fabrics.diagnosis.sarif import write_sarif

        write_sarif(found, sarif, next((one for one in (actual, plan) if one and os.path.isfile(one)), None), code)
        say(f"wrote {sarif}", err=True)
    return code


def _list_rules(only: tuple[str, ...], ignore: tuple[str, ...], as_json: bool) -> None:
    found = chosen(only, ignore)
    if as_json:
        print_record({"rules": [one.record() for one in found]})
        return
    wide = max((len(one.name) for one in found), default=0)
    for one in found:
        say(f"{one.code}  {one.severity:7}  {one.name:{wide}}  {one.meaning}")


def _reaches(name: str) -> dict[str, float]:
    """The longest that a cable of each product of a catalogue can be; where two have a title, the longer one."""
    from topoloom.cost.parts_files import load_parts

    reach: dict[str, float] = {}
    for product in load_parts(name).cable:
        reach[product.title] = max(reach.get(product.title, 0.0), product.longest_m)
    return reach


def _judged(fabric: Fabric, tables: str, qos: str | None, guid2lid: str | None, jobs: int | None) -> Judgement:
    from topoloom.fabrics.lft import read_guid2lid, read_lft
    from topoloom.fabrics.service_levels import read_levels
    from topoloom.fabrics.table_verifier import verify_tables

    if not fabric.topology.endpoints.size:
        raise InputError(f"{fabric.topology.name}: no hosts, so tables have nowhere to lead; add them, as in hosts=4")
    lids = None if guid2lid is None else read_guid2lid(read_text(guid2lid, _LONGEST_TEXT), guid2lid)
    read = read_lft(read_text(tables, _LONGEST_TEXT), tables, fabric, lids)
    levels = None if qos is None else read_levels(read_text(qos, _LONGEST_TEXT), qos, fabric, read.lid_of)
    return verify_tables(read, fabric, levels, jobs)


def _show(found: Diagnostics) -> None:
    title = found.plan if found.actual is None else f"{found.plan} (plan) and {found.actual}"
    rows: list[tuple[str, str]] = []
    if found.comparison is not None:
        rows += _facts(found.comparison, _COMPARED)
    if found.judgement is not None:
        rows += _facts(found.judgement, _JUDGED)
    rows += [("rules_asked", str(len(found.rules)))] if not rows else []
    rows += [(key, str(getattr(found, key))) for key in ("errors", "warnings", "notes")]
    print_facts(title, rows)
    follows = any(one.because_of for one in found.diagnostics)
    for one in found.diagnostics:
        say(f"{one.number}. {one}" if follows else one)


def _facts(record: dict[str, Any], keys: tuple[str, ...]) -> list[tuple[str, str]]:
    return [
        ("pairs_in_each_lane", " ".join(map(str, record[key]))) if key == "lane_pairs" else (key, plain(record[key]))
        for key in keys
    ]
