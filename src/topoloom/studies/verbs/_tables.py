"""What verbs on routed networks share: the tables of a folder, or new ones."""

from topoloom.network import Network
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.work import Work


def task_tables(
    network: Network,
    engine: str | None,
    lanes: int | None,
    seed: int,
    jobs: int,
    work: Work,
    *,
    usual: str | None = None,
) -> Routing:
    """The tables that lie in the folder, unless an engine or lanes are asked for; else new ones.

    Parameters
    ----------
    network : Network
    engine : str or None
    lanes : int or None
    seed, jobs : int
    work : Work
    usual : str, optional
        The engine where none is named; None: the one that fits the network.

    Returns
    -------
    Routing
    """
    if engine is None and lanes is None and network.tables is not None:
        return network.tables
    made = route(network.topology, engine or usual, lanes=lanes, seed=seed, jobs=jobs, layout=network.layout, work=work)
    work.check()
    return made
