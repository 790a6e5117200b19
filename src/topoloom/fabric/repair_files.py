"""The files of a repair for an administrator: OpenSM tables, all changed entries, tables of each step, and instructions."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from topoloom.core.folders import write_folder
from topoloom.fabric.deployment import CONF, opensm_conf
from topoloom.fabric.net_text import discovered_text
from topoloom.fabric.repair_result import Repair, UpdateStep
from topoloom.fabric.service_level_policy import policy_text
from topoloom.routing.live.steps import CLEAR, DROP, REOPEN

_COLUMNS = ("step", "switch", "guid", "lid", "block", "target", "old_port", "new_port")
#: Entries of a table that a subnet manager sends in one packet.
_BLOCK = 64
#: The whole tables of all steps are written while they have at most this many entries together: about 300 MB.
_MOST_ENTRIES = 1 << 22
#: The tables of a step from the final ones: the first change of an entry after the step gives its port at the step.
STEP_SCRIPT = r"""#!/bin/sh
# The whole tables after a step: sh step.sh 2 > active.lft
# Step 0 are the installed entries. In the order of falling numbers, the steps lead back to them.
case "$1" in '' | *[!0-9]*) echo "usage: sh step.sh NUMBER > TABLES" >&2; exit 2 ;; esac
cd "$(dirname "$0")" || exit 2
exec awk -v "step=$1" '
FNR == NR {
    if (FNR == 1) next
    sub(/^[0-9]+,"([^"]|"")*",/, $0 + 0 ",,")
    count = split($0, field, ",")
    key = field[3] " " sprintf("0x%04x", field[4])
    last[key] = field[count]
    if (field[1] > step && !(key in port)) port[key] = field[count - 1]
    next
}
!listed {
    listed = 1
    for (key in port) if (last[key] == "" && port[key] != "") {
        split(key, part, " ")
        more[part[1]] = more[part[1]] sprintf("%s %03d\n", part[2], port[key])
        number[part[1]]++
    }
}
/^Unicast lids/ {
    match($0, /guid 0x[0-9a-f]+/)
    guid = substr($0, RSTART + 5, RLENGTH - 5)
    entries = 0
    print
    next
}
/^0x/ {
    key = guid " " $1
    if (key in port) {
        if (port[key] == "") next
        $0 = sprintf("%s %03d", $1, port[key]) substr($0, 11)
    }
    entries++
    print
    next
}
/ lids dumped$/ {
    printf "%s", more[guid]
    print entries + number[guid] " lids dumped"
    next
}
{ print }
' updates.csv fabric.lft
"""


def write_repair(repair: Repair, folder: str | Path) -> list[str]:
    """Write the files of a repair into a folder, created if missing; returns their names.

    ``steps.txt`` gives the instructions. ``fabric.lft`` has the final tables as OpenSM reads them (``-R file -U``),
    ``fabric.net`` the current fabric, and ``updates.csv`` every entry that changes. ``step.sh`` prints the whole tables after a
    step; ``step-1.lft``, ... are the same as files, unless they had more than 4 million entries together. With several service
    levels, ``fabric.qos`` is the policy and ``opensm.conf`` its settings; ``step-1.qos``, ... are written if levels change from
    step to step.

    Raises
    ------
    InputError
        The folder cannot be written to.
    """
    with TemporaryDirectory() as place:
        paths = {}
        for number, (name, pieces) in enumerate(_files(repair)):
            paths[name] = Path(place) / f"{number}"
            with paths[name].open("w", encoding="utf-8", newline="") as file:
                file.writelines(pieces)
        write_folder(folder, paths, stale=("step-*.lft", "step-*.qos", "fabric.qos", CONF))
    return list(paths)


def repair_texts(repair: Repair) -> dict[str, str]:
    """The files that `write_repair` writes, as name and text."""
    return {name: "".join(pieces) for name, pieces in _files(repair)}


def _files(repair: Repair) -> Iterator[tuple[str, Iterator[str]]]:
    """The name and the content of each file, piece by piece."""
    yield "steps.txt", iter([_steps(repair)])
    yield "step.sh", iter([STEP_SCRIPT])
    yield "updates.csv", _updates(repair)
    yield "fabric.net", iter([discovered_text(repair.fabric)])
    if _whole_steps(repair):
        for step in repair.steps:
            if step.kind != REOPEN:
                yield f"{_step_name(step, repair)}.lft", table_pieces(repair, step.number)
    yield "fabric.lft", table_pieces(repair)
    if repair.service_levels.any() or repair.virtual_channels_changed:
        yield "fabric.qos", iter([policy_text(repair.service_levels, repair.fabric)])
        yield CONF, iter([opensm_conf(levels=True)])
    if _levels_vary(repair):
        for step, levels in zip(repair.steps, repair.stages.levels, strict=False):
            yield f"{_step_name(step, repair)}.qos", iter([policy_text(levels, repair.fabric)])


def _step_name(step: UpdateStep, repair: Repair) -> str:
    return f"step-{step.number:0{len(str(len(repair.steps)))}d}"


def _levels_vary(repair: Repair) -> bool:
    """Whether service levels change from step to step."""
    return any(levels is not repair.service_levels for levels in repair.stages.levels)


def _whole_steps(repair: Repair) -> bool:
    """Whether the whole tables of every step are written."""
    return len(repair.steps) * repair.entries <= _MOST_ENTRIES


def table_pieces(repair: Repair, step: int | None = None) -> Iterator[str]:
    """The tables after a step as OpenSM dumps and reads them, switch by switch; the final ones when `step` is omitted."""
    fabric, addresses = repair.fabric, repair.stages.addresses
    ports = repair.stages.final if step is None else repair.stages.after(step)
    names = fabric.host_names
    notes = [
        f"# Channel Adapter portguid 0x{guid:016x}: '{names[host]}'" + ("" if at == 1 else f" port {at}")
        for guid, host, at in zip(
            fabric.port_guids.tolist(), fabric.topology.host.tolist(), fabric.host_ports.tolist(), strict=True
        )
    ]
    notes += [
        f"# Switch portguid 0x{guid:016x}: '{name}'"
        for guid, name in zip(fabric.switch_guids.tolist(), fabric.switch_names, strict=True)
    ]
    order = np.argsort(addresses.lid, kind="stable")
    lids, owners = addresses.lid[order].tolist(), addresses.target[order].tolist()
    rows = [f"0x{lid:04x} %03d {notes[owner].replace('%', '%%')}\n" for lid, owner in zip(lids, owners, strict=True)]
    whole = "".join(rows)
    _, switch_lids = fabric.lids
    for switch in range(len(ports)):
        own = ports[switch, order]
        present = own >= 0
        template = whole if present.all() else "".join(rows[i] for i in np.flatnonzero(present).tolist())
        yield (
            f"Unicast lids [0x0-0x{lids[-1]:x}] of switch Lid {switch_lids[switch]}"
            f" guid 0x{fabric.switch_guids[switch]:016x} ('{fabric.switch_names[switch]}'):\n"
        )
        yield template % tuple(own[present].tolist())
        yield f"{int(present.sum())} lids dumped\n"


def _updates(repair: Repair) -> Iterator[str]:
    """Every entry that changes, by step, as CSV."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for update in repair.update_rows():
        ports = ["" if port < 0 else port for port in (update.old_port, update.new_port)]
        rows.writerow(
            [update.step, update.switch, update.guid, update.lid, update.lid // _BLOCK, update.target, *ports]
        )
        if text.tell() > 1 << 20:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


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
    lines += [f"{step.number}. {_instruction(step, repair)}" for step in repair.steps]
    if repair.steps:
        lines.append("To go back, load the tables in the opposite order, down to those of 'sh step.sh 0'.")
    return "\n".join(lines) + "\n"


def _instruction(step: UpdateStep, repair: Repair) -> str:
    name = _step_name(step, repair)
    if step.kind == REOPEN:
        policy = f"{name}.qos" if _levels_vary(repair) else "fabric.qos"
        return (
            f"Load {policy}, and have {step.pairs:,} pairs open their connections again (client reregistration): their"
            " service level changes. Their paths are cut already, unless the fabric was changed on purpose."
        )
    load = f"Load {name}.lft" if _whole_steps(repair) else f"Load the output of 'sh step.sh {step.number}'"
    changes = f"{step.entries:,} entries of {step.switches:,} switches, for {step.addresses:,} addresses"
    if step.kind == DROP:
        why = "these addresses cannot be reached until the last step, since no deadlock-free order was found"
        return f"{load} ({changes}): {why}."
    if step.kind == CLEAR:
        return f"{load} ({changes}): it removes entries that only broken paths use."
    policy = (
        f" and {name}.qos; the step is over when connections to these addresses were opened again"
        if repair.levels_by_step
        else ""
    )
    return f"{load} ({changes}){policy}."
