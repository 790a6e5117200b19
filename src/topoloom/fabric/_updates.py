"""The entries that a repair changes, per step: tables between nodes translated to entries by switch and address."""

import numpy as np

from topoloom.fabric._live_tables import Carried, Nodes
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables
from topoloom.fabric.repair_result import Update, UpdateStep
from topoloom.routing.live.steps import REOPEN, SET, TableStep


def installed_entries(tables: Tables, old: Fabric, new: Fabric, live: Carried) -> tuple[np.ndarray, np.ndarray]:
    """The installed real port for every switch and target of the new fabric, and which of these entries still lead correctly.

    Returns the ports, int32[n, k + n] (-1: no entry), and a mask of the same shape. The mask is False where the port now has no
    cable or another one.
    """
    n, k = new.topology.switches, new.topology.endpoints.size
    row_of = {guid: s for s, guid in enumerate(old.switch_guids.tolist())}
    target_of = {(False, guid): e for e, guid in enumerate(old.port_guids.tolist())}
    target_of |= {(True, guid): old.topology.endpoints.size + s for guid, s in row_of.items()}
    rows = np.array([row_of.get(guid, -1) for guid in new.switch_guids.tolist()], np.int64)
    wanted = [(False, guid) for guid in new.port_guids.tolist()] + [(True, guid) for guid in new.switch_guids.tolist()]
    columns = np.array([target_of.get(key, -1) for key in wanted], np.int64)
    in_old = (rows >= 0)[:, None] & (columns >= 0)
    ports = np.where(in_old, tables.ports[np.ix_(rows, columns)], -1).astype(np.int32)
    meant = np.zeros((n, k + n), np.bool_)
    for switch in range(n):
        alive = np.zeros(1 << 16, np.bool_)
        alive[0] = True
        alive[_same_plugs(old, new, int(rows[switch]), switch)] = True
        meant[switch] = (ports[switch] >= 0) & alive[np.maximum(ports[switch], 0)]
    home_of = np.concatenate([new.topology.endpoints, np.arange(n)])
    right = np.concatenate([new.endpoint_ports, np.zeros(n, np.int32)])
    at = np.arange(k + n)
    meant[home_of, at] = ports[home_of, at] == right
    return ports, meant


def _same_plugs(old: Fabric, new: Fabric, was: int, now: int) -> list[int]:
    """The ports of a switch whose cable still leads to the same plug."""
    if was < 0:
        return []
    before, after = _far_plugs(old, was), _far_plugs(new, now)
    return [port for port, plug in after.items() if before.get(port) == plug]


def _far_plugs(fabric: Fabric, switch: int) -> dict[int, tuple[int, int]]:
    """The GUID and port at the other end of each cable of a switch, by its port."""
    topology = fabric.topology
    offsets, to, link = topology.csr
    plugs = {}
    for channel in range(int(offsets[switch]), int(offsets[switch + 1])):
        row = int(link[channel])
        end = int(topology.links[row, 0] == switch)
        port = int(fabric.channel_ports[channel])
        plugs[port] = (int(fabric.switch_guids[to[channel]]), int(fabric.link_ports[row, end]))
    for e in np.flatnonzero(topology.endpoints == switch).tolist():
        plugs[int(fabric.endpoint_ports[e])] = (int(fabric.port_guids[e]), int(fabric.host_ports[e]))
    return plugs


def kept_where_unused(nodes: Nodes, after: np.ndarray, before: np.ndarray, meant: np.ndarray) -> np.ndarray:
    """The new tables, but with the old entries for switches as targets that have no entries or only correct ones."""
    k = nodes.fabric.topology.endpoints.size
    for target in range(k, after.shape[1]):
        old_column = before[:, target]
        if (old_column < 0).all() or meant[:, target].all():
            after[:, target] = old_column
    return after


def updates_of(
    nodes: Nodes, before: np.ndarray, after: np.ndarray, order: tuple[TableStep, ...]
) -> tuple[list[np.ndarray], list[list[Update]]]:
    """The tables after each step, and its updates. Entries that no step names (a host's port, management) change first."""
    fabric = nodes.fabric
    n, k = fabric.topology.switches, fabric.topology.endpoints.size
    columns = np.array([nodes.column(target) for target in range(k + n)], np.int64)
    stages: list[np.ndarray] = []
    current = before.copy()
    steps = list(order)
    named = np.zeros((len(nodes.guids), n), np.bool_)
    setting = next((number for number, step in enumerate(steps, 1) if step.kind != REOPEN), 0)
    if not setting and (before != after).any():
        steps.append(TableStep(SET, np.empty((0, 2), np.int64)))
        setting = len(steps)
    for step in steps:
        if step.kind == REOPEN:
            continue
        entries = step.entries[step.entries[:, 1] < n]
        named[entries[:, 0], entries[:, 1]] = True
    loose = ~named[columns].T
    updates = []
    for number, step in enumerate(steps, 1):
        mask = np.zeros_like(named)
        if step.kind != REOPEN:
            entries = step.entries[step.entries[:, 1] < n]
            mask[entries[:, 0], entries[:, 1]] = True
        changes = mask[columns].T | (loose if number == setting else False)
        # A switch's own address may stay as it was, though the paths to its hosts have changed.
        goal = np.where(before == after, before, after if step.kind == SET else np.int32(-1))
        stage = np.where(changes, goal, current).astype(np.int32)
        updates.append(_rows(fabric, current, stage, number))
        stages.append(stage)
        current = stage
    return stages, updates


def _rows(fabric: Fabric, now: np.ndarray, then: np.ndarray, number: int) -> list[Update]:
    k = fabric.topology.endpoints.size
    lids = np.concatenate(fabric.lids).tolist()
    targets = [fabric.host_names[host] for host in fabric.topology.host.tolist()] + list(fabric.switch_names)
    ports = [*fabric.host_ports.tolist(), *([0] * (len(targets) - k))]
    return [
        Update(
            number,
            fabric.switch_names[s],
            f"0x{int(fabric.switch_guids[s]):016x}",
            int(lids[t]),
            targets[t] if ports[t] < 2 else f"{targets[t]} port {ports[t]}",
            int(now[s, t]),
            int(then[s, t]),
        )
        for s, t in np.argwhere(now != then).tolist()
    ]


def step_summary(number: int, order: tuple[TableStep, ...], rows: list[Update]) -> UpdateStep:
    """The summary of a step: its kind, and the numbers of entries, switches, addresses and pairs."""
    step = order[number - 1] if number <= len(order) else TableStep(SET, np.empty((0, 2), np.int64))
    pairs = len(step.entries) if step.kind == REOPEN else 0
    return UpdateStep(
        number, step.kind, len(rows), len({row.guid for row in rows}), len({row.lid for row in rows}), pairs
    )


def levels_by_step(
    order: tuple[TableStep, ...], by_step: bool, live: Carried, virtual_channels: np.ndarray
) -> tuple[np.ndarray, ...]:
    """The virtual channels of all pairs after each step, uint8 arrays as in `virtual_channels`.

    These are the new ones from the start, unless `by_step`: then they change destination by destination with the steps.
    """
    if not by_step:
        return (virtual_channels,) * len(order)
    current = np.where(live.virtual_channels == np.uint8(255), virtual_channels, live.virtual_channels)
    levels = []
    for step in order:
        changed = np.unique(step.entries[:, 0])
        if step.kind == SET:
            current = current.copy()
            current[changed] = virtual_channels[changed]
        levels.append(current)
    return tuple(levels)
