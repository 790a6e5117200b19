"""What `layout` and `cost` share: the options of the floor and of placement."""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import click
from click.core import ParameterSource

from topoloom.cli.types import Number, Whole
from topoloom.layout.cabinets import CLUSTERS
from topoloom.layout.place import DEFAULT_MAP, MAPS

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
            "--parts",
            default="slimfly-2014",
            show_default=True,
            help="Parts catalogue: a name, a TOML file, or NetBox device types.",
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


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options of the running command that were given though they would change nothing."""
    from topoloom.errors import InputError

    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is not ParameterSource.DEFAULT:
            raise InputError(f"{option.opts[0]}: {why}; leave it out")
