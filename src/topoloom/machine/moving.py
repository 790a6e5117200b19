"""A machine whose racks change their places, with the layouts of all its networks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec
import numpy as np

from topoloom.machine.machine import Machine
from topoloom.network import Network
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.moving import moved_layout, moved_slots, refuse_overfull


def moved_machine(machine: Machine, moves: Sequence[Sequence[str]]) -> Machine:
    """The machine with racks in other slots.

    Parameters
    ----------
    machine : Machine
    moves : sequence of (str, str)
        The names of slots, from and to, one move after another; a rack in the second slot takes the place of the first.

    Returns
    -------
    Machine

    Raises
    ------
    InputError
        The floor has no such slot, or a slot takes less than the rack holds.
    """
    stands = moved_slots(machine.slots, moves)
    if (stands == np.arange(len(stands))).all():
        return machine
    slot = stands[machine.slot]
    names = [machine.slots.names[at] for at in slot.tolist()]
    refuse_overfull(names, machine.slots.limits[slot], machine.racks.contents)
    # The further devices of racks are called after them.
    called = [machine.racks.device_names(rack_names) for rack_names in (machine.rack_names, names)]
    new = {before: after for before, after in zip(*called, strict=True) if before != after}
    networks = {name: _moved(network, moves, new) for name, network in machine.networks.items()}
    groups = machine.groups
    if new:
        groups = {
            name: tuple(replace(group, names=_renamed(group.names, new)) for group in some)
            for name, some in groups.items()
        }
    return replace(machine, slot=slot, networks=networks, groups=groups)


def _moved(network: Network, moves: Sequence[Sequence[str]], new: Mapping[str, str]) -> Network:
    """A network of the machine; `new` are the names of devices that are called otherwise now."""
    layout, fabric = moved_layout(network.part(Layout), moves), network.fabric
    if new and layout.housing is not None:
        housing = msgspec.structs.replace(layout.housing, names=_renamed(layout.housing.names, new))
        layout = replace(layout, housing=housing)
        fabric = replace(fabric, host_names=_renamed(fabric.host_names, new))
    racks = np.array(layout.rack_names)
    fabric = replace(fabric, switch_rack=racks[layout.rack], host_rack=racks[layout.host_rack])
    return network._with(("cables",), layout=layout, fabric=fabric)


def _renamed(names: Sequence[str], new: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(new.get(name, name) for name in names)
