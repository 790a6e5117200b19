"""SST Merlin's anytopo: GraphML with the endpoints of every router, and the routes of our tables for its source routing.

Source: ``merlin/topology/pymerlin-topo-any.py`` and ``anytopo.cc`` of sst-elements (f782290). Routers are numbered
in the graph's order. A packet is injected in virtual channel 0 and takes the next one at every hop, so that there must be one
more than the longest path has hops.
"""

import json

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports._shared import log, number, refuse_hostless, refuse_parallel, refuse_planes, tell_ports
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.routing.routing import Routing

#: Routes are two megabytes for 722 switches, and grow with the square.
_MOST_ROUTED = 2048
_ROUTES = ("routes.py", "next_hops.json")
_KEY = '  <key id="e" for="node" attr.name="endpoints" attr.type="int"/>\n'


@export(
    "anytopo",
    "GraphML for SST Merlin's anytopo; beside tables, their routes for its source routing",
    tables=False,
    sometimes=_ROUTES,
    timed=True,
)
def anytopo(order: ExportRequest) -> Files:
    """network.graphml and parameters.json; where there are tables, next_hops.json and routes.py, which makes routes of them."""
    topology = order.topology
    refuse_hostless(topology)
    refuse_planes(topology, "anytopo")
    refuse_parallel(topology, "anytopo")
    if not len(topology.links):
        raise InputError(f"{topology.name}: no links; anytopo needs one at least")
    tell_ports(topology, "an endpoint of its own")
    settings = order.settings
    parameters = {
        "link_bw": f"{number(settings.rate_gbps)}Gb/s",
        "link_latency": f"{number(round(float(order.link_ns.mean()), 3))}ns",
        "host_link_latency": f"{number(round(float(order.host_ns.mean()), 3))}ns",
    }
    files = {"network.graphml": graphml_text(order)}
    if order.routing is not None:
        if topology.switches > _MOST_ROUTED:
            raise InputError(
                f"{topology.name}: {topology.switches} switches; anytopo walks all pairs in Python, so that routes are written"
                f" for up to {_MOST_ROUTED}; leave the tables out, with topoloom convert"
            )
        if order.routing.choice is not None:
            log.warning("%s: packets choose among paths here; anytopo gets those of the tables", topology.name)
        hops = next_hops(order.routing)
        parameters["vcs_per_vn"] = str(longest_path(hops, topology.endpoints_at > 0) + 1)
        files["next_hops.json"] = _json_lines(hops)
        files["routes.py"] = _READER
    files["parameters.json"] = json.dumps(parameters, indent=1) + "\n"
    return files


def graphml_text(order: ExportRequest) -> str:
    """An undirected graph; every node has the attribute ``endpoints``."""
    topology = order.topology
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
    """The switch that each switch sends on to, int32[destinations, switches]; -1 where there is none.

    Returns
    -------
    int32[n, n]
        By destination, then by the switch where the packet is.
    """
    topology = routing.topology
    offsets, to, _ = topology.csr
    ports = np.asarray(routing.ports).astype(np.int64)
    known = ports != routing.none
    place = np.minimum(offsets[:-1][None, :] + np.where(known, ports, 0), max(0, to.size - 1))
    return np.where(known, to[place], -1).astype(np.int32)


def longest_path(hops: np.ndarray, carries: np.ndarray) -> int:
    """The most hops of any path between switches with hosts; at least 1.

    Parameters
    ----------
    hops : int32[n, n]
        As `next_hops` has them.
    carries : bool[n]
        Which switches have hosts.

    Raises
    ------
    InputError
        A path that does not arrive.
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
    """A list of lists, one a line."""
    return "[" + ",\n".join("[" + ",".join(map(str, row)) + "]" for row in hops.tolist()) + "]\n"


#: The program that lies beside the routes. SST runs Python, and millions of paths are shorter as next hops.
_READER = '''"""Written by topoloom: the routes of its tables, as topoAny and its SourceRoutingPlugin take them.

    from routes import routing_table
    endpoint_nic.addPlugin("sourceRoutingPlugin", routing_table=routing_table())
"""

import json
import os


def routing_table(folder=os.path.dirname(os.path.abspath(__file__))):
    """{source: {destination: [(weight, [routers after the source, the destination last])]}}; one path a pair."""
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
