"""One load: warm-up, batches until the mean is known well enough, and the last packets' arrival."""

import math
import time

import numpy as np

from topoloom.errors import InputError
from topoloom.routing.routing import Routing
from topoloom.simulator.buffers import DONE, FLITS, HOPS, LATENCY, MADE, ROUTERS, TIME, WAITED, Demand
from topoloom.simulator.config import RouterConfig
from topoloom.simulator.curve import Point
from topoloom.simulator.machine import machine
from topoloom.simulator.watchdog import check_moving
from topoloom.threads import asked_to_stop
from topoloom.traffic import UNIFORM, Loop, Trace, Traffic

#: Cycles of a batch; batches before measuring, at most and at least, and from which growing latency is let be; batches
#: measured, at least and at most.
_BATCH, _WARM, _WARM_LEAST, _GROWING, _LEAST, _MOST = 500, 40, 4, 6, 10, 200
#: A mean within this share of its last is steady; a confidence interval within this share is tight.
_STEADY, _TIGHT = 0.03, 0.01
#: Cycles that measured packets may take to arrive after the last batch.
_DRAIN = 20_000
#: Hosts get less than this share of what sources make: saturated. Below it is chance in batches of few packets.
_ACCEPTED = 0.97
#: Or less than this share and latency grows: over so many batches at least, by so much, and so much more often up than down
#: (Kendall).
_FALLS_SHORT, _TREND, _RISE, _MOSTLY = 0.99, 20, 1.5, 0.7


class Run:
    """A simulation at one load, or of a trace or closed loop, batch by batch.

    Parameters
    ----------
    load : float
        Flits a host and cycle; not looked at with a trace or a loop.
    cables : int64[links], optional
        Cycles of each cable; the config's for all when left out.
    log : int
        Packets of the window that are written down one by one.
    """

    def __init__(
        self,
        routing: Routing,
        config: RouterConfig,
        traffic: Traffic | Trace | Loop,
        load: float,
        seed: int,
        *,
        cables: np.ndarray | None = None,
        log: int = 0,
    ) -> None:
        if cables is None:
            cables = np.full(len(routing.topology.links), config.link_cycles, np.int64)
        self.routing, self.demand = routing, _demand(config, traffic, load)
        self.machine = machine(routing, config, cables, self.demand, seed=seed, log=log)
        self.histogram = self.machine.buffers.histogram
        self.cycle = 0
        if isinstance(traffic, Loop):
            from topoloom.simulator.kernels.trips import begin_trips

            begin_trips(self.machine.net, self.machine.buffers, self.demand, traffic.window)

    def go(self, cycles: int, begin: int, end: int) -> None:
        """Run on."""
        from topoloom.simulator.kernels.router import run

        if asked_to_stop.is_set():
            raise KeyboardInterrupt
        at = self.machine
        before = int(at.state[HOPS])
        self.cycle += cycles
        run(
            at.shape,
            at.rich,
            at.far,
            at.near_too,
            at.detours,
            at.net,
            at.buffers,
            at.rules,
            self.demand,
            self.cycle,
            begin,
            end,
        )
        check_moving(self.routing, at, int(at.state[HOPS]) - before)

    def got(self) -> np.ndarray:
        """Flits that each host has got, int64[hosts]."""
        hosts = np.flatnonzero(self.machine.net.host_at >= 0)
        return self.machine.buffers.port[8 * hosts + 6].astype(np.int64)

    def channel_flits(self) -> np.ndarray:
        """Flits that each channel has carried, int64[channels]."""
        return np.asarray(self.machine.buffers.port[8 * self.machine.channel_port + 6].astype(np.int64))

    def inside(self) -> int:
        """Flits in all buffers."""
        return int(self.machine.buffers.rec[7::8].sum())


def _demand(config: RouterConfig, traffic: Traffic | Trace | Loop, load: float) -> Demand:
    lengths = sorted(config.lengths)
    none, none32 = np.zeros(0, np.int64), np.zeros(0, np.int32)
    empty = Demand(
        kind=UNIFORM,
        first=none,
        to=none32,
        share=1.0,
        load=0.0,
        burst=float(config.burst_packets),
        lengths=np.array([length for length, _ in lengths], np.int32),
        shares=np.cumsum([share for _, share in lengths]),
        events=none32,
        loop=none,
        back_first=none,
        back_to=none32,
    )
    if isinstance(traffic, Trace):
        events = np.stack([traffic.cycle, traffic.source, traffic.destination, traffic.flits], 1)
        return empty._replace(events=events.astype(np.int32).reshape(-1))
    if isinstance(traffic, Loop):
        miss = round(traffic.miss * (1 << 32)) if traffic.back_to.size else 0
        loop = [
            traffic.request_flits,
            traffic.reply_flits,
            traffic.service_cycles,
            traffic.miss_cycles,
            miss,
            traffic.requests,
        ]
        return empty._replace(
            first=traffic.first.copy(),
            to=traffic.to.copy(),
            loop=np.array(loop, np.int64),
            back_first=traffic.back_first.copy(),
            back_to=traffic.back_to.copy(),
        )
    if not traffic.by_host:
        raise InputError(f"traffic {traffic.name}: amounts between switches; the simulator sends from host to host")
    packets = min(load / config.mean_flits / config.burst_packets, 1 - 1e-9)
    # Copies: arrays that cannot be written to are another type to the compiler, which would compile all anew.
    return empty._replace(
        kind=traffic.kind, first=traffic.first.copy(), to=traffic.to.copy(), share=float(traffic.share), load=packets
    )


