"""What a routing gives the kernels: its tables with their virtual channels, and the rules of packets' choices."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.routing.choices import LOCAL, NOTHING, Adaptive, AnyShortest, Detour, Escape, Layers, NextHopGroups
from topoloom.routing.routing import HOP, PAIR, Routing
from topoloom.simulation.flits import buffers as b
from topoloom.simulation.flits.buffers import RouterNetwork, Rules
from topoloom.simulation.flits.router_config import RouterConfig

#: The most bytes for the sets of shortest paths.
_MOST_BYTES = 3 << 29


def table_vcs(routing: Routing) -> int:
    """Return the virtual channels that a routing needs, including those for its choices; where messages choose layers, those of
    the tables.
    """
    if isinstance(routing.choice, Layers) and routing.choice.by_message:
        tables = (routing.virtual_channels, *(routing.choice.virtual_channels or ()))
        return 1 + max((int(table.max(initial=0)) for table in tables if table is not None), default=0)
    used = routing.verification.virtual_channels_used if routing.verification is not None else 1
    return max(used, routing.choice.classes) if isinstance(routing.choice, Adaptive) else used


def tables_and_rules(
    routing: Routing, config: RouterConfig, vcs: int, shift: int, words: int
) -> tuple[RouterNetwork, Rules]:
    """Return the tables with their virtual channels, and the rules of packets' choices.

    Parameters
    ----------
    routing : Routing
    config : RouterConfig
    vcs : int
        VCs per port.
    shift, words : int
        Bits of a VC in the number of a slot; words of 64 slots per router.

    Returns
    -------
    RouterNetwork, Rules
        Without what depends on hosts, buffers and cables, which `empty_network` adds.
    """
    topology, choice = routing.topology, routing.choice
    n, virtual_channels = topology.switches, table_vcs(routing)
    escaping = isinstance(choice, Adaptive) and choice.escape
    own = virtual_channels
    if isinstance(choice, Escape):
        own -= choice.virtual_channels
    elif isinstance(choice, Adaptive):
        own = virtual_channels - choice.classes if choice.escape else 1
    # With escape channels, each virtual channel to escape to has one VC, and the choices have the others; otherwise all virtual
    # channels have the same number of VCs.
    width = 1 if isinstance(choice, Escape) else vcs // virtual_channels
    if isinstance(choice, Adaptive):
        width = (vcs - own if choice.escape else vcs) // choice.classes
    kind, escapes, tries, knows, longest = b.TABLES, 0, 0, 0, 0
    layers, vc_layers = [routing.ports], [routing.virtual_channels]
    allowed, distance, group = np.zeros(0, np.int64), np.zeros(0, np.uint8), np.zeros(0, np.int32)
    if isinstance(choice, AnyShortest):
        kind, width = b.SHORTER if choice.by_queue else b.ANY, vcs
    elif isinstance(choice, NextHopGroups):
        kind = b.GROUPS
    elif isinstance(choice, Escape):
        kind, escapes = b.ESCAPE, own
    elif isinstance(choice, Detour):
        kind, escapes = b.DETOUR, width * (virtual_channels // 2)
        # A detour with a limit is drawn until it is short enough, so that the number of compared detours does not apply.
        tries = choice.tries if choice.longest else config.detours or choice.tries
        knows = 0 if choice.knows == NOTHING else 1 if choice.knows == LOCAL else 2
        longest = choice.longest
        group = group if choice.group is None else choice.group.astype(np.int32)
        distance = _hops_by_tables(routing).reshape(-1)
    elif isinstance(choice, Adaptive):
        kind, escapes = (b.ESCAPE, own) if choice.escape else (b.OWN, 0)
    elif isinstance(choice, Layers):
        layers += choice.ports
        vc_layers += choice.virtual_channels or [routing.virtual_channels] * len(choice.ports)
        if not (choice.by_host or choice.by_message):
            allowed = (
                choice.allowed if choice.allowed is not None else np.full((n, n), (1 << len(layers)) - 1, np.int64)
            )
            allowed = np.ascontiguousarray(allowed.T, np.int64).reshape(-1)
    rule, by_packet = b.IN_TABLE, np.zeros(0, np.uint8)
    if own > 1 or isinstance(choice, Detour):
        by_pair = routing.virtual_channel_rule == PAIR and routing.virtual_channels is not None
        rule = b.BY_HOP if routing.virtual_channel_rule == HOP else b.BY_PACKET if by_pair else b.IN_TABLE
    classes = words * 64
    narrow = classes <= 256 and not isinstance(choice, Adaptive)
    outputs = np.empty((len(layers), n, n), np.uint8 if narrow else np.uint16)
    for made, ports, table in zip(outputs, layers, vc_layers, strict=True):
        full = ports.T.astype(np.uint16) << np.uint16(shift)
        if own > 1 and rule == b.IN_TABLE and table is not None:
            full += table.T.astype(np.uint16) * np.uint16(1 if escaping else width)
        made[:] = full.astype(outputs.dtype)
    if rule == b.BY_PACKET and routing.virtual_channels is not None:
        by_packet = np.stack([np.ascontiguousarray(table.T) for table in vc_layers if table is not None]).reshape(-1)
    near = np.zeros(0, np.int64)
    if kind in (b.ANY, b.SHORTER, b.ESCAPE) and not escaping:
        near = _near(routing)
    elif isinstance(choice, NextHopGroups):
        near = _members(choice)
    spans = np.full(vcs, width, np.int64)
    if escaping:
        spans[:escapes] = 1
    elif kind == b.ESCAPE:
        spans[escapes:] = vcs - escapes
    net = RouterNetwork(
        outputs.reshape(-1),
        by_packet,
        np.zeros(0, np.int32),
        np.zeros(0, np.int32),
        distance,
        near,
        allowed,
        np.zeros(0, np.int64),
        group,
        spans,
    )
    bound = config.output_flits or 1 << 40
    rules = Rules(
        switches=n,
        words=words,
        slot_bits=shift,
        many=0,
        history=0,
        slots=0,
        period=0,
        flits=0,
        vcs=vcs,
        speedup=config.speedup,
        tenths=config.speedup_tenths,
        room=0,
        spare=0,
        credit=0,
        host_credit=0,
        inject=config.host_cycles + 1 + config.pipeline_cycles,
        route=config.route_cycles,
        hold=config.vc_cycles,
        bound=bound,
        eject=0,
        eject_trip=0,
        last_vcs=0,
        vc_rule=rule,
        width=width,
        choice=kind,
        escapes=escapes,
        returns=int(isinstance(choice, Escape) and choice.returns),
        tries=tries,
        knows=knows,
        threshold=config.detour_threshold,
        over=round(256 * config.detour_weight),
        longest=longest,
        whole=int(config.cut_through),
        tail=int(config.wait_for_tail_credit),
        most=0,
        itself=int(config.to_itself),
    )
    return net, rules


def _hops_by_tables(routing: Routing) -> np.ndarray:
    """Return the lengths of the tables' paths in hops, uint8[n, n] by switch and destination."""
    channels, n = routing.channels, routing.topology.switches
    hops = np.zeros((n, n), np.uint8)
    for d in range(n):
        here, moving = np.arange(n), np.flatnonzero(np.arange(n) != d)
        while moving.size:
            hops[moving, d] += 1
            here[moving] = channels.to[channels.first[here[moving]] + routing.ports[d, here[moving]]]
            moving = moving[here[moving] != d]
    return hops


