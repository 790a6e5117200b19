"""What the machine room must supply to a machine: the sums of all hosts, switches, optics and further devices of each rack."""

import numpy as np

from topoloom.core.errors import check_type
from topoloom.cost.facility import Facility, facility_of, with_rises
from topoloom.cost.facility_limits import LimitedSum, limited_sums
from topoloom.cost.facility_sums import Sums, add_devices, add_hosts, rack_sums
from topoloom.machine.devices import hosts_by_kind
from topoloom.machine.machine import HOW, Machine
from topoloom.model.results import Provenance
from topoloom.placement.hosts.rack_device import RackDevice
from topoloom.placement.layout.layout import Layout


def room_limits(machine: Machine, room: Facility) -> list[LimitedSum]:
    """Every sum of a rack, a row or the room that a limit of the machine file or of the floor applies to.

    Parameters
    ----------
    machine : Machine
    room : Facility
        As `machine_facility` returns it.

    Returns
    -------
    list of LimitedSum
        Racks first, then rows, then the room.
    """
    rule, place_w = machine.requirement, machine.slots.limits[machine.slot, 2]
    return list(limited_sums(rule.rack, place_w, room.racks, room.rows_of_floor, room.total, rule.facility))


def machine_facility(
    machine: Machine,
    *,
    pue: float | None = None,
    air_k: float | None = None,
    liquid_k: float | None = None,
    tested: bool = True,
) -> Facility:
    """The power, weight, air and liquid of every rack of a machine, every row and in total, tested against its limits.

    Parameters
    ----------
    machine : Machine
    pue, air_k, liquid_k : float, optional
        As in `topoloom.facility`; those of the machine file when omitted.
    tested : bool
        Whether a limit that is exceeded is an error.

    Returns
    -------
    Facility

    Raises
    ------
    InputError
        A rack exceeds a limit of `[rack]`, `[facility]` or the floor.
    """
    check_type(machine, Machine, "machine_facility", HOW)
    rule, racks = with_rises(machine.requirement.facility, pue, air_k, liquid_k), len(machine.racks)
    sums = Sums(racks)
    rack_at = {slot: rack for rack, slot in enumerate(machine.slot.tolist())}
    switches, host_optics = np.zeros(racks, np.int64), np.zeros(racks)
    for network in machine.networks.values():
        layout, terms = network.part(Layout), network.terms
        terms = terms.on(layout.topology, "facility")
        own = rack_sums(layout, terms, rule)
        at = np.array([rack_at[slot] for slot in layout.used.tolist()], np.int64)
        for key, values in own.amounts.items():
            if key != "units":
                np.add.at(sums.amounts[key], at, values)
        for key, values in own.unknown.items():
            np.add.at(sums.unknown[key], at, values)
        np.add.at(switches, at, own.counts["switches"])
        np.add.at(host_optics, at, own.host_optics_w)
    hosts = np.bincount(machine.racks.host, minlength=racks)
    inlets = np.zeros(racks, np.int64)
    for kind, numbers in hosts_by_kind(machine.kinds):
        count = np.bincount(machine.racks.host[numbers], minlength=racks)
        add_hosts(sums, count, kind.body(), rule, host_optics * count / np.maximum(1, hosts))
        inlets += count * (kind.plan.inlets or 0)
    devices = np.zeros(racks, np.int64)
    racks_of: dict[RackDevice, list[int]] = {}
    for rack, device, _ in machine.racks.devices:
        racks_of.setdefault(device, []).append(rack)
    for device, at_racks in racks_of.items():
        count = np.bincount(at_racks, minlength=racks)
        devices += count
        add_devices(sums, count, device, rule)
    sums.amounts["units"] += machine.racks.load[:, 0]
    sums.counts = {"switches": switches, "hosts": hosts, "devices": devices, "inlets": inlets}
    provenance = Provenance.of_run(name=machine.requirement.title)
    return facility_of(sums, machine.slots, machine.slot, machine.requirement.rack, rule, provenance, tested=tested)
