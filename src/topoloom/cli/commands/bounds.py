"""`topoloom bounds`: what is possible for an order, a degree and a longest link."""

from typing import TYPE_CHECKING

import click

from topoloom.cli.output import json_option, plain, print_facts, print_record
from topoloom.cli.progress import working
from topoloom.cli.types import Whole
from topoloom.errors import InputError
from topoloom.opening import open_network
from topoloom.text_parts import whole_in

if TYPE_CHECKING:
    from topoloom.graph.bounds import Bounds
    from topoloom.graph.grid_bounds import BalancedPairs


@click.command(
    help="Lower bounds on diameter and ASPL: of TOPOLOGY (a spec or a file), or of --switches or --grid and --degree."
)
@click.argument("topology", required=False)
@click.option("--switches", type=Whole(1, 1 << 24), help="Order, instead of a topology ...")
@click.option("--grid", metavar="ROWSxCOLUMNS", help="... or a grid of switches ...")
@click.option("--diagrid", metavar="ROWSxCOLUMNS", help="... or a diagonal grid ...")
@click.option("--degree", type=Whole(0), help="... with so many links a switch ...")
@click.option("--length", type=Whole(1, 100_000), help="... and, on a grid, no longer than this.")
@click.option("--point", type=Whole(0), help="The functions m, d and md of Nakano 2016 for this switch of the grid.")
@click.option("--balanced", is_flag=True, help="The well-balanced pairs of degree and length of the grid.")
@json_option
def command(
    topology: str | None,
    switches: int | None,
    grid: str | None,
    diagrid: str | None,
    degree: int | None,
    length: int | None,
    point: int | None,
    balanced: bool,
    as_json: bool,
) -> None:
    given = [value for value in (topology, switches, grid, diagrid) if value is not None]
    if len(given) != 1:
        raise click.UsageError("name one of TOPOLOGY, --switches, --grid and --diagrid")
    found: Bounds | BalancedPairs
    if topology is not None:
        if degree is not None or length is not None:
            raise click.UsageError("a topology has its own degree and lengths; leave out --degree and --length")
        found = _of_topology(topology, point, balanced)
    elif degree is None and not balanced:
        raise click.UsageError("--degree is missing: how many links has a switch?")
    elif switches is not None:
        if length is not None or point is not None or balanced:
            raise click.UsageError("--length, --point and --balanced are for --grid and --diagrid")
        found = _of_order(switches, degree or 0)
    else:
        if degree is not None and length is None and not balanced:
            raise click.UsageError("--length is missing: how long may a link of the grid be?")
        found = _of_grid(grid or diagrid or "", diagrid is not None, degree, length, point, balanced)
    if as_json:
        print_record(found)
    else:
        _print(found)


def _of_topology(text: str, point: int | None, balanced: bool) -> "Bounds":
    from topoloom.graph.bounds import bounds

    opened = open_network(text).topology
    with working("counting hops") as work:
        return bounds(opened, measured=True, point=point, balanced=balanced, work=work)


def _of_order(switches: int, degree: int) -> "Bounds":
    from topoloom.graph.bounds import bounds_of_order

    return bounds_of_order(switches, degree)


def _of_grid(
    text: str, diagonal: bool, degree: int | None, length: int | None, point: int | None, balanced: bool
) -> "Bounds | BalancedPairs":
    from topoloom.graph.bounds import bounds_on_grid
    from topoloom.graph.geometry import Geometry
    from topoloom.graph.grid_bounds import balanced_pairs

    size = _size(text)
    geometry = Geometry.diagrid(*size) if diagonal else Geometry.grid(*size)
    with working("looking from every point") as work:
        if degree is None:
            return balanced_pairs(geometry, work=work)
        return bounds_on_grid(geometry, degree, length, point, balanced, work=work)


def _size(text: str) -> tuple[int, int]:
    rows, columns = (whole_in(number, 1 << 20) for number in text.partition("x")[::2])
    if not rows or not columns or rows * columns > 1 << 20:
        raise InputError(f"{text[:40]!a} is not a grid; write ROWSxCOLUMNS, 30x30")
    return rows, columns


def _print(found: "Bounds | BalancedPairs") -> None:
    # Without a longest link the least possible is Moore's, which stands there already.
    left_out = {"provenance"} if getattr(found, "length", None) else {"provenance", "diameter", "aspl"}
    rows = []
    for key in found.__dataclass_fields__:
        value = getattr(found, key)
        if key == "planes" and value == 1:
            continue
        if key in {"balanced", "pairs"} and value is not None:
            shown = ", ".join(f"({pair.degree}, {pair.length})" for pair in value)
            rows.append(("balanced (degree, length)", shown or "none"))
        elif hasattr(value, "tolist"):
            rows.append((key, " ".join(map(str, value.tolist()))))
        elif key not in left_out and value is not None:
            rows.append((key, plain(value)))
    print_facts(found.provenance.name or None, rows)
