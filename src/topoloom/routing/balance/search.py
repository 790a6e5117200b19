"""The search for even loads: shortest-path trees, changed one next hop at a time."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.balance.evenness import even_squares
from topoloom.routing.channels import channels_of
from topoloom.routing.routing import carriers_of, empty_ports
from topoloom.routing.trees.shortest import fill_minimal

#: Rounds without progress while the largest load is above that of the start; after them the search returns to the start.
_SIDEWAYS = 20
#: Rounds in which the initial trees are rebuilt.
_START_ROUNDS = 3
#: Temperatures at the start and the end of the cooling, in squares of loads: the smallest step up is 2.
_HOT, _COLD = 8.0, 0.1
#: From this number of rounds, cooling begins at `_HOT`.
_SLOW = 1000
#: Most and fewest rounds of cooling, and the channels visited in all of them. Large networks get fewer rounds; below the
#: fewest there is no cooling.
_MOST_ROUNDS, _FEWEST_ROUNDS, _EFFORT = 4000, 10, 60_000_000
#: Channels visited in one call of the kernel.
_STEPS = 20_000_000


def even_trees(
    topology: Topology,
    by_channels: bool,
    seed: int,
    rounds: int | None = None,
    jobs: int | None = None,
    *,
    work: Work | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return shortest-path trees with even loads.

    The search starts from the trees of engine minimal and changes one next hop at a time while loads become more even. If the
    result is above the bound for whole numbers, simulated annealing follows. The result is never less even than the start, and
    its largest load is never larger.

    Parameters
    ----------
    topology : Topology
        Connected.
    by_channels : bool
        Whether to even the loads of channels; otherwise of switches.
    seed : int
    rounds : int, optional
        Rounds of cooling. When omitted, as many as fit a fixed effort, which depends on the size only.
    jobs : int, optional
        Threads for the initial trees; the result does not depend on them.
    work : Work, optional
        Receives the progress of rounds. If it is stopped after the initial trees exist, the best trees so far are returned.

    Returns
    -------
    ports : uint8 or uint16[n, n]
    load : int64[n] or int64[2 m]

    Raises
    ------
    Stopped
        `work` was stopped before the initial trees existed.
    """
    from topoloom.routing.balance.kernels.balance import add_trees, improve

    work = Work() if work is None else work
    n, channels, draws = topology.switches, channels_of(topology), Draws(seed)
    ports = empty_ports(topology)
    fill_minimal(topology, draws.permutation(n), ports, _START_ROUNDS, jobs, work=work)
    load = np.zeros(channels.to.size if by_channels else n, np.int64)
    pairs = carriers_of(topology).astype(np.int64)
    add_trees(channels.first, channels.to, ports, by_channels, load, pairs, work.flag)
    work.check()
    above, state = int(load @ load) - even_squares(int(load.sum()), load.size), draws.state()

    block = max(1, _STEPS // max(1, channels.to.size))

    def _round(temperature: float) -> int:
        """Visit every next hop once; return by how much the squares fell."""
        order, fell = draws.permutation(n), 0
        for begin in range(0, n, block):
            if work.stopped:
                break
            some = order[begin : begin + block]
            fell += improve(channels.first, channels.to, some, ports, by_channels, load, temperature, state, pairs)
        work.advance(1, f"squares {above - fell:,} above the least")
        return fell

    begun, most, idle = (ports.copy(), load.copy()), int(load.max(initial=0)), 0
    work.begin(None, "rounds")
    # A round without a lower sum of squares can still lower the largest load. So two such rounds in a row end the search if the
    # largest load is not above that of the start, and `_SIDEWAYS` end it otherwise.
    while above and idle < (2 if load.max(initial=0) <= most else _SIDEWAYS) and not work.stopped:
        fell = _round(0.0)
        above, idle = above - fell, 0 if fell else idle + 1
    if load.max(initial=0) > most:
        ports, load = begun
        above = int(load @ load) - even_squares(int(load.sum()), load.size)
    if rounds is None:
        fit = min(_MOST_ROUNDS, _EFFORT // max(1, n * channels.to.size))
        rounds = fit if fit >= _FEWEST_ROUNDS else 0
    if not above or not rounds:
        return ports, load
    # A short cooling cannot repair the damage of a high temperature.
    hot = max(2 * _COLD, _HOT * min(1.0, rounds / _SLOW))
    best, best_trees = above, (ports.copy(), load.copy())
    work.begin(rounds, "rounds of cooling")
    for number in range(rounds):
        if work.stopped:
            break
        above -= _round(hot * (_COLD / hot) ** (number / rounds))
        if above < best and load.max(initial=0) <= most:
            best, best_trees = above, (ports.copy(), load.copy())
        if not best:
            break
    return best_trees
