"""The operation `directed_info`: the measures of a directed network on one page."""

import math
from dataclasses import dataclass, field
from typing import Any

from topoloom.core.work import Work
from topoloom.graph.directed_hops import directed_hops, estimated_directed_seconds
from topoloom.graph.moore import directed_moore_aspl, directed_moore_diameter, directed_moore_order
from topoloom.graph.strong_components import strong_component_count
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import DirectedSource, directed_of

#: Hops that would take longer than this are omitted, with the reason, unless `full` is set.
_PATIENCE_SECONDS = 10.0


@dataclass(frozen=True)
class DirectedInfo(Result):
    """The measures of one directed network; None where one does not apply or was omitted (`skipped` says why).

    Attributes
    ----------
    switches, hosts, arcs : int
    out_degree_min, out_degree_max, in_degree_min, in_degree_max : int
        Arcs that begin and that end at a switch.
    degree_mean : float
        Arcs per switch.
    output_ports, input_ports : int
        The most that any switch uses, with those of its hosts.
    strongly_connected : bool
        Whether every switch reaches every other along arcs.
    strong_components : int
    diameter : float or None
        The most hops from one switch to another; inf if not strongly connected.
    aspl : float or None
        Mean hops over ordered pairs of distinct switches; inf if not strongly connected.
    host_diameter, host_aspl : float or None
        The same over ordered pairs of distinct hosts.
    moore_diameter_bound, moore_aspl_bound : float
        Lower bounds from the number of switches and the highest out-degree (`topoloom.graph.moore`).
    moore_order : int or None
        Moore's bound for digraphs: no digraph of this out-degree and diameter has more switches; None from 2^53 on.
    moore_share : float or None
        The share of Moore's bound that the network has.
    skipped : dict of str to str
        The omitted measures, each with the reason.
    """

    record_name = "directed-info"

    switches: int
    hosts: int
    arcs: int
    out_degree_min: int
    out_degree_max: int
    in_degree_min: int
    in_degree_max: int
    degree_mean: float
    output_ports: int
    input_ports: int
    strongly_connected: bool
    strong_components: int
    diameter: float | None = None
    aspl: float | None = None
    host_diameter: float | None = None
    host_aspl: float | None = None
    moore_diameter_bound: float = math.inf
    moore_aspl_bound: float = math.inf
    moore_order: int | None = None
    moore_share: float | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance, compare=False)


def directed_info(
    topology: DirectedSource, *, full: bool = False, jobs: int | None = None, work: Work | None = None
) -> DirectedInfo:
    """Size, degrees, strong components, diameter, mean hops and Moore bounds of a directed network.

    Parameters
    ----------
    topology : DirectedSource
    full : bool
        Count the hops also where that takes longer than 10 s.
    jobs : int, optional
        Threads; every core when omitted.
    work : Work, optional
        Receives the progress.

    Returns
    -------
    DirectedInfo

    Raises
    ------
    InputError
        The network is undirected, or cannot be opened.
    Stopped
        `work` was stopped.

    Examples
    --------
    >>> kautz = directed_info("kautz-digraph:base=2,length=3")
    >>> kautz.diameter, kautz.moore_diameter_bound, kautz.moore_order, kautz.moore_share
    (3, 3, 15, 0.8)
    """
    topology = directed_of(topology, "directed_info")
    out, into, at = topology.out_degrees, topology.in_degrees, topology.endpoints_at
    components = strong_component_count(topology)
    degree = int(out.max())
    values: dict[str, Any] = {}
    skipped: dict[str, str] = {}
    seconds = estimated_directed_seconds(topology)
    if seconds > _PATIENCE_SECONDS and not full:
        skipped["hops"] = f"about {seconds:.0f} s; --full measures it"
    else:
        result = directed_hops(topology, jobs, work=work)
        values = {key: getattr(result, key) for key in ("diameter", "aspl", "host_diameter", "host_aspl")}
        if components == 1:
            most = directed_moore_order(degree, result.largest_finite)
            values |= {"moore_order": most if most < 1 << 53 else None, "moore_share": topology.switches / most}
    return DirectedInfo(
        switches=topology.switches,
        hosts=topology.hosts,
        arcs=len(topology.arcs),
        out_degree_min=int(out.min()),
        out_degree_max=degree,
        in_degree_min=int(into.min()),
        in_degree_max=int(into.max()),
        degree_mean=len(topology.arcs) / topology.switches,
        output_ports=int((out + at).max()),
        input_ports=int((into + at).max()),
        strongly_connected=components == 1,
        strong_components=components,
        moore_diameter_bound=directed_moore_diameter(topology.switches, degree),
        moore_aspl_bound=directed_moore_aspl(topology.switches, degree),
        skipped=skipped,
        provenance=provenance_of(topology, settings={"full": full}),
        **values,
    )
