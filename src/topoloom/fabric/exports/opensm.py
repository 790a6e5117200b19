"""OpenSM and ibsim: the fabric, forwarding tables, service levels if there are several virtual channels, guid2lid; by plane."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.deployment import deployment_notes
from topoloom.fabric.exports.registry import ExportRequest, Files, export
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.infiniband import opensm_texts
from topoloom.fabric.several_paths import (
    distinct_first_cables,
    figures_of_paths,
    paths_of,
    several_paths_texts,
    with_addresses,
)
from topoloom.graph.planes import plane_count, planes_of
from topoloom.routing.choices import Choice, Layers
from topoloom.topologies.spec import Integer


def plane_by_plane(request: ExportRequest, make: Callable[[ExportRequest], Files]) -> Files:
    """The files of an export; for several planes one folder each: ``plane0``, ``plane1``, ...

    Names, GUIDs and ports are those of the whole fabric, so that no two planes share any, except those of hosts.

    Parameters
    ----------
    request : ExportRequest
    make : callable
        Makes the files of one plane, or of a fabric without planes.

    Returns
    -------
    mapping of str to str or bytes
        Contents by path.
    """
    if plane_count(request.topology) < 2:
        return make(request)
    files: dict[str, str | bytes] = {}
    for number, plane in enumerate(_planes(request)):
        files |= {f"plane{number}/{name}": text for name, text in make(plane).items()}
    return files


def _planes(request: ExportRequest) -> Iterator[ExportRequest]:
    """The request of each plane."""
    fabric, routing = request.fabric, request.routing
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
                choice=_choice_at(routing.choice, at),
                verification=None,
            )
        lengths = None if request.lengths is None else request.lengths.part(plane.links, plane.endpoints)
        yield replace(request, fabric=own, routing=tables, lengths=lengths)


def _choice_at(choice: Choice | None, at: tuple[np.ndarray, ...]) -> Choice | None:
    """The tables of one plane of all hosts of a switch."""
    if not isinstance(choice, Layers):
        return choice
    virtual_channels = choice.virtual_channels
    return replace(
        choice,
        ports=tuple(ports[at] for ports in choice.ports),
        virtual_channels=None if virtual_channels is None else tuple(each[at] for each in virtual_channels),
    )


def _advice(request: ExportRequest, lmc: int = 0) -> list[str]:
    """What happens when OpenSM uses the tables."""
    planes = [request] if plane_count(request.topology) < 2 else list(_planes(request))
    notes = deployment_notes([plane.tables for plane in planes])
    addresses = 1 << max(int(lmcs.max(initial=0)) for plane in planes for lmcs in plane.fabric.lmcs)
    if addresses > 1 and not lmc:
        notes.append(
            f"hosts of this fabric have {addresses} addresses (LIDs), which all get one path:"
            f" opensm:lmc={addresses.bit_length() - 1} gives each address its own"
        )
    if lmc:
        for plane in planes:
            tables, fabric = paths_of(plane.tables, lmc), with_addresses(plane.fabric, lmc)
            figures = figures_of_paths(tables, fabric, lmc)
            notes.append(
                f"{figures.paths_per_pair} paths per pair of hosts, deadlock-free together: a switch sends to the addresses of"
                f" a host over {distinct_first_cables(tables, fabric, lmc):.3g} cables in the mean, and"
                f" {figures.max_channel_load:,.6g} pairs of hosts share the fullest channel"
            )
            if fabric is not plane.fabric:
                notes.append("addresses (LIDs) change: install guid2lid and restart OpenSM and the jobs")
    return notes


_LAST_LID = 0xBFFF


@export(
    "opensm",
    "forwarding tables and service levels for OpenSM, the fabric for ibsim",
    tables=True,
    sometimes=("fabric.qos", "plane*/fabric.qos", "guid2lid", "plane*/guid2lid"),
    advice=_advice,
    by_host=True,
    lmc=Integer(0, 3, "2^lmc addresses and paths per host port", default=0),
)
def opensm(request: ExportRequest, lmc: int) -> Files:
    """fabric.net, fabric.lft, opensm.conf, deploy.txt and, for several virtual channels, fabric.qos; one folder per plane.

    With lmc above 0 also guid2lid, which gives each host port 2^lmc addresses.
    """

    def made(plane: ExportRequest) -> Files:
        if not lmc:
            return opensm_texts(plane.tables, plane.fabric)
        fabric = with_addresses(plane.fabric, lmc)
        return several_paths_texts(plane.tables, fabric, lmc, guid2lid_text(fabric))

    return plane_by_plane(request, made)


@export("guid2lid", "fixed addresses for OpenSM's cache (opensm -x)", tables=False)
def guid2lid(request: ExportRequest) -> Files:
    """guid2lid for OpenSM's OSM_CACHE_DIR; one folder per plane."""
    return plane_by_plane(request, lambda plane: {"guid2lid": guid2lid_text(plane.fabric)})


def guid2lid_text(fabric: Fabric) -> str:
    """One line per port GUID with the first and last of its LIDs, with blank lines between, as OpenSM writes them.

    Raises
    ------
    InputError
        There are more addresses than InfiniBand has.
    """
    lids = np.concatenate(fabric.lids).astype(np.int64)
    last = lids + (1 << np.concatenate(fabric.lmcs).astype(np.int64)) - 1
    if not lids.size or int(last.max()) > _LAST_LID:
        raise InputError(f"{fabric.topology.name}: LID {int(last.max())}; the highest unicast LID is {_LAST_LID}")
    guids = np.concatenate([fabric.port_guids, fabric.switch_guids])
    return "\n".join(
        f"0x{guid:016x} 0x{low:04x} 0x{high:04x}\n"
        for guid, low, high in zip(guids.tolist(), lids.tolist(), last.tolist(), strict=True)
    )
