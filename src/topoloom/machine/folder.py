"""The folder of a machine: `machine.json`, the lists of all its devices, and a network folder per network."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from topoloom._version import __version__
from topoloom.core.errors import at, check_path, check_type
from topoloom.core.files import read_text
from topoloom.core.folders import settle, write_folder
from topoloom.core.json_files import indented_json, parse_json
from topoloom.core.staging import Content
from topoloom.machine.devices import DeviceGroup, HostKind
from topoloom.machine.lists import devices_csv, machine_cables_csv
from topoloom.machine.machine import HOW, Machine
from topoloom.machine.phases import machine_phases
from topoloom.machine.racks import MachineRacks
from topoloom.machine.requirement import MachineHosts, MachineRequirement
from topoloom.model.network_folders import MACHINE, NETWORKS, PHASES
from topoloom.network.folder import folder_contents, open_folder
from topoloom.placement.hosts.housing import HostType
from topoloom.placement.hosts.rack_device import RackDevice
from topoloom.placement.layout.layout import Layout

#: The lists of all devices, and of all cables.
DEVICES, MACHINE_CABLES = "devices.csv", "cables.csv"
_SCHEMA = "topoloom/machine/1"
_MOST_CHARACTERS = 1 << 28


class _StoredGroup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind: str
    origin: str
    of: str
    host: HostType
    names: tuple[str, ...]
    ports: int
    rate_gbps: float
    leaves: int | None = None
    block: str = ""


class _StoredDevice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rack: int
    device: RackDevice
    unit: int | None = None


class _Stored(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of `MACHINE`; racks are numbers in `slot`, and slots are those of the floor of each network folder."""

    schema: str = _SCHEMA
    version: str = __version__
    requirement: MachineRequirement
    kinds: tuple[MachineHosts, ...]
    digits: dict[str, int] = {}
    groups: dict[str, tuple[_StoredGroup, ...]]
    slot: tuple[int, ...]
    host_rack: tuple[int, ...]
    host_unit: tuple[float, ...]
    switch_rack: dict[str, tuple[int, ...]]
    switch_unit: dict[str, tuple[int, ...]]
    devices: tuple[_StoredDevice, ...] = ()
    load: tuple[tuple[float, float, float, float], ...] = ()


def save_machine(
    machine: Machine, folder: str | os.PathLike[str], also: Mapping[str, Content] | None = None
) -> list[Path]:
    """Write the folder of a machine, all of it or nothing.

    Parameters
    ----------
    machine : Machine
    folder : path
        Created if missing; its parent folder must exist.
    also : mapping of str to str or bytes, optional
        Further files to write with it, by name.

    Returns
    -------
    list of Path
        The files written, with the path of `folder`.

    Raises
    ------
    InputError
        The folder cannot be created, or a file in it cannot be written; nothing has changed then.
    """
    check_type(machine, Machine, "save_machine", HOW)
    check_path(folder, "save_machine", "name a folder")
    files = machine_files(machine) | dict(also or {})
    own = [f"{NETWORKS}/*/*", f"{NETWORKS}/*/tables/*"]
    return write_folder(folder, files, stale=[*own, *(f"{PHASES}/*/{each}" for each in own), f"{PHASES}/*/*"])


def machine_files(machine: Machine) -> dict[str, Content]:
    """The files of `save_machine`, by name."""
    files: dict[str, Content] = {
        MACHINE: indented_json(_stored(machine)),
        DEVICES: devices_csv(machine),
        MACHINE_CABLES: machine_cables_csv(machine),
    }
    for name, network in machine.networks.items():
        files |= {f"{NETWORKS}/{name}/{path}": content for path, content in folder_contents(network, "layout").items()}
    for phase, part in zip(machine.requirement.phase, machine_phases(machine)[:-1], strict=False):
        files |= {f"{PHASES}/{phase.name}/{path}": content for path, content in machine_files(part).items()}
    return files


def _stored(machine: Machine) -> _Stored:
    racks = machine.racks
    names = list(machine.networks)
    return _Stored(
        requirement=machine.requirement,
        kinds=tuple(kind.plan for kind in machine.kinds),
        digits={
            kind.plan.name: kind.digits
            for kind in machine.kinds
            if kind.names != HostKind.named(kind.plan, kind.server).names
        },
        groups={name: tuple(_StoredGroup(**vars(group)) for group in some) for name, some in machine.groups.items()},
        slot=tuple(machine.slot.tolist()),
        host_rack=tuple(racks.host.tolist()),
        host_unit=tuple(racks.host_unit.tolist()),
        switch_rack={name: tuple(some.tolist()) for name, some in zip(names, racks.switch, strict=True)},
        switch_unit={name: tuple(some.tolist()) for name, some in zip(names, racks.switch_unit, strict=True)},
        devices=tuple(_StoredDevice(rack=rack, device=device, unit=unit) for rack, device, unit in racks.devices),
        load=msgspec.convert(racks.load.tolist(), tuple[tuple[float, float, float, float], ...]),
    )


def open_machine_folder(folder: str | os.PathLike[str]) -> Machine:
    """The machine in a folder that `save_machine` wrote.

    Raises
    ------
    InputError
        A file is missing or damaged, or a newer topoloom wrote it: ``file: reason``.
    """
    path, text = Path(folder), os.fspath(folder)
    settle(path)
    source = os.fspath(path / MACHINE)
    what = "record of a machine (write the folder again)"
    stored: Any = parse_json(read_text(path / MACHINE, _MOST_CHARACTERS), source, _Stored, what)
    if stored.schema != _SCHEMA:
        raise at(source, None, f"is {stored.schema[:60]}; expected {_SCHEMA}")
    networks = {}
    for plan in stored.requirement.network:
        own = path / NETWORKS / plan.name
        if not own.is_dir():
            raise at(text, None, f"network '{plan.name}' is missing: {NETWORKS}/{plan.name}; write the folder again")
        networks[plan.name] = open_folder(f"{text}/{NETWORKS}/{plan.name}", own)
    first = next(iter(networks.values())).part(Layout)
    racks = MachineRacks(
        np.array(stored.host_rack, np.int32),
        np.array(stored.host_unit),
        tuple(np.array(stored.switch_rack[name], np.int32) for name in networks),
        tuple(np.array(stored.switch_unit[name], np.int32) for name in networks),
        tuple((each.rack, each.device, each.unit) for each in stored.devices),
        np.array(stored.load, float).reshape(-1, 4),
    )
    kinds = tuple(HostKind.named(plan, None, stored.digits.get(plan.name)) for plan in stored.kinds)
    groups = {
        name: tuple(DeviceGroup(**{key: getattr(each, key) for key in each.__struct_fields__}) for each in some)
        for name, some in stored.groups.items()
    }
    if sum(len(kind.names) for kind in kinds) != racks.host.size or not set(groups) == set(networks):
        raise at(source, None, "its hosts, racks and networks do not agree; write the folder again")
    return Machine(
        stored.requirement, kinds, networks, groups, racks, first.floor, first.slots, np.array(stored.slot, np.int64)
    )
