"""gem5's Garnet: a topology class in Python with the network's edges and latencies in cycles.

Source: ``configs/topologies/Mesh_XY.py`` and ``BaseTopology.py`` of gem5. Garnet computes paths: the least sum of weights.
"""

from topoloom.fabric.exports._shared import refuse_hostless, refuse_parallel, refuse_planes, tell_ports
from topoloom.fabric.exports.registry import ExportRequest, Files, export

#: The value of ``--topology``: the name of the file and of the class in it.
NAME = "TopoloomNetwork"


@export(
    "garnet",
    "topology class for gem5's Garnet (--topology=TopoloomNetwork)",
    tables=False,
    timed=True,
    one_rate="the topology class for Garnet has a latency per link, and every link passes one flit per cycle",
)
def garnet(request: ExportRequest) -> Files:
    """TopoloomNetwork.py, for the folder configs/topologies."""
    topology = request.topology
    refuse_hostless(topology)
    refuse_planes(topology, "Garnet")
    refuse_parallel(topology, "Garnet")
    tell_ports(topology, "a separate place for controllers")
    links = zip(topology.links.tolist(), request.cycles(request.link_ns).tolist(), strict=True)
    hosts = zip(topology.endpoints.tolist(), request.cycles(request.host_ns).tolist(), strict=True)
    text = _CLASS.format(
        name=NAME,
        title=ascii(topology.name)[1:-1].replace('"', "'").replace("\\", "/"),
        routers=topology.switches,
        router_cycles=int(request.cycles(request.settings.switch_ns)),
        links="".join(f"    ({u}, {v}, {cycles}),\n" for (u, v), cycles in links),
        hosts="".join(f"    ({switch}, {cycles}),\n" for switch, cycles in hosts),
    )
    return {f"{NAME}.py": text}


_CLASS = '''"""Written by topoloom: {title}."""

from m5.objects import *
from m5.params import *

from topologies.BaseTopology import SimpleTopology

ROUTERS = {routers}
ROUTER_CYCLES = {router_cycles}
# Router, router, cycles of the link in each direction.
LINKS = [
{links}]
# Router of each host, and cycles of its link.
HOSTS = [
{hosts}]


class {name}(SimpleTopology):
    description = "{name}"

    def __init__(self, controllers):
        self.nodes = controllers

    def makeTopology(self, options, network, IntLink, ExtLink, Router):
        routers = [Router(router_id=i, latency=ROUTER_CYCLES) for i in range(ROUTERS)]
        network.routers = routers
        ext_links, int_links, seen = [], [], {{}}
        # Controllers of each type are assigned to the hosts in order, round robin.
        for node in self.nodes:
            place = seen.get(node.type, 0)
            seen[node.type] = place + 1
            router, cycles = HOSTS[place % len(HOSTS)]
            ext_links.append(
                ExtLink(link_id=len(ext_links), ext_node=node, int_node=routers[router], latency=cycles)
            )
        network.ext_links = ext_links
        for first, second, cycles in LINKS:
            for source, target in ((first, second), (second, first)):
                int_links.append(
                    IntLink(
                        link_id=len(ext_links) + len(int_links),
                        src_node=routers[source],
                        dst_node=routers[target],
                        latency=cycles,
                        weight=1,
                    )
                )
        network.int_links = int_links
'''
