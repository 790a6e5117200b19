"""Tables for a command: those that lie in the folder that was opened, or new ones by an engine."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from topoloom.cli.output import say

if TYPE_CHECKING:
    from topoloom.core.work import Work
    from topoloom.network import Network
    from topoloom.routing.routing import Routing


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
    network: "Network", engine: str | None, lanes: int | None, seed: int, jobs: int | None, work: "Work"
) -> "Routing":
    """The installed tables, unless --engine or --lanes ask for others; else those of the engine that fits the network.

    Parameters
    ----------
    network : Network
    engine : str or None
    lanes : int or None
    seed : int
    jobs : int or None
        Threads; every core when None.
    work : Work
        Told of trees that are made and destinations that are followed.

    Returns
    -------
    Routing
        The installed ones, which a line says; or new ones.
    """
    from topoloom.routing.routing import Routing

    saved_tables(network)
    return network.with_tables(engine, lanes=lanes, seed=seed, jobs=jobs, work=work).part(Routing)


#: Entries of all tables of hosts together, where nobody says how many tables.
_MOST_ENTRIES = 1 << 27


def with_tables_of_hosts(
    network: "Network", routed: "Routing", count: int | None, lanes: int | None, jobs: int | None, work: "Work"
) -> "tuple[Routing, ...]":
    """Tables for the ports of a switch in turn, where hosts have rails; else those that there are.

    Parameters
    ----------
    network : Network
    routed : Routing
        One for all ports alike.
    count : int or None
        How many; None: as many as the fullest switch has ports, with engine fat-tree, where tables are new.
    lanes : int or None
        What --lanes says.
    jobs : int or None
        Threads; every core when None.
    work : Work

    Returns
    -------
    tuple of Routing

    Raises
    ------
    InputError
        Several are asked for, and lanes, or tables lie in the folder.
    """
    from topoloom.core.errors import InputError
    from topoloom.routing.host_routings import host_routings
    from topoloom.throughput.rails import ports_on_rails

    # Tables in the folder that nobody asked for are not even read: they may be of another network.
    saved = "tables" in vars(network) and routed is network.tables
    if count is None:
        if saved or lanes is not None or routed.engine != "fat-tree":
            return (routed,)
        count = min(ports_on_rails(network.topology), _MOST_ENTRIES // network.topology.switches**2)
    elif count > 1 and (saved or lanes is not None):
        given = "tables in this folder" if saved else f"--lanes {lanes}"
        raise InputError(
            f"--host-tables {count} makes new tables; leave out {'it, or give --engine' if saved else given}"
        )
    if count <= 1:
        return (routed,)
    seed = routed.provenance.seed or 0
    made = host_routings(network.topology, routed.engine, count, seed=seed, jobs=jobs, layout=network.layout, work=work)
    fits = routed.provenance.settings.get("fits")
    return made if fits is None else (replace(made[0], provenance=routed.provenance), *made[1:])


def engine_told(routed: "Routing") -> str:
    """The engine of tables, and why it was taken where nobody named it."""
    reason = routed.provenance.settings.get("fits")
    return f"{routed.engine} (it fits: {reason})" if reason else routed.engine


#: A named engine whose tables carry less than this share of what the fitting engine's do is worth a hint; networks of up to so
#: many switches are looked at, for which both take a second or so.
_FAR_BELOW, _MOST_HINTED = 0.8, 1024


def hint_of_fit(routed: "Routing", throughput: float | None = None) -> None:
    """Say on stderr where the engine that fits a network carries much more uniform traffic than the one that was named.

    Parameters
    ----------
    routed : Routing
        Tables of an engine that somebody named, or of a folder.
    throughput : float, optional
        Their uniform throughput, where it is known.
    """
    from topoloom.core.errors import InputError
    from topoloom.routing.fitting import fitting_engine
    from topoloom.routing.route import route
    from topoloom.throughput.traffic import uniform_remote
    from topoloom.throughput.traffic.loads import expected_loads

    topology = routed.topology
    if topology.switches > _MOST_HINTED or "fits" in routed.provenance.settings:
        return
    best, _ = fitting_engine(topology)
    if best == routed.engine:
        return
    try:
        mine = expected_loads(routed, uniform_remote(topology)).throughput if throughput is None else throughput
        other = expected_loads(route(topology, best), uniform_remote(topology)).throughput
    except InputError:
        return  # choices that no load says, or tables that end somewhere
    if mine < _FAR_BELOW * other:
        say(
            f"engine {best} carries more here: uniform traffic at {other:.3f} of the hosts' rate, not {mine:.3f}",
            err=True,
        )
