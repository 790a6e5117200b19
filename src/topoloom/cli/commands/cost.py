"""`topoloom cost TOPOLOGY...`: the bill of one topology, or several side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from topoloom.cli.declared import declared, running
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json
from topoloom.core.settings import setting
from topoloom.model.topology import Topology
from topoloom.operations.catalogue._placing import PLACING, TERMS, networks_on_floors
from topoloom.operations.catalogue.placed import CostOperation

if TYPE_CHECKING:
    from topoloom.cost.table_iv import TableColumn


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str,
            setting(
                "file for the purchase: a workbook (.xlsx) with an order per vendor, or a table (.csv) of all items",
                option="-o --output",
                metavar="FILE",
            ),
        ]
        | None
    ) = None
    orders: Annotated[bool, setting("also list how many cables of each product and length to order")] = False
    as_published: Annotated[
        bool,
        setting("for a network of Table IV of Besta 2014: the bill by the paper's assumptions next to the exact count"),
    ] = False


@declared(CostOperation, _Output, several="topology")
def command(operations: list[CostOperation], to: _Output) -> None:
    from topoloom.cli import cost_text
    from topoloom.core.errors import InputError
    from topoloom.cost.bill import Bills, price
    from topoloom.cost.parts_files import load_parts
    from topoloom.cost.purchase_files import SUFFIXES
    from topoloom.network.opening import open_network

    machines = [operation for operation in operations if operation.of_machine]
    if machines:
        if len(operations) > 1:
            raise InputError(f"{machines[0].topology} is a machine; give one machine, or several networks")
        bill = machines[0].machine_bill(orders=to.orders or to.output is not None)
        if to.output is not None:
            bill.save(to.output)
        if to.json:
            print_record(bill)
        else:
            cost_text.print_machine_bill(bill)
        return
    if to.as_published and len(operations) > 1:
        raise InputError("--as-published takes one topology; omit it to compare several")
    if to.as_published:
        operations[0].refuse_changed((*PLACING, *TERMS), "--as-published takes the paper's own assumptions")
    if to.output is not None and Path(to.output).suffix not in SUFFIXES:
        raise InputError(f"--output {to.output}: name a file with the suffix {' or '.join(SUFFIXES)}")
    networks = [open_network(operation.topology) for operation in operations]
    if to.as_published:
        # The exact count next to the published value uses the racks, floor and switches of Besta 2014's column.
        catalogues = [load_parts("slimfly-2014")]
        bills = [_column(networks[0].topology).exact(to.orders or to.output is not None)]
    else:
        with running(operations[0].doing) as context:
            placed = networks_on_floors(operations[0], networks, context)
        catalogues = [network.terms.catalogue for network in placed]
        bills = [price(network, orders=to.orders or to.output is not None) for network in placed]
    result = bills[0] if len(bills) == 1 else Bills(tuple(bills))
    if to.output is not None:
        result.save(to.output)
    if to.json:
        print_record(result)
        return
    if len(bills) == 1:
        cost_text.print_bill(bills[0], orders=to.orders)
    else:
        cost_text.print_side_by_side(bills)
    for name in dict.fromkeys(catalogue.name for catalogue in catalogues):
        parts = next(catalogue for catalogue in catalogues if catalogue.name == name)
        cost_text.print_notes(parts, [bill for bill in bills if bill.parts == name])
    if to.output is not None:
        say(f"wrote {to.output}")


def _column(network: Topology) -> "TableColumn":
    from topoloom.core.errors import InputError
    from topoloom.cost.table_iv import COLUMNS, column_of

    column = column_of(network)
    if column is None:
        specs = "; ".join(entry.spec for entry in COLUMNS)
        raise InputError(f"{network.name} is not a network of Table IV (these are: {specs})")
    return column
