"""One load: warm-up, batches until the mean is known well enough, and the last packets' arrival."""

import math
import time

import numpy as np

from topoloom.core.work import Work
from topoloom.model.results import provenance_of
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.buffers import DONE, FLITS, HOPS, LATENCY, MADE, ROUTERS, TIME, WAITED
from topoloom.simulation.flits.pace import INTERVAL, USUAL, BatchPace, fast_pace
from topoloom.simulation.flits.point import Point
from topoloom.simulation.flits.router_config import RouterConfig
from topoloom.simulation.flits.run import RouterRun
from topoloom.throughput.traffic import Traffic

#: Batches before measuring, at least, and from which growing latency is let be; batches measured, at least.
_WARM_LEAST, _GROWING, _LEAST = 4, 6, 10
#: Cycles that measured packets may take to arrive after the last batch.
_DRAIN = 20_000
#: Hosts get less than this share of what sources make: saturated. Below it is chance in batches of few packets.
_ACCEPTED = 0.97
#: Or less than this share and latency grows: over so many batches at least, by so much, and so much more often up than down
#: (Kendall).
_FALLS_SHORT, _TREND, _RISE, _MOSTLY = 0.99, 20, 1.5, 0.7


#: Batches that a load takes, until more is known of it: for the progress alone.
_USUAL = 24


def expected_flits(traffic: Traffic, load: float) -> float:
    """Flits that hosts make while a load is simulated, as far as can be told before; what progress is counted in."""
    return load * int(traffic.senders.sum()) * _USUAL * USUAL.batch


def simulate_load(
    routing: Routing,
    config: RouterConfig,
    traffic: Traffic,
    load: float,
    seed: int,
    cables: np.ndarray | None = None,
    fast: bool = False,
    interval: float = INTERVAL,
    work: Work | None = None,
) -> Point:
    """Simulate one load: warm up, measure batches until the mean latency is known well, and let what is measured arrive.

    Parameters
    ----------
    routing : Routing
    config : RouterConfig
    traffic : Traffic
    load : float
        Flits a host and cycle.
    seed : int
    cables : int64[links], optional
        Cycles of each cable; the config's for all when omitted.
    fast : bool
        Large networks in short batches: `fast_pace`.
    interval : float
        Measure until the 95 % confidence interval of the mean latency reaches no further than this share of it.
    work : Work, optional
        Told how far the load is, in `expected_flits`.

    Returns
    -------
    Point
        What hosts got at this load, in flits a host and cycle, and the latency in cycles.

    Raises
    ------
    InputError
        A network beyond what the kernels have room for; a deadlock.
    Stopped
        `work` was stopped before the load was finished.
    """
    work = Work() if work is None else work
    progress = _Progress(work, expected_flits(traffic, load))
    run = RouterRun(routing, config, traffic, load, seed, cables=cables, work=work)
    state = run.network.state
    run.go(1, 1 << 60, 1 << 60)  # compiles, where it has to
    began, never = time.thread_time(), 1 << 60
    demand = run.demand
    # Of hosts with several ports each counts; what a host gets is what all of its ports get.
    each = max(1, demand.ports.size // max(1, demand.turn.size))
    senders = each * int(traffic.senders.sum())
    made = load * senders / config.mean_flits
    pace = fast_pace(made) if fast else USUAL
    latency = _warm_up(run, progress, pace)
    pace = (fast_pace(made, latency) if fast else USUAL).until(interval)
    begin, flits_before, host_flits_before, carried = (
        run.cycle,
        int(state[FLITS]),
        run.host_flits(),
        run.channel_flits(),
    )
    state[[DONE, LATENCY, MADE, ROUTERS, WAITED]] = 0
    run.histogram[:] = 0
    means: list[float] = []
    saturated = False
    while len(means) < pace.most:
        before = state.copy()
        run.go(pace.batch, begin, never, progress.within)
        means.append(_ratio(state[LATENCY] - before[LATENCY], state[DONE] - before[DONE]))
        half_width, mean = _half_width(means), float(np.mean(means))
        progress.batch_done(_batches_needed(len(means), half_width, mean, pace) - len(means))
        if len(means) >= _LEAST:
            sent = load * senders * (run.cycle - begin)
            chance = 3 * config.chance_of_sources(load, sent / config.mean_flits)
            share = (int(state[FLITS]) - flits_before) / sent + chance
            saturated = share < _ACCEPTED or (share < _FALLS_SHORT and _growing(means))
            if saturated or half_width <= pace.tight * mean:
                break
    end = run.cycle
    accepted = (int(state[FLITS]) - flits_before) / senders / (end - begin)
    got = run.host_flits() - host_flits_before
    if demand.owner.size:
        got = np.bincount(demand.owner, weights=got, minlength=demand.turn.size)
    least = float(got[traffic.receivers].min()) / each / (end - begin)
    loads = ((run.channel_flits() - carried) / (end - begin)).astype(np.float32)
    while not saturated and state[DONE] < state[MADE] and run.cycle < end + _DRAIN:
        run.go(100, begin, end)
    seconds = time.thread_time() - began
    progress.reach(1.0)
    waited, mean = _ratio(state[WAITED], state[MADE]), _ratio(state[LATENCY], state[DONE])
    timings = {"seconds": seconds, "flit_hops_per_s": int(state[HOPS]) / seconds if seconds else 0.0}
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
        saturated=saturated,
        source_mean=waited,
        network_mean=mean - waited,
        link_mean=float(loads.mean()) if loads.size else 0.0,
        link_max=float(loads.max(initial=0)),
        latency_mean_ns=mean * config.cycle_ns if config.cycle_ns else None,
        accepted_gbps=accepted * config.flit_bits / config.cycle_ns if config.cycle_ns and config.flit_bits else None,
        channel_loads=loads,
        provenance=provenance_of(
            routing.topology, engine=routing.engine, seed=seed, settings={"traffic": traffic.name}, timings=timings
        ),
    )


