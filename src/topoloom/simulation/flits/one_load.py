"""One load: warm-up, measured batches until the mean is known well enough, and the arrival of the last packets."""

import math
import struct
import time

import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.model.results import provenance_of
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.buffers import (
    DONE,
    FLITS,
    HOPS,
    LATENCY,
    MADE,
    RETURNED,
    ROUND_TRIP,
    ROUTERS,
    TIME,
    WAITED,
)
from topoloom.simulation.flits.host_ports import ports_of_hosts
from topoloom.simulation.flits.latency_interval import half_width
from topoloom.simulation.flits.pace import INTERVAL, USUAL, BatchPace, fast_pace
from topoloom.simulation.flits.point import AcceptedByRate, Point
from topoloom.simulation.flits.rates import flits_at_full_load
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.run import RouterRun
from topoloom.throughput.traffic import Traffic

#: The least batches before measuring, and the number from which growing latency is accepted; the least measured batches.
_WARM_LEAST, _GROWING, _LEAST = 4, 6, 10
#: The most cycles for measured packets to arrive after the last batch.
_DRAIN = 20_000
#: The most times that batches are longer where hosts are slower than links.
_LONGER = 64
#: If hosts receive less than this share of what is sent, the network is saturated. Smaller deviations are chance.
_ACCEPTED = 0.97
#: A share that indicates saturation if latency also grows: over at least this many batches, by at least this factor, and with
#: at least this excess of rising over falling pairs (Kendall).
_FALLS_SHORT, _TREND, _RISE, _MOSTLY = 0.99, 20, 1.5, 0.7


#: The assumed number of batches per load, for the progress only.
_USUAL = 24


def expected_flits(traffic: Traffic, load: float) -> float:
    """Return the estimated flits that hosts create while a load is simulated, the unit of progress."""
    return load * int(traffic.senders.sum()) * _USUAL * USUAL.batch


def seed_of(seed: int, load: float) -> int:
    """Return the seed of one load, from the sweep's seed and the load alone, whatever other loads the sweep has.

    Examples
    --------
    >>> seed_of(1, 0.5) == seed_of(1, 0.5), seed_of(1, 0.5) == seed_of(1, 0.6)
    (True, False)
    """
    return Draws(seed, int.from_bytes(struct.pack(">d", load))).word() >> 33


