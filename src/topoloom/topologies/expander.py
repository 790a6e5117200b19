"""The operation `expander`: how well a network expands, compared with random regular graphs of its order and degree."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology


@dataclass(frozen=True)
class Expansiveness:
    """How well one graph expands.

    Attributes
    ----------
    second_eigenvalue : float
        The second largest eigenvalue of the adjacency matrix; a smaller one is better.
    expansion_least : float
        A lower bound on the edge expansion, the least number of links from a set of at most half of the switches per switch
        of the set: half the algebraic connectivity, for regular graphs (degree - second_eigenvalue) / 2.
    expansion_most : float
        An upper bound: the links of the best bisection found per switch of its smaller half, or the lowest degree.
    neighbours_mean : float
        The mean number of different switches that a switch is linked to.
    parallel_links : int
        Links between two switches that another link joins.
    """

    second_eigenvalue: float
    expansion_least: float
    expansion_most: float
    neighbours_mean: float
    parallel_links: int


@dataclass(frozen=True)
class Expander(Result):
    """How well a network expands, compared with random regular graphs.

    Of a network of several planes, the plane with the smallest `expansion_least` counts.

    Attributes
    ----------
    network : Expansiveness
    degree_mean : float
        The mean number of links at a switch.
    random_eigenvalue : float
        2 sqrt(degree_mean - 1), which the second eigenvalue of large random regular graphs is near (Friedman 2008).
    random_degree : int
        The degree of the random graphs: `degree_mean`, rounded.
    random : tuple of Expansiveness
        One per random regular graph, with seeds 1, 2, ...; empty if there is no such graph.
    self_lanes, dark_lanes : int or None
        Of a network of the family `shuffled`: the lanes that are lost, because both ends are at one switch, or one end meets a
        free port of a box.
    planes : int
        The number of planes.
    """

    record_name = "expander"

    network: Expansiveness
    degree_mean: float
    random_eigenvalue: float
    random_degree: int
    random: tuple[Expansiveness, ...] = ()
    self_lanes: int | None = None
    dark_lanes: int | None = None
    planes: int = 1
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row for the network and one per random graph: ``graph`` and the fields of `Expansiveness`."""
        graphs = [("network", self.network)]
        graphs += [(f"random {seed}", sample) for seed, sample in enumerate(self.random, start=1)]
        return [{"graph": name} | vars(values) for name, values in graphs]


def expander(topology: NetworkSource, random_graphs: int = 4, seeds: int = 8, *, work: Work | None = None) -> Expander:
    """Measure how well a network expands, and random regular graphs of the same order and degree.

    Parameters
    ----------
    topology : NetworkSource
    random_graphs : int
        The number of random regular graphs (family `jellyfish`) that are measured, too.
    seeds : int
        METIS runs for the best bisection.
    work : Work, optional
        Receives the progress.

    Returns
    -------
    Expander

    Raises
    ------
    InputError
        The network, or a plane of it, has one switch; pymetis is not installed.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> measured = expander(build("petersen"), random_graphs=0)
    >>> measured.network.second_eigenvalue, measured.network.expansion_least, measured.network.expansion_most
    (1.0, 1.0, 1.0)
    """
    from topoloom.graph.planes import distinct_planes, plane_count
    from topoloom.topologies.families.random_graphs import jellyfish
    from topoloom.topologies.families.shuffled import boxes_of

    topology = taken(topology, Topology, "expander")
    work = Work() if work is None else work
    planes = plane_count(topology)
    parts = [plane.topology for plane, _ in distinct_planes(topology)] if planes > 1 else [topology]
    measured = [(_measured(part, seeds, work), part) for part in parts]
    worst, part = min(measured, key=lambda pair: pair[0].expansion_least)
    mean = float(part.degrees.mean())
    degree = round(mean)
    samples = []
    for seed in range(1, random_graphs + 1 if 2 <= degree < part.switches else 1):
        work.begin(random_graphs, f"random regular graph {seed}")
        samples.append(_measured(jellyfish(part.switches, degree, seed), seeds, work))
    try:
        boxes = boxes_of(topology)
    except InputError:
        boxes = None
    return Expander(
        worst,
        mean,
        2 * max(0.0, mean - 1) ** 0.5,
        degree,
        tuple(samples),
        None if boxes is None else boxes.self_lanes,
        None if boxes is None else boxes.dark_lanes,
        planes,
        provenance_of(topology, settings={"random_graphs": random_graphs, "seeds": seeds}),
    )


def _measured(topology: Topology, seeds: int, work: Work) -> Expansiveness:
    from topoloom.graph.cuts import cuts
    from topoloom.graph.spectrum import spectrum

    ends = spectrum(topology)
    work.check()
    bisection = cuts(topology, seeds=seeds, work=work).links / (topology.switches // 2)
    pairs = len(np.unique(topology.links, axis=0))
    return Expansiveness(
        # Rounded to the digits that the iteration gives alike on every machine.
        round(ends.second, 9),
        round(ends.algebraic_connectivity / 2, 9),
        min(bisection, float(topology.degrees.min())),
        2 * pairs / topology.switches,
        len(topology.links) - pairs,
    )
