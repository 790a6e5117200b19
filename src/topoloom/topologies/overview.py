"""The measures of a topology on one page: size, degree, hops, bounds, bisection and more."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology
from topoloom.topologies.spec import bisection_by_theory

#: A measure that would take longer than this is omitted, with the reason, unless `full` is set.
_PATIENCE_SECONDS = 10.0
#: Most switches for which the bisection is computed exactly, in milliseconds.
_EXACT_SWITCHES = 20


@dataclass(frozen=True)
class Info(Result):
    """The measures of one topology; None where one does not apply or was omitted (`skipped` says why).

    A network of several planes is joined by its hosts alone, without links between planes. Its switches, hosts, links,
    components and degrees are those of all planes together, and its bisection is the sum over the planes. The ASPL is the mean
    over all pairs of switches of the same plane; between two hosts the best plane counts. Every other measure is that of one
    plane, the worst where planes differ, because a host spreads its traffic evenly over its planes. Equal planes are measured
    once.

    Attributes
    ----------
    switches, hosts, links : int
    planes : int
        As in `topoloom.hops`.
    degree_min, degree_max : int
    degree_mean : float
    radix : int
        The most ports that any switch uses.
    connected, components, diameter, aspl, aspl_including_self, host_diameter, host_aspl
        As in `topoloom.hops`.
    moore_diameter_bound, moore_aspl_bound : float or None
        Lower bounds from the number of switches and the degree.
    geometry, longest_link, grid_diameter_bound, grid_aspl_bound
        For switches on a grid: "grid" or "diagrid", the longest link, and the lower bounds with that length.
    full_bandwidth_hosts, channel_load_mean : float or None
        As in `topoloom.graph.load`.
    bisection : int or None
        Links between two halves: the minimum, or the fewest found; the sum over several planes.
    bisection_gbps : float or None
        The rate of these links per direction, Gb/s; None without rates. Where links differ in rate, the least Gb/s found.
    bisection_exact : bool or None
    bisection_analytic : int or None
        The published or derived value of the family.
    edge_connectivity : int or None
        The fewest links whose removal disconnects the switches.
    spectral_gap, algebraic_connectivity : float or None
    channel_load_max, saturation : float or None
        The maximum channel load, and the saturation throughput that it allows; only with `load`.
    skipped : dict of str to str
        The omitted measures, each with the reason.
    measures : dict of str to float
        The registered measures that were asked for (`topoloom.graph.measure_register`), by name.
    """

    record_name = "info"
    record_version = 4

    switches: int
    hosts: int
    links: int
    degree_min: int
    degree_max: int
    degree_mean: float
    radix: int
    connected: bool | None = None
    components: int | None = None
    diameter: float | None = None
    aspl: float | None = None
    aspl_including_self: float | None = None
    host_diameter: float | None = None
    host_aspl: float | None = None
    moore_diameter_bound: float | None = None
    moore_aspl_bound: float | None = None
    geometry: str | None = None
    longest_link: int | None = None
    grid_diameter_bound: float | None = None
    grid_aspl_bound: float | None = None
    full_bandwidth_hosts: float | None = None
    channel_load_mean: float | None = None
    bisection: int | None = None
    bisection_gbps: float | None = None
    bisection_exact: bool | None = None
    bisection_analytic: int | None = None
    edge_connectivity: int | None = None
    spectral_gap: float | None = None
    algebraic_connectivity: float | None = None
    channel_load_max: float | None = None
    saturation: float | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    planes: int = 1
    measures: dict[str, float] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row: the values, and a column per registered measure: ``measures.girth``."""
        columns = {f"measures.{name}": value for name, value in self.record()["measures"].items()}
        return [{**row, **columns} for row in super().rows()]


def info(
    topology: NetworkSource,
    *,
    full: bool = False,
    load: bool = False,
    seeds: int = 8,
    measures: Sequence[str] = (),
    jobs: int | None = None,
    work: Work | None = None,
) -> Info:
    """Size, degree, diameter, ASPL, bounds, bisection and more of a topology.

    Parameters
    ----------
    topology : NetworkSource
    full : bool
        Measure everything; otherwise measures that would take longer than 10 s are omitted.
    load : bool
        Also the maximum channel load, with traffic split evenly over all shortest paths.
    seeds : int
        METIS runs for the bisection.
    measures : sequence of str
        Registered measures to compute too: "girth", "vertex-connectivity" ...
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional
        Receives the progress of each measure.

    Returns
    -------
    Info

    Raises
    ------
    InputError
        No measure has that name, or it refuses the network.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> from topoloom.topologies.spec import build
    >>> found = info(build("petersen"))
    >>> found.diameter, found.bisection, found.edge_connectivity
    (2, 5, 3)
    """
    from topoloom.graph.measure_register import measured

    source, topology = topology, taken(topology, Topology, "info")
    extra = measured(source, measures) if measures else {}
    degrees = topology.degrees
    page = _Page(topology, math.inf if full else _PATIENCE_SECONDS, jobs, Work() if work is None else work)
    page.measure(seeds, load)
    settings = {"full": full, "load": load, "seeds": seeds}
    return Info(
        switches=topology.switches,
        hosts=topology.hosts,
        links=len(topology.links),
        degree_min=int(degrees.min()),
        degree_max=int(degrees.max()),
        degree_mean=float(degrees.mean()),
        radix=topology.radix,
        bisection_analytic=bisection_by_theory(topology.spec),
        skipped=page.skipped,
        planes=page.planes,
        measures=extra,
        provenance=provenance_of(topology, settings=settings | ({"measures": list(measures)} if measures else {})),
        **page.values,
    )