def simulate_load(
    routing: Routing,
    config: RouterConfig,
    traffic: Traffic,
    load: float,
    seed: int,
    cables: np.ndarray | None = None,
    fast: bool = False,
    interval: float | None = None,
    work: Work | None = None,
    cores: int = 1,
) -> Point:
    """Simulate one load: warm up, measure batches until the mean latency is known well, and let measured packets arrive.

    Parameters
    ----------
    routing : Routing
    config : RouterConfig
    traffic : Traffic
    load : float
        Flits per host and cycle.
    seed : int
    cables : int64[links], optional
        The cycles of each cable; those of the config when omitted.
    fast : bool
        Simulate large networks in short batches: `fast_pace`.
    interval : float, optional
        Measure until the half width of the 95 % confidence interval of the mean latency is at most this share of the mean. When
        omitted, until it would be within `pace.INTERVAL` if batches were independent: the interval of the point may be wider.
    work : Work, optional
        Reports progress in flits, of `expected_flits` in all.
    cores : int
        The most threads; the result does not depend on them (`partition`).

    Returns
    -------
    Point
        The accepted load, in flits per host and cycle, and the latency in cycles.

    Raises
    ------
    InputError
        A network that exceeds the limits of the kernels; a deadlock.
    Stopped
        `work` was stopped before the load was finished.
    """
    work = Work() if work is None else work
    progress = _Progress(work, expected_flits(traffic, load))
    run = RouterRun(routing, config, traffic, load, seed, cables=cables, work=work, cores=cores)
    state = run.network.state
    run.go(1, 1 << 60, 1 << 60)  # compiles the kernels if needed
    began, no_end = time.thread_time() + run.other_seconds, 1 << 60
    demand = run.demand
    # With several ports per host, each port counts; a host receives the sum of its ports.
    ports = ports_of_hosts(routing.topology)
    each = 1 if ports is None else ports.shape[1]
    senders = flits_at_full_load(traffic, run.rates, ports, config.to_itself)
    sending = each * int(traffic.senders.sum())
    # Where hosts are slower than links, all takes longer in cycles.
    longer = 1 if run.rates is None else min(_LONGER, math.ceil(sending / senders))
    made = longer * load * senders / config.flits_per_created
    pace = (fast_pace(made) if fast else USUAL).longer(longer)
    latency = _warm_up(run, progress, pace)
    pace = (
        (fast_pace(made, latency / longer) if fast else USUAL)
        .until(INTERVAL if interval is None else interval)
        .longer(longer)
    )
    begin, flits_before, host_flits_before, carried = (
        run.cycle,
        int(state[FLITS]),
        run.host_flits(),
        run.channel_flits(),
    )
    state[[DONE, LATENCY, MADE, ROUTERS, WAITED, RETURNED, ROUND_TRIP]] = 0
    run.histogram[:] = 0
    means: list[float] = []
    saturated = False
    while len(means) < pace.most:
        before = state.copy()
        run.go(pace.batch, begin, no_end, progress.within)
        means.append(_ratio(state[LATENCY] - before[LATENCY], state[DONE] - before[DONE]))
        width, mean = half_width(means, independent=interval is None), float(np.mean(means))
        progress.batch_done(_batches_needed(len(means), width, mean, pace) - len(means))
        if len(means) >= min(_LEAST, pace.most):
            sent = load * senders * (run.cycle - begin)
            chance = 3 * config.chance_of_sources(load, sent / config.flits_per_created)
            share = (int(state[FLITS]) - flits_before) / sent + chance
            saturated = share < _ACCEPTED or (share < _FALLS_SHORT and _growing(means))
            if saturated or width <= pace.tight * mean:
                break
    end = run.cycle
    accepted = (int(state[FLITS]) - flits_before) / senders / (end - begin)
    received = run.host_flits() - host_flits_before
    if ports is not None:
        received = np.bincount(demand.owner, weights=received, minlength=demand.turn.size)
    by_rate: tuple[AcceptedByRate, ...] = ()
    if run.rates is None:
        least = float(received[traffic.receivers].min()) / each / (end - begin)
        host_accepted = received / each / (end - begin)
        flit_gbps = config.flit_bits / config.cycle_ns if config.cycle_ns and config.flit_bits else None
        gbps = accepted * config.flit_bits / config.cycle_ns if flit_gbps else None
    else:
        host_accepted = received / run.rates.by_host(ports) / (end - begin)
        least = float(host_accepted[traffic.receivers].min())
        flit_gbps = run.rates.fastest_gbps
        by_rate = _by_rate(run.rates.by_host(ports) * flit_gbps, host_accepted, traffic.receivers)
        gbps = accepted * flit_gbps * (senders / sending)
    loads = run.channel_flits() - carried
    if run.rates is not None:
        loads = loads * run.rates.cycles_of_channels(routing.topology)
    loads = (loads / (end - begin)).astype(np.float32)
    while not saturated and state[DONE] < state[MADE] and run.cycle < end + longer * _DRAIN:
        run.go(100, begin, end)
    seconds = time.thread_time() + run.other_seconds - began
    progress.reach(1.0)
    waited, mean = _ratio(state[WAITED], state[MADE]), _ratio(state[LATENCY], state[DONE])
    timings = {"seconds": seconds, "flit_hops_per_s": int(state[HOPS]) / seconds if seconds else 0.0}
    return Point(
        offered=load,
        accepted=accepted,
        accepted_min=least,
        latency_mean=mean,
        latency_ci95=half_width(means),
        latency_p50=percentile(run.histogram, 0.5),
        latency_p99=percentile(run.histogram, 0.99),
        latency_p999=percentile(run.histogram, 0.999),
        hops_mean=_ratio(state[ROUTERS], state[DONE]),
        packets=int(state[DONE]),
        cycles=int(state[TIME]),
        saturated=saturated,
        source_mean=waited,
        network_mean=mean - waited,
        link_mean=float(loads.mean()) if loads.size else 0.0,
        link_max=float(loads.max(initial=0)),
        latency_mean_ns=mean * config.cycle_ns if config.cycle_ns else None,
        accepted_gbps=gbps,
        by_rate=by_rate,
        round_trip_mean=_ratio(state[ROUND_TRIP], state[RETURNED]) if config.reply_flits else None,
        replies=int(state[RETURNED]),
        channel_loads=loads,
        host_accepted=host_accepted.astype(np.float32),
        host_accepted_gbps=(received * (flit_gbps / (end - begin)) if flit_gbps else np.empty(0)).astype(np.float32),
        provenance=provenance_of(
            routing.topology, engine=routing.engine, seed=seed, settings={"traffic": traffic.name}, timings=timings
        ),
    )


