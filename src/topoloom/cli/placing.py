"""What `layout` and `cost` share: the options of the floor and of placement, and a floor or a layout made from them."""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import click

from topoloom.layout.floor import Floor
from topoloom.layout.layout import Layout

_CLUSTERS = ("auto", "groups", "sequential", "walktrap", "metis")
_MAPS = ("joint", "tabu", "anneal", "serpentine", "rows")


def placing_options(mapping: str, why: str = "") -> Callable[[Any], Any]:
    """The options of floor, placement, parts and rate; `--map` is `mapping` unless given."""
    options = [
        click.option("--floor", default="slimfly-2014", show_default=True, help="A preset's name, or a .toml or .csv file."),
        click.option("--rows", type=click.IntRange(1, 10_000), help="Rows of cabinets (near-square if left out)."),
        click.option("--columns", type=click.IntRange(1, 10_000), help="Cabinets in a row."),
        click.option("--cabinet", type=click.IntRange(1, 1 << 24), help="Most switches in a cabinet."),
        click.option(
            "--cluster", default="auto", show_default=True, type=click.Choice(_CLUSTERS),
            help="Which switches share a cabinet.",
        ),
        click.option(
            "--map", "mapping", default=mapping, show_default=True, type=click.Choice(_MAPS),
            help=f"Where everything stands{why}.",
        ),
        click.option(
            "--parts", default="slimfly-2014", show_default=True, help="Parts catalogue: a name or a TOML file."
        ),
        click.option(
            "--rate", "rate_gbps", type=click.FloatRange(0, min_open=True),
            help="Gb/s a link; the default is 40, or the nearest that the catalogue's prices hold for.",
        ),
    ]  # fmt: skip
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def room(floor: str, rows: int | None, columns: int | None, cabinet: int | None) -> Floor:
    """The floor that is meant, with what the options change.

    Raises
    ------
    InputError
        There is no such floor, or its slots are listed, which leaves nothing to rows and columns.
    """
    import numpy as np

    from topoloom.errors import InputError
    from topoloom.layout.floor_files import read_floor

    found = read_floor(floor)
    if found.fixed is None:
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


def layout_of(name: str, floor: Floor, cluster: str, mapping: str, parts: Any) -> Layout:
    """The layout of a topology, or the one that `topoloom layout -o` wrote into the folder `name`."""
    from topoloom.cabling.files import load_layout
    from topoloom.formats import open_topology
    from topoloom.layout.place import place

    if (Path(name) / "cables.csv").is_file():
        return load_layout(name)
    topology = open_topology(name)
    return place(topology, floor, cluster, mapping, switch_w=parts.switch_w(topology.radix))
