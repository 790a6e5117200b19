"""Which collectives can be computed without events (`kernels.undisturbed`)."""

import numpy as np

from topoloom.simulation.flows.programs import Laid
from topoloom.simulation.flows.state import COLLECTIVE, GROUP, LEFT, FlowNetwork

#: A simulation of fewer steps takes a second or less by events.
LONG = 1_000_000


def undisturbed(fabric: FlowNetwork, arrays: Laid, window: float) -> np.ndarray:
    """Return where the consecutive collectives of one group end that begin with each operation; 0: they need events.

    It is tried in long simulations only: simultaneous events may then be in another order, and what was computed is lost if it
    is disturbed. Without events, hosts have one port and messages one path; each direction of a link is on its own; rates are
    exact; and messages have whole bytes, so that sums of bytes do not depend on the order.

    Parameters
    ----------
    fabric : FlowNetwork
    arrays : Laid
        Programs of k operations.
    window : float
        As for `simulate.simulate_flows`.

    Returns
    -------
    int64[k, 2]
        As `Program.until`.
    """
    k = arrays.code.size
    plain = np.array_equal(fabric.resource, np.arange(fabric.resource.size))
    if arrays.steps < LONG or window > 0 or fabric.port.shape[1] > 1 or fabric.group.shape[0] or not plain or k == 0:
        return np.zeros((k, 2), np.int64)
    fits = (arrays.code == COLLECTIVE) & (arrays.amount == np.floor(arrays.amount))
    goes_on = fits[:-1] & fits[1:] & (arrays.argument[:-1, GROUP] == arrays.argument[1:, GROUP])
    goes_on[np.setdiff1d(arrays.first, [0, k]) - 1] = False
    last = np.flatnonzero(np.append(~goes_on, True))
    ends = np.where(fits, last[np.searchsorted(last, np.arange(k))] + 1, 0)
    return np.stack([ends, np.zeros_like(ends)], axis=1)


def by_events(arrays: Laid, until: np.ndarray, operation: int, *, more: bool) -> None:
    """Let collectives like one that was not alone use events: at first for their last step, and the next time for all steps.

    The ranks that end a collective first often meet its last messages.

    Parameters
    ----------
    arrays : Laid
    until : int64[k, 2]
        As from `undisturbed`; overwritten.
    operation : int
        The collective, of a group of some kind; those of the same kind are like it.
    more : bool
        False: all collectives use events for all steps.
    """
    like = arrays.argument[:, GROUP] == arrays.argument[operation, GROUP]
    if not more:
        until[:] = 0
    elif until[operation, LEFT]:
        until[like] = 0
    else:
        until[like, LEFT] = 1