def _by_rate(rate_gbps: np.ndarray, accepted: np.ndarray, receives: np.ndarray) -> tuple[AcceptedByRate, ...]:
    """The shares that the receiving hosts of each rate accept."""
    rounded = np.round(rate_gbps, 6)  # a sum of rates has rounding errors
    groups = [(rate, accepted[receives & (rounded == rate)]) for rate in np.unique(rounded[receives]).tolist()]
    return tuple(AcceptedByRate(rate, each.size, float(each.mean()), float(each.min())) for rate, each in groups)


class _Progress:
    """Reports the finished share of a load; the share never decreases, even if more batches turn out to be needed."""

    def __init__(self, work: Work, flits: float) -> None:
        self._work, self._flits = work, flits
        self._share, self._batches, self._all_batches = 0.0, 0, float(_USUAL)

    def reach(self, share: float) -> None:
        """Report that this share of the load is finished."""
        if share > self._share:
            self._work.advance((share - self._share) * self._flits)
            self._share = share

    def within(self, part: float) -> None:
        """Report that this part of a batch is finished."""
        self.reach((self._batches + part) / (self._all_batches + 1))

    def batch_done(self, to_go: float) -> None:
        """Report that a batch is finished, and that `to_go` more are expected."""
        self._batches += 1
        self._all_batches = self._batches + max(1.0, to_go)


def _batches_needed(done: int, width: float, mean: float, pace: BatchPace) -> float:
    """Return the total batches until the confidence interval is tight; its width falls with their square root."""
    if done < 2 or not mean:
        return float(_USUAL)
    return min(float(pace.most), max(float(_LEAST), done * (width / (pace.tight * mean)) ** 2))


def _warm_up(run: RouterRun, progress: _Progress, pace: BatchPace) -> float:
    """Run until batches agree in mean latency or, above saturation, in arriving flits; return the last mean latency."""
    state = run.network.state
    last, last_flits, steady_batches = math.inf, 0, 0
    for batch in range(pace.warm):
        before = state.copy()
        run.go(pace.batch, 0, 1 << 60, progress.within)
        progress.batch_done(_USUAL - batch)
        mean = _ratio(state[LATENCY] - before[LATENCY], state[DONE] - before[DONE])
        flits = int(state[FLITS] - before[FLITS])
        # Above saturation, latency grows without limit, but the number of arriving flits per batch is stable.
        steady = abs(mean - last) <= pace.steady * mean or (
            batch >= _GROWING and abs(flits - last_flits) <= pace.steady * flits
        )
        steady_batches, last, last_flits = steady_batches + 1 if steady else 0, mean, flits
        if batch + 1 >= _WARM_LEAST and steady_batches >= 3:
            break
    return last


def percentile(histogram: np.ndarray, share: float) -> int:
    """Return the cycles that this share of packets takes at most, in steps of 64 above 4,096."""
    ranks = np.cumsum(histogram)
    if not ranks[-1]:
        return 0
    place = int(np.searchsorted(ranks, share * ranks[-1]))
    return place if place < 4096 else (place - 4096) << 6


def _growing(means: list[float]) -> bool:
    """Return whether batch means keep growing: the last quarter is above the first, and most pairs are rising."""
    if len(means) < _TREND or np.mean(means[-len(means) // 4 :]) < _RISE * np.mean(means[: len(means) // 4]):
        return False
    values = np.array(means)
    later = np.sign(values[None, :] - values[:, None])[np.triu_indices(values.size, 1)]
    return bool(later.mean() > _MOSTLY)


def _ratio(total: int, count: int) -> float:
    return float(total) / float(count) if count else 0.0
