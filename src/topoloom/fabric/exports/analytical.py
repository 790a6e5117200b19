"""ASTRA-sim's analytical networks: a YAML file of dimensions, each a ring, a full mesh or a switch; no graph.

Source: ``common/network-parser/NetworkParser.cpp`` of astra-network-analytical (599a047).
"""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports._grids import network_grid
from topoloom.fabric.exports._shared import equal_hosts, number
from topoloom.fabric.exports.registry import OF_SEVERAL_RATES, ExportRequest, Files, export
from topoloom.model.link_rates import only_rate, shown_rate
from topoloom.model.topology import Topology

#: The name of each kind of dimension in that file; a side of 2 is a full mesh.
_BLOCKS = {"torus": "Ring", "hyperx": "FullyConnected"}
_GBIT_PER_GBYTE = 8


@export(
    "analytical",
    "network of ASTRA-sim's analytical backends: tori, HyperX, one switch",
    tables=False,
    timed=True,
    rates=True,
)
def analytical(request: ExportRequest) -> Files:
    """network.yml: the hosts of a switch as the first dimension if there are several, then the dimensions of the grid."""
    return {"network.yml": network_yaml(request)}


def network_yaml(request: ExportRequest) -> str:
    """Four lists with one entry per dimension: its kind, its size, and the GB/s and ns of a link.

    The hosts of a switch share its links, so each gets an equal part of their rate. A hop takes the mean cable delay of its
    dimension plus the switch delay; each of the two hops of a dimension ``Switch`` takes half the switch delay.

    Raises
    ------
    InputError
        The network is neither a torus, nor a HyperX, nor one switch; links of a dimension, or hosts, differ in rate; a host is
        slower than its share of the links of a dimension.
    """
    topology, settings = request.topology, request.settings
    hosts = equal_hosts(topology, "ASTRA-sim's analytical network")
    if topology.hosts < topology.endpoints.size:
        raise InputError(f"{topology.name}: hosts with several ports; a processor has one link in each dimension here")
    rows: list[tuple[str, int, float, float]] = []
    if hosts > 1:
        rows.append(
            (
                "Switch",
                hosts,
                _rate(request.host_gbps, topology, "hosts"),
                float(request.host_ns.mean()) + settings.switch_ns / 2,
            )
        )
    if topology.switches > 1:
        grid = network_grid(topology)
        if grid is None or grid.kind not in _BLOCKS:
            raise InputError(
                f"{topology.name}: ASTRA-sim's analytical network has products of rings (tori) and of full meshes (HyperX),"
                " and one switch; use ns3 for any other"
            )
        for axis, side in enumerate(grid.dims):
            block = "FullyConnected" if side == 2 else _BLOCKS[grid.kind]
            links = grid.dimension == axis
            delay = float(request.link_ns[links].mean()) + settings.switch_ns
            share = _rate(request.link_gbps[links], topology, f"links of dimension {axis}") * grid.width / hosts
            if topology.mixed and float(request.host_gbps.min()) < share * (1 - 1e-9):
                raise InputError(
                    f"{topology.name}: a host of {number(float(request.host_gbps.min()))} Gb/s has {number(share)} Gb/s of the"
                    f" links of dimension {axis}; in ASTRA-sim's analytical network a processor sends in each dimension at its"
                    f" rate; {OF_SEVERAL_RATES}"
                )
            rows.append((block, side, share, delay))
    if not rows:
        raise InputError(f"{topology.name}: one host, so there is no traffic; add more, as in hosts=4")
    blocks, sizes, rates, delays = zip(*rows, strict=True)
    return (
        f"topology: [ {', '.join(blocks)} ]\n"
        f"npus_count: [ {', '.join(map(str, sizes))} ]\n"
        f"bandwidth: [ {', '.join(number(round(rate / _GBIT_PER_GBYTE, 6)) for rate in rates)} ]  # GB/s\n"
        f"latency: [ {', '.join(number(round(delay, 3)) for delay in delays)} ]  # ns\n"
    )


def _rate(rates: np.ndarray, topology: Topology, of: str) -> float:
    """The common rate of the links of a dimension, Gb/s."""
    rate = only_rate(rates)
    if rate is None:
        raise InputError(
            f"{topology.name}: {of} have {shown_rate(np.unique(rates))}; ASTRA-sim's analytical network has one rate per"
            f" dimension; {OF_SEVERAL_RATES}"
        )
    return rate
