"""`topoloom cost TOPOLOGY...`: the bill of one topology, or several side by side."""

from typing import TYPE_CHECKING, Any

import click

from topoloom.cli.output import json_option, print_record
from topoloom.cli.placing import PLACING, TERMS, placing_of, placing_options, refuse_given, terms_of
from topoloom.cli.types import Number, Whole
from topoloom.topology import Topology

if TYPE_CHECKING:
    from topoloom.cost.table_iv import TableColumn


@click.command(
    help="""Switches, cables, watts and money of TOPOLOGY on a floor; several TOPOLOGIES are set side by side.

    A TOPOLOGY may also be a network folder: its layout is priced as it stands, with the parts, quotes and rate that the folder
    remembers, unless options say otherwise.
    """
)
@click.argument("topologies", nargs=-1, required=True, metavar="TOPOLOGY...")
@placing_options()
@click.option("--radix", type=Whole(1), help="Ports of every switch; the default is those that are used.")
@click.option("--spare", type=Number(0, unit="%"), help="Ports for growth, in % of those that are used.")
@click.option(
    "--price-factor",
    "factors",
    metavar="KIND=FACTOR",
    multiple=True,
    help="Multiply the prices of switch, cable, transceiver or nic: cable=0.8.",
)
@click.option("--host-cables/--no-host-cables", default=None, help="Also bill a cable for every host.")
@click.option(
    "--spares/--no-spares", default=None, help="Also bill spares: 1 % of the switches and 2 % of cables and optics."
)
@click.option("--orders", is_flag=True, help="Also list how many cables of each product and length to order.")
@click.option(
    "--as-printed",
    is_flag=True,
    help="For a network of Table IV of Besta 2014: its own assumptions beside the exact count, laid out as there.",
)
@json_option
def command(topologies: tuple[str, ...], orders: bool, as_printed: bool, as_json: bool, **options: Any) -> None:
    from topoloom.cli import cost_text
    from topoloom.cost.bill import Bills, price
    from topoloom.cost.parts_files import load_parts
    from topoloom.errors import InputError
    from topoloom.network.laying_out import all_laid_out
    from topoloom.opening import open_network

    if as_printed and len(topologies) > 1:
        raise InputError("--as-printed takes one topology; leave it out to set several side by side")
    if as_printed:
        refuse_given((*PLACING, *TERMS), "--as-printed takes the paper's own assumptions")
    networks = [open_network(name) for name in topologies]
    if as_printed:
        # The exact count beside the print is made as Besta 2014 lays the column out: its racks, its floor, its switches.
        catalogues = [load_parts("slimfly-2014")]
        bills = [_column(networks[0].topology).exact(orders)]
    else:
        laid_out = all_laid_out(networks, terms=terms_of(options, networks), **placing_of(options, networks))
        catalogues = [one.terms.catalogue for one in laid_out]
        bills = [price(one, orders=orders) for one in laid_out]
    if as_json:
        print_record(bills[0] if len(bills) == 1 else Bills(tuple(bills)))
        return
    if len(bills) == 1:
        cost_text.print_bill(bills[0])
    else:
        cost_text.print_side_by_side(bills)
    for parts in dict.fromkeys(one.name for one in catalogues):
        catalogue = next(one for one in catalogues if one.name == parts)
        cost_text.print_notes(catalogue, [bill for bill in bills if bill.parts == parts])


def _column(network: Topology) -> "TableColumn":
    from topoloom.cost.table_iv import COLUMNS, column_of
    from topoloom.errors import InputError

    column = column_of(network)
    if column is None:
        known = "; ".join(one.spec for one in COLUMNS)
        raise InputError(f"{network.name} is not a network of Table IV (these are: {known})")
    return column
