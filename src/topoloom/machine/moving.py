"""A machine whose racks change their places, with the layouts of all its networks."""

from collections.abc import Sequence
from dataclasses import replace

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
    networks = {name: _moved(network, moves) for name, network in machine.networks.items()}
    return replace(machine, slot=slot, networks=networks)


def _moved(network: Network, moves: Sequence[Sequence[str]]) -> Network:
    layout = moved_layout(network.part(Layout), moves)
    names = np.array(layout.rack_names)
    fabric = replace(network.fabric, switch_rack=names[layout.rack], host_rack=names[layout.host_rack])
    return network._with(("cables",), layout=layout, fabric=fabric)
