"""`topoloom cost TOPOLOGY...`: the bill of one topology, or several side by side."""

from typing import TYPE_CHECKING

import click

from topoloom.cli.output import json_option, print_record
from topoloom.cli.placing import PLACING, placing_options, refuse_given
from topoloom.cli.types import Number, Whole
from topoloom.cost.feed import switch_w
from topoloom.floors.chosen import chosen_floor
from topoloom.topology import Topology

if TYPE_CHECKING:
    from topoloom.cost.parts import Parts
    from topoloom.cost.table_iv import TableColumn
    from topoloom.floors.floor import Floor
    from topoloom.hosts.housing import Housing
    from topoloom.layout.layout import Layout
    from topoloom.network import Network


@click.command(
    help="""Switches, cables, watts and money of TOPOLOGY on a floor; several TOPOLOGIES are set side by side.

    A TOPOLOGY may also be a folder that `topoloom layout -o` wrote: that layout is priced as it stands.
    """
)
@click.argument("topologies", nargs=-1, required=True, metavar="TOPOLOGY...")
@placing_options()
@click.option("--radix", type=Whole(1), help="Ports of every switch; the default is those that are used.")
@click.option("--spare", type=Number(0, unit="%"), default=0.0, help="Ports for growth, in % of those that are used.")
@click.option(
    "--price-factor",
    "factors",
    metavar="KIND=FACTOR",
    multiple=True,
    help="Multiply the prices of switch, cable, transceiver or nic: cable=0.8.",
)
@click.option("--host-cables", is_flag=True, help="Also bill a cable for every host.")
@click.option("--spares", is_flag=True, help="Also bill spares: 1 % of the switches and 2 % of cables and optics.")
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
    hosts: str | None,
    parts: str,
    prices: str | None,
    rate_gbps: float | None,
    radix: int | None,
    spare: float,
    factors: tuple[str, ...],
    host_cables: bool,
    spares: bool,
    orders: bool,
    as_printed: bool,
    as_json: bool,
) -> None:
    from topoloom.cli import cost_text
    from topoloom.cost.bill import Bills, price
    from topoloom.cost.price_factors import PriceFactors, with_factors
    from topoloom.cost.quotes import quoted_parts
    from topoloom.cost.servers import housing_of
    from topoloom.cost.spares import Spares
    from topoloom.errors import InputError
    from topoloom.opening import open_network
    from topoloom.settings import changed

    if as_printed and len(topologies) > 1:
        raise InputError("--as-printed takes one topology; leave it out to set several side by side")
    if as_printed:
        others = (*PLACING, "parts", "prices", "factors", "rate_gbps", "radix", "spare", "host_cables", "spares")
        refuse_given(others, "--as-printed takes the paper's own assumptions")
    networks = [open_network(name) for name in topologies]
    if not as_printed and all(one.layout is not None for one in networks):
        refuse_given(PLACING, "what is laid out already is priced as it stands")
    catalogue = quoted_parts("slimfly-2014" if as_printed else parts, prices)
    catalogue = with_factors(catalogue, changed(PriceFactors(), factors))
    if as_printed:
        # The exact count beside the print is made as Besta 2014 lays the column out: its racks, its floor, its switches.
        bills = [_column(networks[0].topology).exact(orders)]
    else:
        chosen = chosen_floor(floor, rows, columns, cabinet)
        housing = None if hosts is None else housing_of(hosts, catalogue)
        layouts = (_layout(one, chosen, cluster, mapping, housing, catalogue, rate_gbps) for one in networks)
        shelf = Spares() if spares else None
        bills = [price(one, catalogue, rate_gbps, radix, host_cables, spare / 100, orders, shelf) for one in layouts]
    if as_json:
        print_record(bills[0] if len(bills) == 1 else Bills(tuple(bills)))
        return
    if len(bills) == 1:
        cost_text.print_bill(bills[0])
    else:
        cost_text.print_side_by_side(bills)
    cost_text.print_notes(catalogue, bills)


def _layout(
    network: "Network",
    floor: "Floor",
    cluster: str,
    mapping: str,
    housing: "Housing | None",
    parts: "Parts",
    rate_gbps: float | None,
) -> "Layout":
    """The layout of a topology, or the one that lies in a folder."""
    from topoloom.layout.place import place

    if network.layout is not None:
        return network.layout
    topology = network.topology
    watts = switch_w(floor, parts, topology.radix, parts.link_rate(rate_gbps), housed=housing is not None)
    return place(topology, floor, cluster, mapping, switch_w=watts, housing=housing)


def _column(network: Topology) -> "TableColumn":
    from topoloom.cost.table_iv import COLUMNS, column_of
    from topoloom.errors import InputError

    column = column_of(network)
    if column is None:
        known = "; ".join(one.spec for one in COLUMNS)
        raise InputError(f"{network.name} is not a network of Table IV (these are: {known})")
    return column