@dataclass
class _Page:
    """The measures of one topology by the fields of `Info`; the omitted ones, with the reason."""

    topology: Topology
    patience: float
    jobs: int | None
    work: Work
    values: dict[str, Any] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    planes: int = field(init=False)
    #: The network; with several planes, those that differ.
    parts: tuple[Topology, ...] = field(init=False)

    def __post_init__(self) -> None:
        from topoloom.graph.planes import distinct_planes, plane_count

        self.planes = plane_count(self.topology)
        several = self.planes > 1
        self.parts = (
            tuple(plane.topology for plane, _ in distinct_planes(self.topology)) if several else (self.topology,)
        )

    def measure(self, seeds: int, load: bool) -> None:
        """Make all measures that are quick enough."""
        from topoloom.graph.hops import estimated_seconds

        size = sum(part.switches + 2 * len(part.links) for part in self.parts)
        most = max(part.switches for part in self.parts)
        pairs_seconds = sum(estimated_seconds(part) for part in self.parts)
        self._add("hops", self._hops, pairs_seconds)
        self._add("bounds", self._bounds, 1e-6 * most)
        self._add("load", self._load, pairs_seconds)
        affordable = max(1, int(min(seeds, self.patience / (1e-6 * size)))) if seeds > 1 else 1
        self._add("bisection", lambda: self._bisection(affordable), 1e-6 * size * affordable)
        self._add("edge_connectivity", self._edge_connectivity, 1e-6 * size)
        self._add("spectrum", self._spectrum, 5e-6 * size)
        if load:
            self._add("busiest", self._busiest, 4e-9 * most * size)

    def _add(self, name: str, measure: Callable[[], dict[str, Any]], seconds: float) -> None:
        """Add the values of `measure`, or the reason why they are omitted."""
        self.work.check()
        if seconds > self.patience:
            self.skipped[name] = f"about {seconds:.0f} s; --full measures it"
            return
        self.work.begin(None, name.replace("_", " "))
        try:
            self.values |= measure()
        except InputError as error:
            self.skipped[name] = str(error)

    def _hops(self) -> dict[str, Any]:
        from topoloom.graph.hops import hops

        result = hops(self.topology, self.jobs, work=self.work)
        keys = ("connected", "components", "diameter", "aspl", "aspl_including_self", "host_diameter", "host_aspl")
        return {key: getattr(result, key) for key in keys}

    def _bounds(self) -> dict[str, Any]:
        from topoloom.graph.bounds import bounds

        result = bounds(self.topology)
        values: dict[str, Any] = {"moore_diameter_bound": result.moore_diameter, "moore_aspl_bound": result.moore_aspl}
        if result.length is not None:
            values |= {
                "geometry": result.geometry,
                "longest_link": result.length,
                "grid_diameter_bound": result.diameter,
                "grid_aspl_bound": result.aspl,
            }
        return values

    def _load(self) -> dict[str, Any]:
        from topoloom.graph.load import average_channel_load, full_bandwidth_hosts

        topology, jobs = self.topology, self.jobs
        return {
            "full_bandwidth_hosts": full_bandwidth_hosts(topology, jobs),
            "channel_load_mean": average_channel_load(topology, jobs),
        }

    def _bisection(self, seeds: int) -> dict[str, Any]:
        from topoloom.graph.cuts import cuts, exact_bisection

        topology = self.topology
        if min(part.switches for part in self.parts) == 1:
            raise InputError("the network or a plane has one switch; a bisection needs at least two")
        exact = max(part.switches for part in self.parts) <= _EXACT_SWITCHES
        cut = exact_bisection(topology, work=self.work) if exact else cuts(topology, seeds=seeds, work=self.work)
        return {"bisection": cut.links, "bisection_gbps": cut.gbps, "bisection_exact": cut.exact}

    def _edge_connectivity(self) -> dict[str, Any]:
        from topoloom.graph.connectivity import edge_connectivity

        return {"edge_connectivity": min(map(edge_connectivity, self.parts))}

    def _spectrum(self) -> dict[str, Any]:
        from topoloom.graph.spectrum import spectrum

        spectra = [spectrum(part) for part in self.parts]
        connectivity = min(result.algebraic_connectivity for result in spectra)
        return {"spectral_gap": min(result.gap for result in spectra), "algebraic_connectivity": connectivity}

    def _busiest(self) -> dict[str, Any]:
        from topoloom.graph.load import channel_loads

        loads = channel_loads(self.topology, self.jobs)
        return {"channel_load_max": loads.greatest, "saturation": loads.saturation}
