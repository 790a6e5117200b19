"""The exports of a whole machine: by kind, as files of a folder."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from topoloom.core.errors import InputError, check_path, check_type
from topoloom.core.folders import write_folder
from topoloom.core.staging import Content
from topoloom.fabric.exports.registry import EXPORTS
from topoloom.machine.exports.cable_lists import cable_files, label_files
from topoloom.machine.exports.elevations import front_view_files
from topoloom.machine.exports.netbox import import_files
from topoloom.machine.exports.nodes import is_scheduler, node_files
from topoloom.machine.machine import HOW, Machine
from topoloom.model.network_folders import NETWORKS
from topoloom.model.results import Provenance


@dataclass(frozen=True)
class MachineKind:
    """A kind of export of a machine.

    Attributes
    ----------
    words : str
        One line of help.
    make : callable (Machine) -> mapping of str to str or bytes
    stale : tuple of str
        Patterns of files that an earlier export wrote and this one may not.
    """

    words: str
    make: Callable[[Machine], Mapping[str, Content]]
    stale: tuple[str, ...] = ()


#: The exports of a machine that need no network of it; those for schedulers follow `EXPORTS`.
MACHINE_EXPORTS: Mapping[str, MachineKind] = {
    "cables": MachineKind(
        "lists of all cables, per network and per rack, as CSV and as workbooks",
        cable_files,
        ("networks/*.csv", "racks/*.csv"),
    ),
    "elevations": MachineKind(
        "front views of all racks, with the devices of all networks", front_view_files, ("elevations/*.svg",)
    ),
    "labels": MachineKind("the texts of all cables' labels, with numbers that are unique in the machine", label_files),
    "netbox": MachineKind(
        "files for NetBox's bulk import: every device once, with its interfaces on all networks, and all cables",
        import_files,
        ("4.7/*.csv", "cables.rest.json"),
    ),
}


@dataclass(frozen=True)
class MachineFiles:
    """The files of an export of a machine.

    Attributes
    ----------
    kind : str
    files : mapping of str to str or bytes
        By their paths in the folder.
    network : str
        The network that they are about; empty: all.
    notes : tuple of str
        What a user of the files must know: sentences.
    stale : tuple of str
        Patterns of files of an earlier export.
    provenance : Provenance
        Names the machine.
    """

    kind: str
    files: Mapping[str, Content]
    network: str = ""
    notes: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)


def machine_export(kind: str, machine: Machine, network: str | None = None, *, source: str = "") -> MachineFiles:
    """The files of an export of a machine.

    Parameters
    ----------
    kind : str
        One of `MACHINE_EXPORTS`, or an export for schedulers with its options: ``slurm:file=yaml``.
    machine : Machine
    network : str, optional
        The network by which a scheduler's nodes are near each other; if omitted, that whose ports carry most of the
        compute hosts.
    source : str
        The folder of the machine, for messages.

    Returns
    -------
    MachineFiles

    Raises
    ------
    InputError
        Machines have no such export, or it takes no network.
    """
    check_type(kind, str, "machine_export", "name an export, as in 'netbox'")
    check_type(machine, Machine, "machine_export", HOW)
    name, provenance = kind.partition(":")[0], Provenance.of_run(name=machine.requirement.title)
    if name in EXPORTS and is_scheduler(EXPORTS[name]):
        taken, files, notes, stale = node_files(kind, machine, network)
        return MachineFiles(kind, files, taken, notes, stale, provenance)
    if kind not in MACHINE_EXPORTS:
        schedulers = ", ".join(each for each, record in EXPORTS.items() if is_scheduler(record))
        folder = f"{source.rstrip('/') or 'FOLDER'}/{NETWORKS}/{next(iter(machine.networks))}"
        what = f"takes one network, such as {folder}"
        what = what if name in EXPORTS else "takes no options" if name in MACHINE_EXPORTS else "is no export"
        raise InputError(
            f"export of a machine: {kind[:60]} {what}; a whole machine is written as {', '.join(MACHINE_EXPORTS)}, and by its"
            f" compute network as {schedulers}"
        )
    if network is not None:
        raise InputError(f"`network`: {kind} has all networks of the machine; omit it")
    record = MACHINE_EXPORTS[kind]
    return MachineFiles(kind, record.make(machine), stale=record.stale, provenance=provenance)


def write_machine_export(
    kind: str, machine: Machine, folder: str | os.PathLike[str], network: str | None = None
) -> list[str]:
    """Write the files of an export of a machine to a folder, created if missing; returns their names.

    Parameters
    ----------
    kind : str
        ``cables``, ``elevations``, ``labels``, ``netbox``, or an export for schedulers with its options: ``slurm:file=yaml``.
    machine : Machine
    folder : path
        Created if missing; its parent folder must exist.
    network : str, optional
        The network by which a scheduler's nodes are near each other; if omitted, that whose ports carry most of the
        compute hosts.

    Returns
    -------
    list of str
        The names of the files in `folder`.

    Raises
    ------
    InputError
        Machines have no such export, it takes no network, or the folder cannot be written. Nothing is written then.
    """
    check_path(folder, "write_machine_export", "name a folder")
    done = machine_export(kind, machine, network)
    write_folder(Path(folder), done.files, stale=done.stale)
    return list(done.files)
