"""The operation `path_diversity`: shortest and almost shortest paths, link-disjoint paths, and interference of two flows."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.core.threads import over_cores
from topoloom.core.work import Work
from topoloom.figures.style import Axes, drawn
from topoloom.graph.channel_backs import channel_backs
from topoloom.graph.path_lengths import path_lengths
from topoloom.graph.planes import plane_count
from topoloom.graph.spreads import Spread, spread_of, tally_of
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology

#: Most hops beyond the shortest path.
SLACK = 2
#: Most kernel steps for which all pairs are measured: a few seconds.
_QUICK_WALKS, _QUICK_FLOWS = 4e9, 2e9
#: Random pairs, or groups of four switches, if all would take too long; and random switches from which paths are counted.
_SAMPLES, _SOURCES = 2000, 200
_BLOCK, _FEW = 64, 8


@dataclass(frozen=True)
class PathDiversity(Result):
    """The paths of a network between two switches with hosts (between any two if none has hosts).

    Attributes
    ----------
    switches, links : int
    diameter : int
        Hops between the two farthest of them.
    mean_hops : float
        Mean distance over all ordered pairs, or over the sample.
    paths : tuple of Spread
        Simple paths of exactly l, l + 1 and l + 2 hops, where l is the distance of the pair, over ordered pairs. Parallel links
        make different paths.
    disjoint : tuple of Spread
        Link-disjoint paths of at most l, l + 1 and l + 2 hops, over unordered pairs.
    interference : tuple of Spread
        For two random flows, a to b and c to d: how many fewer paths of at most `interference_hops` hops they have together
        than separately. Empty for fewer than four switches.
    interference_hops : tuple of int
        The diameter, and the diameter plus one.
    flows : tuple of float
        The total network load: the number of flows that the channels can carry at once if each takes mean_hops, one hop more,
        and two hops more.
    """

    record_name = "path-diversity"

    switches: int
    links: int
    diameter: int
    mean_hops: float
    paths: tuple[Spread, ...]
    disjoint: tuple[Spread, ...]
    interference: tuple[Spread, ...]
    interference_hops: tuple[int, ...]
    flows: tuple[float, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per measure and length: the measure, the hops (beyond the shortest for paths), and the spread."""
        from dataclasses import asdict

        named = [
            ("paths", range(SLACK + 1), self.paths),
            ("disjoint", range(SLACK + 1), self.disjoint),
            ("interference", self.interference_hops, self.interference),
        ]
        return [
            {"measure": name, "hops": hops, **asdict(spread)}
            for name, lengths, spreads in named
            for hops, spread in zip(lengths, spreads, strict=True)
        ]

    @drawn(height_in=2.2)
    def plot(self, axes: "Axes") -> None:
        """Draw the mean number of link-disjoint paths, by hops beyond the shortest."""
        from topoloom.figures.bars import draw_bars

        names = ("shortest", "and 1 hop longer", "and 2 hops longer")
        bars = [(name, spread.mean) for name, spread in zip(names, self.disjoint, strict=True)]
        title = f"Paths between two switches of {self.provenance.name}"
        draw_bars(axes, bars, "paths that share no link [mean number per pair]", title)


