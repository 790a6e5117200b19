"""`topoloom balance`: the well-balanced pairs of degree and length on a floor."""

from dataclasses import astuple

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_record, print_table, say
from topoloom.cli.presentation import Json
from topoloom.operations.catalogue.balance import BalanceOperation


@declared(BalanceOperation, Json)
def command(operation: BalanceOperation, output: Json) -> None:
    result = performed(operation)
    if output.json:
        print_record(result)
        return
    rows, columns = operation.rows, operation.columns
    kind = operation.geometry().kind
    say(f"{kind} of {rows} x {columns} = {rows * columns:,} switches: balanced degrees and lengths")
    if not result.pairs:
        degrees, lengths = operation.ranges()
        say(f"none with degrees {_ends(degrees)} and lengths {_ends(lengths)}")
        return
    headings = ("K", "L", "A_m-(K)", "A_d-(L)", "A-(K,L)", "D-(K,L)")
    print_table([headings, *(tuple(map(_short, astuple(pair))) for pair in result.pairs)])


def _ends(numbers: range) -> str:
    return f"{numbers[0]}-{numbers[-1]}"


def _short(value: float) -> str:
    return plain(value) if isinstance(value, int) else f"{value:.4f}"
