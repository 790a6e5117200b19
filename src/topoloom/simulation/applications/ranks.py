"""On how many ranks a program runs, and what is refused before anything is routed."""

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.simulation.applications.program import Program, RankTraces
from topoloom.simulation.applications.registry import program_of
from topoloom.simulation.flows.schedule import Schedule


def check_hosts(topology: Topology) -> None:
    """Refuse a network without hosts, on which nothing runs."""
    if not topology.hosts:
        raise InputError(f"{topology.name}: it has no hosts for the ranks; give it some, as in hosts=4")


def ranks_on(topology: Topology, app: str | Program, ranks: int | None) -> int:
    """On how many ranks a program runs: one for each host, or as many as there are traces, unless given.

    Parameters
    ----------
    topology : Topology
        The network.
    app : str or Program
        What runs, or a built-in application's spec.
    ranks : int or None
        As many as the user asks for; None: see above.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    InputError
        No hosts, or traces of other ranks.
    """
    check_hosts(topology)
    if ranks is None:
        ranks = app.ranks if isinstance(app, (RankTraces, Schedule)) else topology.hosts
    if ranks < 1:
        raise InputError(f"ranks={ranks}: at least one is needed")
    if isinstance(app, (RankTraces, Schedule)) and app.ranks != ranks:
        what = "traces are" if isinstance(app, RankTraces) else "schedule is"
        raise InputError(f"{app.name}: the {what} of {app.ranks} ranks, not of {ranks}")
    return ranks


def fitted(topology: Topology, app: str | Program, ranks: int | None) -> tuple[Program, int]:
    """A program, and on how many ranks of a network it runs.

    Parameters
    ----------
    topology : Topology
    app : str or Program
        What runs, or a built-in application's spec.
    ranks : int or None
        As `ranks_on` takes them.

    Returns
    -------
    (Program, int)
        The program, and its ranks.

    Raises
    ------
    InputError
        As `ranks_on`, or a program that does not run on so many.
    """
    count = ranks_on(topology, app, ranks)
    return program_of(app, count) if isinstance(app, str) else app, count
