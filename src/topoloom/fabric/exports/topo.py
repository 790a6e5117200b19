"""Cable plans of the ibutils and of UFM: ``.topo``, one section per switch and host with the cable in each of its ports.

The ibutils need the type of every system in a separate file (IBNL): here a switch of n ports is a GSWn, a host with n ports
a GCAn. UFM's Topology Compare and Cable Validation read the same sections with width and speed in the arrow.
"""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.distinct_names import distinct_names
from topoloom.fabric.exports.registry import ExportRequest, export, plain_names
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.rates import lanes_of, signal_of

_PLAIN = "->"
#: Four lanes at 50 Gbit/s: HDR, for cables whose rate is not known.
_RATED = "-4x-50G->"


@export("ibutils", "cable plan for the ibutils, with IBNL files (ibdmchk -t)", tables=False)
def ibutils(request: ExportRequest) -> dict[str, str]:
    """fabric.topo, without rates, and a file in ibnl/ for each type of switch and host."""
    fabric = request.fabric
    files = {"fabric.topo": topo_text(fabric, _PLAIN, rated=False)}
    for size in sorted({max(1, size) for size in fabric.host_sizes.tolist()}):
        files[f"ibnl/GCA{size}.ibnl"] = _ibnl(f"GCA{size}", "CA", f"{size} GCADEV{size}", size)
    for size in sorted(set(fabric.switch_ports.tolist())):
        files[f"ibnl/GSW{size}.ibnl"] = _ibnl(f"GSW{size}", "SW", f"{size} GSWDEV{size}", size)
    return files


@export("ufm", "cable plan for UFM's Topology Compare and Cable Validation", tables=False)
def ufm(request: ExportRequest) -> dict[str, str]:
    """fabric.topo with width and speed in every arrow: those of the cable where known, otherwise HDR."""
    return {"fabric.topo": topo_text(request.fabric, _RATED)}


def topo_text(fabric: Fabric, arrow: str, *, rated: bool = True) -> str:
    """One section per host and switch, one line per cable, every cable from both ends.

    Parameters
    ----------
    fabric : Fabric
    arrow : str
        The text between the ends of a cable whose rate is not known.
    rated : bool
        Whether to write known rates into arrows; otherwise `arrow` is used for all cables.

    Returns
    -------
    str

    Raises
    ------
    InputError
        Two names are the same without blanks.
    """
    topology = fabric.topology
    names = plain_names([name for part in distinct_names(fabric) for name in part], "switches or hosts")
    switches = [f"GSW{size} {name}" for size, name in zip(fabric.switch_ports.tolist(), names, strict=False)]
    hosts = [
        f"GCA{size} {name}" for size, name in zip(fabric.host_sizes.tolist(), names[topology.switches :], strict=True)
    ]
    if len(fabric.loops):
        name = names[fabric.loops[0, 0]]
        raise InputError(f"{fabric.made}: switch {name} is cabled to itself, which a cable plan cannot express")
    at_host: list[list[tuple[int, str]]] = [[] for _ in hosts]
    at_switch: list[list[tuple[int, str]]] = [[] for _ in switches]
    host_arrows, link_arrows = [arrow] * topology.endpoints.size, [arrow] * len(topology.links)
    if rated:
        host_arrows = _arrows(fabric.endpoint_width, fabric.endpoint_rate_gbps, arrow)
        link_arrows = _arrows(fabric.link_width, fabric.link_rate_gbps, arrow)
    for switch, port, host, at, sign in zip(
        topology.endpoints.tolist(),
        fabric.endpoint_ports.tolist(),
        topology.host.tolist(),
        fabric.host_ports.tolist(),
        host_arrows,
        strict=True,
    ):
        at_host[host].append((at, f"{sign} {switches[switch]} P{port}"))
        at_switch[switch].append((port, f"{sign} {hosts[host]} P{at}"))
    links = zip(topology.links.tolist(), fabric.link_ports.tolist(), link_arrows, strict=True)
    for (u, v), (port_u, port_v), sign in links:
        at_switch[u].append((port_u, f"{sign} {switches[v]} P{port_v}"))
        at_switch[v].append((port_v, f"{sign} {switches[u]} P{port_u}"))
    lines = []
    for name, ends in zip([*hosts, *switches], [*at_host, *at_switch], strict=True):
        lines += [name, *(f"   P{port} {end}" for port, end in sorted(ends)), ""]
    return "\n".join(lines) + "\n"


def _arrows(width: np.ndarray, rate_gbps: np.ndarray, arrow: str) -> list[str]:
    """The arrow of each cable: `arrow` if its rate is not known, a plain one if the rate has no name."""
    arrows = []
    for lanes, gbps in zip(width.tolist(), rate_gbps.tolist(), strict=True):
        signal = signal_of(lanes := lanes or lanes_of(gbps), gbps)
        arrows.append(f"-{lanes}x-{signal}G->" if signal else _PLAIN if gbps else arrow)
    return arrows


def _ibnl(system: str, kind: str, device: str, ports: int) -> str:
    """A system with one device whose ports lead to the panel: port 1 to P1, and so on."""
    panel = "\n".join(f"    {port} -> P{port}" for port in range(1, ports + 1))
    return f"TOPSYSTEM {system}\n\nNODE {kind} {device} U1\n{panel}\n\n"
