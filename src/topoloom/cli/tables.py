"""Tables for a command: those that lie in the folder that was opened, or new ones by an engine."""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from topoloom.network import Network
    from topoloom.routing.routing import Routing


def tables_of(network: "Network", engine: str, lanes: int | None, seed: int, jobs: int | None) -> "Routing":
    """The tables of a folder of `topoloom route -o`, unless --engine or --lanes ask for others; else new ones.

    Parameters
    ----------
    network : Network
    engine : str
    lanes : int or None
    seed : int
    jobs : int or None
        Threads; every core when None.
    """
    context = click.get_current_context()
    sources = [context.get_parameter_source(name) for name in ("engine", "lanes")]
    if all(source is ParameterSource.DEFAULT for source in sources) and network.tables is not None:
        return network.tables
    from topoloom.routing.route import route

    return route(network.topology, engine, lanes=lanes, seed=seed, jobs=jobs)
