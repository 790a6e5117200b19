"""`topoloom bounds`: what is possible for an order, a degree and a longest link."""

from typing import Any

import click

from topoloom.cli.output import json_option, plain, print_facts, print_json
from topoloom.cli.progress import working
from topoloom.cli.types import Whole
from topoloom.errors import InputError
from topoloom.opening import open_network


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
    if topology is not None:
        if degree is not None or length is not None:
            raise click.UsageError("a topology has its own degree and lengths; leave out --degree and --length")
        values = _of_topology(topology, point, balanced)
    elif degree is None and not balanced:
        raise click.UsageError("--degree is missing: how many links has a switch?")
    else:
        values = _of_numbers(switches, grid, diagrid, degree, length, point, balanced)
    if as_json:
        print_json(values)
    else:
        _print(values)


def _of_topology(text: str, point: int | None, balanced: bool) -> dict[str, Any]:
    from topoloom.graph.bounds import bounds, moore_order
    from topoloom.graph.distances import hops

    opened = open_network(text).topology
    found = bounds(opened)
    with working("counting hops") as work:
        measured = hops(opened, work=work)
    values = _moore(opened.switches, found.degree) | {
        "name": opened.name,
        "measured_diameter": measured.diameter,
        "measured_aspl": measured.aspl,
        "largest_order": moore_order(found.degree, measured.largest_finite) if measured.connected else None,
    }
    if found.geometry is None and (point is not None or balanced):
        raise InputError(f"{opened.name}: --point and --balanced need switches on a grid (labels x, y or row, column)")
    if found.geometry is not None:
        length = found.grid.length if found.grid else None
        values |= _grid(found.geometry, found.degree, length, point, balanced)
    return values


def _of_numbers(
    switches: int | None,
    grid: str | None,
    diagrid: str | None,
    degree: int | None,
    length: int | None,
    point: int | None,
    balanced: bool,
) -> dict[str, Any]:
    from topoloom.graph.geometry import Geometry

    if switches is not None:
        if length is not None or point is not None or balanced:
            raise click.UsageError("--length, --point and --balanced are for --grid and --diagrid")
        return _moore(switches, degree or 0)
    size = _size(grid or diagrid or "")
    geometry = Geometry.grid(*size) if grid else Geometry.diagrid(*size)
    values = _moore(len(geometry.points), degree) if degree is not None else {}
    if degree is not None and length is None and not balanced:
        raise click.UsageError("--length is missing: how long may a link of the grid be?")
    return values | _grid(geometry, degree, length, point, balanced)


def _moore(switches: int, degree: int) -> dict[str, Any]:
    from topoloom.graph.bounds import moore_aspl, moore_diameter

    return {
        "switches": switches,
        "degree": degree,
        "moore_diameter": moore_diameter(switches, degree),
        "moore_aspl": moore_aspl(switches, degree),
    }


def _grid(geometry: Any, degree: int | None, length: int | None, point: int | None, balanced: bool) -> dict[str, Any]:
    from topoloom.graph.bounds import balanced_pairs, grid_bounds

    values: dict[str, Any] = {"geometry": geometry.kind}
    if degree is not None and length is not None:
        found = grid_bounds(geometry, degree, length)
        values |= {
            "length": length,
            "diameter": found.diameter,
            "aspl": found.aspl,
            "aspl_by_degree": found.aspl_degree,
            "aspl_by_length": found.aspl_length,
        }
        if point is not None:
            if point >= len(geometry.points):
                raise InputError(f"--point {point}: the grid has switches 0 to {len(geometry.points) - 1}")
            values |= {
                "point": point,
                "m": found.within_degree,
                "d": found.within_length[point],
                "md": found.within[point],
            }
    if balanced:
        values["balanced"] = [{"degree": k, "length": reach} for k, reach in balanced_pairs(geometry)]
    return values


def _size(text: str) -> tuple[int, int]:
    rows, _, columns = text.partition("x")
    if not (rows.isdecimal() and columns.isdecimal() and 0 < int(rows) * int(columns) <= 1 << 20):
        raise InputError(f"'{text}' is not a grid; write ROWSxCOLUMNS, 30x30")
    return int(rows), int(columns)


def _print(values: dict[str, Any]) -> None:
    rows = []
    for key, value in values.items():
        if key == "balanced":
            shown = ", ".join(f"({pair['degree']}, {pair['length']})" for pair in value)
            rows.append(("balanced (degree, length)", shown or "none"))
        elif hasattr(value, "tolist"):
            rows.append((key, " ".join(map(str, value.tolist()))))
        elif key != "name" and value is not None:
            rows.append((key, plain(value)))
    print_facts(values.get("name"), rows)
