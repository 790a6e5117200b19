"""The data of a growth that is played step by step: of a network's plan, and of a machine."""

import math
from typing import Any

from topoloom.cabling.expansion.expansion import Expansion
from topoloom.machine.growing.expansion import MachineExpansion
from topoloom.report.expansion_floor import step_floorplan
from topoloom.throughput.one_pattern import MOST_TUB
from topoloom.throughput.tub import uniform_bound

#: The columns of a cable that an installer needs in a step.
_PULLED = ("work", "cable", "a", "a_port", "a_rack", "b", "b_port", "b_rack", "from", "from_port", "stock_m", "product")
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


def machine_growth_data(result: MachineExpansion) -> dict[str, Any]:
    """The growth of a machine: what each network gets, the devices, the cables, and the items to order.

    Parameters
    ----------
    result : MachineExpansion

    Returns
    -------
    dict
        The record without provenance, with ``kind``.
    """
    record = {name: value for name, value in result.record().items() if name != "provenance"}
    return record | {"schema": "topoloom/growth/1", "kind": "machine"}