class _Progress:
    """What share of a load is done, told to its work; it never goes back, though later batches may turn out to be more."""

    def __init__(self, work: Work, flits: float) -> None:
        self._work, self._flits = work, flits
        self._share, self._batches, self._all_batches = 0.0, 0, float(_USUAL)

    def reach(self, share: float) -> None:
        """So large a share of the load is done."""
        if share > self._share:
            self._work.advance((share - self._share) * self._flits)
            self._share = share

    def within(self, part: float) -> None:
        """So large a part of a batch is done."""
        self.reach((self._batches + part) / (self._all_batches + 1))

    def batch_done(self, to_go: float) -> None:
        """A batch is done, and so many more are expected."""
        self._batches += 1
        self._all_batches = self._batches + max(1.0, to_go)


def _batches_needed(done: int, half_width: float, mean: float, pace: BatchPace) -> float:
    """How many batches it takes in all until the confidence interval is tight, which narrows with their square root."""
    if done < 2 or not mean:
        return float(_USUAL)
    return min(float(pace.most), max(float(_LEAST), done * (half_width / (pace.tight * mean)) ** 2))


def _warm_up(run: RouterRun, progress: _Progress, pace: BatchPace) -> float:
    """Run until batches are alike: in their mean latency, or, above saturation, in what arrives; the last mean latency."""
    state = run.network.state
    last, last_flits, calm = math.inf, 0, 0
    for batch in range(pace.warm):
        before = state.copy()
        run.go(pace.batch, 0, 1 << 60, progress.within)
        progress.batch_done(_USUAL - batch)
        mean = _ratio(state[LATENCY] - before[LATENCY], state[DONE] - before[DONE])
        flits = int(state[FLITS] - before[FLITS])
        # Above saturation latency grows without end, but as many flits arrive in a batch as in the one before.
        steady = abs(mean - last) <= pace.steady * mean or (
            batch >= _GROWING and abs(flits - last_flits) <= pace.steady * flits
        )
        calm, last, last_flits = calm + 1 if steady else 0, mean, flits
        if batch + 1 >= _WARM_LEAST and calm >= 3:
            break
    return last


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
    from scipy.special import stdtrit

    return float(stdtrit(len(means) - 1, 0.975) * np.std(means, ddof=1) / math.sqrt(len(means)))
