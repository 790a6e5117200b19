"""What `layout` and `cost` share: the options of the floor and of placement, and a floor or a layout made from them."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from topoloom.cli.types import Number, Whole
from topoloom.floors.floor import Floor
from topoloom.layout.cabinets import CLUSTERS
from topoloom.layout.place import DEFAULT_MAP, MAPS

if TYPE_CHECKING:
    from topoloom.cost.parts import Parts

#: No hall has more.
_MOST_SLOTS = 1_000_000
#: What only a topology that is yet to be laid out takes.
PLACING = ("floor", "rows", "columns", "cabinet", "cluster", "mapping", "hosts")


def placing_options(*, housed: bool = True) -> Callable[[Any], Any]:
    """The options of floor, placement, parts and rate; `housed`: those of hosts in racks of their own, too."""
    options = [
        click.option(
            "--floor", default="slimfly-2014", show_default=True, help="A preset's name, or a .toml or .csv file."
        ),
        click.option("--rows", type=Whole(1, 10_000), help="Rows of cabinets (near-square if left out)."),
        click.option("--columns", type=Whole(1, 10_000), help="Cabinets in a row."),
        click.option("--cabinet", type=Whole(1, 1 << 24), help="Most switches in a cabinet."),
        click.option(
            "--cluster",
            default="auto",
            show_default=True,
            type=click.Choice(CLUSTERS),
            help="Which switches share a cabinet.",
        ),
        click.option(
            "--map",
            "mapping",
            default=DEFAULT_MAP,
            show_default=True,
            type=click.Choice(MAPS),
            help="Where everything stands: joint searches, rows puts cabinets row by row.",
        ),
        click.option(
            "--parts", default="slimfly-2014", show_default=True, help="Parts catalogue: a name or a TOML file."
        ),
        click.option(
            "--rate",
            "rate_gbps",
            type=Number(above=0, unit="Gb/s"),
            help="Gb/s a link; the default is 40, or the nearest that the catalogue's prices hold for.",
        ),
    ]
    if housed:
        options += [
            click.option(
                "--hosts",
                help="Hosts in racks of their own: a server of the catalogue, or a TOML file with [host] and [rack].",
            ),
            click.option("--prices", help="Your quotes, laid over the catalogue: a TOML file."),
        ]
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def chosen_floor(floor: str, rows: int | None, columns: int | None, cabinet: int | None) -> Floor:
    """The floor that is meant, with what the options change.

    Parameters
    ----------
    floor : str
        A preset's name or a file.
    rows, columns : int or None
        Places along the sides of a floor that has no listed slots; None: as it has them.
    cabinet : int or None
        The most switches in a cabinet; None: as the floor has it.

    Returns
    -------
    Floor
        A copy with these changed.

    Raises
    ------
    InputError
        There is no such floor, or its slots are listed, which leaves nothing to rows and columns.
    """
    import numpy as np

    from topoloom.errors import InputError
    from topoloom.floors.floor_files import read_floor

    found = read_floor(floor)
    if found.fixed is None:
        if (rows or 1) * (columns or 1) > _MOST_SLOTS:
            raise InputError(f"--rows {rows} --columns {columns}: more than {_MOST_SLOTS:,} places; take fewer")
        given: dict[str, Any] = {"rows": rows, "columns": columns, "switches_per_cabinet": cabinet}
        return replace(found, **{key: value for key, value in given.items() if value is not None})
    for option, value in (("--rows", rows), ("--columns", columns)):
        if value is not None:
            raise InputError(f"{option}: the slots of floor '{found.name}' are listed in {floor}; leave it out")
    if cabinet is None:
        return found
    limits = found.fixed.limits.copy()
    limits[:, 0] = np.minimum(limits[:, 0], cabinet)
    return replace(found, fixed=replace(found.fixed, limits=limits))


def switch_w(floor: Floor, parts: "Parts", ports: int, rate_gbps: float | None, *, housed: bool = False) -> float:
    """Watts of a switch with so many ports where a floor or a rack limits them; else 0, for then nobody asks.

    Parameters
    ----------
    floor : Floor
        The floor.
    parts : Parts
        The catalogue.
    ports : int
        Ports of the switch.
    rate_gbps : float or None
        Their rate, Gb/s; None: any.
    housed : bool
        Whether hosts stand in racks, which must feed the switches too.

    Returns
    -------
    float
        Watts.
    """
    return parts.switch_feed_w(ports, rate_gbps) if floor.limits_power or housed else 0.0


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options of the running command that were given though they would change nothing."""
    from topoloom.errors import InputError

    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is not ParameterSource.DEFAULT:
            raise InputError(f"{option.opts[0]}: {why}; leave it out")
