"""Joint placement for the longest cable: shorter and shorter until the search finds no layout below."""

import numpy as np

from topoloom.core.searches import Effort
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.joint import Seating, joint
from topoloom.placement.layout.prices import above_prices, lengths_m

#: Bisection over the lengths that occur: rooms have hundreds of them.
_ROUNDS = 8


def shorten_longest(
    topology: Topology, floor: Floor, slots: Slots, slot: np.ndarray, seating: Seating, effort: Effort
) -> np.ndarray:
    """The slot of every switch, int32[switches], with a longest cable as short as bisection finds; never longer.

    Each round asks joint placement for a layout without cables above a length halfway between the longest so far and
    the longest that was tried in vain; among layouts with the same longest cable the shorter in all is meant.

    Parameters
    ----------
    topology : Topology
        The network.
    floor : Floor
        What cables have to do beside the distance of their slots.
    slots : Slots
        Where racks may stand.
    slot : int32[switches]
        The slot of each switch to start from.
    seating : Seating
        How many switches, and what load, each slot holds.
    effort : Effort
        Seed, seconds or moves, and what stops the search.

    Returns
    -------
    int32[switches]
        The slot of each switch.
    """
    if not len(topology.links):
        return slot
    length_m = lengths_m(floor, slots)
    ends = topology.links
    choices = np.unique(length_m)
    in_vain = -1
    for number in range(_ROUNDS):
        longest = int(np.searchsorted(choices, length_m[slot[ends[:, 0]], slot[ends[:, 1]]].max()))
        if longest - in_vain <= 1:
            break
        wanted = (longest + in_vain) // 2
        prices = above_prices(length_m, float(choices[wanted]))
        tried = joint(topology, slots, slot, seating, prices, effort.part(1 / _ROUNDS, number), hot=False)
        reached = length_m[tried[ends[:, 0]], tried[ends[:, 1]]].max()
        if reached > choices[wanted] + 1e-9:
            in_vain = wanted
        if reached < choices[longest]:
            slot = tried
        if effort.stopped:
            break
    return slot
