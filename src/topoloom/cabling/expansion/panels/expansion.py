"""The result of growing a network with shuffle panels: the steps of the crew, and what is bought, moved and left."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.expansion.panels.pieces import End
from topoloom.cabling.expansion.panels.tasks import PanelTask
from topoloom.cabling.expansion.stages import TrunkWork
from topoloom.cost.items import Item
from topoloom.model.results import Provenance, Recorded, Result
from topoloom.model.topology import Topology


@dataclass(frozen=True, eq=False)
class PanelStep(Recorded):
    """One step, and the network after it.

    Attributes
    ----------
    title : str
    tasks : tuple of PanelTask
        In the order of work.
    topology : Topology
        The network after it.
    new_switches : tuple of int
    new_panels, new_racks : tuple of str
        The names of panels, and the slots of racks.
    rounds : int
        How often links are drained: in each round trunks are exchanged, and the links verified before they carry traffic.
    most_drained : int
        Most links that are down at a time.
    cut_off : int
        The largest number of existing switches that are disconnected from the largest part meanwhile.
    diameter, aspl : float
        After the step.
    connected : bool
    trunk_work : TrunkWork
    """

    unrecorded = ("tasks", "topology")

    title: str
    tasks: tuple[PanelTask, ...]
    topology: Topology
    new_switches: tuple[int, ...]
    new_panels: tuple[str, ...]
    new_racks: tuple[str, ...]
    rounds: int
    most_drained: int
    cut_off: int
    diameter: float
    aspl: float
    connected: bool
    trunk_work: TrunkWork


@dataclass(frozen=True, eq=False)
class PanelExpansion(Result):
    """A plan for growing a network with shuffle panels, trunk by trunk: every cord, and every trunk that is not cut, stays.

    Attributes
    ----------
    method : str
    before, after : Cabling
        With the plants; what stays keeps its name, ports, number and length.
    steps : tuple of PanelStep
    kept : int
        Cords and trunks that stay where they are.
    moved : int
        Trunks that are cut and serve again with one end elsewhere.
    left : tuple of (int, float)
        The number and the length in m of each trunk that is left over.
    bought : tuple of Item
        What the bill after has more than the one before.
    currency : str
    """

    record_name = "panel-expansion"
    unrecorded = ("before", "after")
    derived = (
        "loops_pulled",
        "switches",
        "hosts",
        "links",
        "new_panels",
        "new_cords",
        "new_trunks",
        "rounds",
        "most_drained",
        "cost_usd",
    )

    method: str
    before: Cabling
    after: Cabling
    steps: tuple[PanelStep, ...]
    kept: int
    moved: int
    left: tuple[tuple[int, float], ...]
    bought: tuple[Item, ...]
    currency: str = "USD"
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def topology(self) -> Topology:
        """The resulting network; existing switches keep their numbers."""
        return self.after.layout.topology

    @property
    def switches(self) -> int:
        """Its switches."""
        return self.topology.switches

    @property
    def hosts(self) -> int:
        """Its hosts."""
        return self.topology.hosts

    @property
    def links(self) -> int:
        """Its links."""
        return len(self.topology.links)

    @property
    def new_panels(self) -> int:
        """Panels that are set up."""
        return sum(len(step.new_panels) for step in self.steps)

    def _new(self, piece: str) -> int:
        return sum(task.piece == piece and task.source == "new" for step in self.steps for task in step.tasks)

    @property
    def new_cords(self) -> int:
        """Cords that are bought."""
        return self._new("cord")

    @property
    def new_trunks(self) -> int:
        """Trunks that are bought."""
        return self._new("trunk")

    @property
    def loops_pulled(self) -> int:
        """Loop plugs that make way for trunks."""
        return sum(task.piece == "loop plug" and task.work == "unplug" for step in self.steps for task in step.tasks)

    @property
    def rounds(self) -> int:
        """How often links are drained."""
        return sum(step.rounds for step in self.steps)

    @property
    def most_drained(self) -> int:
        """Most links that are down at a time."""
        return max((step.most_drained for step in self.steps), default=0)

    @property
    def tasks(self) -> dict[str, int]:
        """Number of tasks of each kind."""
        return dict(Counter(task.work for step in self.steps for task in step.tasks))

    @property
    def cost_usd(self) -> float | None:
        """The price of all that is bought, in the middle of its range; None where one item has no price."""
        total = sum(item.count * (item.unit_low_usd + item.unit_high_usd) / 2 for item in self.bought)
        return None if math.isnan(total) else total

    @property
    def unpriced(self) -> tuple[str, ...]:
        """What is bought without a price."""
        return tuple(dict.fromkeys(item.product for item in self.bought if math.isnan(item.unit_usd)))

    def rows(self) -> list[dict[str, Any]]:
        """One row per task, in the order of work: ends as (``switch``, ``panel`` or ``host``, number, port)."""
        return list(self._rows())

    def _rows(self) -> Iterator[dict[str, Any]]:
        for number, step in enumerate(self.steps, 1):
            for task in step.tasks:
                a, b = task.ends or (None, None)
                yield {
                    "step": number,
                    "round": task.round,
                    "work": task.work,
                    "piece": task.piece,
                    "number": task.number or None,
                    "source": task.source,
                    "a": _named(a),
                    "b": _named(b),
                    "unplugged": "; ".join(_named(end) for end in task.taken),
                    "links": len(task.links),
                    "length_m": task.length_m or None,
                    "stock_m": task.stock_m or None,
                }


_DEVICES = ("switch", "panel", "host")


def _named(end: End | None) -> str:
    """An end in words: ``panel 480 port 33``."""
    return "" if end is None else f"{_DEVICES[end[0]]} {end[1]} port {end[2]}"
