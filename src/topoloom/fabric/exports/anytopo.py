"""SST Merlin's anytopo: GraphML with the endpoints of every router, and the routes of the tables for its source routing.

Source: ``merlin/topology/pymerlin-topo-any.py`` and ``anytopo.cc`` of sst-elements (f782290). Routers are numbered
in the graph's order. A packet starts in virtual channel 0 and takes the next one at every hop, so there must be one more
than the longest path has hops.
"""

import json

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports._shared import log, number, refuse_hostless, refuse_parallel, refuse_planes, tell_ports
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.model.link_rates import shown_rate
from topoloom.routing.routing import Routing

#: Routes take two megabytes for 722 switches, and grow with the square.
_MOST_ROUTED = 2048
_ROUTES = ("routes.py", "next_hops.json")
_KEY = '  <key id="e" for="node" attr.name="endpoints" attr.type="int"/>\n'


@export(
    "anytopo",
    "GraphML for SST Merlin's anytopo; with tables also their routes for its source routing",
    tables=False,
    sometimes=_ROUTES,
    timed=True,
    rates=True,
)
def anytopo(request: ExportRequest) -> Files:
    """network.graphml and parameters.json; with tables also next_hops.json, and routes.py, which computes routes from it."""
    topology = request.topology
    refuse_hostless(topology)
    refuse_planes(topology, "anytopo")
    refuse_parallel(topology, "anytopo")
    if not len(topology.links):
        raise InputError(f"{topology.name}: no links; anytopo needs at least one")
    tell_ports(topology, "a separate endpoint")
    links, hosts = _rates(request)
    parameters = {
        "link_bw": f"{number(links)}Gb/s",
        **({} if hosts == links else {"host_link_bw": f"{number(hosts)}Gb/s"}),
        "link_latency": f"{number(round(float(request.link_ns.mean()), 3))}ns",
        "host_link_latency": f"{number(round(float(request.host_ns.mean()), 3))}ns",
    }
    files = {"network.graphml": graphml_text(request)}
    if request.routing is not None:
        if topology.switches > _MOST_ROUTED:
            raise InputError(
                f"{topology.name}: {topology.switches} switches; anytopo walks all pairs in Python, so routes are written"
                f" for up to {_MOST_ROUTED} switches; omit the tables, with 'topoloom convert'"
            )
        if request.routing.choice is not None:
            log.warning(
                "%s: this engine lets packets choose among paths; anytopo gets the paths of the tables", topology.name
            )
        hops = next_hops(request.routing)
        parameters["vcs_per_vn"] = str(longest_path(hops, topology.endpoints_at > 0) + 1)
        files["next_hops.json"] = _json_lines(hops)
        files["routes.py"] = _READER
    files["parameters.json"] = json.dumps(parameters, indent=1) + "\n"
    return files


def _rates(request: ExportRequest) -> tuple[float, float]:
    """The rate of all links and that of all hosts' links, Gb/s.

    Routers have one rate for all their ports. A port and the interface of a host agree on the lower of their rates
    (REPORT_BW in ``portControl.cc`` and ``linkControl.cc``), so hosts may be slower than links, and not faster.

    Raises
    ------
    InputError
        Links differ in rate, hosts differ, or hosts are faster than links.
    """
    links, hosts = np.unique(request.link_gbps), np.unique(request.host_gbps)
    if links.size > 1 or hosts.size > 1 or (request.topology.mixed and hosts[0] > links[0]):
        raise InputError(
            f"{request.topology.name}: links of {shown_rate(links)} and hosts of {shown_rate(hosts)}; SST's routers have one"
            " rate for all links, and hosts one that is not higher; its .without_rates() (topoloom convert IN OUT"
            " --drop-rates) makes all alike"
        )
    return float(links[0]), float(hosts[0])


def graphml_text(request: ExportRequest) -> str:
    """An undirected graph; every node has the attribute ``endpoints``."""
    topology = request.topology
    nodes = enumerate(topology.endpoints_at.tolist())
    return "".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n',
            _KEY,
            '  <graph edgedefault="undirected">\n',
            *(f'    <node id="{s}"><data key="e">{count}</data></node>\n' for s, count in nodes),
            *map('    <edge source="{}" target="{}"/>\n'.format, *topology.links.T.tolist()),
            "  </graph>\n</graphml>\n",
        ]
    )


def next_hops(routing: Routing) -> np.ndarray:
    """The next switch from each switch to each destination, int32[destinations, switches]; -1 without one.

    Returns
    -------
    int32[n, n]
        By destination, then by the current switch.
    """
    topology = routing.topology
    offsets, to, _ = topology.csr
    ports = np.asarray(routing.ports).astype(np.int64)
    has_port = ports != routing.none
    place = np.minimum(offsets[:-1][None, :] + np.where(has_port, ports, 0), max(0, to.size - 1))
    return np.where(has_port, to[place], -1).astype(np.int32)


def longest_path(hops: np.ndarray, carries: np.ndarray) -> int:
    """The greatest number of hops of any path between switches with hosts; at least 1.

    Parameters
    ----------
    hops : int32[n, n]
        As `next_hops` returns them.
    carries : bool[n]
        Which switches have hosts.

    Raises
    ------
    InputError
        A path does not arrive.
    """
    ends = np.flatnonzero(carries)
    at = np.broadcast_to(ends[None, :], (ends.size, ends.size)).copy()
    for hop in range(hops.shape[0] + 1):
        away = at != ends[:, None]
        if not away.any():
            return max(1, hop)
        at = np.where(away, hops[ends[:, None], at], at)
        if (at < 0).any():
            break
    raise InputError("a path of the tables does not arrive, so there is no route to write")


def _json_lines(hops: np.ndarray) -> str:
    """A list of lists, one per line."""
    return "[" + ",\n".join("[" + ",".join(map(str, row)) + "]" for row in hops.tolist()) + "]\n"


#: The program for the output folder. SST runs Python, and next hops are shorter than millions of paths.
_READER = '''"""Written by topoloom: the routes of its tables, in the form for topoAny and its SourceRoutingPlugin.

    from routes import routing_table
    endpoint_nic.addPlugin("sourceRoutingPlugin", routing_table=routing_table())
"""

import json
import os


def routing_table(folder=os.path.dirname(os.path.abspath(__file__))):
    """{source: {destination: [(weight, [routers after the source, the destination last])]}}; one path per pair."""
    with open(os.path.join(folder, "next_hops.json")) as file:
        hops = json.load(file)
    routers = range(len(hops))
    table = {source: {source: [(1.0, [])]} for source in routers}
    for destination, onward in enumerate(hops):
        for source in routers:
            path, at = [], source
            while at != destination and at >= 0:
                at = onward[at]
                path.append(at)
            if path and at >= 0:
                table[source][destination] = [(1.0, path)]
    return table
'''
