"""`topoloom watch`: the discoveries of a cabling week beside the plan, one after the other."""

import click

from topoloom.cli.comparing import Comparing, comparing_options
from topoloom.cli.output import json_option, print_record, print_table, say
from topoloom.fabrics.progress import progress
from topoloom.opening import open_network

#: Everything was done, and there is something to do still: neither the user's mistake nor ours.
OPEN = 3
#: Lines of what is to do that are printed; the sheets and --json have all.
_MOST_LINES = 40


@click.command(
    help="Set the DISCOVERYs of a cabling week (what ibnetdiscover printed, the oldest first) beside the PLAN: how many cables"
    " are right, which faults are new and which are gone, and what is to do in each cabinet. With -o: sheets to print and"
    " tick, one a cabinet. Exit code 0: all is as planned; 3: something is to do still."
)
@click.argument("plan")
@click.argument("discoveries", nargs=-1, required=True, metavar="DISCOVERY...")
@comparing_options
@click.option("-o", "--output", type=click.Path(file_okay=False), help="A folder for the sheets.")
@json_option
def command(
    plan: str,
    discoveries: tuple[str, ...],
    by: str,
    map_file: str | None,
    ports: str | None,
    hosts: bool,
    machines: str,
    rate: str | None,
    seed: int,
    output: str | None,
    as_json: bool,
) -> int:
    from topoloom.cabling.fault_sheets import write_sheets

    network = open_network(plan)
    how = Comparing(by, map_file, ports, hosts, machines, rate, seed)
    comparisons = [how.compared(network, name)[0] for name in discoveries]
    found = progress(comparisons, discoveries, network.cabinets)
    files = [] if output is None else write_sheets(found, output)
    if as_json:
        print_record(found)
    else:
        head = ("discovery", "right", "newly", "not there", "lost", "faults", "new", "gone")
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
