"""`topoloom cost TOPOLOGY...`: the bill of one topology, or several side by side."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from topoloom.cli.output import json_option, print_json
from topoloom.cli.placing import PLACING, chosen_floor, placing_options, refuse_given, switch_w
from topoloom.layout.place import SCREENING_MAP
from topoloom.topology import Topology

if TYPE_CHECKING:
    from topoloom.cost.parts import Parts
    from topoloom.cost.table_iv import Column
    from topoloom.floors.floor import Floor
    from topoloom.layout.layout import Layout
    from topoloom.network import Network


@click.command(
    help="""Switches, cables, watts and money of TOPOLOGY on a floor; several TOPOLOGIES are set side by side.

    A TOPOLOGY may also be a folder that `topoloom layout -o` wrote: that layout is priced as it stands.
    """
)
@click.argument("topologies", nargs=-1, required=True, metavar="TOPOLOGY...")
@placing_options(SCREENING_MAP, "; row by row, as in design and as Besta 2014 prices; layout searches")
@click.option("--radix", type=click.IntRange(1), help="Ports of every switch; the default is those that are used.")
@click.option("--spare", type=click.FloatRange(0), default=0.0, help="Ports for growth, in % of those that are used.")
@click.option("--host-cables", is_flag=True, help="Also bill a cable for every host.")
@click.option("--orders", is_flag=True, help="Also list how many cables of each product and length to order.")
@click.option(
    "--as-printed",
    is_flag=True,
    help="For a network of Table IV of Besta 2014: its own assumptions beside the exact count, laid out as there.",
)
@json_option
def command(
    topologies: tuple[str, ...],
    floor: str,
    rows: int | None,
    columns: int | None,
    cabinet: int | None,
    cluster: str,
    mapping: str,
    parts: str,
    rate_gbps: float | None,
    radix: int | None,
    spare: float,
    host_cables: bool,
    orders: bool,
    as_printed: bool,
    as_json: bool,
) -> None:
    from topoloom.cli import cost_text
    from topoloom.cost.bill import price
    from topoloom.cost.choose import endpoint_cables, link_cables, order_list
    from topoloom.cost.parts import load_parts
    from topoloom.errors import InputError
    from topoloom.opening import open_network

    if as_printed and len(topologies) > 1:
        raise InputError("--as-printed takes one topology; leave it out to set several side by side")
    if as_printed:
        others = (*PLACING, "parts", "rate_gbps", "radix", "spare", "host_cables")
        refuse_given(others, "--as-printed takes the paper's own assumptions")
    networks = [open_network(name) for name in topologies]
    if not as_printed and all(one.layout is not None for one in networks):
        refuse_given(PLACING, "what is laid out already is priced as it stands")
    column = _column(networks[0].topology) if as_printed else None
    catalogue = load_parts("slimfly-2014" if as_printed else parts)
    chosen = chosen_floor(floor, rows, columns, cabinet)
    found = []
    for one in networks:
        if column is not None:
            # The exact count beside the print is made as Besta 2014 lays the column out: its racks, its floor, its switches.
            layout, bill = column.layout(), column.exact()
        else:
            layout = _layout(one, chosen, cluster, mapping, catalogue, rate_gbps)
            bill = price(layout, catalogue, rate_gbps, radix, host_cables, spare / 100)
        facts = cost_text.facts(layout, bill)
        if orders:
            cables = [link_cables(layout, catalogue, bill.rate_gbps)]
            if host_cables and column is None:
                cables.append(endpoint_cables(layout, catalogue, bill.rate_gbps))
            facts["orders"] = [asdict(order) for order in order_list(*cables)]
        found.append(facts)
    if column is not None:
        found[0]["as_printed"] = _as_printed(column)
    if as_json:
        print_json(found[0] if len(found) == 1 else {"topologies": found})
    elif len(found) == 1:
        cost_text.print_bill(found[0])
    else:
        cost_text.print_side_by_side(found)
    if not as_json:
        cost_text.print_notes(catalogue, found)


def _layout(
    network: "Network", floor: "Floor", cluster: str, mapping: str, parts: "Parts", rate_gbps: float | None
) -> "Layout":
    """The layout of a topology, or the one that lies in a folder."""
    from topoloom.layout.place import place

    if network.layout is not None:
        return network.layout
    topology = network.topology
    return place(topology, floor, cluster, mapping, switch_w=switch_w(floor, parts, topology.radix, rate_gbps))


def _column(network: Topology) -> "Column":
    from topoloom.cost.table_iv import COLUMNS, column_of
    from topoloom.errors import InputError

    column = column_of(network)
    if column is None:
        known = "; ".join(one.spec for one in COLUMNS)
        raise InputError(f"{network.name} is not a network of Table IV (these are: {known})")
    return column


def _as_printed(column: "Column") -> dict[str, Any]:
    from topoloom.cost.parts import load_parts

    parts = load_parts("slimfly-2014")
    count = column.as_printed() if column.as_printed is not None else None
    return {
        "column": column.title,
        "printed_cost_usd": column.printed.cost_usd,
        "printed_power_w": column.printed.power_w,
        "cost_per_host_usd": None if count is None else count.cost_usd(parts),
        "power_per_host_w": None if count is None else count.power_w(parts),
        "assumption": column.assumption,
        "note": column.note,
    }
