"""Checking a plan: executing its tasks on the list of cables before must give exactly the list after."""

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from topoloom.cabling.expansion.plan_files import STEPS
from topoloom.cabling.expansion.plan_rows import Row, number_in, rows_of
from topoloom.cabling.files import load_layout
from topoloom.core.errors import InputError, at, check_path
from topoloom.graph.connectivity import components
from topoloom.graph.path_lengths import part_path_lengths
from topoloom.graph.planes import plane_count
from topoloom.model.network_folders import AFTER, BEFORE, PLAN, read_note
from topoloom.model.results import Provenance, Result

_PLAN_COLUMNS = (
    "step",
    "work",
    "cable",
    "kind",
    "a_switch",
    "a_port",
    "b_switch",
    "b_port",
    "from_switch",
    "from_port",
    "length_m",
    "stock_m",
    "product",
)
_LIST_COLUMNS = ("cable", "kind", "a_switch", "a_port", "b_switch", "b_port", "length_m", "stock_m", "product")
_STEP_COLUMNS = ("step", "switches", "links", "connected", "diameter", "aspl", "unplug", "move", "add")

End = tuple[str, str]


@dataclass(frozen=True)
class CheckedPlan(Result):
    """The result of executing a plan on its lists; any mismatch is an error instead.

    Attributes
    ----------
    steps, tasks : int
    cables : int
        Number of cables at the end.
    exact : bool
        Whether these are the cables of the list after, port by port.
    """

    record_name = "checked-plan"

    steps: int
    tasks: int
    cables: int
    exact: bool = True
    provenance: Provenance = field(default_factory=Provenance, compare=False)


def check_plan(folder: str | os.PathLike[str]) -> CheckedPlan:
    """Execute a plan that `save_expansion` wrote, on its lists: from the files alone, task by task.

    Every task must be possible in its turn: the plan unplugs existing cables, and plugs into free ports. After each step links,
    connectedness, diameter, ASPL and the number of tasks must match the plan. At the end every cable must be as in the list
    after: number, both ends with their ports, length, stock and product; the list must be a layout, and its switches must be
    where the plan states. Labels, prices and `cut_off` are not checked.

    Raises
    ------
    InputError
        The first place that does not match: ``file:line: reason``.
    """
    check_path(folder, "check_plan", "name the folder of a plan")
    folder = Path(folder)
    state = _State()
    for line, row in rows_of(folder / BEFORE / "cables.csv", _LIST_COLUMNS):
        if row["kind"] in {"link", "host"}:
            state.lay(row, str(folder / BEFORE / "cables.csv"), line)
    part = _planes_in(folder / AFTER)
    source, steps = str(folder / PLAN), rows_of(folder / STEPS, _STEP_COLUMNS)
    tasks = rows_of(folder / PLAN, _PLAN_COLUMNS)
    done = 0
    for step_line, step in steps:
        works: Counter[str] = Counter()
        while done < len(tasks) and tasks[done][1]["step"] == step["step"]:
            line, row = tasks[done]
            state.do(row, source, line)
            works[row["work"]] += 1
            done += 1
        state.compare_step(step, str(folder / STEPS), step_line, works, part)
    if done < len(tasks):
        raise at(source, tasks[done][0], f"step {tasks[done][1]['step']} is not in {STEPS}, or out of order")
    after = folder / AFTER / "cables.csv"
    goal = _State()
    for line, row in rows_of(after, _LIST_COLUMNS):
        if row["kind"] in {"link", "host"}:
            goal.lay(row, str(after), line)
    state.compare(goal, str(after))
    _compare_places(tasks, source, after)
    note = read_note(folder)
    provenance = Provenance() if note is None else note.provenance
    return CheckedPlan(len(steps), len(tasks), len(goal.cables), provenance=provenance)


def _planes_in(folder: Path) -> np.ndarray:
    """The plane of each switch of the network in a folder, int64[switches]; all 0 without planes. It must be a layout."""
    topology = load_layout(folder).topology
    if plane_count(topology) > 1:
        return np.asarray(components(topology), np.int64)
    return np.zeros(topology.switches, np.int64)


