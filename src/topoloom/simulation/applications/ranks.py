"""The number of ranks of a program, and errors that are found before anything is routed."""

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.simulation.applications.program import Program, RankTraces
from topoloom.simulation.applications.registry import program_of
from topoloom.simulation.flows.schedule import Schedule


def check_hosts(topology: Topology) -> None:
    """Refuse a network without hosts."""
    if not topology.hosts:
        raise InputError(f"{topology.name}: no hosts for the ranks; add hosts, as in hosts=4")


def ranks_on(topology: Topology, app: str | Program, ranks: int | None) -> int:
    """Return the number of ranks of a program: as given, else as many as it has traces, else one per host.

    Parameters
    ----------
    topology : Topology
        The network.
    app : str or Program
        The program, or the spec of a built-in application.
    ranks : int or None
        The number that the user asks for, or None.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    InputError
        No hosts, or traces for another number of ranks.
    """
    check_hosts(topology)
    if ranks is None:
        ranks = app.ranks if isinstance(app, (RankTraces, Schedule)) else topology.hosts
    if ranks < 1:
        raise InputError(f"ranks={ranks}: at least one is needed")
    if isinstance(app, (RankTraces, Schedule)) and app.ranks != ranks:
        what = "traces are" if isinstance(app, RankTraces) else "schedule is"
        raise InputError(f"{app.name}: the {what} for {app.ranks} ranks, not for {ranks}")
    return ranks


def fitted(topology: Topology, app: str | Program, ranks: int | None) -> tuple[Program, int]:
    """Return a program, and its number of ranks on a network.

    Parameters
    ----------
    topology : Topology
    app : str or Program
        The program, or the spec of a built-in application.
    ranks : int or None
        As for `ranks_on`.

    Returns
    -------
    (Program, int)
        The program, and its ranks.

    Raises
    ------
    InputError
        As for `ranks_on`, or a program that does not run on this number of ranks.
    """
    count = ranks_on(topology, app, ranks)
    return program_of(app, count) if isinstance(app, str) else app, count
