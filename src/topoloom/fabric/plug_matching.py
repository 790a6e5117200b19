"""Matching switches by their plugs: a switch is the planned one whose cables go to the same ports of the same neighbours."""

from collections import Counter

import numpy as np

from topoloom.fabric.fabric import Fabric

#: One agreeing cable may be a coincidence.
_LEAST = 2
Plug = tuple[int, int]


def match_plugs(plan: Fabric, actual: Fabric, switch: np.ndarray, host: np.ndarray) -> np.ndarray:
    """Match further switches by cables that are in the planned ports at both ends.

    A switch is matched to a planned one if at least half of its cables, and at least two, support this. It is not matched if
    two planned switches are equally likely, or if two switches claim the same one. Every match helps to match its neighbours.

    Parameters
    ----------
    plan, actual : Fabric
    switch, host : int64[switches], int64[hosts]
        The planned node of each actual switch and host, where known; -1: not known.

    Returns
    -------
    int64[switches]
        `switch` with the new matches.
    """
    matched = switch.copy()
    n = plan.topology.switches
    planned_ends = dict(_far_ends(plan, np.arange(n), n + np.arange(plan.topology.hosts)))
    known_hosts = np.where(host >= 0, host + n, -1)
    while True:
        votes: dict[int, Counter[int]] = {}
        cables: Counter[int] = Counter()
        # Each cable of an unknown switch whose far end is known.
        unknown = np.where(matched >= 0, -1, np.arange(matched.size))
        for (x, port), far_end in _far_ends(actual, unknown, np.full(host.size, -1), matched, known_hosts):
            cables[x] += 1
            if far_end in planned_ends and planned_ends[far_end][1] == port and planned_ends[far_end][0] < n:
                votes.setdefault(x, Counter())[planned_ends[far_end][0]] += 1
        taken = {*matched[matched >= 0].tolist()}
        claims: dict[int, list[int]] = {}
        for x, switch_votes in votes.items():
            (best, many), *others = [*switch_votes.most_common(2)]
            clear = not others or others[0][1] < many
            if clear and best not in taken and many >= max(_LEAST, cables[x] / 2):
                claims.setdefault(best, []).append(x)
        sure = {who[0]: best for best, who in claims.items() if len(who) == 1}
        if not sure:
            return matched
        matched[[*sure]] = [*sure.values()]


def _far_ends(
    fabric: Fabric,
    switch: np.ndarray,
    host: np.ndarray,
    far_switch: np.ndarray | None = None,
    far_host: np.ndarray | None = None,
) -> list[tuple[Plug, Plug]]:
    """Each plug with the plug at the other end, in both directions, where both ends have a number.

    The numbers are those of `switch` and `host` at the near end, and of `far_switch` and `far_host` at the far end.
    """
    far_switch = switch if far_switch is None else far_switch
    far_host = host if far_host is None else far_host
    topology = fabric.topology
    near = np.concatenate([topology.links[:, 0], topology.links[:, 1], topology.endpoints])
    port = np.concatenate([fabric.link_ports[:, 0], fabric.link_ports[:, 1], fabric.endpoint_ports])
    far_node = np.concatenate(
        [far_switch[topology.links[:, 1]], far_switch[topology.links[:, 0]], far_host[topology.host]]
    )
    far_port = np.concatenate([fabric.link_ports[:, 1], fabric.link_ports[:, 0], fabric.host_ports])
    rows = zip(switch[near].tolist(), port.tolist(), far_node.tolist(), far_port.tolist(), strict=True)
    ends = [((u, p), (v, q)) for u, p, v, q in rows if u >= 0 and v >= 0]
    back = zip(
        host[topology.host].tolist(),
        fabric.host_ports.tolist(),
        far_switch[topology.endpoints].tolist(),
        fabric.endpoint_ports.tolist(),
        strict=True,
    )
    return ends + [((x, q), (s, p)) for x, q, s, p in back if x >= 0 and s >= 0]
