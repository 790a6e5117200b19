"""Texts about forwarding tables: the engine, and a hint when another engine carries more traffic."""

from typing import TYPE_CHECKING

from topoloom.cli.output import say

if TYPE_CHECKING:
    from topoloom.routing.routing import Routing


def engine_words(routed: "Routing") -> str:
    """The engine of tables, and why it was chosen if the user named none."""
    reason = routed.provenance.settings.get("fits")
    return f"{routed.engine} (it fits: {reason})" if reason else routed.engine


def warn_if_worse(routed: "Routing") -> None:
    """Print a warning on stderr if tables are worse than those with which they are compared."""
    compared = routed.compared
    if compared is None:
        return
    before, after = compared.before, compared.after
    if compared.slower_shifts:
        say(
            f"warning: shifts of all hosts are slower than with {compared.before_tables}: {after.shift_throughput:.3g} of the"
            f" hosts' rate instead of {before.shift_throughput:.3g}; uniform traffic gets {after.uniform_throughput:.3g}"
            f" instead of {before.uniform_throughput:.3g}",
            err=True,
        )
    if compared.worse:
        say(f"warning: these tables are worse than {compared.before_tables}: {compared.reason}", err=True)


#: A hint is printed when the named engine's tables carry less than the first number times the throughput of the fitting
#: engine's tables. Only networks of at most the second number of switches are checked: both engines take about a second there.
_FAR_BELOW, _MOST_HINTED = 0.8, 1024


def hint_of_fit(routed: "Routing", throughput: float | None = None) -> None:
    """Print a hint on stderr if the engine that fits a network carries much more uniform traffic than the named engine.

    Parameters
    ----------
    routed : Routing
        Tables of an engine that the user named, or of a folder.
    throughput : float, optional
        Their uniform throughput, if it is measured already.
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
        carried = expected_loads(routed, uniform_remote(topology)).throughput if throughput is None else throughput
        carried_by_best = expected_loads(route(topology, best), uniform_remote(topology)).throughput
    except InputError:
        return  # packets choose in a way that loads do not describe, or tables do not reach every host
    if carried < _FAR_BELOW * carried_by_best:
        say(
            f"engine {best} carries more here: uniform traffic at {carried_by_best:.3f} of the hosts' rate, not {carried:.3f}",
            err=True,
        )
