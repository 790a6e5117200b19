"""`topoloom watch`: the discoveries of a cabling week beside the plan, one after the other."""

from dataclasses import replace

import click

from topoloom.cli.output import json_option, print_record, print_table, say
from topoloom.cli.types import Whole
from topoloom.fabrics.compare import compare_fabrics
from topoloom.fabrics.identify import METHODS, identify, read_map
from topoloom.fabrics.progress import progress
from topoloom.files import read_text
from topoloom.opening import open_network

#: Everything was done, and there is something to do still: neither the user's mistake nor ours.
OPEN = 3
_LONGEST_TEXT = 1 << 30
#: Lines of what is to do that are printed; the sheets and --json have all.
_MOST_LINES = 40


@click.command(
    help="Set the DISCOVERYs of a cabling week (what ibnetdiscover printed, the oldest first) beside the PLAN: how many cables"
    " are right, which faults are new and which are gone, and what is to do in each cabinet. With -o: sheets to print and tick, one"
    " a cabinet. Exit code 0: all is as planned; 3: something is to do still."
)
@click.argument("plan")
@click.argument("discoveries", nargs=-1, required=True, metavar="DISCOVERY...")
@click.option("--by", default="auto", show_default=True, type=click.Choice(METHODS), help="How switches are known.")
@click.option("--map", "map_file", type=click.Path(), help="A CSV of switch,guid: which planned switch is which.")
@click.option(
    "--ports",
    default="exact",
    show_default=True,
    type=click.Choice(["exact", "any"]),
    help="Whether ports must be as planned.",
)
@click.option("--hosts/--no-hosts", default=True, show_default=True, help="Whether hosts and their cables count.")
@click.option("--seed", type=Whole(0, (1 << 31) - 1), default=1, show_default=True, help="Of guesses by shape.")
@click.option("-o", "--output", type=click.Path(file_okay=False), help="A folder for the sheets.")
@json_option
def command(
    plan: str,
    discoveries: tuple[str, ...],
    by: str,
    map_file: str | None,
    ports: str,
    hosts: bool,
    seed: int,
    output: str | None,
    as_json: bool,
) -> int:
    from topoloom.cabling.fault_sheets import write_sheets

    network = open_network(plan)
    aliases = [[label] if label else [] for label in network.labels]
    comparisons = []
    for name in discoveries:
        there = replace(open_network(name).fabric, made=name)
        given = None
        if map_file is not None:
            given = read_map(read_text(map_file, _LONGEST_TEXT), map_file, network.fabric, there, aliases)
        match = identify(network.fabric, there, by, aliases=aliases, given=given, seed=seed)
        comparisons.append(
            compare_fabrics(
                network.fabric,
                there,
                match,
                ports=ports == "exact",
                hosts=hosts,
                cabinets=network.cabinets,
                cable_numbers=network.cable_numbers,
            )
        )
    found = progress(comparisons, discoveries, network.cabinets)
    files = [] if output is None else write_sheets(found, output)
    if as_json:
        print_record(found)
    else:
        head = ("discovery", "right", "new", "not there", "lost", "faults", "new", "gone")
        keys = ("source", "right_cables", "new_right", "missing_cables", "lost", "faults", "new_faults", "gone_faults")
        rows = [tuple(str(row[key]) for key in keys) for row in found.rows()]
        say(f"{found.plan}: {found.planned_cables:,} cables")
        print_table([head, *rows])
        lines = [*found.nodes, *(one.text for one in found.open if one.kind != "missing")]
        for line in lines[:_MOST_LINES]:
            say(line)
        if len(lines) > _MOST_LINES:
            say(f"and {len(lines) - _MOST_LINES} more; -o writes sheets, --json all")
    for name in files:
        say(f"wrote {output}/{name}", err=True)
    return 0 if found.done else OPEN
