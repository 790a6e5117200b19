"""Hosts of several kinds on a network: which leaf switch each port of each device is connected to."""

import heapq
from collections.abc import Sequence

import numpy as np

from topoloom.machine.devices import DeviceGroup
from topoloom.machine.faults import MachineError
from topoloom.model.topology import Topology
from topoloom.topologies.families.populated import populated


def attached(
    room: Topology,
    groups: Sequence[DeviceGroup],
    network: str,
    rate_gbps: float,
    blocks: dict[str, np.ndarray] | None = None,
    near: np.ndarray | None = None,
    ports: int = 0,
    zones: tuple[np.ndarray, np.ndarray] | None = None,
) -> Topology:
    """A network with the ports of its devices.

    If the hosts of the network have as many ports as the devices of the group with most ports (rails, planes), these take the
    places of whole hosts, evenly over all units. All other ports go to places that are free: those of a device over as many
    leaf switches as its group says, in sets of consecutive switches, and the devices of a group evenly over these sets.

    Parameters
    ----------
    room : Topology
        The network with all its places for ports: its endpoints.
    groups : sequence of DeviceGroup
        In the order of the hosts' numbers.
    network : str
        Its name, for messages.
    rate_gbps : float
        The rate of its links, where these have none.
    blocks : dict of str to bool[switches], optional
        The leaf switches of each block.
    near : int64[devices], optional
        The rack of each device: devices of one rack get consecutive switches. If omitted, the order of the devices decides.
    ports : int
        The ports of a switch. Leaf switches with idle ports take devices that find no place.
    zones : (int64[devices], int64[switches]), optional
        The zone of each device and of each switch, such as a rack: devices are connected to switches of their zone.

    Returns
    -------
    Topology
        The same switches and links; hosts are the devices, in order. Without a spec.

    Raises
    ------
    InputError
        A group's ports find no place, or its block is not known.
    """
    free = room.endpoints_at.astype(np.int64)
    is_leaf = room.endpoints_at > 0
    idle = np.maximum(0, (ports - room.degrees - room.endpoints_at) * is_leaf)
    firsts = np.cumsum([0, *(len(group.names) for group in groups)]).tolist()
    main = max(range(len(groups)), key=lambda number: groups[number].total)
    placed: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    # The main group comes first, since it may take whole units.
    for number in sorted(range(len(groups)), key=lambda number: number != main):
        group, first, count = groups[number], firsts[number], len(groups[number].names)
        if number == main and _whole_hosts(room, group):
            own = populated(room, count)
            placed[number] = own.endpoints.astype(np.int64), first + own.host.astype(np.int64)
        else:
            order = np.arange(count) if near is None else np.argsort(near[first : first + count], kind="stable")
            allowed = allowed_switches(group, network, blocks, free.size)
            if zones is None:
                at = _places(free, group, count, network, allowed, idle)
            else:
                own_zone = zones[0][first : first + count]
                order = np.argsort(own_zone, kind="stable")
                pieces = [
                    _places(free, group, int((own_zone == zone).sum()), network, allowed & (zones[1] == zone), idle)
                    for zone in np.unique(own_zone).tolist()
                ]
                at = np.concatenate(pieces)
            if group.origin == "switch" and group.of == network:
                at = _apart_from_themselves(at, order, None if zones is None else own_zone[order])
            placed[number] = at.reshape(-1), first + np.repeat(order, group.ports)
        np.subtract.at(free, placed[number][0], 1)
    switches, hosts = ([placed[number][column] for number in range(len(groups))] for column in (0, 1))
    rates = [np.full(some.size, group.rate_gbps) for some, group in zip(switches, groups, strict=True)]
    changes = {"endpoints": np.concatenate(switches), "host": np.concatenate(hosts)}
    rate = np.concatenate(rates)
    if room.rated:
        return room.replace(**changes, endpoint_rate_gbps=rate, spec=None)
    joined = room.replace(**changes, spec=None)
    # `replace` sorts endpoints by switch, stably.
    order = np.argsort(changes["endpoints"], kind="stable")
    return joined if (rate == rate_gbps).all() else joined.with_rates(rate_gbps, rate[order])


def _apart_from_themselves(at: np.ndarray, order: np.ndarray, zone: np.ndarray | None) -> np.ndarray:
    """The ports of a network's own switches, of which none is on the switch itself, where another one has as many.

    Parameters
    ----------
    at : int64[switches, ports]
        The switch of each port.
    order : int64[switches]
        The number of the switch in each row.
    zone : int64[switches], optional
        The zone of each row: only rows of a zone are exchanged.
    """
    at = at.copy()
    for row in np.flatnonzero((at == order[:, None]).any(axis=1)).tolist():
        others = (at != order[row]).all(axis=1) & (order[:, None] != at[row]).all(axis=1)
        if zone is not None:
            others &= zone == zone[row]
        if (at[row] == order[row]).any() and others.any():
            other = int(others.argmax())
            at[[row, other]] = at[[other, row]]
    return at


def _whole_hosts(room: Topology, group: DeviceGroup) -> bool:
    """Whether the devices of a group take the places of whole hosts of several ports."""
    if group.leaves is not None or group.block or group.ports < 2 or room.hosts == room.endpoints.size:
        return False
    counts = np.bincount(room.host)
    return bool((counts == group.ports).all()) and room.hosts >= len(group.names)


