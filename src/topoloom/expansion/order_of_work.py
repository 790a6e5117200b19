"""The order of work of one step: which cable is moved, unplugged or added next, so that no switch is cut off on the way."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from topoloom.expansion.stages import difference
from topoloom.expansion.wiring import Wiring
from topoloom.topology import Topology

#: What is done with a cable.
UNPLUG, MOVE, ADD = "unplug", "move", "add"
End = tuple[int, int]


@dataclass(frozen=True)
class Task:
    """One thing that an installer does.

    Attributes
    ----------
    work : str
        ``unplug`` (both ends), ``move`` (one end) or ``add`` (both ends).
    cable : int
        The cable, by its place in `Wiring.cables`.
    ends : pairs of (switch, port)
        Where the cable is plugged afterwards; of an unplugged one, where it was. Of a moved one the first end stays.
    taken_from : (switch, port) or None
        Where the moved end was.
    length_m : float
        What the cable spans; 0 when it is unplugged.
    new : bool
        Whether the cable is bought for this.
    cut_off : int
        How many switches hang apart from the others because of this; 0 when all reach each other.
    """

    work: str
    cable: int
    ends: tuple[End, End]
    taken_from: End | None
    length_m: float
    new: bool
    cut_off: int


#: A cable, the new link that it is for, and the switch where it stays.
Move = tuple[int, int, int]
#: Gets a new cable: given how long it is, whether it runs between cabinets, and whether to a host; its place in
#: `Wiring.cables`.
Buy = Callable[[float, bool, bool], int]


class Step:
    """The cables of one step, from one network to the next.

    Parameters
    ----------
    wiring : Wiring
        Brought from `before` to `after`.
    before, after : Topology
    slot : int64[after.switches]
        Where the switches stand.
    length_m : callable
        The length of cables between slots.
    slack_m : float
        How much longer than that a cable must be.
    buy : callable
    """

    def __init__(
        self, wiring: Wiring, before: Topology, after: Topology, slot: np.ndarray,
        length_m: Callable[[np.ndarray, np.ndarray], np.ndarray], slack_m: float, buy: Buy,
    ) -> None:  # fmt: skip
        self._wiring, self._buy = wiring, buy
        self._slack_m = slack_m
        removed, added, _ = difference(before, after)
        self._added = [(int(u), int(v)) for u, v in added]
        self._between = (slot[added[:, 0]] != slot[added[:, 1]]).tolist()
        self._length_m = length_m(slot[added[:, 0]], slot[added[:, 1]]).tolist()
        self._removed = _cables_of(wiring, removed)
        self.tasks: list[Task] = []

    def work(self) -> list[Task]:
        """Do all of it; returns the tasks in their order."""
        moves = self._moves()
        moved = {cable for cable, _, _ in moves}
        taken = {link for _, link, _ in moves}
        adds = [link for link in range(len(self._added)) if link not in taken]
        unplugs = [cable for cable in self._removed if cable not in moved]
        while adds or moves or unplugs:
            count = len(self.tasks)
            adds = [link for link in adds if not self._add(link)]
            moves = [move for move in moves if not self._move(*move)]
            if len(self.tasks) > count:
                continue
            # Only now: until here a network of more cables than before or after was there.
            unplugs = [cable for cable in unplugs if not self._unplug(cable)]
            if len(self.tasks) > count:
                continue
            if not self._split(moves, adds):
                self._force(moves, adds, unplugs)
        return self.tasks

    def _moves(self) -> list[Move]:
        """Cables that are long enough for a new link at one of their ends: (cable, link, the switch where it stays)."""
        at: dict[int, list[int]] = {}
        for link, ends in enumerate(self._added):
            for end in ends:
                at.setdefault(end, []).append(link)
        found = []
        for cable in self._removed:
            about = self._wiring.cables[cable]
            for switch, _ in about.ends:
                for link in at.get(switch, ()):
                    left_m = about.stock_m - self._length_m[link] - self._slack_m
                    if left_m > -1e-9:
                        found.append((round(left_m, 6), cable, link, switch))
        moves: list[Move] = []
        cables, links = set[int](), set[int]()
        # The least cable is left over; of equals the first.
        for _, cable, link, switch in sorted(found):
            if cable not in cables and link not in links:
                cables.add(cable)
                links.add(link)
                moves.append((cable, link, switch))
        return moves

    def _add(self, link: int) -> bool:
        u, v = self._added[link]
        if not (self._wiring.has_room(u) and self._wiring.has_room(v)):
            return False
        cable = self._wiring.from_shelf(self._length_m[link] + self._slack_m)
        new = cable < 0
        if new:
            cable = self._buy(self._length_m[link], self._between[link], False)
        self._wiring.plug(cable, u, v)
        self._note(ADD, cable, self._wiring.cables[cable].ends, None, self._length_m[link], new)
        return True

    def _move(self, cable: int, link: int, stays: int, *, forced: bool = False) -> bool:
        """Move a cable, if there is room and no switch is cut off."""
        u, v = self._added[link]
        to = v if u == stays else u
        if not self._wiring.has_room(to):
            return False
        left = next(end for end in self._wiring.cables[cable].ends if end[0] != stays)
        self._wiring.move(cable, stays, to)
        cut_off = self._wiring.cut_off(stays, left[0])
        if cut_off and not forced:
            self._wiring.move_back(cable, left)
            return False
        self._note(MOVE, cable, self._wiring.cables[cable].ends, left, self._length_m[link], cut_off=cut_off)
        return True

    def _unplug(self, cable: int, *, forced: bool = False) -> bool:
        """Take a cable out, if no switch is cut off."""
        ends = self._wiring.cables[cable].ends
        self._wiring.unplug(cable)
        cut_off = self._wiring.cut_off(ends[0][0], ends[1][0])
        if cut_off and not forced:
            self._wiring.plug_back(cable)
            return False
        self._note(UNPLUG, cable, ends, None, 0.0, cut_off=cut_off)
        return True

    def _split(self, moves: list[Move], adds: list[int]) -> bool:
        """Where cables wait for each other's ports: unplug one of them, to be plugged in anew."""
        for row, (cable, link, _) in enumerate(moves):
            if self._unplug(cable):
                del moves[row]
                adds.append(link)
                return True
        return False

    def _force(self, moves: list[Move], adds: list[int], unplugs: list[int]) -> None:
        """No cable can go without a switch being cut off: take the one that cuts off fewest, and go on."""
        waiting = [cable for cable, _, _ in moves] + unplugs
        cost = []
        for cable in waiting:
            (u, _), (v, _) = self._wiring.cables[cable].ends
            self._wiring.unplug(cable)
            cost.append(self._wiring.cut_off(u, v))
            self._wiring.plug_back(cable)
        row = int(np.argmin(cost))
        if row >= len(moves):
            self._unplug(unplugs.pop(row - len(moves)), forced=True)
            return
        move = moves.pop(row)
        if not self._move(*move, forced=True):
            self._unplug(move[0], forced=True)
            adds.append(move[1])

    def _note(
        self, work: str, cable: int, ends: tuple[End, End], taken_from: End | None, length_m: float, new: bool = False,
        cut_off: int = 0,
    ) -> None:  # fmt: skip
        self.tasks.append(Task(work, cable, ends, taken_from, length_m, new, cut_off))


def _cables_of(wiring: Wiring, links: np.ndarray) -> list[int]:
    """A cable for each link that goes; of parallel ones those in the lowest ports."""
    taken: dict[tuple[int, int], int] = {}
    found = []
    for u, v in links.tolist():
        number = taken.get((u, v), 0)
        found.append(wiring.between(u, v)[number])
        taken[u, v] = number + 1
    return found


def plug_hosts(
    wiring: Wiring, before: Topology, after: Topology, new_switches: bool, buy: Buy | None, length_m: float
) -> list[Task]:
    """Give the new hosts of new switches, or of those that stood, their ports; with `buy`, also their cables.

    Returns the tasks: none where the cables of hosts are not listed.
    """
    known = np.isin(after.host, before.host)
    tasks = []
    for switch, host in zip(after.endpoints[~known].tolist(), after.host[~known].tolist(), strict=True):
        if (switch >= before.switches) != new_switches:
            continue
        cable = buy(length_m, False, True) if buy else -1
        ends = (switch, wiring.plug_host(switch, cable)), (host, 1)
        if buy:
            wiring.cables[cable].ends, wiring.cables[cable].plugged = ends, True
            tasks.append(Task(ADD, cable, ends, None, length_m, True, 0))
    return tasks
