"""A plan for shuffle panels in a folder: the plant before, the tasks, and all lists after."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from topoloom.cabling.cabling import Cabling
from topoloom.cabling.expansion.panels.expansion import PanelExpansion, PanelStep
from topoloom.cabling.expansion.panels.pieces import End
from topoloom.cabling.expansion.panels.tasks import LinkPorts, PanelTask
from topoloom.cabling.expansion.plan_files import STEPS, reproducible
from topoloom.cabling.fibre_lists import FIBRE_CABLES, fibre_cables_csv
from topoloom.cabling.files import cabling_files, layout_files, network_files
from topoloom.cabling.labels import Labels, label
from topoloom.cabling.netbox_devices import switch_device_names
from topoloom.cabling.sheets import SHEET_NAMES
from topoloom.core.csv_files import csv_table, numbers, texts
from topoloom.core.errors import InputError, check_path, check_type
from topoloom.core.folders import write_folder
from topoloom.core.json_files import indented_json
from topoloom.core.staging import Content
from topoloom.cost.bill import Bill, bill_of_items
from topoloom.cost.purchase_files import purchase_content
from topoloom.model.network_folders import AFTER, BEFORE, PANEL_PLAN, PLAN, PROVENANCE, note_text, refuse_other_network


def save_panel_expansion(
    expansion: PanelExpansion,
    folder: str | os.PathLike[str],
    also: Mapping[str, Content] = MappingProxyType({}),
    stale: Iterable[str] = (),
) -> list[Path]:
    """Write a plan for panels into a folder, all of it or nothing; returns the paths.

    ``before/`` with the layout and its cords and trunks; ``plan.csv``, one row per task, ``steps.csv``, one row per step, and
    ``order.csv``, what to buy; ``after/`` with all files of `save_cabling`; ``panel-expansion.json``, the record.
    `check_panel_plan` executes the plan.

    Parameters
    ----------
    expansion : PanelExpansion
    folder : path
        Created if missing; its parent folder must exist.
    also : mapping of str to str or bytes
        Further files to write with it, by name.
    stale : texts
        Patterns of earlier files to remove.

    Returns
    -------
    list of Path

    Raises
    ------
    InputError
        The folder cannot be created, or a file in it cannot be written; nothing has changed then.
    """
    check_type(expansion, PanelExpansion, "save_panel_expansion", "expand_panels(network, to) returns one")
    check_path(folder, "save_panel_expansion", "name a folder")
    refuse_other_network(folder, expansion.provenance.digest, "expand")
    before = expansion.before
    labels = label(before)
    start = {
        **network_files(before.layout.topology, "expand", before.terms, before.layout),
        **layout_files(before, labels),
        FIBRE_CABLES: fibre_cables_csv(before, labels),
    }
    files: dict[str, Content] = {f"{BEFORE}/{name}": content for name, content in start.items()}
    files |= {
        PLAN: panel_plan_csv(expansion),
        STEPS: panel_steps_csv(expansion),
        "order.csv": purchase_content([_order(expansion)], ".csv"),
        PANEL_PLAN: indented_json(reproducible(expansion.record())),
        PROVENANCE: note_text(expansion.provenance, "expand"),
    }
    files |= {f"{AFTER}/{name}": content for name, content in cabling_files(expansion.after).items()}
    return write_folder(folder, {**files, **also}, stale=[f"{AFTER}/sheets/{SHEET_NAMES}", *stale])


def panel_plan_csv(expansion: PanelExpansion) -> str:
    """One row per task: work, piece, number, both ends after it, the ends that are unplugged, and the links of a round.

    A link is written as the labels of its two switch ports.
    """
    words = _Words(expansion.after)
    rows = [(number, task) for number, step in enumerate(expansion.steps, 1) for task in step.tasks]
    tasks = [task for _, task in rows]
    columns: dict[str, list[str]] = {
        "task": numbers(np.arange(1, len(rows) + 1)),
        "step": [str(number) for number, _ in rows],
        "round": [str(task.round) for task in tasks],
        "work": [task.work for task in tasks],
        "piece": [task.piece for task in tasks],
        "number": texts(words.number(task) for task in tasks),
        "source": [task.source for task in tasks],
    }
    for side in range(2):
        ends = [words.end(task, None if task.ends is None else task.ends[side]) for task in tasks]
        for place, what in enumerate(("rack", "device", "port", "label")):
            columns[f"{'ab'[side]}_{what}"] = texts(end[place] for end in ends)
    columns["unplugged"] = texts("; ".join(words.end(task, end)[3] for end in task.taken) for task in tasks)
    columns |= {
        "links": [str(len(task.links)) if task.piece == "links" else "" for task in tasks],
        "carries": texts("; ".join(words.link(link) for link in task.links) for task in tasks),
        "length_m": numbers(np.array([task.length_m or np.nan for task in tasks]), 3),
        "stock_m": numbers(np.array([task.stock_m or np.nan for task in tasks]), 3),
        "product": texts(words.product(task) for task in tasks),
    }
    return csv_table(columns)


def panel_steps_csv(expansion: PanelExpansion) -> str:
    """One row per step: what is set up, the work on trunks and cords, the rounds, and the network after it."""
    rows = [_step_row(step) for step in expansion.steps]
    columns = {name: texts(str(row[name]) for row in rows) for name in rows[0]}
    return csv_table({"step": numbers(np.arange(1, len(rows) + 1))} | columns)


def _step_row(step: PanelStep) -> dict[str, Any]:
    work = step.trunk_work
    return {
        "title": step.title,
        "new_switches": " ".join(map(str, step.new_switches)),
        "new_panels": " ".join(step.new_panels),
        "new_racks": " ".join(step.new_racks),
        **{
            name: getattr(work, name)
            for name in ("trunks_cut", "trunk_ends_connected", "cords_connected", "drained_links")
        },
        **{name: getattr(step, name) for name in ("rounds", "most_drained", "cut_off")},
        "switches": step.topology.switches,
        "links": len(step.topology.links),
        "connected": "yes" if step.connected else "no",
        "diameter": f"{step.diameter:g}" if step.connected else "",
        "aspl": f"{step.aspl:.6f}" if step.connected else "",
    }


def _order(expansion: PanelExpansion) -> Bill:
    """What is bought, as a bill."""
    before = expansion.before.layout
    return bill_of_items(
        expansion.bought,
        hosts=expansion.hosts - before.topology.hosts,
        switches=expansion.switches - before.topology.switches,
        racks=expansion.after.layout.racks - before.racks,
        currency=expansion.currency,
    )


class _Words:
    """The names of devices, ports and products of a plan, as on the lists of the cabling after it."""

    def __init__(self, cabling: Cabling) -> None:
        layout, plant = cabling.layout, cabling.layout.plant
        if plant is None:
            raise InputError("a plan for panels needs a plant")
        self._plant, self._labels, self._layout = plant, label(cabling), layout
        self._switches = switch_device_names(cabling)
        self._rack_of_switch = [layout.rack_names[rack] for rack in layout.rack.tolist()]
        racks = np.searchsorted(layout.used, plant.slot).tolist()
        self._rack_of_panel = [layout.rack_names[rack] for rack in racks]
        self._products: dict[str, str] = {fibre.use: fibre.name for fibre in plant.fibres}
        pairs = next(fibre.pairs for fibre in plant.fibres if fibre.use == "cord")
        self._links_of_cord = max(1, pairs // plant.link_pairs)

    def number(self, task: PanelTask) -> str:
        """The number of a piece, or the name of a device that is set up."""
        if task.piece == "links":
            return ""
        if task.work == "set up":
            return self._switches[task.number] if task.piece == "switch" else self._plant.names[task.number]
        return str(task.number)

    def end(self, task: PanelTask, end: End | None) -> tuple[str, str, str, str]:
        """Rack, device, port and label of an end; of a device that is set up, its own in place of end a."""
        if end is None:
            return ("",) * 4 if task.work != "set up" else self._device(task)
        device, number, port = end
        labels: Labels = self._labels
        if device == 1:
            name = self._plant.panels[self._plant.panel[number]].port_name(port)
            return self._rack_of_panel[number], self._plant.names[number], name, f"{labels.panel[number]}:{name}"
        if device == 2:
            return "", f"host {number}", str(port), labels.host_end(number, port)
        name, last = labels.port(number, port), labels.port(number, port + self._links_of_cord - 1)
        name += f"..{last}" if task.piece == "cord" and self._links_of_cord > 1 else ""
        return self._rack_of_switch[number], self._switches[number], name, f"{labels.switch[number]}-{name}"

    def _device(self, task: PanelTask) -> tuple[str, str, str, str]:
        if task.piece == "switch":
            name = self._labels.switch[task.number]
            return self._rack_of_switch[task.number], self._switches[task.number], "", name
        return self._rack_of_panel[task.number], self._plant.names[task.number], "", self._labels.panel[task.number]

    def link(self, link: LinkPorts) -> str:
        """A link by the labels of its ports."""
        return " to ".join(self._labels.end(*end) for end in link)

    def product(self, task: PanelTask) -> str:
        """The product of a piece that is plugged in."""
        return self._products.get(task.piece, "") if task.work in ("plug", "connect") else ""