def allowed_switches(
    group: DeviceGroup, network: str, blocks: dict[str, np.ndarray] | None, switches: int
) -> np.ndarray:
    """The switches to which the devices of a group may be connected: those of its block, if it names one.

    Parameters
    ----------
    group : DeviceGroup
    network : str
        Its name, for messages.
    blocks : dict of str to bool[switches] or None
        The leaf switches of each block.
    switches : int

    Returns
    -------
    bool[switches]

    Raises
    ------
    InputError
        The network has no such block.
    """
    if not group.block:
        return np.full(switches, True)
    if blocks is None or group.block not in blocks:
        having = f"it has {', '.join(blocks)}" if blocks else "it is not described by blocks"
        raise MachineError(
            f"network '{network}' has no block '{group.block}' for '{group.kind}'; {having}",
            *("host", group.of, "ports", network, "block"),
        )
    return blocks[group.block]


def _places(
    free: np.ndarray, group: DeviceGroup, count: int, network: str, allowed: np.ndarray, idle: np.ndarray
) -> np.ndarray:
    """The switch of each port of devices of a group, int64[count, ports]; idle ports are used where places lack."""
    at = free_places(free, group, count, allowed)
    if at is None:
        at = free_places(free + idle, group, count, allowed)
    if at is not None:
        return at
    if group.leaves is not None and group.leaves > (has := int((allowed & (free + idle > 0)).sum())):
        raise MachineError(
            f"network '{network}': the ports of '{group.kind}' are spread over {group.leaves} leaf switches, but it has"
            f" {has}{f' in block {group.block!r}' if group.block else ''}; give fewer `leaves`",
            *("host", group.of, "ports", network, "leaves"),
        )
    spread = leaves_of_each(group, int((allowed & (free + idle > 0)).sum()))
    places = int(np.maximum(0, free[allowed]).sum())
    raise MachineError(
        f"network '{network}': {count * group.ports:,} ports of '{group.kind}' ({count:,} x {group.ports}, each over"
        f" {spread} leaf switch{'es' * (spread > 1)}) find no place: its leaf switches have {places:,}"
        " free; give more places, or other `leaves`",
        *(("host", group.of, "ports", network) if group.origin == "host" else ("network", network)),
    )


def leaves_of_each(group: DeviceGroup, leaves: int) -> int:
    """Over how many leaf switches the ports of each device of a group are spread, where that many have free ports."""
    if group.leaves:
        return group.leaves
    spread = min(group.ports, 2 if leaves > 1 else 1)
    return 1 if group.ports % spread else spread


def free_places(free: np.ndarray, group: DeviceGroup, count: int, allowed: np.ndarray) -> np.ndarray | None:
    """The switch of each port of devices of a group, int64[count, ports]; None where not all find a place.

    Parameters
    ----------
    free : int64[switches]
        The free ports of each switch.
    group : DeviceGroup
    count : int
        How many of its devices.
    allowed : bool[switches]
        The switches to which they may be connected.

    Returns
    -------
    int64[count, ports] or None
    """
    leaves = np.flatnonzero(allowed & (free > 0))
    spread = leaves_of_each(group, len(leaves))
    sets = _in_sets(free, leaves, count, spread, group.ports // spread)
    if sets is None:
        sets = _most_free(free, leaves, count, spread, group.ports // spread)
    # Ports alternate between the switches of the set: port 1 on the first, port 2 on the second.
    return None if sets is None else sets[:, np.arange(group.ports) % spread]


def _in_sets(free: np.ndarray, leaves: np.ndarray, count: int, spread: int, each: int) -> np.ndarray | None:
    """The switches of each device, int64[devices, spread]: sets of consecutive switches, evenly filled; None if they lack room.

    Parameters
    ----------
    free : int64[switches]
    leaves : int64[leaves]
    count : int
        Devices.
    spread, each : int
        The switches of a device, and its ports on each.
    """
    if len(leaves) % spread or not len(leaves):
        return None
    sets = leaves.reshape(-1, spread)
    room = free[sets].min(axis=1) // each
    if room.sum() < count:
        return None
    heap = [(-int(devices), number) for number, devices in enumerate(room) if devices]
    heapq.heapify(heap)
    taken = np.zeros(len(sets), np.int64)
    for _ in range(count):
        devices, number = heap[0]
        taken[number] += 1
        if devices < -1:
            heapq.heapreplace(heap, (devices + 1, number))
        else:
            heapq.heappop(heap)
    return np.repeat(sets, taken, axis=0)


def _most_free(free: np.ndarray, leaves: np.ndarray, count: int, spread: int, each: int) -> np.ndarray | None:
    """As `_in_sets`, where each device takes the switches with most free places, wherever they are."""
    if len(leaves) < spread:
        return None
    heap = [(-int(free[leaf]), leaf) for leaf in leaves.tolist()]
    heapq.heapify(heap)
    chosen = np.empty((count, spread), np.int64)
    for device in range(count):
        some = [heapq.heappop(heap) for _ in range(spread)]
        if -some[-1][0] < each:
            return None
        chosen[device] = sorted(leaf for _, leaf in some)
        for places, leaf in some:
            heapq.heappush(heap, (places + each, leaf))
    # Devices with the same switches are neighbours.
    return chosen[np.lexsort(chosen.T[::-1])]
