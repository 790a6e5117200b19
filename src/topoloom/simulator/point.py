"""One load: warm-up, batches until the mean is known well enough, and the last packets' arrival."""

import math
import time

import numpy as np

from topoloom.routing.routing import Routing
from topoloom.simulator.config import RouterConfig
from topoloom.simulator.curve import Point
from topoloom.simulator.machine import Machine, machine
from topoloom.simulator.watchdog import check_moving

#: Cycles of a batch; batches before measuring, at most and at least, and from which growing latency is let be; batches
#: measured, at least and at most.
_BATCH, _WARM, _WARM_LEAST, _GROWING, _LEAST, _MOST = 500, 40, 4, 6, 10, 200
#: A mean within this share of its last is steady; a confidence interval within this share is tight.
_STEADY, _TIGHT = 0.03, 0.01
#: Cycles that measured packets may take to arrive after the last batch.
_DRAIN = 20_000
_HISTOGRAM = 1 << 14
#: Hosts get less than this share of what sources make: saturated. Below it is chance in batches of few packets.
_ACCEPTED = 0.97


class Run:
    """A simulation at one load, batch by batch."""

    def __init__(self, routing: Routing, config: RouterConfig, partner: np.ndarray, load: float, seed: int) -> None:
        topology = routing.topology
        lanes = routing.verdict.lanes_used if routing.verdict is not None else 1
        vcs = config.vcs or lanes
        wires = np.full(len(topology.links), config.link_cycles, np.int64)
        self.routing, self.config, self.partner = routing, config, partner
        self.room = max(1, config.buffer_flits // max(vcs, lanes))
        self.machine: Machine = machine(routing, max(vcs, lanes), self.room, wires, seed=seed)
        self.load = min(load / config.packet_flits, 1 - 1e-9)
        self.histogram = np.zeros(_HISTOGRAM, np.int64)
        self.got = np.zeros(topology.endpoints.size, np.int64)
        self.cycle = 0

    def go(self, cycles: int, begin: int, end: int) -> None:
        """Run on."""
        from topoloom.simulator._router_kernels import HOPS, run

        at, config = self.machine, self.config
        before = int(at.state[HOPS])
        self.cycle += cycles
        run(
            at.words, at.slots, at.vcs, config.speedup, self.room, config.credit_cycles, config.inject_cycles, at.pool, at.rec,
            at.popped, at.port, at.calendar, at.active, at.pending, at.unowned, at.asked, at.table, at.lane_table,
            at.lane_rule, at.width, at.host_switch, at.host_port, self.partner, config.to_itself, config.packet_flits,
            at.queue, at.backlog, at.most, at.state, self.histogram, self.got, self.load, self.cycle, begin, end,
        )  # fmt: skip
        check_moving(self.routing, at, int(at.state[HOPS]) - before)


def point(routing: Routing, config: RouterConfig, partner: np.ndarray, load: float, seed: int) -> Point:
    """Simulate one load: warm up, measure batches until the mean latency is known well, and let what is measured arrive."""
    from topoloom.simulator._router_kernels import DONE, FLITS, HOPS, LATENCY, MADE, ROUTERS, TIME

    run = Run(routing, config, partner, load, seed)
    state = run.machine.state
    run.go(1, 1 << 60, 1 << 60)  # compiles, where it has to
    began, never = time.thread_time(), 1 << 60
    senders = int((partner >= 0).sum()) if partner.size else run.got.size
    last, last_flits, calm = math.inf, 0, 0
    for batch in range(_WARM):
        before = state.copy()
        run.go(_BATCH, 0, never)
        mean, flits = (
            _ratio(state[LATENCY] - before[LATENCY], state[DONE] - before[DONE]),
            int(state[FLITS] - before[FLITS]),
        )
        # Above saturation latency grows without end, but as many flits arrive in a batch as in the one before.
        steady = abs(mean - last) <= _STEADY * mean or (
            batch >= _GROWING and abs(flits - last_flits) <= _STEADY * flits
        )
        calm, last, last_flits = calm + 1 if steady else 0, mean, flits
        if batch + 1 >= _WARM_LEAST and calm >= 3:
            break
    begin = run.cycle
    state[[DONE, LATENCY, MADE, ROUTERS, FLITS]] = 0
    run.histogram[:] = 0
    run.got[:] = 0
    means: list[float] = []
    saturated = False
    while len(means) < _MOST:
        before = state.copy()
        run.go(_BATCH, begin, never)
        means.append(_ratio(state[LATENCY] - before[LATENCY], state[DONE] - before[DONE]))
        if len(means) >= _LEAST:
            flits = senders * (run.cycle - begin)
            saturated = int(state[FLITS]) < _ACCEPTED * load * flits - 3 * math.sqrt(load * flits)
            if saturated or _half_width(means) <= _TIGHT * float(np.mean(means)):
                break
    end = run.cycle
    receivers = np.unique(partner[partner >= 0]) if partner.size else np.arange(run.got.size)
    accepted, least = int(state[FLITS]) / senders / (end - begin), int(run.got[receivers].min()) / (end - begin)
    while not saturated and state[DONE] < state[MADE] and run.cycle < end + _DRAIN:
        run.go(100, begin, end)
    seconds = time.thread_time() - began
    ranks = np.cumsum(run.histogram)
    p50, p99, p999 = (
        int(np.searchsorted(ranks, share * ranks[-1])) if ranks[-1] else 0 for share in (0.5, 0.99, 0.999)
    )
    return Point(
        offered=load, accepted=accepted, accepted_min=least,
        latency_mean=_ratio(state[LATENCY], state[DONE]), latency_ci95=_half_width(means), latency_p50=p50, latency_p99=p99,
        latency_p999=p999, hops_mean=_ratio(state[ROUTERS], state[DONE]), packets=int(state[DONE]), cycles=int(state[TIME]),
        flit_hops_per_s=int(state[HOPS]) / seconds if seconds else 0.0, saturated=saturated,
    )  # fmt: skip


def _ratio(total: int, count: int) -> float:
    return float(total) / float(count) if count else 0.0


def _half_width(means: list[float]) -> float:
    """Half the 95 % confidence interval of batch means (Student's t)."""
    if len(means) < 2:
        return math.inf
    from scipy.stats import t

    return float(t.ppf(0.975, len(means) - 1) * np.std(means, ddof=1) / math.sqrt(len(means)))
