"""The files of a repair for an administrator: OpenSM tables per step, all changed entries, and instructions."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np

from topoloom.core.folders import write_folder
from topoloom.fabric.deployment import CONF, opensm_conf
from topoloom.fabric.infiniband import lft_dump, qos_text
from topoloom.fabric.net_text import discovered_text
from topoloom.fabric.repair_result import Repair, UpdateStep
from topoloom.routing.live.steps import DROP, REOPEN

_COLUMNS = ("step", "switch", "guid", "lid", "block", "target", "old_port", "new_port")
#: Entries of a table that a subnet manager sends in one packet.
_BLOCK = 64


def write_repair(repair: Repair, folder: str | Path) -> list[str]:
    """Write the files of `repair_texts` into a folder, created if missing; returns the names of the files.

    Raises
    ------
    InputError
        The folder cannot be written to.
    """
    texts = repair_texts(repair)
    write_folder(folder, texts, stale=("step-*.lft", "step-*.qos", "fabric.qos", CONF))
    return list(texts)


def repair_texts(repair: Repair) -> dict[str, str]:
    """The files of a repair, as name and text.

    ``steps.txt`` gives the instructions. ``step-1.lft``, ... are the complete tables after each step, as OpenSM reads them
    (``-R file -U``). ``updates.csv`` lists every entry that changes, ``fabric.net`` is the current fabric, and ``fabric.lft``
    the final tables. With several service levels, ``fabric.qos`` is the policy and ``opensm.conf`` its settings;
    ``step-1.qos``, ... are written if levels change from step to step.
    """
    fabric = repair.fabric
    texts = {"steps.txt": _steps(repair), "updates.csv": _updates(repair), "fabric.net": discovered_text(fabric)}
    digits = len(str(len(repair.steps)))
    for step, tables in zip(repair.steps, repair.tables[1:], strict=True):
        if step.kind != REOPEN:
            texts[f"step-{step.number:0{digits}d}.lft"] = lft_dump(tables, fabric)
    texts["fabric.lft"] = lft_dump(repair.tables[-1], fabric)
    if repair.routing.virtual_channels is not None and repair.routing.virtual_channels.any():
        texts["fabric.qos"] = qos_text(repair.routing, fabric)
        texts[CONF] = opensm_conf(levels=True)
        if repair.levels_by_step:
            for step, virtual_channels in zip(repair.steps, repair.levels, strict=False):
                at_step = replace(repair.routing, virtual_channels=np.ascontiguousarray(virtual_channels))
                texts[f"step-{step.number:0{digits}d}.qos"] = qos_text(at_step, fabric)
    return texts


def _updates(repair: Repair) -> str:
    """Every entry that changes, by step, as CSV."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for update in repair.updates:
        ports = ["" if port < 0 else port for port in (update.old_port, update.new_port)]
        rows.writerow(
            [update.step, update.switch, update.guid, update.lid, update.lid // _BLOCK, update.target, *ports]
        )
    return text.getvalue()


def _steps(repair: Repair) -> str:
    """The instructions, in order."""
    lines = [
        f"From the installed tables ({repair.old}) to those of {repair.new}: {repair.entries_changed:,} of"
        f" {repair.entries:,} entries change, of which {repair.entries_broken:,} led nowhere or elsewhere."
    ]
    if repair.deadlock_free:
        lines.append(
            "The entries of a step may take effect in any order. After each step wait until packets that were sent before"
            " have left the network: a second is longer than any switch keeps one."
        )
    else:
        lines.append(
            "NOT VERIFIED: the installed tables can deadlock on the current cables, and so can any mixture with them."
            if not repair.installed_deadlock_free
            else "NOT VERIFIED: the new tables can deadlock."
        )
    if not repair.steps:
        lines.append("Nothing is to be changed.")
    digits = len(str(len(repair.steps)))
    lines += [f"{step.number}. {_instruction(step, repair, digits)}" for step in repair.steps]
    return "\n".join(lines) + "\n"


def _instruction(step: UpdateStep, repair: Repair, digits: int) -> str:
    name = f"step-{step.number:0{digits}d}"
    if step.kind == REOPEN:
        return (
            f"Load fabric.qos, and have {step.pairs:,} pairs open their connections again (client reregistration): their"
            " service level changes. Their paths are cut already, unless the fabric was changed on purpose."
        )
    changes = f"{step.entries:,} entries of {step.switches:,} switches, for {step.addresses:,} addresses"
    if step.kind == DROP:
        why = "these addresses cannot be reached until the last step, since no deadlock-free order was found"
        return f"Load {name}.lft ({changes}): {why}."
    policy = (
        f" and {name}.qos; the step is over when connections to these addresses were opened again"
        if repair.levels_by_step
        else ""
    )
    return f"Load {name}.lft ({changes}){policy}."
