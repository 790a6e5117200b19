"""The search for even loads: shortest trees, changed one next hop at a time."""

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.model.topology import Topology
from topoloom.routing.balance.evenness import even_squares
from topoloom.routing.channels import channels_of
from topoloom.routing.routing import carriers_of, empty_ports
from topoloom.routing.trees.shortest import fill_minimal

#: Rounds without a fall of the squares while the busiest is busier than it was at the start; then the start stays.
_SIDEWAYS = 20
#: Rounds in which the start's trees are made again.
_START_ROUNDS = 3
#: Heat at the start and the end of the cooling, in squares of loads: the smallest step up is 2.
_HOT, _COLD = 8.0, 0.1
#: Rounds from which a cooling begins with the full heat.
_SLOW = 1000
#: Rounds of the cooling, and channels looked at in them: fewer rounds where they take long, none where few would be left.
_MOST_ROUNDS, _FEWEST_ROUNDS, _EFFORT = 4000, 10, 60_000_000
#: Channels looked at in one call of the kernel.
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
    """Shortest trees with even loads.

    The trees of engine minimal are changed next hop by next hop while that makes loads more even. If that ends above
    what whole numbers allow, the search goes on warm and cools down. Never less even than where it begins, nor is the busiest
    ever busier.

    Parameters
    ----------
    topology : Topology
        Connected.
    by_channels : bool
        Even loads of the channels; else of the switches.
    seed : int
    rounds : int, optional
        Rounds of cooling; as many as fit a fixed effort when omitted, which depends on the size alone.
    jobs : int, optional
        Threads of the start; no answer depends on them.
    work : Work, optional
        Told of the rounds. Stopped after the start stands, the search ends with the best that it has.

    Returns
    -------
    ports : uint8 or uint16[n, n]
    load : int64[n] or int64[2 m]

    Raises
    ------
    Stopped
        `work` was stopped before the start stood.
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

    def turn(heat: float) -> int:
        """Look once at every next hop; by how much the squares fell."""
        order, fell = draws.permutation(n), 0
        for begin in range(0, n, block):
            if work.stopped:
                break
            some = order[begin : begin + block]
            fell += improve(channels.first, channels.to, some, ports, by_channels, load, heat, state, pairs)
        work.advance(1, f"squares {above - fell:,} above the least")
        return fell

    begun, most, idle = (ports.copy(), load.copy()), int(load.max(initial=0)), 0
    work.begin(None, "rounds")
    # Moves that change no sum of squares may still take the busiest below where it was.
    while above and idle < (2 if load.max(initial=0) <= most else _SIDEWAYS) and not work.stopped:
        fell = turn(0.0)
        above, idle = above - fell, 0 if fell else idle + 1
    if load.max(initial=0) > most:
        ports, load = begun
        above = int(load @ load) - even_squares(int(load.sum()), load.size)
    if rounds is None:
        fit = min(_MOST_ROUNDS, _EFFORT // max(1, n * channels.to.size))
        rounds = fit if fit >= _FEWEST_ROUNDS else 0
    if not above or not rounds:
        return ports, load
    hot = max(2 * _COLD, _HOT * min(1.0, rounds / _SLOW))  # a short cooling cannot repair what much heat has spoilt
    best, kept = above, (ports.copy(), load.copy())
    work.begin(rounds, "rounds of cooling")
    for number in range(rounds):
        if work.stopped:
            break
        above -= turn(hot * (_COLD / hot) ** (number / rounds))
        if above < best and load.max(initial=0) <= most:
            best, kept = above, (ports.copy(), load.copy())
        if not best:
            break
    return kept
