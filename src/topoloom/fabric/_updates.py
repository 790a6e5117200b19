"""The steps of a repair as entries of switches and addresses."""

import numpy as np

from topoloom.fabric._live_tables import Senders, TableAddresses
from topoloom.fabric.repair_result import Stages, UpdateStep
from topoloom.routing.live.steps import CLEAR, DROP, REOPEN, SET, TableStep


def stages_of(
    addresses: TableAddresses,
    installed: np.ndarray,
    final: np.ndarray,
    row: np.ndarray,
    order: tuple[TableStep, ...],
    levels: tuple[np.ndarray, ...],
) -> tuple[Stages, tuple[TableStep, ...]]:
    """The step of every entry. Entries that no step names (a host's port, management) change in the first step that sets any.

    Parameters
    ----------
    addresses : TableAddresses
    installed, final : int16[n, A]
    row : int64[A]
        The row of each address in the steps.
    order : tuple of TableStep
    levels : tuple of uint8[k, k]
        The service levels after each step.

    Returns
    -------
    (Stages, tuple of TableStep)
        With a further step where only entries change that no step names.
    """
    differ = installed != final
    set_in, dropped_in = np.zeros(final.shape, np.int16), np.zeros(final.shape, np.int16)
    steps = list(order)
    setting = next((number for number, step in enumerate(steps, 1) if step.kind == SET), 0)
    if not setting and differ.any():
        steps.append(TableStep(SET, np.empty((0, 2), np.int64)))
        setting = len(steps)
    rows = int(row.max(initial=-1)) + 1
    for number, step in enumerate(steps, 1):
        if step.kind == REOPEN:
            continue
        named = np.zeros((rows, len(final)), np.bool_)
        named[step.entries[:, 0], step.entries[:, 1]] = True
        changes = named[row].T & differ
        (dropped_in if step.kind in (CLEAR, DROP) else set_in)[changes] = number
    set_in[differ & (set_in == 0)] = setting
    stages = Stages(addresses, installed, final, set_in, dropped_in, levels if levels else ())
    return stages, tuple(steps)


def summaries(stages: Stages, order: tuple[TableStep, ...]) -> tuple[UpdateStep, ...]:
    """The summary of each step: its kind, and the numbers of entries, switches, addresses and pairs."""
    steps = []
    for number, step in enumerate(order, 1):
        changes = stages.changes(number)
        switches, addresses = np.unique(changes[:, 0]).size, np.unique(changes[:, 1]).size
        steps.append(UpdateStep(number, step.kind, len(changes), switches, addresses, _pairs(stages, step)))
    return tuple(steps)


def _pairs(stages: Stages, step: TableStep) -> int:
    """The pairs of host ports that open their connections again in a step: each entry of the step is one."""
    return len(step.entries) if step.kind == REOPEN else 0


def reopened_pairs(
    order: tuple[TableStep, ...], row: np.ndarray, before: np.ndarray, after: np.ndarray
) -> tuple[TableStep, ...]:
    """The steps, in which pairs of host ports take the place of rows and groups whose connections are opened again."""
    changes = (before != after) & (before != np.uint8(255))
    return tuple(
        step._replace(entries=np.argwhere(changes & _targets(step, row, after)[:, None]))
        if step.kind == REOPEN
        else step
        for step in order
    )


def _targets(step: TableStep, row: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """The host ports to which connections use their new virtual channels after a step, bool[k]."""
    return np.isin(row[: len(levels)], step.rows) if step.rows else np.ones(len(levels), np.bool_)


def levels_by_step(
    order: tuple[TableStep, ...], by_step: bool, row: np.ndarray, before: np.ndarray, after: np.ndarray
) -> tuple[np.ndarray, ...]:
    """The service levels of all pairs of host ports after each step, uint8[k, k].

    These are the new ones from the start, or from the step in which connections are opened again, unless `by_step`: then they
    change destination by destination, when all its entries are changed.
    """
    current = np.where(before == np.uint8(255), after, before)
    if not by_step:
        opening = next((number for number, step in enumerate(order) if step.kind == REOPEN), 0)
        return (current,) * opening + (after,) * max(1, len(order) - opening)
    levels = []
    for step in order:
        if step.rows:
            current = np.where(_targets(step, row, after)[:, None], after, current)
        levels.append(current)
    return tuple(levels) or (after,)


def senders_levels(senders: Senders, rows: np.ndarray, addresses: TableAddresses) -> np.ndarray:
    """The service level of every pair of host ports, uint8[k, k], [to, from]; 0 between hosts of one switch."""
    levels = senders.levels(rows, addresses)
    ends = addresses.fabric.topology.endpoints
    levels[ends[:, None] == ends] = 0
    return levels
