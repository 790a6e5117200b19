"""OpenSM and ibsim: the fabric, forwarding tables, and service levels where there are several lanes; and guid2lid."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.plane_orders import plane_by_plane
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.infiniband import opensm_texts

_LAST_LID = 0xBFFF


@export(
    "opensm",
    "forwarding tables and service levels for OpenSM, the fabric for ibsim",
    tables=True,
    sometimes=("fabric.qos", "opensm.conf", "plane*/fabric.qos", "plane*/opensm.conf"),
)
def opensm(order: ExportRequest) -> Files:
    """fabric.net, fabric.lft and, for more than one lane, fabric.qos and opensm.conf; a folder of them for each plane."""
    return plane_by_plane(order, lambda one: opensm_texts(one.tables, one.fabric))


@export("guid2lid", "fixed addresses for OpenSM's cache (opensm -x)", tables=False)
def guid2lid(order: ExportRequest) -> Files:
    """guid2lid, as it lies in OSM_CACHE_DIR; one in a folder for each plane."""
    return plane_by_plane(order, lambda one: {"guid2lid": guid2lid_text(one.fabric)})


def guid2lid_text(fabric: Fabric) -> str:
    """A line for each port GUID with the first and last of its LIDs, a blank line between, as OpenSM writes them.

    Raises
    ------
    InputError
        More addresses than InfiniBand has.
    """
    lids = np.concatenate(fabric.lids).astype(np.int64)
    last = lids + (1 << np.concatenate(fabric.lmcs).astype(np.int64)) - 1
    if not lids.size or int(last.max()) > _LAST_LID:
        raise InputError(f"{fabric.topology.name}: LID {int(last.max())}; unicast LIDs end at {_LAST_LID}")
    guids = np.concatenate([fabric.port_guids, fabric.switch_guids])
    return "\n".join(
        f"0x{guid:016x} 0x{low:04x} 0x{high:04x}\n"
        for guid, low, high in zip(guids.tolist(), lids.tolist(), last.tolist(), strict=True)
    )
