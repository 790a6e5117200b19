"""PolarFly by copies: first of its quadrics, then of its fans, without moving cables."""

import numpy as np

from topoloom.cabling.expansion.recognise import one_of
from topoloom.cabling.expansion.registry import ExpansionRequest, method
from topoloom.cabling.expansion.stages import Growth, Stage, grown_name, hosts_with
from topoloom.core.errors import InputError
from topoloom.model.topology import Topology


@method(
    "copies",
    "PolarFly: a copy of the quadrics, then copies of fans; no cable moves",
    families=("polarfly",),
    takes=("hosts",),
)
def copies(request: ExpansionRequest) -> Growth:
    """Copies of the q + 1 quadrics (each gets its original's neighbours), then of clusters of q switches, one per step.

    The copies of a cluster have its inner links among themselves and its outer links to the originals. For odd q the highest
    degree is q + 3 after the quadrics, plus the additions of fans; for even q, where one switch is linked to all quadrics,
    2 q + 2. The diameter stays 2 with the quadrics and is 3 with fans.
    Source: Lakhotia et al., PolarFly, SC 2022, VI; clusters for odd q: a quadric's neighbours, each with those of its own
    neighbours that are not quadrics.
    """
    topology = request.topology
    _, values, _ = one_of(request, ("polarfly",), "copies")
    q = values["q"]
    quadrics = np.flatnonzero(topology.degrees == q)  # the others have q + 1
    fans = _fans(topology, quadrics) if q % 2 else []
    more = request.to - topology.switches - (q + 1)
    most = len(fans) * q
    if more < 0 or more % q or more > most:
        sizes = f"{topology.switches + q + 1} (the quadrics)"
        sizes += f", and then by {q} up to {topology.switches + q + 1 + most}" if fans else "; fans need an odd q"
        raise InputError(f"{topology.name}: it grows to {sizes}, not to {request.to}")
    hosts = int(topology.endpoints_at.max()) if request.hosts is None else request.hosts
    stages = [_copied(topology, topology, quadrics, hosts, "the quadrics")]
    for number, fan in enumerate(fans[: more // q]):
        title = f"fan {number + 1}, around switch {fan[0]}"
        stages.append(_copied(stages[-1].topology, topology, fan, hosts, title))
    return Growth(tuple(stages))


def _fans(topology: Topology, quadrics: np.ndarray) -> list[np.ndarray]:
    """The clusters of an odd q: around each neighbour of the first quadric, centre first."""
    offsets, neighbours, _ = topology.csr

    def near(switch: int) -> np.ndarray:
        return np.asarray(neighbours[offsets[switch] : offsets[switch + 1]])

    return [
        np.concatenate([[centre], near(centre)[~np.isin(near(centre), quadrics)]])
        for centre in near(int(quadrics[0])).tolist()
    ]


def _copied(now: Topology, original: Topology, chosen: np.ndarray, hosts: int, title: str) -> Stage:
    """The network with copies of some switches of the original."""
    copy = np.full(original.switches, -1)
    copy[chosen] = now.switches + np.arange(chosen.size)
    ends = copy[original.links]
    inner = (ends >= 0).all(axis=1)
    outer = (ends >= 0).any(axis=1) & ~inner
    links = np.concatenate([now.links, ends[inner], np.where(ends >= 0, ends, original.links)[outer]])
    switches = now.switches + chosen.size
    endpoints, host = hosts_with(now, switches, hosts)
    topology = Topology(
        links=links,
        switches=switches,
        endpoints=endpoints,
        host=host,
        name=grown_name(original, f"{switches} switches"),
    )
    return Stage(f"a copy of {title}", topology)