class _State:
    """The installed cables, by their numbers and by their ports."""

    def __init__(self) -> None:
        #: For each plugged cable: both ends (ordered), length, stock length, product, and the line that defines it.
        self.cables: dict[str, tuple[frozenset[End], str, str, str, int]] = {}
        self._ports: dict[End, str] = {}
        #: Unplugged cables: their stock lengths and products.
        self._shelf: dict[str, tuple[str, str]] = {}

    def lay(self, row: Row, source: str, line: int) -> None:
        """Plug in the cable of a row."""
        number, ends = row["cable"], ((row["a_switch"], row["a_port"]), (row["b_switch"], row["b_port"]))
        if number in self.cables:
            raise at(source, line, f"cable {number} is installed already")
        for switch, port in ends:
            if (switch, port) in self._ports:
                raise at(source, line, f"port {port} of {_named(switch)} already has cable {self._ports[switch, port]}")
            self._ports[switch, port] = number
        self.cables[number] = frozenset(ends), row["length_m"], row["stock_m"], row["product"], line

    def do(self, row: Row, source: str, line: int) -> None:
        """Execute one task."""
        number, work = row["cable"], row["work"]
        a, b = (row["a_switch"], row["a_port"]), (row["b_switch"], row["b_port"])
        if work == "add":
            shelved = self._shelf.pop(number, None)
            if shelved not in (None, (row["stock_m"], row["product"])):
                raise at(source, line, f"cable {number} has another stock length or product than when it was unplugged")
            self.lay(row, source, line)
            return
        if work not in {"unplug", "move"}:
            raise at(source, line, f"work is {work[:20]!r}; it must be unplug, move or add")
        old_end = b if work == "unplug" else (row["from_switch"], row["from_port"])
        if number not in self.cables or self.cables[number][0] != frozenset((a, old_end)):
            raise at(source, line, f"cable {number} does not run from {_at(a)} to {_at(old_end)}")
        stock_m, product = self.cables.pop(number)[2:4]
        for end in (a, old_end):
            del self._ports[end]
        if work == "unplug":
            self._shelf[number] = stock_m, product
        elif (stock_m, product) != (row["stock_m"], row["product"]):
            raise at(
                source, line, f"cable {number} is {stock_m} m of {product}; the plan states another length or product"
            )
        else:
            self.lay(row, source, line)

    def compare_step(self, step: Row, source: str, line: int, works: Counter[str], part: np.ndarray) -> None:
        """Check the network after a step and its numbers of tasks against the plan.

        Parameters
        ----------
        step : Row
            The row of the step in the plan.
        source, line : str, int
            Place of the row, for messages.
        works : Counter
            Number of tasks of each kind.
        part : int64[switches]
            The plane of each switch.

        Raises
        ------
        InputError
            The network or the numbers differ.
        """
        ends = [ends for ends, *_ in self.cables.values() if not any(switch.startswith("host") for switch, _ in ends)]
        links = np.array([[number_in(switch, source, line) for switch, _ in pair] for pair in ends], np.int64).reshape(
            -1, 2
        )
        switches = number_in(step["switches"], source, line)
        if links.size and links.max() >= switches:
            raise at(
                source, line, f"a cable runs to switch {links.max()}, but there are {switches} switches after the step"
            )
        part = np.pad(part, (0, max(0, switches - part.size)))[:switches]
        if (part[links[:, 0]] != part[links[:, 1]]).any():
            raise at(source, line, "a cable joins two planes of the network after the plan")
        paths = part_path_lengths(links, part)
        actual = {
            "links": str(len(ends)),
            "connected": "yes" if paths.connected else "no",
            "diameter": f"{paths.diameter:g}" if paths.connected else "",
            "aspl": (f"{paths.aspl:g}" if paths.aspl == int(paths.aspl) else f"{paths.aspl:.6f}")
            if paths.connected
            else "",
            **{work: str(works[work]) for work in ("unplug", "move", "add")},
        }
        for column, value in actual.items():
            if step[column] != value:
                raise at(
                    source, line, f"{column} is {step[column] or 'empty'}; executing the plan gives {value or 'none'}"
                )

    def compare(self, goal: "_State", source: str) -> None:
        """Check that all cables are those of the list after."""
        for number, (ends, length_m, stock_m, product, line) in goal.cables.items():
            actual = self.cables.get(number)
            if actual is None:
                raise at(source, line, f"cable {number} does not exist at the end of the plan")
            if actual[:4] != (ends, length_m, stock_m, product):
                raise at(source, line, f"cable {number} differs at the end of the plan: {_described(actual)}")
        extra = next((number for number in self.cables if number not in goal.cables), None)
        if extra is not None:
            raise InputError(f"{source}: cable {extra} exists at the end of the plan, but not in the list")


def _compare_places(tasks: list[tuple[int, Row]], source: str, after: Path) -> None:
    """Check that the plan names the racks and heights of switches in the list after."""
    place: dict[str, tuple[str, str]] = {}
    for _, row in rows_of(after, ("a_rack", "a_height")):
        if row["kind"] == "switch":
            place[row["a_switch"]] = row["a_rack"], row["a_height"]
    for line, row in tasks:
        for side in ("a", "b", "from"):
            switch = row[f"{side}_switch"]
            stated = row.get(f"{side}_rack", ""), row.get(f"{side}_height", "")
            if switch in place and stated != place[switch]:
                rack, height = place[switch]
                raise at(
                    source, line, f"switch {switch} is in rack {rack} at height {height}; the row states another place"
                )


def _named(switch: str) -> str:
    return switch if switch.startswith("host") else f"switch {switch}"


def _at(end: End) -> str:
    return f"port {end[1]} of {_named(end[0])}"


def _described(cable: tuple[frozenset[End], str, str, str, int]) -> str:
    ends, length_m, stock_m, product, _ = cable
    return f"{' to '.join(map(_at, sorted(ends)))}, {length_m} m, bought as {stock_m} m of {product}"