def point(
    routing: Routing, config: RouterConfig, traffic: Traffic, load: float, seed: int, cables: np.ndarray | None = None
) -> Point:
    """Simulate one load: warm up, measure batches until the mean latency is known well, and let what is measured arrive."""
    run = Run(routing, config, traffic, load, seed, cables=cables)
    state = run.machine.state
    run.go(1, 1 << 60, 1 << 60)  # compiles, where it has to
    began, never = time.thread_time(), 1 << 60
    senders = int(traffic.senders.sum())
    _warm_up(run)
    begin, flits_before, got_before, carried = run.cycle, int(state[FLITS]), run.got(), run.channel_flits()
    state[[DONE, LATENCY, MADE, ROUTERS, WAITED]] = 0
    run.histogram[:] = 0
    means: list[float] = []
    saturated = False
    while len(means) < _MOST:
        before = state.copy()
        run.go(_BATCH, begin, never)
        means.append(_ratio(state[LATENCY] - before[LATENCY], state[DONE] - before[DONE]))
        if len(means) >= _LEAST:
            sent = load * senders * (run.cycle - begin)
            chance = 3 * config.spread(load, sent / config.mean_flits)
            share = (int(state[FLITS]) - flits_before) / sent + chance
            saturated = share < _ACCEPTED or (share < _FALLS_SHORT and _growing(means))
            if saturated or _half_width(means) <= _TIGHT * float(np.mean(means)):
                break
    end = run.cycle
    accepted = (int(state[FLITS]) - flits_before) / senders / (end - begin)
    least = int((run.got() - got_before)[traffic.receivers].min()) / (end - begin)
    loads = ((run.channel_flits() - carried) / (end - begin)).astype(np.float32)
    while not saturated and state[DONE] < state[MADE] and run.cycle < end + _DRAIN:
        run.go(100, begin, end)
    seconds = time.thread_time() - began
    waited, mean = _ratio(state[WAITED], state[MADE]), _ratio(state[LATENCY], state[DONE])
    return Point(
        offered=load,
        accepted=accepted,
        accepted_min=least,
        latency_mean=mean,
        latency_ci95=_half_width(means),
        latency_p50=percentile(run.histogram, 0.5),
        latency_p99=percentile(run.histogram, 0.99),
        latency_p999=percentile(run.histogram, 0.999),
        hops_mean=_ratio(state[ROUTERS], state[DONE]),
        packets=int(state[DONE]),
        cycles=int(state[TIME]),
        flit_hops_per_s=int(state[HOPS]) / seconds if seconds else 0.0,
        saturated=saturated,
        source_mean=waited,
        network_mean=mean - waited,
        link_mean=float(loads.mean()) if loads.size else 0.0,
        link_max=float(loads.max(initial=0)),
        channel_loads=loads,
    )


def _warm_up(run: Run) -> None:
    """Run until batches are alike: in their mean latency, or, above saturation, in what arrives."""
    state = run.machine.state
    last, last_flits, calm = math.inf, 0, 0
    for batch in range(_WARM):
        before = state.copy()
        run.go(_BATCH, 0, 1 << 60)
        mean = _ratio(state[LATENCY] - before[LATENCY], state[DONE] - before[DONE])
        flits = int(state[FLITS] - before[FLITS])
        # Above saturation latency grows without end, but as many flits arrive in a batch as in the one before.
        steady = abs(mean - last) <= _STEADY * mean or (
            batch >= _GROWING and abs(flits - last_flits) <= _STEADY * flits
        )
        calm, last, last_flits = calm + 1 if steady else 0, mean, flits
        if batch + 1 >= _WARM_LEAST and calm >= 3:
            break


def percentile(histogram: np.ndarray, share: float) -> int:
    """Cycles that so large a share of packets take at most, in steps of 64 above 4,096."""
    ranks = np.cumsum(histogram)
    if not ranks[-1]:
        return 0
    place = int(np.searchsorted(ranks, share * ranks[-1]))
    return place if place < 4096 else (place - 4096) << 6


def _growing(means: list[float]) -> bool:
    """Whether batch means go up and up: the last quarter is above the first, and later ones are mostly above earlier ones."""
    if len(means) < _TREND or np.mean(means[-len(means) // 4 :]) < _RISE * np.mean(means[: len(means) // 4]):
        return False
    values = np.array(means)
    later = np.sign(values[None, :] - values[:, None])[np.triu_indices(values.size, 1)]
    return bool(later.mean() > _MOSTLY)


def _ratio(total: int, count: int) -> float:
    return float(total) / float(count) if count else 0.0


def _half_width(means: list[float]) -> float:
    """Half the 95 % confidence interval of batch means (Student's t)."""
    if len(means) < 2:
        return math.inf
    from scipy.stats import t

    return float(t.ppf(0.975, len(means) - 1) * np.std(means, ddof=1) / math.sqrt(len(means)))
