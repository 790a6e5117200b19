"""Labels on the panels of switches, next to InfiniBand port numbers: the model in the name of a switch says how it labels.

Sources: the explanation in the head of ibdiagnet2.net_dump (Quantum and Quantum-2, whole and split), NVIDIA's names of the
ports of Quantum-X800 (NVOS: ``sw1p1`` to ``sw72p2``).
"""

from topoloom.fabric.fabric import Fabric
from topoloom.fabric.managed_names import managed

#: Models by the beginnings of their names. Quantum-2: 32 cages of two ports. Quantum: 40 ports, or 80 if all are split.
_QUANTUM_2, _QUANTUM, _X800 = ("MQM97", "QM97"), ("MQM87", "QM87"), ("Q34", "Q32", "MQ34", "MQ32")
_QUANTUM_PORTS = 40
#: Ports beyond lead to parts inside the switch.
_MOST = {_QUANTUM_2: 64, _QUANTUM: 80, _X800: 144}


def panel_label(fabric: Fabric, switch: int, port: int) -> str:
    """The label of a port on the panel of its switch; empty where it is the port's number, or not known.

    Parameters
    ----------
    fabric : Fabric
    switch : int
    port : int
        Its InfiniBand number.

    Returns
    -------
    str
        ``17/1`` (cage and port), ``2/2`` (port and half of a split one), or ``sw2p1``.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from topoloom.fabric.fabric import planned_fabric
    >>> from topoloom.model.topology import Topology
    >>> fabric = planned_fabric(Topology(links=[(0, 1)], switches=2))
    >>> panel_label(replace(fabric, switch_names=("MF0;leaf1:MQM9700/U1", "spine1")), 0, 33)
    '17/1'
    """
    model = managed(fabric.switch_names[switch])[1].upper()
    if port < 1:
        return ""
    cage, place = (port + 1) // 2, 1 + (port + 1) % 2
    kind = next((kind for kind, most in _MOST.items() if model.startswith(kind) and port <= most), ())
    if kind == _X800:
        return f"sw{cage}p{place}"
    split = kind == _QUANTUM and int(fabric.switch_ports[switch]) > _QUANTUM_PORTS + 1
    return f"{cage}/{place}" if kind == _QUANTUM_2 or split else ""
