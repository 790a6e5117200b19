"""Tables for a command: those that lie in the folder that was opened, or new ones by an engine."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from topoloom.cli.output import say

if TYPE_CHECKING:
    from topoloom.network import Network
    from topoloom.routing.routing import Routing
    from topoloom.work import Work


def saved_tables(network: "Network", asking: Iterable[str] = ("engine", "lanes")) -> "Routing | None":
    """The tables that `topoloom route` left in the network's folder, which a line says; None: new ones are to be made.

    Parameters
    ----------
    network : Network
    asking : texts
        Parameters of the running command that ask for other tables when they are given.
    """
    context = click.get_current_context()
    if any(context.get_parameter_source(name) is not ParameterSource.DEFAULT for name in asking):
        return None
    if network.tables is not None:
        say_saved(network, network.tables)
    return network.tables


def say_saved(network: "Network", tables: "Routing") -> None:
    """The line that says that nothing was routed."""
    say(f"{network.source}: with the tables in this folder, of engine {tables.engine}", err=True)


def tables_of(
    network: "Network", engine: str, lanes: int | None, seed: int, jobs: int | None, work: "Work"
) -> "Routing":
    """The tables of a folder of `topoloom route -o`, unless --engine or --lanes ask for others; else new ones.

    Parameters
    ----------
    network : Network
    engine : str
    lanes : int or None
    seed : int
    jobs : int or None
        Threads; every core when None.
    work : Work
        Told of trees that are made and destinations that are followed.

    Returns
    -------
    Routing
        Those of the folder, or new ones.
    """
    from topoloom.routing.route import route

    saved = saved_tables(network)
    if saved is not None:
        return saved
    return route(network.topology, engine, lanes=lanes, seed=seed, jobs=jobs, layout=network.layout, work=work)
