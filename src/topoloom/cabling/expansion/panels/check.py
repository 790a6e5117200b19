"""Checking a plan for panels: its tasks, executed on the list of cords and trunks before, must give the list after."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from topoloom.cabling.expansion.plan_files import STEPS
from topoloom.cabling.expansion.plan_rows import Row, number_in, rows_of
from topoloom.cabling.fibre_lists import FIBRE_CABLES
from topoloom.core.errors import InputError, at, check_path
from topoloom.model.network_folders import AFTER, BEFORE, PLAN, read_note
from topoloom.model.results import Provenance, Result

_LIST_COLUMNS = ("cable", "kind", "a_device", "a_port", "b_device", "b_port", "stock_m", "product", "carries")
_PLAN_COLUMNS = (
    *("step", "round", "work", "piece", "number", "a_device", "a_port", "b_device", "b_port"),
    *("a_label", "b_label", "unplugged", "links", "carries", "stock_m", "product"),
)

#: A device and its port.
Plug = tuple[str, str]


@dataclass(frozen=True)
class CheckedPanelPlan(Result):
    """The result of executing a plan for panels on its lists; any mismatch is an error instead.

    Attributes
    ----------
    steps, tasks : int
    pieces : int
        Number of cords and trunks at the end.
    most_down : int
        Most links that were drained at a time.
    exact : bool
        Whether these are the pieces of the list after, port by port.
    """

    record_name = "checked-panel-plan"

    steps: int
    tasks: int
    pieces: int
    most_down: int
    exact: bool = True
    provenance: Provenance = field(default_factory=Provenance, compare=False)


def check_panel_plan(folder: str | os.PathLike[str]) -> CheckedPanelPlan:
    """Execute a plan that `save_panel_expansion` wrote, on its lists: from the files alone, task by task.

    Every task must be possible in its turn: pieces are plugged into free ports, and only trunks are unplugged whose links were
    drained in their round. Links are drained once. At the end every cord and trunk must be as in the list after: number, ends,
    stock and product; and the links that it carries must be those that were there, without the drained ones, and with the
    verified ones.

    Parameters
    ----------
    folder : path

    Raises
    ------
    InputError
        The first place that does not match: ``file:line: reason``.
    """
    check_path(folder, "check_panel_plan", "name the folder of a plan")
    folder = Path(folder)
    state = _Pieces(folder / BEFORE / FIBRE_CABLES)
    source, done = str(folder / PLAN), 0
    tasks = rows_of(folder / PLAN, _PLAN_COLUMNS)
    steps = rows_of(folder / STEPS, ("step", "most_drained"))
    most = 0
    for line, step in steps:
        state.most_down = 0
        while done < len(tasks) and tasks[done][1]["step"] == step["step"]:
            state.do(tasks[done][1], source, tasks[done][0])
            done += 1
        if step["most_drained"] != str(state.most_down):
            reason = f"most_drained is {step['most_drained']}; executing the plan gives {state.most_down}"
            raise at(str(folder / STEPS), line, reason)
        most = max(most, state.most_down)
    if done < len(tasks):
        raise at(source, tasks[done][0], f"step {tasks[done][1]['step']} is not in {STEPS}, or out of order")
    state.compare(_Pieces(folder / AFTER / FIBRE_CABLES))
    note = read_note(folder)
    provenance = Provenance() if note is None else note.provenance
    return CheckedPanelPlan(len(steps), len(tasks), len(state.ends), most, provenance=provenance)


class _Pieces:
    """Installed cords and trunks by their numbers, and the links that are up.

    Parameters
    ----------
    path : Path
        A list of cords and trunks.
    """

    def __init__(self, path: Path) -> None:
        self.source = str(path)
        #: Of each number: kind, both ends, stock length and product.
        self.ends: dict[str, tuple[str, frozenset[Plug], str, str]] = {}
        self.links: set[str] = set()
        self.most_down = 0
        self._carries: dict[str, set[str]] = {}
        self._used: dict[Plug, str] = {}
        self._loose: dict[str, tuple[str, set[Plug], str, str]] = {}
        self._down: set[str] = set()
        #: What each label names.
        self._plug_of: dict[str, Plug] = {}
        for line, row in rows_of(path, _LIST_COLUMNS):
            for side in "ab":
                self._plug_of[row.get(f"{side}_label", "")] = (row[f"{side}_device"], row[f"{side}_port"])
            self._lay(row["cable"], row["kind"], row, self.source, line)
            if row["kind"] != "cord":
                self._carries[row["cable"]] = {link for link in row["carries"].split("; ") if link}
                self.links |= self._carries[row["cable"]]

    def _lay(self, number: str, kind: str, row: Row, source: str, line: int) -> None:
        plugs = frozenset((row[f"{side}_device"], row[f"{side}_port"]) for side in "ab")
        if number in self.ends:
            raise at(source, line, f"{kind} {number} is installed already")
        for plug in plugs:
            if plug in self._used:
                raise at(source, line, f"port {plug[1]} of {plug[0]} already has {self._used[plug]}")
            self._used[plug] = number
        self.ends[number] = kind, plugs, row["stock_m"], row["product"]

    def do(self, row: Row, source: str, line: int) -> None:
        """Execute one task."""
        work, number = row["work"], row["number"]
        if work == "drain":
            self._down = set(row["carries"].split("; "))
            if not self._down <= self.links:
                raise at(source, line, "a link is drained that is not up")
            if len(self._down) != number_in(row["links"], source, line, "number of links"):
                raise at(source, line, f"{row['links']} links are stated, and {len(self._down)} are named")
            self.links -= self._down
            self.most_down = max(self.most_down, len(self._down))
        elif work == "verify":
            come = set(row["carries"].split("; "))
            if come & self.links:
                raise at(source, line, "a link is verified that is up already")
            self.links |= come
        elif work == "unplug":
            self._unplug(row, source, line)
        elif work in ("plug", "connect") and row["piece"] in ("cord", "trunk", "loop plug"):
            if work == "connect" and number not in self._loose:
                raise at(source, line, f"trunk {number} has no free end")
            for side in "ab":
                self._plug_of[row[f"{side}_label"]] = (row[f"{side}_device"], row[f"{side}_port"])
            loose = self._loose.pop(number, None)
            if loose is not None:
                for plug in loose[1]:
                    self._used.pop(plug)
                if loose[2:] != (row["stock_m"], row["product"]):
                    raise at(source, line, f"trunk {number} is {loose[2]} m of {loose[3]}; the plan states another")
            self._lay(number, row["piece"], row, source, line)
        elif work not in ("set up", "plug"):
            raise at(source, line, f"work is {work[:20]!r}; it must be set up, plug, drain, unplug, connect or verify")

    def _unplug(self, row: Row, source: str, line: int) -> None:
        number = row["number"]
        piece = self.ends.pop(number, None)
        if piece is None:
            raise at(source, line, f"trunk {number} is not installed")
        carried = self._carries.pop(number, set())
        if carried & self.links:
            raise at(source, line, f"trunk {number} still carries links that are up")
        kind, plugs, stock_m, product = piece
        out = {self._plug_of.get(label, ("", label)) for label in row["unplugged"].split("; ")}
        if not out or not out <= plugs:
            raise at(source, line, f"trunk {number} does not end at {row['unplugged'][:60]}")
        for plug in out:
            del self._used[plug]
        self._loose[number] = kind, set(plugs - out), stock_m, product

    def compare(self, goal: "_Pieces") -> None:
        """Check that all pieces and links are those of the list after."""
        for number, piece in goal.ends.items():
            if self.ends.get(number) != piece:
                raise InputError(f"{goal.source}: {piece[0]} {number} differs at the end of the plan")
        extra = next((number for number in self.ends if number not in goal.ends), None)
        if extra is not None:
            raise InputError(
                f"{goal.source}: the plan leaves {self.ends[extra][0]} {extra}, which the list does not have"
            )
        if self.links != goal.links:
            count = len(self.links ^ goal.links)
            raise InputError(f"{goal.source}: {count} links differ at the end of the plan")
