"""The virtual lane of each service level at every port: OpenSM's file opensm-sl2vl.dump."""

import re

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import at
from topoloom.fabric._lines import lines_of
from topoloom.fabric.fabric import Fabric

_NODE = re.compile(r"(Switch|Channel Adapter|Router) 0x([0-9a-fA-F]{1,16})\b.*")
_ROW = re.compile(r"([0-9]{1,3})\s+([0-9]{1,3})\s*:((?:\s+[0-9]{1,2}){16})")
#: Service levels, and virtual lanes; packets of virtual lane 15 are discarded.
_LEVELS = 16


def read_sl2vl(text: str, source: str, fabric: Fabric) -> np.ndarray:
    """Parse the virtual lane of each service level, by switch, in-port and out-port.

    Parameters
    ----------
    text, source : str
        The dump, and its file for messages.
    fabric : Fabric

    Returns
    -------
    uint8[switches, ports + 1, ports + 1, 16]
        vl_of[switch, in-port, out-port, service level]; the level itself where the file has no row.

    Raises
    ------
    InputError
        The text is no such dump, or most of its switches are not in the fabric.
    """
    n, most = fabric.topology.switches, int(fabric.switch_ports.max(initial=0))
    Allowance(source, len(text)).take(16.0 * n * (most + 1) ** 2, f"the virtual lanes of {n:,} switches")
    vl_of: np.ndarray = np.broadcast_to(np.arange(_LEVELS, dtype=np.uint8), (n, most + 1, most + 1, _LEVELS)).copy()
    number = {guid: s for s, guid in enumerate(fabric.switch_guids.tolist())}
    switch, others, mapped = -1, 0, set()
    for line_number, line in lines_of(text, source):
        stripped = line.strip()
        if node := _NODE.fullmatch(stripped):
            switch = number.get(int(node[2], 16), -1) if node[1] == "Switch" else -1
            others += node[1] == "Switch" and switch < 0
        elif row := _ROW.fullmatch(stripped):
            into, out = int(row[1]), int(row[2])
            if switch < 0:
                continue
            if max(into, out) > most:
                raise at(source, line_number, f"port {max(into, out)}; the switches of {fabric.made} have {most} ports")
            mapped.add(switch)
            vl_of[switch, into, out] = [int(word) for word in row[3].split()]
            if vl_of[switch, into, out].max() > 15:
                raise at(
                    source, line_number, f"virtual lane {vl_of[switch, into, out].max()}; virtual lanes are 0 to 15"
                )
        elif stripped and not stripped.startswith("#"):
            raise at(source, line_number, f"{stripped[:60]!a} is not a line of opensm-sl2vl.dump")
    if others > len(mapped) or 2 * len(mapped) < n:
        raise at(
            source,
            None,
            f"it maps {len(mapped)} of {n} switches of {fabric.made}, and {others} others; does the file belong to another"
            " fabric?",
        )
    return vl_of
