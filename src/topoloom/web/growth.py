"""The data of a growth that is played step by step: of a network's plan, and of a machine."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from topoloom.cabling.expansion.expansion import Expansion, ExpansionStep
from topoloom.core.errors import InputError
from topoloom.drawing.columns import packed
from topoloom.drawing.draw import draw_network
from topoloom.machine.growing.expansion import MachineExpansion
from topoloom.machine.machine import Machine
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.report.expansion_floor import step_floorplan
from topoloom.throughput.one_pattern import MOST_TUB
from topoloom.throughput.tub import uniform_bound

#: The columns of a cable that an installer needs in a step.
_PULLED = ("work", "cable", "a", "a_port", "a_rack", "b", "b_port", "b_rack", "from", "from_port", "stock_m", "product")
#: What a step does to a link or a switch.
STATES = ("absent", "stays", "new", "moved", "unplugged", "moved away")
#: By its presence before and after the step.
_CHANGES = np.array([[STATES.index("absent"), STATES.index("new")], [STATES.index("unplugged"), STATES.index("stays")]])
#: Most steps whose throughput is bounded.
_MOST_BOUNDS = 60


def growth_data(plan: Expansion, jobs: int | None = None) -> dict[str, Any]:
    """A plan with a picture of the floor, the cables, the bound on throughput and the cost of every step.

    Parameters
    ----------
    plan : Expansion
    jobs : int, optional
        Threads; every core when omitted.

    Returns
    -------
    dict
    """
    cables: dict[int, list[dict[str, Any]]] = {}
    for row in plan.rows():
        cables.setdefault(row["step"], []).append({name: row[name] for name in _PULLED})
    moves = [_moved_pairs(plan, step) for step in plan.steps]
    stages = [plan.start.topology, *(step.topology for step in plan.steps)]
    drawn = stages_data(stages, None, moves)
    costs, bounded = plan.step_costs(), len(plan.steps) <= _MOST_BOUNDS and plan.topology.switches <= MOST_TUB
    return {
        "schema": "topoloom/growth/1",
        "kind": "network",
        "method": plan.method,
        "switches": plan.topology.switches,
        "hosts": int(plan.topology.hosts),
        "removed": plan.removed,
        "added": plan.added,
        "kept": plan.kept,
        "bought": plan.bought,
        "longest_new_m": plan.longest_new_m,
        "total_usd": plan.cost.total_usd,
        "currency": plan.after.bought.parts.currency,
        "drawing": drawn["drawing"],
        "before": _after(plan.start, jobs if bounded else None, bounded),
        "steps": [
            {
                "title": step.title,
                "new_switches": len(step.new_switches),
                "new_racks": list(step.new_racks),
                "cut_off": step.cut_off,
                "interrupted": step.interrupted,
                "unplug": step.unplug,
                "move": step.move,
                "add": step.add,
                "cost_usd": costs[number],
                "cumulated_usd": sum(costs[: number + 1]),
                "picture": step_floorplan(plan, number),
                "cables": cables.get(number + 1, []),
                "states": drawn["states"][number],
                **_after(step, jobs, bounded),
            }
            for number, step in enumerate(plan.steps)
        ],
    }


def _after(step: Any, jobs: int | None, bounded: bool) -> dict[str, Any]:
    """The network after a step: size, distances, and the bound on the throughput of uniform traffic."""
    topology = step.topology
    can = bounded and step.connected and topology.hosts > 1 and len(topology.links)
    bound = uniform_bound(topology, jobs) if can else math.inf
    return {
        "switches": topology.switches,
        "hosts": int(topology.hosts),
        "diameter": step.diameter if math.isfinite(step.diameter) else None,
        "aspl": step.aspl if math.isfinite(step.aspl) else None,
        "connected": step.connected,
        "uniform_bound": bound if math.isfinite(bound) else None,
    }


def _moved_pairs(plan: Expansion, step: ExpansionStep) -> Counter[tuple[str, int, int]]:
    """The cables between switches that a step moves: ("to" or "from", lower switch, higher switch)."""
    pairs: Counter[tuple[str, int, int]] = Counter()
    for task in step.tasks:
        if task.taken_from is None or plan.cables[task.cable].host:
            continue
        stays, (new, _) = task.ends[0][0], task.ends[1]
        for kind, other in (("to", new), ("from", task.taken_from[0])):
            pairs[kind, min(stays, other), max(stays, other)] += 1
    return pairs


def stages_data(
    stages: Sequence[Topology],
    names: Sequence[Sequence[str]] | None = None,
    moves: Sequence[Counter[tuple[str, int, int]]] = (),
) -> dict[str, Any]:
    """One drawing of all stages of a network that grows, and what each stage does to every link and switch.

    Parameters
    ----------
    stages : sequence of Topology
        The existing network, and the network after each step.
    names : sequence of sequence of str, optional
        The switches of each stage; in the order of arrival when omitted. A switch of any stage is in the last.
    moves : sequence of Counter, optional
        Per step, the cables that it moves, as ("to" or "from", lower switch, higher switch).

    Returns
    -------
    dict
        ``drawing``: the record of a drawing with the links of all stages; ``states``: per step, ``links`` and ``switches``, a
        `PackedColumn` each, whose values are places in `STATES`.

    Raises
    ------
    InputError
        A switch of a stage is not in the last one.
    """
    last = stages[-1]
    numbers = [_numbers(at, stages, names) for at in range(len(stages))]
    keys = [
        _ranked(np.sort(number[stage.links.astype(np.int64)], axis=1) @ [last.switches, 1])
        for stage, number in zip(stages, numbers, strict=True)
    ]
    pair, rank = np.unique(np.concatenate(keys), axis=0).T
    links = np.stack(np.divmod(pair, last.switches), axis=1)
    union = replace(last, links=links, link_rate_gbps=None, endpoint_rate_gbps=None)
    drawing = draw_network(union)
    if names is not None:
        drawing = replace(drawing, switch=msgspec.structs.replace(drawing.switch, names=tuple(names[-1])))
    most = int(rank.max(initial=0)) + 1
    place = {key: at for at, key in enumerate((pair * most + rank).tolist())}
    present = np.zeros((len(stages), pair.size), np.int64)
    standing = np.zeros((len(stages), last.switches), np.int64)
    for at, (own, number) in enumerate(zip(keys, numbers, strict=True)):
        present[at, [place[key] for key in (own @ [most, 1]).tolist()]] = 1
        standing[at, number] = 1
    states = _CHANGES[present[:-1], present[1:]]
    for step, pairs in enumerate(moves):
        for (kind, low, high), count in pairs.items():
            was, state = ("new", "moved") if kind == "to" else ("unplugged", "moved away")
            rows = np.flatnonzero((pair == low * last.switches + high) & (states[step] == STATES.index(was)))
            states[step, rows[-count:]] = STATES.index(state)
    switches = _CHANGES[standing[:-1], standing[1:]]
    return {
        "drawing": drawing.record(),
        "states": [
            {"links": msgspec.to_builtins(packed(links)), "switches": msgspec.to_builtins(packed(own))}
            for links, own in zip(states, switches, strict=True)
        ],
    }


def network_stages(networks: Sequence[Network]) -> dict[str, Any]:
    """`stages_data` of networks: their switches are matched by their names where all have names, else by number.

    Parameters
    ----------
    networks : sequence of Network

    Returns
    -------
    dict
    """
    named = all(network.cabled is not None for network in networks)
    names = [network.fabric.switch_names for network in networks] if named else None
    return stages_data([network.topology for network in networks], names)


def _numbers(at: int, stages: Sequence[Topology], names: Sequence[Sequence[str]] | None) -> np.ndarray:
    """The number in the last stage of each switch of a stage."""
    if names is None:
        numbers = np.arange(stages[at].switches)
        if numbers.size > stages[-1].switches:
            raise InputError(f"{stages[-1].name}: the last stage has fewer switches than stage {at + 1}")
        return numbers
    last = {name: number for number, name in enumerate(names[-1])}
    gone = [name for name in names[at] if name not in last]
    if gone:
        raise InputError(f"{stages[-1].name}: switch {gone[0]} of stage {at + 1} is not in the last stage")
    return np.array([last[name] for name in names[at]], np.int64)


def _ranked(keys: np.ndarray) -> np.ndarray:
    """Sorted keys, each with its rank among equal ones: int64[n, 2]."""
    keys = np.sort(keys)
    _, first, count = np.unique(keys, return_index=True, return_counts=True)
    return np.stack([keys, np.arange(keys.size) - np.repeat(first, count)], axis=1)


def machine_growth_data(result: MachineExpansion, before: Machine) -> dict[str, Any]:
    """The growth of a machine: what each network gets, the devices, the cables, and the items to order.

    Parameters
    ----------
    result : MachineExpansion
    before : Machine
        The existing machine.

    Returns
    -------
    dict
        The record without provenance, with ``kind``.
    """
    record = {name: value for name, value in result.record().items() if name != "provenance"}
    drawn = {
        name: network_stages([before.networks[name], network])
        for name, network in result.machine.networks.items()
        if name in before.networks and len(network.topology.links)
    }
    return record | {"drawings": drawn} | {"schema": "topoloom/growth/1", "kind": "machine"}
