"""Passive shuffle boxes: which lane of which switch meets which lane, by cords, boxes and trunks.

A box has r ports for cords and c ports for trunks. Inside, every pair of an r-port and a c-port is joined by one pair of
fibres: a cord of c lanes spreads over all trunks of its box, and a trunk carries one lane of each of its r cords. Trunks are
straight: a lane at r-port k meets the lane at r-port k of the box at the other end.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import gcd

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws


@dataclass(frozen=True, eq=False)
class ShuffleBoxes:
    """The cords and trunks of a shuffled network.

    Attributes
    ----------
    switch_at : np.ndarray
        int32[boxes, r]: the switch whose cord is at each r-port; -1 where the port is free.
    far : np.ndarray
        int32[boxes, c]: the box at the other end of the trunk at each c-port; -1 where there is none.
    far_port : np.ndarray
        int32[boxes, c]: the c-port of that box. Where both are those of the port itself, a loop plug is in it.
    joins : tuple of int
        The r-port whose lane a loop plug joins with that of each r-port; itself: with none. Empty: there are no loop plugs.
    """

    switch_at: np.ndarray
    far: np.ndarray
    far_port: np.ndarray
    joins: tuple[int, ...] = ()

    def exchange(self, draws: Draws, passes: int, first_box: int = 0) -> None:
        """Exchange cords within boxes from `first_box` on, in place, until no lane is lost or doubled, or passes are over."""
        from topoloom.topologies.families.kernels.shuffled import exchange_cords

        n = int(self.switch_at.max()) + 1
        cords = np.bincount(self.switch_at[self.switch_at >= 0], minlength=n)
        table = np.empty((n, int(cords.max()) * self.far.shape[1]), np.int32)
        exchange_cords(table, np.empty(n, np.int32), self.switch_at, self.far, draws.state(), passes, first_box)

    def with_switches(self, n: int, joins: tuple[int, ...] = ()) -> "ShuffleBoxes":
        """The same boxes with the cords of the first `n` switches only; the r-ports of the others are free.

        With `joins`, trunks of boxes without a switch come later: loop plugs are in the c-ports at their other ends.
        """
        switch_at = np.where(self.switch_at < n, self.switch_at, -1).astype(np.int32)
        if not joins:
            return ShuffleBoxes(switch_at, self.far, self.far_port)
        used = np.asarray((switch_at >= 0).any(axis=1))
        own = used[:, None]
        late = (self.far >= 0) & ~(own & used[self.far])
        box, port = np.indices(self.far.shape)
        opposite = [
            np.where(late, np.where(own, itself, -1), ends).astype(np.int32)
            for itself, ends in ((box, self.far), (port, self.far_port))
        ]
        return ShuffleBoxes(switch_at, opposite[0], opposite[1], joins)

    @cached_property
    def is_loop(self) -> np.ndarray:
        """bool[boxes, c]: whether a loop plug is in each c-port."""
        box, port = np.indices(self.far.shape)
        return np.asarray((self.far == box) & (self.far_port == port))

    @cached_property
    def loops(self) -> np.ndarray:
        """int64[lanes, 4]: box, c-port and both r-ports of every lane that a loop plug joins, plug by plug."""
        near = np.array([(place, to) for place, to in enumerate(self.joins) if place < to], np.int64).reshape(-1, 2)
        plugs = np.argwhere(self.is_loop)
        return np.concatenate([np.repeat(plugs, len(near), axis=0), np.tile(near, (len(plugs), 1))], axis=1)

    @cached_property
    def loop_lanes(self) -> np.ndarray:
        """int32[lanes, 2]: the switches at both ends of each of these lanes; -1 at a free port."""
        return np.asarray(self.switch_at[self.loops[:, :1], self.loops[:, 2:]])

    @cached_property
    def cord_at(self) -> np.ndarray:
        """int32[boxes, r]: the cord at each r-port, as its number at its switch, 0, 1, ... by ascending box; -1 where free."""
        cords = np.full(self.switch_at.shape, -1, np.int32)
        place = np.flatnonzero(self.switch_at >= 0)
        switch = self.switch_at.ravel()[place]
        order = np.argsort(switch, kind="stable")  # The ports of each switch together, by ascending box.
        cords.flat[place[order]] = np.arange(place.size) - np.searchsorted(switch[order], switch[order])
        return cords

    @cached_property
    def trunks(self) -> np.ndarray:
        """int32[trunks, 2, 2]: box and c-port of both ends of every trunk."""
        box, port = np.nonzero(self.far >= 0)
        other, other_port = self.far[box, port], self.far_port[box, port]
        first = (box < other) | ((box == other) & (port < other_port))
        return np.stack([np.stack([box, port], 1)[first], np.stack([other, other_port], 1)[first]], 1).astype(np.int32)

    @cached_property
    def lanes(self) -> np.ndarray:
        """int32[trunks, r, 2]: the switches at both ends of every lane, by its r-port; -1 at a free port."""
        return np.moveaxis(self.switch_at[self.trunks[:, :, 0]], 1, 2)

    @property
    def joined(self) -> np.ndarray:
        """bool[trunks, r]: the lanes that join two different switches; all others are lost."""
        near, other = self.lanes[..., 0], self.lanes[..., 1]
        joined: np.ndarray = (near >= 0) & (other >= 0) & (near != other)
        return joined

    @property
    def links(self) -> np.ndarray:
        """int32[links, 2]: the two switches of every lane that joins two, trunk by trunk, then loop plug by loop plug."""
        looped = self.loop_lanes[(self.loop_lanes >= 0).all(axis=1)]
        return np.concatenate([self.lanes[self.joined], looped])

    @cached_property
    def link_of(self) -> np.ndarray:
        """int32[trunks, r]: the link of each lane, numbered as in `Topology.links` of the network; -1 for a lost lane.

        Trunk and r-port of link i are the place of i in this array.
        """
        links = np.full(self.joined.shape, -1, np.int32)
        rank = np.empty(len(self.links), np.int32)
        rank[np.lexsort((self.links.max(axis=1), self.links.min(axis=1)))] = np.arange(len(self.links))
        links[self.joined] = rank[: int(self.joined.sum())]
        return links

    @property
    def self_lanes(self) -> int:
        """Lanes whose two ends are at the same switch."""
        return int(((self.lanes[..., 0] >= 0) & (self.lanes[..., 0] == self.lanes[..., 1])).sum())

    @property
    def dark_lanes(self) -> int:
        """Lanes of one switch that end at a free r-port at the other end of a trunk, or at a c-port without a trunk."""
        one_end = int(((self.lanes >= 0).sum(axis=2) == 1).sum()) + int(((self.loop_lanes >= 0).sum(axis=1) == 1).sum())
        without_trunk = (self.far < 0).sum(axis=1)
        return one_end + int((without_trunk * (self.switch_at >= 0).sum(axis=1)).sum())


def boxes_for(switches: int, cords: int, r_ports: int) -> int:
    """The fewest boxes for the cords of all switches, every cord of a switch in another box."""
    return max(cords, -(-switches * cords // r_ports))


def box_groups(switches: int, r_ports: int) -> np.ndarray:
    """int64[switches]: the group of each switch: r switches share their boxes; the last group has the rest, too."""
    return np.minimum(np.arange(switches) // r_ports, max(1, switches // r_ports) - 1)


def shuffle_boxes(switches: int, cords: int, r_ports: int, c_ports: int, draws: Draws, paired: bool) -> ShuffleBoxes:
    """The boxes of a network: r switches share as many boxes as they have cords, one cord of each in every box.

    The order of the cords differs from box to box: with equal orders, a lane at r-port k would only ever meet lanes at r-port
    k, and the network would fall into r parts. The last group has up to 2 r - 1 switches: their cords fill its boxes in turn,
    so that the boxes are the fewest, and the free r-ports of different boxes are the same ones. Trunks join c-ports of
    different boxes at random; and, unless `paired`, no two boxes twice, where there are enough boxes.
    """
    boxes = boxes_for(switches, cords, r_ports)
    group = box_groups(switches, r_ports)
    switch, cord = np.repeat(np.arange(switches), cords), np.tile(np.arange(cords), switches)
    full = int(group[-1]) * r_ports  # Switches of the groups before the last one.
    turn = (switch - full) * cords + cord
    last_boxes = boxes - int(group[-1]) * cords
    early = switch < full
    box = np.where(early, group[switch] * cords + cord, int(group[-1]) * cords + turn % last_boxes)
    place = np.where(early, switch % r_ports, turn // last_boxes)
    switch_at = np.full((boxes, r_ports), -1, np.int32)
    switch_at[box, place] = switch
    for at, used in enumerate((switch_at >= 0).sum(axis=1).tolist()):
        switch_at[at, :used] = switch_at[at, draws.permutation(used)]
    if paired or boxes <= c_ports:
        ports = draws.permutation(boxes * c_ports)
        ends = _apart(ports[: ports.size // 2 * 2].reshape(-1, 2), c_ports)
    else:
        ends = _simple(boxes, c_ports, draws)
    opposite = np.full((boxes, c_ports), -1, np.int32)
    opposite.flat[ends] = ends[:, ::-1]
    # Free ports (-1) have neither box nor port: -1 // c_ports is -1.
    return ShuffleBoxes(switch_at, opposite // c_ports, np.where(opposite < 0, -1, opposite % c_ports))


def _simple(boxes: int, c_ports: int, draws: Draws) -> np.ndarray:
    """Pairs of c-ports, int64[trunks, 2], numbered box by box: a random regular graph of boxes, its links at random ports."""
    from topoloom.topologies.families.random_graphs import jellyfish

    if c_ports > 1:
        ends = jellyfish(boxes, c_ports, draws.word()).links.ravel()
    else:
        ends = draws.permutation(boxes)[: boxes // 2 * 2]
    # The i-th end at a box takes the i-th of its ports in random order.
    order = np.argsort(ends, kind="stable")
    turn = np.empty(ends.size, np.int64)
    turn[order] = np.arange(ends.size) - np.searchsorted(ends[order], ends[order])
    ports = np.argsort(draws.words(boxes * c_ports).reshape(boxes, c_ports), axis=1, kind="stable")
    pairs: np.ndarray = ends * c_ports + ports[ends, turn]
    return pairs.reshape(-1, 2)


def _apart(pairs: np.ndarray, c_ports: int) -> np.ndarray:
    """The pairs of c-ports, the second ends of those within one box exchanged with those of other pairs."""
    for at in np.flatnonzero(pairs[:, 0] // c_ports == pairs[:, 1] // c_ports).tolist():
        if pairs[at, 0] // c_ports == pairs[at, 1] // c_ports:
            # Another pair without an end in this box exists as soon as there are two boxes.
            others = np.flatnonzero((pairs // c_ports != pairs[at, 0] // c_ports).all(axis=1))
            other = others[at % others.size]
            pairs[[at, other], 1] = pairs[[other, at], 1]
    return pairs


def cords_of_unit(boxes: ShuffleBoxes) -> tuple[int, int]:
    """The cords of each switch, and the fewest new switches whose cords fill whole boxes."""
    cords = int(boxes.cord_at.max()) + 1
    return cords, boxes.switch_at.shape[1] // gcd(cords, boxes.switch_at.shape[1])


def splices(boxes: ShuffleBoxes, new: int, batch: int | None, seed: int) -> Iterator[ShuffleBoxes]:
    """The boxes after each step of growth by `new` switches, a multiple of the unit that fills whole boxes.

    A step has at most `batch` switches (as many as a box has r-ports, where omitted), rounded down to whole boxes.
    """
    _, unit = cords_of_unit(boxes)
    each = unit * max(1, (boxes.switch_at.shape[1] if batch is None else batch) // unit)
    draws = Draws(seed)
    for first in range(0, new, each):
        boxes = splice_boxes(boxes, min(each, new - first), draws)
        yield boxes


def splice_boxes(boxes: ShuffleBoxes, new: int, draws: Draws) -> ShuffleBoxes:
    """The boxes with `new` more switches: their cords fill new boxes, which are spliced into trunks.

    For every two c-ports of a new box, one trunk is cut, and its two ends are joined to them: each of its lanes u - v becomes
    u - x - v, with x the new switch at its r-port. Trunks of one box are drawn so that they lead to different boxes. All
    existing cords stay where they are. An odd c-port stays free for the next new box.

    Raises
    ------
    InputError
        There are loop plugs: planned switches come first.
    """
    if boxes.is_loop.any():
        raise InputError(
            "loop plugs wait for planned switches in trunk ports: plug in all planned switches, then splice"
        )
    (old, r), c = boxes.switch_at.shape, boxes.far.shape[1]
    first = int(boxes.switch_at.max()) + 1
    cords = int(boxes.cord_at.max()) + 1
    more = -(-new * cords // r)
    cord = np.arange(new * cords)
    switch_at = np.concatenate([boxes.switch_at, np.full((more, r), -1, np.int32)])
    switch_at[old + cord % more, cord // more] = first + cord // cords
    trunk_box, trunk_port = (
        np.concatenate([ends, np.full((more, c), -1, np.int32)]) for ends in (boxes.far, boxes.far_port)
    )
    free: list[tuple[int, int]] = [(box, port) for box, port in np.argwhere(boxes.far < 0).tolist()]

    def plug(end: tuple[int, int], other: tuple[int, int]) -> None:
        for (box, port), (box_there, port_there) in ((end, other), (other, end)):
            trunk_box[box, port], trunk_port[box, port] = box_there, port_there

    for box in range(old, old + more):
        used = int((switch_at[box] >= 0).sum())
        switch_at[box, :used] = switch_at[box, draws.permutation(used)]
        trunks = ShuffleBoxes(switch_at, trunk_box, trunk_port).trunks
        met: set[int] = {box}
        order = draws.permutation(len(trunks))
        # First trunks whose boxes this box does not meet yet, then any.
        for strict in (True, False):
            for at in order.tolist():
                ports = np.flatnonzero(trunk_box[box] < 0).tolist()
                if len(ports) < 2:
                    break
                near, opposite = (tuple(end) for end in trunks[at].tolist())
                if (
                    trunk_box[near] != opposite[0]
                    or trunk_port[near] != opposite[1]
                    or (strict and {near[0], opposite[0]} & met)
                ):
                    continue
                plug(near, (box, ports[0]))
                plug((box, ports[1]), opposite)
                met |= {near[0], opposite[0]}
        ports = np.flatnonzero(trunk_box[box] < 0).tolist()
        if ports and free and free[0][0] != box:
            plug((box, ports[0]), free.pop(0))
        elif ports:
            free.append((box, ports[0]))
    grown = ShuffleBoxes(switch_at, trunk_box, trunk_port)
    grown.exchange(draws, 100, first_box=old)
    return grown
