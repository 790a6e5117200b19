"""A plan in a folder: the cables before, the tasks, and the cables after."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.expansion.cable_order.order_of_work import CableTask
from topoloom.cabling.expansion.cable_order.order_search import ADD
from topoloom.cabling.expansion.expansion import Expansion, ExpansionStep
from topoloom.cabling.files import cabling_files, layout_files, network_files
from topoloom.cabling.labels import Labels, label
from topoloom.cabling.lists import order_csv
from topoloom.cabling.sheets import SHEET_NAMES
from topoloom.core.csv_files import csv_table, guarded, numbers, texts
from topoloom.core.errors import check_path, check_type
from topoloom.core.folders import write_folder
from topoloom.core.json_files import indented_json
from topoloom.core.staging import Content
from topoloom.cost.choose import Cables
from topoloom.cost.parts_files import parts_json
from topoloom.formats import FORMATS, encode
from topoloom.model.network_folders import AFTER, BEFORE, PARTS, PLAN, PROVENANCE, note_text, refuse_other_network

#: The columns of the plan with arbitrary text.
_TEXTS = frozenset(
    f"{side}_{what}" for side in ("a", "b", "from") for what in ("rack", "label", "name", "port_name")
) | {"product", "medium"}

STEPS = "steps.csv"
#: The record of the plan, and the resulting network with its own numbers.
RECORD, GOAL, NUMBERS = "expansion.json", "goal/topology.json", "goal/numbers.csv"


def save_expansion(
    expansion: Expansion,
    folder: str | os.PathLike[str],
    also: Mapping[str, Content] = MappingProxyType({}),
    stale: Iterable[str] = (),
) -> list[Path]:
    """Write a plan into a folder, all of it or nothing; returns the paths.

    ``before/cables.csv`` and ``before/floor.toml``; ``plan.csv``, one row per task, ``steps.csv``, one row per step, and
    ``order.csv``, the cables to buy; ``after/`` with all files of `save_cabling`; ``expansion.json``, the record, and the other
    files that `load_expansion` needs. docs/how-to/grow-a-network.md describes each file, and `check_plan` executes the plan.

    Parameters
    ----------
    expansion : Expansion
    folder : path
        Created if missing; its parent folder must exist.
    also : mapping of str to str or bytes
        Further files to write with it, by name.
    stale : texts
        Patterns of earlier files to remove.

    Returns
    -------
    list of Path
        The files written, with the path of `folder`.

    Raises
    ------
    InputError
        The folder cannot be created, or a file in it cannot be written; nothing has changed then.
    """
    check_type(expansion, Expansion, "save_expansion", "expand(network, to) returns one")
    check_path(folder, "save_expansion", "name a folder")
    refuse_other_network(folder, expansion.provenance.digest, "expand")
    before = expansion.before
    start = {**network_files(before.layout.topology, "expand", before.terms, before.layout), **layout_files(before)}
    files: dict[str, Content] = {f"{BEFORE}/{name}": content for name, content in start.items()}
    files |= {
        PLAN: plan_csv(expansion),
        STEPS: steps_csv(expansion),
        "order.csv": order_csv(bought_cables(expansion)),
        RECORD: indented_json(reproducible(expansion.record())),
        PARTS: parts_json(expansion.after.bought.parts),
        PROVENANCE: note_text(expansion.provenance, "expand"),
    }
    if expansion.goal is not None:
        files[GOAL] = encode(expansion.goal, FORMATS.find("topoloom"))
    if expansion.number is not None:
        switches = np.arange(expansion.number.size)
        files[NUMBERS] = csv_table({"switch": numbers(switches), "number": numbers(expansion.number)})
    files |= {f"{AFTER}/{name}": content for name, content in cabling_files(expansion.after).items()}
    return write_folder(folder, {**files, **also}, stale=[f"{AFTER}/sheets/{SHEET_NAMES}", GOAL, NUMBERS, *stale])


def reproducible(record: dict[str, Any]) -> dict[str, Any]:
    """A record without the values that differ from run to run."""
    return record | {"provenance": record["provenance"] | {"timings": {}}}


def plan_csv(expansion: Expansion) -> str:
    """One row per task, in the order of work: cable, kind of work, both ends, and the former place of a moved end.

    The last columns name devices and ports, where these are not as topoloom counts them.
    """
    return csv_table({name: texts(cells) if name in _TEXTS else cells for name, cells in plan_rows(expansion).items()})


def plan_rows(expansion: Expansion) -> dict[str, list[str]]:
    """The columns of the plan, one cell per task; texts without quotes."""
    names, parts = _Names(expansion.after), expansion.after.bought.parts
    rows = [(number, task) for number, step in enumerate(expansion.steps, 1) for task in step.tasks]
    tasks = [task for _, task in rows]
    about = [expansion.cables[task.cable] for task in tasks]

    def metres(values: list[float], digits: int = 3) -> list[str]:
        return numbers(np.array(values, float), digits)

    columns = {
        "task": numbers(np.arange(1, len(rows) + 1)),
        "step": [str(number) for number, _ in rows],
        "work": [task.work for task in tasks],
        "cable": [str(cable.number) for cable in about],
        "kind": ["host" if cable.host else "link" for cable in about],
        "source": [source_of(task) for task in tasks],
    }
    ends: dict[str, list[tuple[tuple[int, int] | None, bool]]] = {
        "a": [(task.ends[0], False) for task in tasks],
        "b": [(task.ends[1], cable.host) for task, cable in zip(tasks, about, strict=True)],
        "from": [(task.taken_from, False) for task in tasks],
    }
    for side, of_side in ends.items():
        columns |= names.columns(side, of_side)
    usd = [cable.usd if task.new else (np.nan, np.nan) for task, cable in zip(tasks, about, strict=True)]
    columns |= {
        "length_m": metres([task.length_m or np.nan for task in tasks]),
        "stock_m": metres([cable.stock_m for cable in about]),
        "product": [parts.cable[cable.product].title for cable in about],
        "medium": [parts.cable[cable.product].medium for cable in about],
        "usd_low": metres([low for low, _ in usd], 2),
        "usd_high": metres([high for _, high in usd], 2),
        "currency": [parts.currency] * len(rows),
        "cut_off": [str(task.cut_off) if task.cut_off else "" for task in tasks],
        "interrupted": [str(task.interrupted) if task.interrupted else "" for task in tasks],
    }
    for side, of_side in ends.items():
        columns |= names.real(side, of_side)
    return columns


def steps_csv(expansion: Expansion) -> str:
    """One row per step: new switches and racks, the number of cables worked on, and the network after it."""
    facts = [step_facts(step) for step in expansion.steps]
    columns = {name: [_cell(row[name]) for row in facts] for name in facts[0]}
    return csv_table({"step": numbers(np.arange(1, len(facts) + 1))} | columns)


def step_facts(step: ExpansionStep) -> dict[str, Any]:
    """The content and results of a step, as the columns of steps.csv; infinite distances if the network is not connected."""
    done = ("unplug", "move", "add", "switches", "hosts", "links")
    left = ("diameter", "aspl", "connected", "cut_off", "interrupted")
    names = ("title", "new_switches", "new_racks", *done, *left)
    made = {"new_switches": ranges(step.new_switches), "new_racks": list(step.new_racks)}
    return {name: made[name] if name in made else getattr(step, name) for name in names}


def bought_cables(expansion: Expansion) -> Cables:
    """The cables that are bought for the plan, in the order in which they are plugged in."""
    tasks = [task for step in expansion.steps for task in step.tasks if task.new]
    cables = [expansion.cables[task.cable] for task in tasks]
    usd = np.array([cable.usd for cable in cables], float).reshape(-1, 2)
    return Cables(
        expansion.after.bought.parts,
        np.array([cable.product for cable in cables], np.int64),
        np.array([task.length_m for task in tasks], float),
        np.array([cable.stock_m for cable in cables], float),
        usd[:, 0],
        usd[:, 1],
        np.array([cable.power_w for cable in cables], float),
        np.ones(len(tasks)),
    )


def source_of(task: CableTask) -> str:
    """The origin of a task's cable: ``new``, ``shelf`` (unplugged before), or empty."""
    return "" if task.work != ADD else "new" if task.new else "shelf"