def _members(groups: NextHopGroups) -> np.ndarray:
    """Return next-hop groups as one array, int64[...], as `RouterNetwork.near` has them."""
    table = groups.group.transpose(0, 2, 1).astype(np.int64)
    begins = table.size  # of the first members, which the members follow
    members = groups.port.astype(np.int64) << 8 | groups.next_state
    places = np.where(table >= 0, begins + table, 0).reshape(-1)
    return np.concatenate([places, begins + groups.first.size + groups.first, members])


def _near(routing: Routing) -> np.ndarray:
    """Return the ports on a shortest path as bits, by switch and destination, int64[n * n * words]."""
    from topoloom.graph.distances import distances_from

    topology, channels = routing.topology, routing.channels
    n, degrees = topology.switches, topology.degrees
    words = -(-int(degrees.max(initial=1)) // 64)
    if n * n * words * 8 > _MOST_BYTES:
        raise InputError(
            f"{topology.name}: the shortest paths of {n} switches need {n * n * words * 8 / 1e9:.1f} GB, which is"
            " too much; use an engine"
            " with tables"
        )
    distance = distances_from(topology, np.arange(n), None).astype(np.int16)
    near = np.zeros((n, n, words), np.uint64)
    for u in range(n):
        for port in range(int(degrees[u])):
            v = channels.to[channels.first[u] + port]
            near[u, :, port >> 6] |= (distance[v] + 1 == distance[u]).astype(np.uint64) << np.uint64(port & 63)
    return near.view(np.int64).reshape(-1)
