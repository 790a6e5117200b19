"""Effective bisection bandwidth: the rate that tables give the flows from a random half of the hosts to the other half."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.model.capacities import channel_capacities
from topoloom.routing.routing import Routing
from topoloom.throughput.traffic import host_rates, host_switches, uniform_remote
from topoloom.throughput.traffic.loads import table_loads

#: Bisections per task of a thread.
_BLOCK = 8


@dataclass(frozen=True, eq=False)
class Bisections:
    """Random bisections, and the rates of their flows.

    Attributes
    ----------
    shares : float64[bisections]
        The mean rate of the flows of each bisection, relative to a link's rate or, where rates differ, to what they ask for.
    seed : int
        The seed of the random bisections.
    """

    shares: np.ndarray
    seed: int

    @property
    def mean(self) -> float:
        """The effective bisection bandwidth, as a share of full rate."""
        return float(self.shares.mean())

    @property
    def error(self) -> float:
        """The standard error of the mean; inf for a single bisection."""
        count = self.shares.size
        return float(self.shares.std(ddof=1) / math.sqrt(count)) if count > 1 else math.inf


def effective_bisection(
    routing: Routing, bisections: int = 1000, *, seed: int = 1, jobs: int | None = None, work: Work | None = None
) -> Bisections:
    """Return the effective bisection bandwidth of tables.

    Halves of the hosts are drawn at random, with partners: each host of one half sends to one host of the other (an odd host is
    omitted). A flow's rate is 1 over the number of flows on the fullest channel of its path, which includes the hosts' links,
    with one flow each. Where rates differ, a flow asks for the lower rate of its two hosts, and gets the share that the fullest
    channel of its path has for all its flows.

    Parameters
    ----------
    routing : Routing
        Complete tables: every switch reaches every other.
    bisections : int
        How many are drawn; the mean's error falls with their square root.
    seed : int
        Bisection i is the same for any number of bisections and threads.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional
        Reports progress in blocks of bisections.

    Returns
    -------
    Bisections
        The mean rate per bisection, relative to a link's rate, with `mean` and its standard `error`.

    Raises
    ------
    InputError
        No bisections requested, fewer than two hosts, or incomplete tables.

    Notes
    -----
    Source: Hoefler, Schneider and Lumsdaine, Multistage switches are not crossbars, Cluster 2008.

    Examples
    --------
    >>> from topoloom.routing.route import route
    >>> from topoloom.topologies.spec import build
    >>> result = effective_bisection(route(build("complete:n=8")), 10)
    >>> result.mean, result.error
    (1.0, 0.0)
    """
    from topoloom.throughput.kernels.bisections import bisections as count_flows
    from topoloom.throughput.kernels.bisections import rated_bisections as share_flows

    switch = host_switches(routing.topology)
    if bisections < 1:
        raise InputError(f"bisections={bisections}: at least one is needed")
    Allowance("quality").take(8.0 * bisections, f"{bisections:,} bisections")
    if switch.size < 2:
        raise InputError(f"{routing.topology.name}: {switch.size} hosts; bisections need at least two")
    table_loads(routing, uniform_remote(routing.topology), jobs, work=work)  # refuses incomplete tables
    channels, shares = routing.channels, np.zeros(bisections)
    rate, capacity = host_rates(routing.topology), channel_capacities(routing.topology)

    work = Work() if work is None else work
    work.begin(-(-bisections // _BLOCK), f"blocks of {_BLOCK} bisections")

    def draw(numbers: Iterator[int]) -> None:
        for number in numbers:
            low, high = number * _BLOCK, min(bisections, (number + 1) * _BLOCK)
            states = np.array([Draws(seed, stream).state() for stream in range(low, high)])
            if rate is None or capacity is None:
                count_flows(channels.first, channels.to, routing.ports, switch, states, shares[low:high])
            else:
                share_flows(
                    channels.first, channels.to, routing.ports, switch, rate, capacity, states, shares[low:high]
                )

    over_cores(draw, -(-bisections // _BLOCK), jobs, work)
    work.check()
    return Bisections(shares, seed)
