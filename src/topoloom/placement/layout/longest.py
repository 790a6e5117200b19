"""Joint placement for the longest cable: the search repeats with ever shorter limits until it finds no such layout."""

import numpy as np

from topoloom.core.searches import Effort
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.slots import Slots
from topoloom.placement.layout.joint import Seating, joint
from topoloom.placement.layout.prices import above_prices, lengths_m

#: Rounds of bisection over the lengths that occur, of which a floor has hundreds.
_ROUNDS = 8


def shorten_longest(
    topology: Topology, floor: Floor, slots: Slots, slot: np.ndarray, seating: Seating, effort: Effort
) -> np.ndarray:
    """The slot of every switch, int32[switches], with a longest cable as short as bisection finds; never longer than before.

    Each round searches, by joint placement, a layout without cables above a length halfway between the longest cable so far
    and the longest limit that failed. Of layouts with equal longest cables, the one with less cable in total is preferred.

    Parameters
    ----------
    topology : Topology
        The network.
    floor : Floor
        The rules for cable lengths.
    slots : Slots
        The slots for racks.
    slot : int32[switches]
        The slot of each switch to start from.
    seating : Seating
        The capacity of each slot.
    effort : Effort
        Seed, seconds or moves, and what can stop the search.

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
    failed = -1
    for number in range(_ROUNDS):
        a, b = slot[ends].T
        longest = int(np.searchsorted(choices, length_m[a, b].max()))
        if longest - failed <= 1:
            break
        middle = (longest + failed) // 2
        prices = above_prices(length_m, float(choices[middle]))
        tried = joint(topology, slots, slot, seating, prices, effort.part(1 / _ROUNDS, number), hot=False)
        a, b = tried[ends].T
        reached = length_m[a, b].max()
        if reached > choices[middle] + 1e-9:
            failed = middle
        if reached < choices[longest]:
            slot = tried
        if effort.stopped:
            break
    return slot
