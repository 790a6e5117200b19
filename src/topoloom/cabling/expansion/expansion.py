"""Expansion: a plan that an installer executes, step by step, and its results."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.expansion.cable_order.order_of_work import CableTask
from topoloom.cabling.expansion.cable_order.order_search import ADD, MOVE, UNPLUG
from topoloom.cabling.expansion.cable_order.wiring import WiredCable
from topoloom.cabling.expansion.stages import TrunkWork
from topoloom.figures.marks import looks, marker
from topoloom.figures.style import Axes, drawn
from topoloom.graph.connectivity import components
from topoloom.graph.planes import plane_count
from topoloom.model.results import Filed, Provenance, Recorded
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class ExpansionStep(Recorded):
    """One step, and the network after it.

    Attributes
    ----------
    title : str
        A description of the step.
    tasks : tuple of CableTask
        In the order of work.
    topology : Topology
        The network after it, its switches numbered in the order of their arrival.
    new_switches : tuple of int
        Switches that are installed before the first task.
    new_racks : tuple of str
        The slots of racks that are set up.
    diameter, aspl : float
        After the step; inf if the network is not connected.
    connected : bool
        Whether all switches reach each other after the step.
    cut_off : int
        The largest number of active switches that are disconnected from the largest part of the network after some task.
    interrupted : int
        Number of moves during which some switch is disconnected while the cable is out at one end.
    trunk_work : TrunkWork or None
        The same work in boxes, trunks and cords, where links pass through shuffle boxes.
    """

    unrecorded = ("tasks", "topology")
    derived = ("unplug", "move", "add", "switches", "hosts", "links")

    title: str
    tasks: tuple[CableTask, ...]
    topology: Topology
    new_switches: tuple[int, ...]
    new_racks: tuple[str, ...]
    diameter: float
    aspl: float
    connected: bool
    cut_off: int
    interrupted: int
    trunk_work: TrunkWork | None = None

    def count(self, work: str) -> int:
        """Number of tasks that unplug, move or add a cable."""
        return sum(task.work == work for task in self.tasks)

    @property
    def unplug(self) -> int:
        """Cables that are unplugged."""
        return self.count(UNPLUG)

    @property
    def move(self) -> int:
        """Cables that are moved at one end."""
        return self.count(MOVE)

    @property
    def add(self) -> int:
        """Cables that are plugged in."""
        return self.count(ADD)

    @property
    def switches(self) -> int:
        """Switches after the step."""
        return self.topology.switches

    @property
    def hosts(self) -> int:
        """Hosts after the step."""
        return self.topology.hosts

    @property
    def links(self) -> int:
        """Links after the step."""
        return len(self.topology.links)


@dataclass(frozen=True)
class Cost:
    """The cost of a plan, in the currency of its catalogue; NaN where the catalogue has no price.

    switches: the new ones; cables: those that are bought; installation: every cable that is bought, at the catalogue's price
    for laying one; transceivers, adapters (interfaces of hosts) and racks: those that the network has more than before;
    moving: every cable that is plugged in elsewhere, at the catalogue's price for moving one.
    """

    switches_usd: float
    cables_usd: float
    installation_usd: float
    transceivers_usd: float = 0.0
    adapters_usd: float = 0.0
    racks_usd: float = 0.0
    moving_usd: float = 0.0

    @property
    def by_kind(self) -> dict[str, float]:
        """The cost of each kind of part."""
        kinds = ("switches", "cables", "transceivers", "adapters", "racks", "installation", "moving")
        return {kind: getattr(self, f"{kind}_usd") for kind in kinds}

    @property
    def total_usd(self) -> float:
        """The sum of all known costs."""
        return float(np.nansum(list(self.by_kind.values())))


@dataclass(frozen=True, eq=False)
class Expansion(Filed):
    """A plan for growing a network to a larger one, cable by cable.

    `save` writes the folder for installers, and `load` reads it back (docs/how-to/grow-a-network.md). Its provenance names the
    existing network; its settings are the parameters of the plan.

    Attributes
    ----------
    method : str
        The method of growth; empty if the plan was read from a folder of topoloom 0.1, which does not state it.
    before, after : Cabling
        All cables before and after, with their ports and numbers; cables that stay keep theirs.
    steps : tuple of ExpansionStep
    cables : tuple of WiredCable
        Every cable of the plan, in its final state; tasks refer to them by index.
    goal : Topology or None
        The resulting network, with the numbers of its own spec; None if it has no spec.
    number : int64[switches] or None
        The number of each switch in `goal`.
    radix : int
        Ports of a switch.
    cost : Cost
    start : ExpansionStep
        The existing network, as a step without tasks.
    """

    record_name = "expansion"
    record_version = 3
    written_by = "topoloom.cabling.expansion.plan_files.save_expansion"
    read_by = "topoloom.cabling.expansion.plan_reader.load_expansion"
    unrecorded = ("before", "after", "cables", "goal", "number", "cost")
    derived = (
        "into",
        "topology",
        "switches",
        "hosts",
        "links",
        "radix_before",
        "removed",
        "added",
        "kept",
        "tasks",
        "bought",
        "longest_new_m",
        "mean_m",
        "racks_before",
        "racks_new",
        "racks_touched",
        "cut_off",
        "interrupted",
        "cost_usd",
    )

    method: str
    before: Cabling
    after: Cabling
    steps: tuple[ExpansionStep, ...]
    cables: tuple[WiredCable, ...]
    goal: Topology | None
    number: np.ndarray | None
    radix: int
    cost: Cost
    start: ExpansionStep
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per task, in the order of work: the kind of work, the cable, its ends, length and product."""
        return list(self._rows())

    def _rows(self) -> Iterator[dict[str, Any]]:
        names, rack = self.layout.rack_names, self.layout.rack
        products = self.after.bought.parts.cable
        for number, step in enumerate(self.steps, 1):
            for task in step.tasks:
                about = self.cables[task.cable]
                (a, a_port), (b, b_port) = task.ends
                was, was_port = (None, None) if task.taken_from is None else task.taken_from
                yield {
                    "step": number,
                    "work": task.work,
                    "cable": about.number,
                    "kind": "host" if about.host else "link",
                    "new": task.new,
                    "a": a,
                    "a_port": a_port,
                    "a_rack": names[rack[a]],
                    "b": b,
                    "b_port": b_port,
                    "b_rack": None if about.host else names[rack[b]],
                    "from": was,
                    "from_port": was_port,
                    "length_m": task.length_m or None,
                    "stock_m": about.stock_m,
                    "product": products[about.product].title,
                    "cut_off": task.cut_off,
                    "interrupted": task.interrupted,
                }

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Plot diameter and ASPL of the existing network (0) and after each step, except where it is not connected."""
        every = (self.start, *self.steps)
        curves = {"diameter": [step.diameter for step in every], "ASPL": [step.aspl for step in every]}
        for (name, look), values in zip(looks(list(curves)).items(), curves.values(), strict=True):
            heights = np.where(np.isfinite(values), values, np.nan)
            axes.plot(heights, color=look.colour, marker=marker(look.mark), label=name)
        axes.set_xticks(range(len(every)))
        axes.set_xlabel("step [number]")
        axes.set_ylabel("distance [hops]")
        axes.set_ylim(bottom=0)
        axes.legend()

    @property
    def seed(self) -> int | None:
        """The seed of all draws; None if the folder does not state it."""
        return self.provenance.seed

    @property
    def into(self) -> str | None:
        """The spec of the resulting network; None if it has none."""
        return None if self.goal is None else self.goal.spec

    @property
    def switches(self) -> int:
        """Switches of the resulting network."""
        return self.topology.switches

    @property
    def hosts(self) -> int:
        """Hosts of the resulting network."""
        return self.topology.hosts

    @property
    def links(self) -> int:
        """Links of the resulting network."""
        return len(self.topology.links)

    def tasks_by_plane(self) -> list[dict[str, int]]:
        """The number of tasks in each plane: unplug, move and add, and how many of these concern hosts' cables."""
        topology = self.topology
        plane = components(topology) if plane_count(topology) > 1 else np.zeros(topology.switches, np.int64)
        counts_of_plane = [{UNPLUG: 0, MOVE: 0, ADD: 0, "host": 0} for _ in range(int(plane.max()) + 1)]
        for step in self.steps:
            for task in step.tasks:
                counts = counts_of_plane[int(plane[task.ends[0][0]])]
                counts[task.work] += 1
                counts["host"] += self.cables[task.cable].host
        return counts_of_plane

    @property
    def radix_before(self) -> int:
        """The largest number of used ports of a switch in the existing network."""
        return self.before.layout.topology.radix

    @property
    def mean_m(self) -> float:
        """The mean cable length of a link of the resulting network, in m."""
        return self.layout.mean_length_m

    @property
    def racks_before(self) -> int:
        """Racks of the existing network."""
        return self.before.layout.racks

    @property
    def cost_usd(self) -> dict[str, float]:
        """The cost by kind, and the total of all known costs, in the catalogue's currency."""
        return self.cost.by_kind | {"total": self.cost.total_usd}

    @property
    def topology(self) -> Topology:
        """The resulting network, its switches numbered in the order of their arrival."""
        return self.after.layout.topology

    @property
    def layout(self) -> Layout:
        """The layout of the resulting network."""
        return self.after.layout

    @cached_property
    def _counts(self) -> tuple[int, int, int]:
        """Numbers of cables that are only in the list before, only in the list after, and in both with the same ends."""
        had, has = (
            {
                (number, *sorted(zip(ends, ports, strict=True)))
                for number, ends, ports in zip(c.number.tolist(), c.ends.tolist(), c.port.tolist(), strict=True)
            }
            for c in (self.before, self.after)
        )
        return len(had - has), len(has - had), len(had & has)

    @property
    def removed(self) -> int:
        """Cables that no longer have the same ends, including moved ones."""
        return self._counts[0]

    @property
    def added(self) -> int:
        """Cables with new ends, including moved ones."""
        return self._counts[1]

    @property
    def kept(self) -> int:
        """Cables that stay untouched."""
        return self._counts[2]

    def count(self, work: str) -> int:
        """Number of tasks of the plan that unplug, move or add a cable."""
        return sum(step.count(work) for step in self.steps)

    @property
    def tasks(self) -> dict[str, int]:
        """Number of tasks of each kind."""
        return {work: self.count(work) for work in (UNPLUG, MOVE, ADD)}

    @property
    def bought(self) -> int:
        """Cables that are bought."""
        return sum(task.new for step in self.steps for task in step.tasks)

    @property
    def longest_new_m(self) -> float:
        """The length of the longest cable that is bought, in m; 0 without any."""
        return max((task.length_m for step in self.steps for task in step.tasks if task.new), default=0.0)

    def step_costs(self) -> tuple[float, ...]:
        """The cost of each step; their sum is the total of all known costs.

        Cables cost what each of them costs. Other kinds are split by what each step adds: switches and adapters by new switches
        and hosts, racks by new racks, installation and transceivers by bought cables, and moves by moved cables.
        """
        prices = [
            sum(float(np.mean(self.cables[task.cable].usd)) for task in step.tasks if task.new) for step in self.steps
        ]
        hosts = [step.hosts for step in (self.start, *self.steps)]
        bought = [float(sum(task.new for task in step.tasks)) for step in self.steps]
        weights = {
            "switches": [float(len(step.new_switches)) for step in self.steps],
            "cables": prices,
            "transceivers": bought,
            "adapters": [float(max(0, after - before)) for before, after in pairwise(hosts)],
            "racks": [float(len(step.new_racks)) for step in self.steps],
            "installation": bought,
            "moving": [float(step.move) for step in self.steps],
        }
        costs = np.zeros(len(self.steps))
        for kind, usd in self.cost.by_kind.items():
            weight = np.nan_to_num(np.array(weights[kind]))
            if np.isfinite(usd) and usd and costs.size:
                # What no step adds, such as cables that are moved by unplugging, belongs to the last.
                weight = weight if weight.sum() else (np.arange(costs.size) == costs.size - 1).astype(float)
                costs += usd * weight / weight.sum()
        return tuple(costs.tolist())

    @cached_property
    def racks_touched(self) -> tuple[str, ...]:
        """The existing racks in which a cable is added, moved or unplugged, by the names of their slots."""
        slots, slot = self.after.layout.slots, self.after.layout.slot
        stood = set(slot[: self.before.layout.topology.switches].tolist())
        at = {slot[switch] for step in self.steps for task in step.tasks for switch in switches_of(task, self.cables)}
        return tuple(slots.names[s] for s in sorted(int(s) for s in at if s in stood))

    @property
    def racks_new(self) -> int:
        """Racks that are set up."""
        return sum(len(step.new_racks) for step in self.steps)

    @property
    def cut_off(self) -> int:
        """The largest number of active switches that are disconnected after some task; 0 if none ever is."""
        return max((step.cut_off for step in self.steps), default=0)

    @property
    def interrupted(self) -> int:
        """Number of moves during which some switch is disconnected while the cable is out at one end."""
        return sum(step.interrupted for step in self.steps)

    @property
    def connectedness(self) -> str:
        """A text that states whether the network stays connected at every step."""
        apart = [number for number, step in enumerate(self.steps, 1) if not step.connected]
        if apart:
            some = ", ".join(map(str, apart[:5])) + (", .." if len(apart) > 5 else "")
            return f"not after step{'s' * (len(apart) != 1)} {some}"
        if self.cut_off:
            return f"not always: up to {self.cut_off} switches in service are cut off between tasks"
        if self.interrupted:
            moves = f"{self.interrupted} move{'s' * (self.interrupted != 1)}"
            return f"after every task; {moves} cut something off while the cable is out"
        return "all the time"


def unnamed_ports(expansion: Expansion) -> list[tuple[int, int]]:
    """The ports of existing switches into which the plan plugs cables and which have no names there, as (switch, port).

    The other ports of these switches have names, but the source does not state those of these free ports: the plan counts them.
    """
    names = expansion.after.names
    if names is None:
        return []
    ends = {
        end
        for step in expansion.steps
        for task in step.tasks
        if task.work != UNPLUG
        for end in (task.ends[:1] if expansion.cables[task.cable].host else task.ends)
    }
    return sorted(end for end in ends if names.unnamed(*end))


def switches_of(task: CableTask, cables: tuple[WiredCable, ...]) -> list[int]:
    """The switches at which an installer works for a task."""
    ends = [task.ends[0][0]] if cables[task.cable].host else [switch for switch, _ in task.ends]
    if task.taken_from is not None:
        # The end that stays is not touched.
        ends = [ends[1], task.taken_from[0]]
    return ends
