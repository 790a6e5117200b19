"""`topoloom balance`: the degrees and lengths that suit each other on a floor."""

import re
from dataclasses import astuple
from typing import Any

import click

from topoloom.cli.output import json_option, plain, print_record, print_table, say
from topoloom.cli.progress import working
from topoloom.cli.types import Whole
from topoloom.errors import InputError


class _Range(click.ParamType):
    """``3-32``, or one number."""

    name = "FROM-TO"

    def convert(self, value: Any, param: click.Parameter | None, _ctx: click.Context | None) -> range:
        if isinstance(value, range):
            return value
        ends = [int(end) for end in value.split("-")] if re.fullmatch(r"\d{1,7}(-\d{1,7})?", value) else []
        if not ends or not 1 <= ends[0] <= ends[-1]:
            name = param.opts[0] if param else "range"
            raise InputError(f"{name} '{value}' is not a range; write the least and the greatest, such as 3-32")
        return range(ends[0], ends[-1] + 1)


@click.command(
    help="The well-balanced pairs of degree K and longest link L of a floor: neither is wasted on the other. Beside them, the"
    " least ASPL that K alone, L alone and both allow (A_m-, A_d-, A-), and the least diameter (D-)."
)
@click.option("--rows", type=Whole(1, 4096), required=True, help="Rows of switches.")
@click.option("--columns", type=Whole(1, 4096), required=True, help="Switches in a row.")
@click.option(
    "--diagrid", is_flag=True, help="Odd rows are shifted by half a step, and cables run along the diagonals."
)
@click.option("--degrees", type=_Range(), default="3-32", show_default=True, help="Links at each switch.")
@click.option("--lengths", type=_Range(), default="2-16", show_default=True, help="The longest link, in grid steps.")
@json_option
def command(rows: int, columns: int, diagrid: bool, degrees: range, lengths: range, as_json: bool) -> None:
    from topoloom.graph.geometry import Geometry
    from topoloom.graph.grid_bounds import balanced_pairs

    degrees = _upto(degrees, rows * columns - 1, "--degrees", "links a switch")
    farthest = max(rows - 1, 2 * columns - 2 + (rows > 1)) if diagrid else rows + columns - 2
    lengths = _upto(lengths, farthest, "--lengths", "steps from end to end")
    geometry = Geometry.diagrid(rows, columns) if diagrid else Geometry.grid(rows, columns)
    with working("looking from every point") as work:
        found = balanced_pairs(geometry, degrees, lengths, work=work)
    if as_json:
        print_record(found)
        return
    say(f"{geometry.kind} of {rows} x {columns} = {rows * columns:,} switches: balanced degrees and lengths")
    if not found.pairs:
        say(f"none with degrees {_told(degrees)} and lengths {_told(lengths)}")
        return
    headings = ("K", "L", "A_m-(K)", "A_d-(L)", "A-(K,L)", "D-(K,L)")
    print_table([headings, *(tuple(map(_short, astuple(pair))) for pair in found.pairs)])


def _upto(numbers: range, most: int, option: str, what: str) -> range:
    """The numbers that make a difference on a floor where `most` is the greatest that does."""
    if numbers[0] > most:
        raise InputError(
            f"{option} begins at {numbers[0]}, and this floor has at most {most} {what}; take a larger floor"
        )
    return range(numbers[0], min(numbers[-1], most) + 1)


def _told(numbers: range) -> str:
    return f"{numbers[0]}-{numbers[-1]}"


def _short(value: float) -> str:
    return plain(value) if isinstance(value, int) else f"{value:.4f}"