def path_diversity(
    topology: NetworkSource,
    *,
    samples: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> PathDiversity:
    """Count shortest and almost shortest paths between two switches, link-disjoint paths, and the interference of two flows.

    Parameters
    ----------
    topology : NetworkSource
        Connected, of one plane. Between switches with hosts; between any where none has hosts.
    samples : int, optional
        Number of random pairs of switches, and of random groups of four for the interference. When omitted: all pairs if that
        takes seconds, otherwise 2,000; and 2,000 groups of four.
    seed : int
        Seed of the random choices.
    jobs : int, optional
        Threads; every core when omitted. The answer does not depend on them.
    work : Work, optional
        Receives the progress in switches, pairs and groups of four.

    Returns
    -------
    PathDiversity

    Raises
    ------
    InputError
        Fewer than two switches with hosts, several planes, samples below 1, or a network that is not connected.
    Stopped
        `work` was stopped.

    Notes
    -----
    Counts of paths are exact, from walks (`graph.kernels.path_diversity.path_counts`). Link-disjoint paths are c_l(A, B) of the
    source, which takes them greedily, shortest first. Here this is done for more than three hops, which gives a lower bound;
    shortest paths, and paths of up to three hops, are counted exactly by flows. The interference is c_l({a, c}, {b}) + c_l({a,
    c}, {d}) - c_l({a, c}, {b, d}). Source: Besta et al., FatPaths: routing in supercomputers and data centers when shortest
    paths fall short, SC 2020; EvalNet, arXiv 2105.12663.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> found = path_diversity(build("petersen"))
    >>> [spread.mean for spread in found.paths], [spread.mean for spread in found.disjoint]
    ([1.0, 1.3333333333333333, 1.3333333333333333], [1.0, 2.3333333333333335, 2.3333333333333335])
    """
    topology = taken(topology, Topology, "path_diversity")
    if samples is not None and samples < 1:
        raise InputError(f"samples={samples}: at least one is needed")
    if (planes := plane_count(topology)) > 1:
        raise InputError(f"{topology.name}: {planes} planes, which no path connects; measure one of them")
    carriers = np.flatnonzero(topology.endpoints_at) if topology.endpoints.size else np.arange(topology.switches)
    if carriers.size < 2:
        raise InputError(f"{topology.name}: paths need two switches with hosts, and there are {carriers.size}")
    work = Work() if work is None else work
    lengths = path_lengths(topology, jobs, work=work)
    if not lengths.connected:
        raise InputError(f"{topology.name}: not connected; measure one of its parts")
    counted = _count_paths(topology, carriers, int(lengths.diameter), seed, jobs, work)
    disjoint = _count_disjoint(topology, carriers, counted.farthest, samples, seed, jobs, work)
    hops = (counted.farthest, counted.farthest + 1) if carriers.size > 3 else ()
    interference = _interfere(topology, carriers, hops, samples or _SAMPLES, seed, jobs, work) if hops else ()
    channels = 2 * len(topology.links)
    return PathDiversity(
        provenance=provenance_of(topology, seed=seed, settings={"samples": samples}),
        switches=topology.switches,
        links=len(topology.links),
        diameter=counted.farthest,
        mean_hops=counted.mean_hops,
        paths=counted.spreads,
        disjoint=disjoint,
        interference=interference,
        interference_hops=hops,
        flows=tuple(channels / (counted.mean_hops + more) for more in range(SLACK + 1)),
    )


@dataclass(frozen=True)
class _Counted:
    spreads: tuple[Spread, ...]
    farthest: int
    mean_hops: float


def _count_paths(
    topology: Topology, carriers: np.ndarray, diameter: int, seed: int, jobs: int | None, work: Work
) -> _Counted:
    """Count paths from all switches with hosts, or from a random sample, to all others.

    Parameters
    ----------
    topology : Topology
    carriers : int64[k]
    diameter : int
        The diameter of the whole network.
    seed : int
    jobs : int or None
    work : Work
    """
    from topoloom.graph.kernels.path_diversity import path_counts

    first, to, _ = topology.csr
    cost = carriers.size * (diameter + SLACK) * to.size
    sources = carriers
    if cost > _QUICK_WALKS and carriers.size > _SOURCES:
        sources = np.sort(carriers[Draws(seed, 1).permutation(carriers.size)[:_SOURCES]])
    blocks = -(-sources.size // _FEW)
    tallies: dict[int, tuple[list[Counter[float]], np.ndarray, int, int]] = {}
    work.begin(blocks, f"blocks of {_FEW} switches")

    def count(numbers: Iterator[int]) -> None:
        for number in numbers:
            some = sources[number * _FEW : (number + 1) * _FEW]
            counts = np.empty((some.size, topology.switches, SLACK + 1))
            length = np.empty((some.size, topology.switches), np.int64)
            path_counts(first, to, some, diameter, counts, length)
            counts, length = counts[:, carriers], length[:, carriers]
            others = length > 0
            tally = [tally_of(counts[..., more][others]) for more in range(SLACK + 1)]
            means = np.where(others[..., None], counts, 0.0).sum(axis=1) / (carriers.size - 1)
            tallies[number] = tally, means, int(length.sum()), int(length.max())

    over_cores(count, blocks, jobs, work)
    work.check()
    parts = [tallies[number] for number in range(blocks)]
    means = np.concatenate([part[1] for part in parts])
    drawn = sources.size < carriers.size
    errors = means.std(axis=0, ddof=1) / sqrt(sources.size) if drawn else np.zeros(SLACK + 1)
    spreads = tuple(
        spread_of(sum((part[0][more] for part in parts), Counter()), float(errors[more]), every=not drawn)
        for more in range(SLACK + 1)
    )
    mean_hops = sum(part[2] for part in parts) / (sources.size * (carriers.size - 1))
    return _Counted(spreads, max(part[3] for part in parts), mean_hops)


def _count_disjoint(
    topology: Topology,
    carriers: np.ndarray,
    farthest: int,
    samples: int | None,
    seed: int,
    jobs: int | None,
    work: Work,
) -> tuple[Spread, ...]:
    """Count link-disjoint paths of all pairs if that is fast, otherwise of random pairs.

    Parameters
    ----------
    topology : Topology
    carriers : int64[k]
    farthest : int
        Hops between the two farthest of them.
    samples : int or None
    seed : int
    jobs : int or None
    work : Work
    """
    k, widest = carriers.size, int(topology.degrees.max())
    total = k * (k - 1) // 2
    # Up to three hops, a flow visits the links of all neighbours; for longer paths, a search visits all links per path.
    quick, slow = 3 * widest**2, 2 * widest * 2 * len(topology.links)
    exact = min(SLACK, max(0, 3 - farthest))
    spreads: list[Spread] = []
    for upto, each in ((exact, quick if farthest <= 3 else slow), (SLACK, slow)):
        if len(spreads) > upto:
            continue
        wanted = samples if samples is not None else total if total * each <= _QUICK_FLOWS else _SAMPLES
        every = wanted >= total
        pairs = np.stack(np.triu_indices(k, 1), axis=1) if every else _drawn_pairs(k, wanted, Draws(seed, 2))
        counts = _disjoint(topology, carriers[pairs[np.lexsort(pairs.T)]], upto, jobs, work)
        for more in range(len(spreads), upto + 1):
            values = counts[:, more].astype(np.float64)
            error = 0.0 if every or len(values) < 2 else float(values.std(ddof=1)) / sqrt(len(values))
            spreads.append(spread_of(tally_of(values), error, exact=more == 0 or farthest + more <= 3, every=every))
    return tuple(spreads)


def _disjoint(topology: Topology, pairs: np.ndarray, slack: int, jobs: int | None, work: Work) -> np.ndarray:
    """Count the link-disjoint paths of pairs (int64[p, 2]), int64[p, slack + 1].

    Parameters
    ----------
    topology : Topology
    pairs : int64[p, 2]
    slack : int
    jobs : int or None
    work : Work

    Returns
    -------
    int64[p, slack + 1]
    """
    from topoloom.graph.kernels.path_diversity import disjoint_counts

    first, to, _ = topology.csr
    counts, length = np.empty((len(pairs), slack + 1), np.int64), np.empty(len(pairs), np.int64)
    back = channel_backs(topology)
    blocks = -(-len(pairs) // _BLOCK)
    work.begin(blocks, f"blocks of {_BLOCK} pairs")

    def count(numbers: Iterator[int]) -> None:
        for block in numbers:
            part = slice(block * _BLOCK, (block + 1) * _BLOCK)
            disjoint_counts(first, to, back, pairs[part], slack, counts[part], length[part])

    over_cores(count, blocks, jobs, work)
    work.check()
    return counts


def _interfere(
    topology: Topology,
    carriers: np.ndarray,
    hops: tuple[int, ...],
    samples: int,
    seed: int,
    jobs: int | None,
    work: Work,
) -> tuple[Spread, ...]:
    """The interference of two flows between four random switches, for paths of at most `hops` hops.

    Parameters
    ----------
    topology : Topology
    carriers : int64[k]
    hops : tuple of int
    samples : int
    seed : int
    jobs : int or None
    work : Work
    """
    from topoloom.graph.kernels.path_diversity import interferences

    draws = Draws(seed, 3)
    fours = np.empty((0, 4), np.int64)
    while len(fours) < samples:
        drawn = draws.below(carriers.size, 4 * samples).reshape(-1, 4)
        different = drawn[(np.diff(np.sort(drawn, axis=1), axis=1) > 0).all(axis=1)]
        fours = np.concatenate([fours, different])[:samples]
    fours = carriers[fours]
    first, to, _ = topology.csr
    back, lengths = channel_backs(topology), np.array(hops, np.int64)
    counts = np.empty((samples, len(hops)), np.int64)
    blocks = -(-samples // _BLOCK)
    work.begin(blocks, f"blocks of {_BLOCK} fours")

    def count(numbers: Iterator[int]) -> None:
        for block in numbers:
            part = slice(block * _BLOCK, (block + 1) * _BLOCK)
            interferences(first, to, back, fours[part], lengths, counts[part])

    over_cores(count, blocks, jobs, work)
    work.check()
    spreads = []
    for number, most in enumerate(hops):
        values = counts[:, number].astype(np.float64)
        error = float(values.std(ddof=1)) / sqrt(samples) if samples > 1 else 0.0
        spreads.append(spread_of(tally_of(values), error, exact=most <= 3, every=False))
    return tuple(spreads)


def _drawn_pairs(count: int, wanted: int, draws: Draws) -> np.ndarray:
    """Return `wanted` different random pairs out of `count` items, the smaller first, fewer than all: int64[wanted, 2]."""
    pairs = np.empty((0, 2), np.int64)
    while len(pairs) < wanted:
        drawn = np.sort(draws.below(count, 4 * wanted).reshape(-1, 2), axis=1)
        small, large = drawn.T
        pairs = np.concatenate([pairs, drawn[small < large]])
        _, first = np.unique(pairs, axis=0, return_index=True)
        pairs = pairs[np.sort(first)]
    return pairs[:wanted]
