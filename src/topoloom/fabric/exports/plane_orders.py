"""An export of several planes as one of each: every plane is a fabric of its own to the tools that manage fabrics."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from topoloom.fabric.exports.registry import ExportRequest, Files
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
            lanes = None if routing.lanes is None else routing.lanes[at]
            tables = replace(routing, topology=plane.topology, ports=routing.ports[at], lanes=lanes, verdict=None)
        lengths = None if order.lengths is None else order.lengths.part(plane.links, plane.endpoints)
        made = replace(order, fabric=own, routing=tables, lengths=lengths)
        files |= {f"plane{number}/{name}": text for name, text in make(made).items()}
    return files
