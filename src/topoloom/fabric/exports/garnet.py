"""gem5's Garnet: a topology class in Python that holds our edges, with latencies in cycles.

Source: ``configs/topologies/Mesh_XY.py`` and ``BaseTopology.py`` of gem5. Paths are Garnet's own: the least sum of weights.
"""

from topoloom.fabric.exports._shared import refuse_hostless, refuse_parallel, refuse_planes, tell_ports
from topoloom.fabric.exports.registry import ExportRequest, Files, export

#: What ``--topology`` calls it: the file and the class in it.
NAME = "TopoloomNetwork"


@export("garnet", "topology class for gem5's Garnet (--topology=TopoloomNetwork)", tables=False, timed=True)
def garnet(order: ExportRequest) -> Files:
    """TopoloomNetwork.py, to be put into configs/topologies."""
    topology = order.topology
    refuse_hostless(topology)
    refuse_planes(topology, "Garnet")
    refuse_parallel(topology, "Garnet")
    tell_ports(topology, "a place for controllers of its own")
    links = zip(topology.links.tolist(), order.cycles(order.link_ns).tolist(), strict=True)
    hosts = zip(topology.endpoints.tolist(), order.cycles(order.host_ns).tolist(), strict=True)
    text = _CLASS.format(
        name=NAME,
        title=ascii(topology.name)[1:-1].replace('"', "'").replace("\\", "/"),
        routers=topology.switches,
        router_cycles=int(order.cycles(order.settings.switch_ns)),
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
# Router and cycles of the link, of each host.
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
        # The first controller of each type is at the first host, the second at the second, round and round.
        for node in self.nodes:
            place = seen.get(node.type, 0)
            seen[node.type] = place + 1
            router, cycles = HOSTS[place % len(HOSTS)]
            ext_links.append(
                ExtLink(link_id=len(ext_links), ext_node=node, int_node=routers[router], latency=cycles)
            )
        network.ext_links = ext_links
        for one, other, cycles in LINKS:
            for source, target in ((one, other), (other, one)):
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
