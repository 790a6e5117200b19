"""The bytes between ranks, counted from programs without a simulation."""

import numpy as np

from topoloom.core.compiling.decorators import kernel
from topoloom.simulation.flows.kernels.steps import step_of, steps_of
from topoloom.simulation.flows.state import ALGORITHM, COLLECTIVE, GROUP, ISEND, PEER, SEND, TIMES


@kernel
def count_bytes(
    code: np.ndarray,
    argument: np.ndarray,
    amount: np.ndarray,
    first: np.ndarray,
    of: np.ndarray,
    group: np.ndarray,
    place: np.ndarray,
    member_first: np.ndarray,
    member: np.ndarray,
    sent: np.ndarray,
) -> None:
    """Add the bytes between ranks to sent (float64[ranks, ranks]); the other arrays are those of `Program`."""
    for rank in range(of.size):
        for i in range(first[of[rank]], first[of[rank] + 1]):
            kind = argument[i, GROUP]
            begin = member_first[group[rank, kind]]
            if code[i] == SEND or code[i] == ISEND:
                sent[rank, member[begin + argument[i, PEER]]] += amount[i]
            elif code[i] == COLLECTIVE:
                size = member_first[group[rank, kind] + 1] - begin
                for step in range(steps_of(argument[i, ALGORITHM], size)):
                    to, out, _, _ = step_of(argument[i, ALGORITHM], step, place[rank, kind], size, amount[i])
                    if to >= 0:
                        sent[rank, member[begin + to]] += out * argument[i, TIMES]
