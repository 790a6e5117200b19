"""OpenSM and ibsim: the fabric, forwarding tables, service levels where there are several virtual channels, guid2lid; plane by
plane.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.infiniband import opensm_texts
from topoloom.graph.planes import plane_count, planes_of


def plane_by_plane(order: ExportRequest, make: Callable[[ExportRequest], Files]) -> Files:
    """The files of an export; of several planes those of each, in folders ``plane0``, ``plane1``, ...

    Names, GUIDs and ports are those of the whole fabric, so that no two planes have any in common but the hosts'.

    Parameters
    ----------
    order : ExportRequest
    make : callable
        Makes the files of one plane, or of a fabric that is none.

    Returns
    -------
    mapping of str to str or bytes
        Contents by name.
    """
    fabric, routing = order.fabric, order.routing
    if plane_count(fabric.topology) < 2:
        return make(order)
    files: dict[str, str | bytes] = {}
    for number, plane in enumerate(planes_of(fabric.topology)):
        own = replace(
            fabric.after_losses(plane.topology, plane.switches, plane.links), made=f"{fabric.made}, plane {number}"
        )
        tables = None
        if routing is not None:
            at = np.ix_(plane.switches, plane.switches)
            virtual_channels = None if routing.virtual_channels is None else routing.virtual_channels[at]
            tables = replace(
                routing,
                topology=plane.topology,
                ports=routing.ports[at],
                virtual_channels=virtual_channels,
                verification=None,
            )
        lengths = None if order.lengths is None else order.lengths.part(plane.links, plane.endpoints)
        made = replace(order, fabric=own, routing=tables, lengths=lengths)
        files |= {f"plane{number}/{name}": text for name, text in make(made).items()}
    return files


_LAST_LID = 0xBFFF


@export(
    "opensm",
    "forwarding tables and service levels for OpenSM, the fabric for ibsim",
    tables=True,
    sometimes=("fabric.qos", "opensm.conf", "plane*/fabric.qos", "plane*/opensm.conf"),
)
def opensm(order: ExportRequest) -> Files:
    """fabric.net, fabric.lft and, for more than one virtual channel, fabric.qos and opensm.conf; a folder of them for each
    plane.
    """
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
