"""What the ranks of a plan send to each other."""

import numpy as np

from topoloom.flows.plan import Plan, laid


def bytes_between(plan: Plan) -> np.ndarray:
    """The bytes that each rank sends to each other one, float64[ranks, ranks]; 0 on the diagonal.

    Raises
    ------
    InputError
        A collective on a number of ranks that its algorithm does not serve.
    """
    from topoloom.flows.kernels.traffic import count_bytes

    found, a = np.zeros((plan.ranks, plan.ranks)), laid(plan)
    of = np.asarray(plan.of, np.int64)
    count_bytes(a.code, a.argument, a.amount, a.first, of, a.group, a.place, a.member_first, a.member, found)
    np.fill_diagonal(found, 0.0)
    return found
