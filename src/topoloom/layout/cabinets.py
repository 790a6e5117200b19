"""Which switch goes into which cabinet."""

import numpy as np

from topoloom.errors import InputError
from topoloom.layout.floor import Floor
from topoloom.topology import Topology

CLUSTERS = ("auto", "groups", "sequence")


def assign_cabinets(topology: Topology, floor: Floor, cluster: str = "auto") -> np.ndarray:
    """The cabinet of every switch, int32[switches], numbered from 0.

    `groups`: a cabinet for each of the family's own groups (label ``group``), more where a limit of the floor demands it;
    with a limit, small groups share a cabinet as long as whole ones fit. `sequence`: switches in their own order, a
    cabinet full at a time. `auto`: groups where the family has them.
    """
    if cluster not in CLUSTERS:
        raise InputError(f"cluster '{cluster}' is not known; it must be {', '.join(CLUSTERS)}")
    grouped = "group" in topology.labels
    if cluster == "groups" and not grouped:
        raise InputError(f"{topology.name} has no groups; use cluster='sequence'")
    if grouped and cluster != "sequence":
        order = np.argsort(topology.labels["group"], kind="stable")
        _, sizes = np.unique(topology.labels["group"], return_counts=True)
        limited = floor.switches_per_cabinet is not None or floor.hosts_per_cabinet is not None
    else:
        order = np.arange(topology.switches)
        # As even as it can be, like 000's sequential clustering.
        count = _sequence_cabinets(topology, floor)
        sizes = np.diff(np.arange(count + 1) * topology.switches // count)
        limited = False
    cabinet = np.empty(topology.switches, np.int32)
    current, start, used = -1, 0, (0, 0)
    for size in sizes.tolist():
        members = order[start : start + size]
        start += size
        need = (size, int(topology.endpoints_at[members].sum()))
        pieces = _pieces(topology, members, floor)
        if limited and current >= 0 and len(pieces) == 1 and _fits(used[0] + need[0], used[1] + need[1], floor):
            cabinet[members] = current
            used = (used[0] + need[0], used[1] + need[1])
            continue
        for piece in pieces:
            current += 1
            cabinet[piece] = current
        used = (len(pieces[-1]), int(topology.endpoints_at[pieces[-1]].sum()))
    return cabinet


def _sequence_cabinets(topology: Topology, floor: Floor) -> int:
    """How many cabinets switches in their own order need: so many that neither switches nor hosts overfill one."""
    count = -(-topology.switches // (floor.switches_per_cabinet or floor.sequence_cabinet))
    room = floor.hosts_per_cabinet or floor.sequence_hosts
    if room is None:
        return count
    hosts = np.concatenate([[0], np.cumsum(topology.endpoints_at)])
    while count < topology.switches:
        edges = np.arange(count + 1) * topology.switches // count
        fullest = int(np.diff(hosts[edges]).max())
        if fullest <= room:
            break
        # At least as many more as the fullest is over; one more when that rounds to none.
        count = min(topology.switches, max(count + 1, count * fullest // (2 * room)))
    return count


def _fits(switches: int, hosts: int, floor: Floor) -> bool:
    return (floor.switches_per_cabinet is None or switches <= floor.switches_per_cabinet) and (
        floor.hosts_per_cabinet is None or hosts <= floor.hosts_per_cabinet
    )


def _pieces(topology: Topology, members: np.ndarray, floor: Floor) -> list[np.ndarray]:
    """A group, cut into as few equal cabinets as the floor's limits allow."""
    hosts = topology.endpoints_at[members]
    if floor.hosts_per_cabinet is not None and hosts.size and hosts.max() > floor.hosts_per_cabinet:
        raise InputError(
            f"floor '{floor.name}': a switch of {topology.name} has {int(hosts.max())} hosts,"
            f" but a cabinet holds {floor.hosts_per_cabinet}"
        )
    # Switches with hosts and those without are dealt out apart, so that no cabinet gets all the hosts.
    carrying, bare = members[hosts > 0], members[hosts == 0]
    count = 1
    while True:
        pairs = zip(np.array_split(carrying, count), reversed(np.array_split(bare, count)), strict=True)
        pieces = [np.concatenate(pair) for pair in pairs]
        if all(_fits(len(piece), int(topology.endpoints_at[piece].sum()), floor) for piece in pieces):
            return pieces
        count += 1
