"""Adaptive and multi-path routing, described for the simulator: tables, and the choices of packets in addition to them."""

from dataclasses import replace

from topoloom.core.errors import InputError
from topoloom.routing.choices import GLOBAL, LOCAL, NOTHING, AnyShortest, Detour, Escape
from topoloom.routing.engines.dor import dor
from topoloom.routing.engines.dragonfly import dragonfly, dragonfly_groups
from topoloom.routing.engines.minimal import minimal, vcs_by_hop
from topoloom.routing.engines.orders import updown
from topoloom.routing.registry import RoutingRequest, engine
from topoloom.routing.routing import Routing

#: Number of detours that UGAL compares; Besta 2014 IV.C found it best.
_TRIES = 4
#: Most switches that a packet draws to get a detour that is short enough; otherwise it follows the tables.
_DRAWS = 256


@engine("ecmp", "any channel on a shortest path, as Ethernet's equal-cost groups; deadlock is possible", safe=False)
def ecmp(request: RoutingRequest) -> Routing:
    """Use the tables of minimal; the equal-cost group of a switch is all its shortest next hops."""
    return replace(minimal(request), engine="ecmp", choice=AnyShortest())


@engine(
    "duato",
    "adaptive on meshes, tori, hypercubes, HyperX: any shortest path, with dimension order to escape to",
    safe=True,
    bytes_a_pair=30,
)
def duato(request: RoutingRequest) -> Routing:
    """Fully adaptive shortest paths in a virtual channel above those of dimension order, which a packet may leave again.

    Source: Duato, IEEE TPDS 4(12), 1993; Koibuchi 2013 III.C simulates tori and hypercubes in this way.
    """
    routing = dor(request)
    return replace(routing, engine="duato", choice=_escape(request, routing, returns=True))


@engine("silla-duato", "adaptive on any graph: any shortest path, with up*/down* as a final escape", safe=True)
def silla_duato(request: RoutingRequest) -> Routing:
    """Fully adaptive shortest paths in virtual channels above that of up*/down*; a packet that escapes stays there until it
    arrives.

    Source: Silla and Duato, IEEE TPDS 11(7), 2000; Koibuchi 2013 III.C and Truong 2016 4.3 simulate random
    topologies in this way.
    """
    routing = updown(replace(request, virtual_channels=None))
    return replace(
        routing, engine="silla-duato", virtual_channels=None, choice=_escape(request, routing, returns=False)
    )


@engine("valiant", "a detour by a random switch for every packet (for simulators)", safe=True)
def valiant(request: RoutingRequest) -> Routing:
    """Shortest paths to a random switch, drawn for each packet, and from there (Valiant, 1982; Besta 2014 IV.B)."""
    return _detour(request, "valiant", Detour(NOTHING, 1))


@engine("valiant-3", "a detour of at most three hops by a random switch for every packet (for simulators)", safe=True)
def valiant_three(request: RoutingRequest) -> Routing:
    """As `valiant`, but a packet draws switches until its detour has at most three hops (Besta 2014 IV.B)."""
    return _detour(request, "valiant-3", Detour(NOTHING, _DRAWS, longest=3))


@engine("ugal-l", "the shortest path or a detour, whichever has the shorter queue at its source times hops", safe=True)
def ugal_local(request: RoutingRequest) -> Routing:
    """UGAL with the queues of the source (Singh, 2005; Besta 2014 IV.C)."""
    return _detour(request, "ugal-l", Detour(LOCAL, _TRIES))


@engine("ugal-g", "the shortest path or a detour, whichever has the shorter queues along the whole path", safe=True)
def ugal_global(request: RoutingRequest) -> Routing:
    """UGAL with all output queues of the network: an ideal for the local variant (Singh, 2005; Besta 2014 IV.C)."""
    return _detour(request, "ugal-g", Detour(GLOBAL, _TRIES))


def _detour(request: RoutingRequest, name: str, choice: Detour) -> Routing:
    """A routing with detours, over the tables that suit the network: dimension order, dragonfly, otherwise shortest paths by
    hop.
    """
    alone = replace(request, virtual_channels=None)
    for tables in (dor, dragonfly):
        try:
            routing = tables(alone)
        except InputError:
            continue
        within = replace(choice, group=dragonfly_groups(request.topology)) if tables is dragonfly else choice
        return replace(routing, engine=name, minimal=False, choice=within)
    return replace(vcs_by_hop(alone), engine=name, choice=choice)


def _escape(request: RoutingRequest, tables: Routing, *, returns: bool) -> Escape:
    """All virtual channels that the tables do not use are adaptive; one if no number is given."""
    escape = 1 if tables.virtual_channels is None else int(tables.virtual_channels.max(initial=0)) + 1
    if request.virtual_channels is not None and request.virtual_channels <= escape:
        raise InputError(
            f"{request.topology.name}: virtual_channels={request.virtual_channels}, but {escape + 1} are needed: "
            f"{escape} for escape paths and one adaptive"
        )
    return Escape(1 if request.virtual_channels is None else request.virtual_channels - escape, returns)