def ranges(numbers: tuple[int, ...]) -> str:
    """Consecutive numbers as a range: ``64..71 80``; two points, because spreadsheets read 1-12 as a date."""

    def runs() -> Iterator[str]:
        start = 0
        for i in range(1, len(numbers) + 1):
            if i == len(numbers) or numbers[i] != numbers[i - 1] + 1:
                low, high = numbers[start], numbers[i - 1]
                yield str(low) if low == high else f"{low}..{high}"
                start = i

    return " ".join(runs())


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if not np.isfinite(value) else f"{value:g}" if value == int(value) else f"{value:.6f}"
    return guarded(" ".join(value) if isinstance(value, list) else str(value))


class _Names:
    """The columns for the place of an end: rack, height, switch, port and label, as on the lists of the cabling."""

    def __init__(self, cabling: Cabling) -> None:
        layout = cabling.layout
        self._real = cabling.names
        self._labels: Labels = label(cabling)
        self._rack = [layout.rack_names[i] for i in layout.rack.tolist()]
        self._height = layout.height.tolist()

    def columns(self, side: str, ends: list[tuple[tuple[int, int] | None, bool]]) -> dict[str, list[str]]:
        """The five columns of one side; empty for missing ends, and with the host for ends at hosts."""
        cells = [self._cells(*end) for end in ends]
        names = ("rack", "height", "switch", "port", "label")
        return {f"{side}_{name}": [row[i] for row in cells] for i, name in enumerate(names)}

    def real(self, side: str, ends: list[tuple[tuple[int, int] | None, bool]]) -> dict[str, list[str]]:
        """The names of device and port of one side; no columns where these are as topoloom counts them."""
        real = self._real
        if real is None:
            return {}
        cells = [
            ("", "")
            if end is None
            else (real.hosts[end[0]], real.host_port(*end))
            if host
            else (real.switches[end[0]], real.port(*end))
            for end, host in ends
        ]
        return {f"{side}_{name}": [row[i] for row in cells] for i, name in enumerate(("name", "port_name"))}

    def _cells(self, end: tuple[int, int] | None, host: bool) -> tuple[str, str, str, str, str]:
        if end is None:
            return ("",) * 5
        switch, port = end
        if host:
            return "", "", f"host {switch}", str(port), self._labels.host_end(switch, port)
        label = self._labels.end(switch, port)
        return self._rack[switch], str(self._height[switch]), str(switch), str(port), label
