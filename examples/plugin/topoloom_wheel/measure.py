"""The measure `hub-share`: the share of all links that end at the switch with the most links."""

from topoloom.graph.measure_register import topology_measure
from topoloom.model.topology import Topology


@topology_measure("hub-share", "share of the links that end at the switch with the most links", over_planes=max)
def hub_share(topology: Topology) -> float:
    """Of a wheel, one half: every switch of the rim has one link to the hub and shares two with its neighbours."""
    return float(topology.degrees.max()) / max(1, len(topology.links))
