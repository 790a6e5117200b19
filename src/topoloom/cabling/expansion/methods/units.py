"""Growth by whole units: a slab of a torus or mesh, a group of a Dragonfly, a pod of a fat tree."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.cabling.expansion.larger_networks import GROUPS, with_groups
from topoloom.cabling.expansion.matching import by_labels
from topoloom.cabling.expansion.recognise import one_of, per_switch
from topoloom.cabling.expansion.registry import ExpansionRequest, method, must_grow
from topoloom.cabling.expansion.stages import Growth, renumbered, stages_between
from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Family, make


@method("slab", "torus or mesh: whole slabs across one dimension", families=("torus", "mesh"))
def slab(request: ExpansionRequest) -> Growth:
    """Slabs at the end of the dimension that can reach the size, the shortest if several can; its rings are opened once."""
    record, values = _parameters(request, ("torus", "mesh"), "slab")
    dims = values["dims"]
    fitting = []
    for axis, side in enumerate(dims):
        layer = request.topology.switches // side
        if request.to % layer == 0:
            fitting.append((side, axis, request.to // layer))
    if not fitting:
        steps = ", ".join(str(request.topology.switches // side) for side in sorted(set(dims)))
        raise InputError(
            f"{request.topology.name}: a slab has {steps} switches, depending on the dimension; grow by whole slabs"
        )
    _, axis, side = min(fitting)
    goal = _regrown(request, record, values | {"dims": (*dims[:axis], side, *dims[axis + 1 :])})
    return _unit_by_unit(request, goal, goal.labels[f"x{axis}"], f"slab x{axis} =")


@method("group", "Dragonfly, Dragonfly+: whole groups, up to as many as their ports reach", families=tuple(GROUPS))
def group(request: ExpansionRequest) -> Growth:
    """Groups one by one; with one global link between any two groups, only spare global ports are used."""
    record, values = _parameters(request, tuple(GROUPS), "group")
    members = request.topology.switches // np.unique(request.topology.labels["group"]).size
    _whole(request, members, "group")
    # The sizes that the family derives from each other are fixed to their current values.
    goal = _regrown(request, record, with_groups(record, values) | {GROUPS[record.name]: request.to // members})
    return _unit_by_unit(request, goal, goal.labels["group"], "group")


@method("pod", "fat tree: whole pods, up to as many as the top switches have ports", families=("fat-tree",))
def pod(request: ExpansionRequest) -> Growth:
    """Pods one by one, on free ports of the top switches (``fat-tree:k=48,pods=20``); no cable moves."""
    record, values = _parameters(request, ("fat-tree",), "pod")
    top = int((request.topology.labels["level"] == 2).sum())
    _whole(request, values["k"], "pod", top)
    goal = _regrown(request, record, values | {"pods": (request.to - top) // values["k"]})
    return _unit_by_unit(request, goal, goal.labels["group"], "pod")


def _parameters(request: ExpansionRequest, names: tuple[str, ...], method: str) -> tuple[Family, dict[str, Any]]:
    """The family and the parameters of the existing network."""
    topology = request.topology
    record, values, _ = one_of(request, names, method)
    must_grow(request, topology.switches)
    return record, values


def _whole(request: ExpansionRequest, unit: int, name: str, apart: int = 0) -> None:
    """Refuse a size that is not a whole number of units plus `apart` switches."""
    if (request.to - apart) % unit:
        topology = request.topology
        below = (request.to - apart) // unit * unit + apart
        sizes = max(below, topology.switches + unit), max(below, topology.switches) + unit
        per_unit = topology.hosts * unit // (topology.switches - apart)
        hosts = [f"{topology.hosts + (size - topology.switches) // unit * per_unit:,}" for size in sizes]
        raise InputError(
            f"{topology.name}: a {name} has {unit} switches; grow by whole {name}s (nearest: {sizes[0]} or"
            f" {sizes[1]} switches, which are {hosts[0]} or {hosts[1]} hosts)"
        )


def _regrown(request: ExpansionRequest, record: Family, values: dict[str, Any]) -> Topology:
    """The larger network of the family, with the same number of hosts per switch."""
    return make(record, values, per_switch(request.topology))


def _unit_by_unit(request: ExpansionRequest, goal: Topology, unit: np.ndarray, what: str) -> Growth:
    """The stages, one per new unit; `unit` is that of every switch of `goal`."""
    matching = by_labels(request.topology, goal)
    if matching is None:
        raise InputError(
            f"{request.topology.name}: its labels are not those of {goal.name}; use method splice for any network"
        )
    before = request.topology
    fresh = np.flatnonzero(matching < 0)
    names, part = np.unique(unit[fresh], return_inverse=True)
    order = np.argsort(part.ravel(), kind="stable")
    standing = matching.copy()
    standing[fresh[order]] = np.arange(before.switches, goal.switches)
    parts = np.full(goal.switches, -1)
    parts[standing[fresh]] = part.ravel()
    stages = stages_between(
        before, renumbered(goal, standing, before), parts, list(_titles(what, names.tolist())), request.ports
    )
    return Growth(tuple(stages), np.argsort(standing), goal)


def _titles(what: str, names: list[Any]) -> Iterator[str]:
    return (f"{what} {name}" for name in names)
