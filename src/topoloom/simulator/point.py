"""One load: warm-up, batches until the mean is known well enough, and the last packets' arrival."""

import math
import time

import numpy as np

from topoloom.routing.routing import Routing
from topoloom.simulator.buffers import DONE, FLITS, HOPS, LATENCY, MADE, ROUTERS, TIME, WAITED, Demand
from topoloom.simulator.config import RouterConfig
from topoloom.simulator.curve import Point
from topoloom.simulator.machine import machine
from topoloom.simulator.watchdog import check_moving

#: Cycles of a batch; batches before measuring, at most and at least, and from which growing latency is let be; batches
#: measured, at least and at most.
_BATCH, _WARM, _WARM_LEAST, _GROWING, _LEAST, _MOST = 500, 40, 4, 6, 10, 200
#: A mean within this share of its last is steady; a confidence interval within this share is tight.
_STEADY, _TIGHT = 0.03, 0.01
#: Cycles that measured packets may take to arrive after the last batch.
_DRAIN = 20_000
#: Hosts get less than this share of what sources make: saturated. Below it is chance in batches of few packets.
_ACCEPTED = 0.97


class Run:
    """A simulation at one load, batch by batch."""

    def __init__(self, routing: Routing, config: RouterConfig, partner: np.ndarray, load: float, seed: int) -> None:
        topology = routing.topology
        cables = np.full(len(topology.links), config.link_cycles, np.int64)
        demand = _demand(config, partner, load)
        self.routing, self.demand = routing, demand
        self.machine = machine(routing, config, cables, demand, seed=seed)
        self.histogram = self.machine.buffers.histogram
        self.cycle = 0

    def go(self, cycles: int, begin: int, end: int) -> None:
        """Run on."""
        from topoloom.simulator._router_kernels import run

        at = self.machine
        before = int(at.state[HOPS])
        self.cycle += cycles
        run(at.shape, at.rich, at.far, at.net, at.buffers, at.rules, self.demand, self.cycle, begin, end)
        check_moving(self.routing, at, int(at.state[HOPS]) - before)

    def got(self) -> np.ndarray:
        """Flits that each host has got, int64[hosts]."""
        hosts = np.flatnonzero(self.machine.net.host_at >= 0)
        return self.machine.buffers.port[8 * hosts + 6].astype(np.int64)

    def inside(self) -> int:
        """Flits in all buffers."""
        return int(self.machine.buffers.rec[7::8].sum())


def _demand(config: RouterConfig, partner: np.ndarray, load: float) -> Demand:
    lengths = sorted(config.lengths)
    none = np.zeros(0, np.int64)
    silent = partner >= 0
    first = np.concatenate([[0], np.cumsum(silent)]).astype(np.int64)
    return Demand(
        kind=1 if partner.size else 0, first=first if partner.size else none, to=partner[silent].astype(np.int32), share=1.0,
        load=min(load / config.mean_flits / config.burst_packets, 1 - 1e-9), burst=float(config.burst_packets),
        lengths=np.array([length for length, _ in lengths], np.int32),
        shares=np.cumsum([share for _, share in lengths]), events=np.zeros(0, np.int32), loop=none, back_first=none,
        back_to=np.zeros(0, np.int32),
    )  # fmt: skip


def point(routing: Routing, config: RouterConfig, partner: np.ndarray, load: float, seed: int) -> Point:
    """Simulate one load: warm up, measure batches until the mean latency is known well, and let what is measured arrive."""
    run = Run(routing, config, partner, load, seed)
    state = run.machine.state
    run.go(1, 1 << 60, 1 << 60)  # compiles, where it has to
    began, never = time.thread_time(), 1 << 60
    hosts = routing.topology.endpoints.size
    senders = int((partner >= 0).sum()) if partner.size else hosts
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
    begin, flits_before, got_before = run.cycle, int(state[FLITS]), run.got()
    state[[DONE, LATENCY, MADE, ROUTERS, WAITED]] = 0
    run.histogram[:] = 0
    means: list[float] = []
    saturated = False
    while len(means) < _MOST:
        before = state.copy()
        run.go(_BATCH, begin, never)
        means.append(_ratio(state[LATENCY] - before[LATENCY], state[DONE] - before[DONE]))
        if len(means) >= _LEAST:
            flits = senders * (run.cycle - begin)
            saturated = int(state[FLITS]) - flits_before < _ACCEPTED * load * flits - 3 * math.sqrt(load * flits)
            if saturated or _half_width(means) <= _TIGHT * float(np.mean(means)):
                break
    end = run.cycle
    receivers = np.unique(partner[partner >= 0]) if partner.size else np.arange(hosts)
    accepted = (int(state[FLITS]) - flits_before) / senders / (end - begin)
    least = int((run.got() - got_before)[receivers].min()) / (end - begin)
    while not saturated and state[DONE] < state[MADE] and run.cycle < end + _DRAIN:
        run.go(100, begin, end)
    seconds = time.thread_time() - began
    return Point(
        offered=load, accepted=accepted, accepted_min=least,
        latency_mean=_ratio(state[LATENCY], state[DONE]), latency_ci95=_half_width(means),
        latency_p50=_percentile(run.histogram, 0.5), latency_p99=_percentile(run.histogram, 0.99),
        latency_p999=_percentile(run.histogram, 0.999), hops_mean=_ratio(state[ROUTERS], state[DONE]),
        packets=int(state[DONE]), cycles=int(state[TIME]),
        flit_hops_per_s=int(state[HOPS]) / seconds if seconds else 0.0, saturated=saturated,
    )  # fmt: skip


def _percentile(histogram: np.ndarray, share: float) -> int:
    """Cycles that so large a share of packets take at most, in steps of 64 above 4,096."""
    ranks = np.cumsum(histogram)
    if not ranks[-1]:
        return 0
    place = int(np.searchsorted(ranks, share * ranks[-1]))
    return place if place < 4096 else (place - 4096) << 6


def _ratio(total: int, count: int) -> float:
    return float(total) / float(count) if count else 0.0


def _half_width(means: list[float]) -> float:
    """Half the 95 % confidence interval of batch means (Student's t)."""
    if len(means) < 2:
        return math.inf
    from scipy.stats import t

    return float(t.ppf(0.975, len(means) - 1) * np.std(means, ddof=1) / math.sqrt(len(means)))
