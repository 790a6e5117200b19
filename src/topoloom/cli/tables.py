"""What commands say about tables: their engine, and where another one carries more."""

from typing import TYPE_CHECKING

from topoloom.cli.output import say

if TYPE_CHECKING:
    from topoloom.routing.routing import Routing


def engine_words(routed: "Routing") -> str:
    """The engine of tables, and why it was taken where none was named."""
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
