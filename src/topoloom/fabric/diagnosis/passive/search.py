"""The search for passive parts that are not as planned: which moves of plugs make the plan arrive where links were found.

Every link that is not as planned proposes each change of one part that would explain it: two ends exchanged where its way and
the way back from its other port can be joined, an end in a free port, a part that is out. The change that most links propose is
tried first, and is accepted if it puts no other link wrong.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from topoloom.fabric.comparison import Plug
from topoloom.fabric.diagnosis.passive.wiring import End, Joint, LightWay, Position, Wiring

_ROUNDS = 20
#: The likely kinds of changes first, of those with the same support; exchanges are before those that begin with 1, 3.
_PREFERENCE = {
    "switch off": (0,),
    "moved": (1, 3),
    "turned": (1, 4),
    "out": (2, 0),
    "other type": (2, 1),
    "panel dark": (3, 0),
}
#: Changes that are tried per round.
_MOST_TRIED = 20_000
#: Links that must be dark for each one that is lit over two parts of the other type.
_LEAST_PER_LIT = 2
#: Other changes of the same effect that are looked for.
_MOST_ALIKE = 40


class Change(NamedTuple):
    """A change of one part.

    Attributes
    ----------
    kind : "switch off", "exchanged", "moved", "out", "other type", "turned" or "panel dark"
    ends : tuple of End
        exchanged: both ends; moved: the end.
    to : Position
        moved: where the end is.
    part : int
        out, other type, turned: the cord or trunk; panel dark, switch off: the device.
    """

    kind: Literal["switch off", "exchanged", "moved", "out", "other type", "turned", "panel dark"]
    ends: tuple[End, ...] = ()
    to: Position = (-1, -1)
    part: int = -1


@dataclass(frozen=True)
class Step:
    """A change that explains links.

    Attributes
    ----------
    change : Change
    ports : frozenset of Plug
        The ports of switches at which it explains what was found.
    alike : tuple of Change
        Other changes that explain exactly the same.
    """

    change: Change
    ports: frozenset[Plug]
    alike: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Sight:
    """What was found at the ports of switches.

    Attributes
    ----------
    heard : mapping of Plug to Plug
        The port at the other end of the link in each port.
    hidden : set of int
        Switches that are not there, so that no link of theirs can be seen.
    unread : set of int
        Switches that only their neighbours name: a link between two of them cannot be seen.
    unclear : set of Plug
        Ports of which nothing is known.
    off : set of int
        Switches that are there, and none of whose links is.
    """

    heard: Mapping[Plug, Plug]
    hidden: set[int] = field(default_factory=set)
    unread: set[int] = field(default_factory=set)
    unclear: set[Plug] = field(default_factory=set)
    off: set[int] = field(default_factory=set)

    def agrees(self, plug: Plug, arrival: Plug | None) -> bool:
        """Whether a light from a port that arrives at another one is what was found.

        Parameters
        ----------
        plug : Plug
        arrival : Plug or None
        """
        heard = self.heard.get(plug)
        if heard == arrival:
            return True
        if heard is not None or arrival is None:
            return heard is None and self._unseen(plug)
        if plug[0] == arrival[0]:
            return True  # devices do not list themselves
        both = plug[0] in self.unread and arrival[0] in self.unread
        return both or self._unseen(plug) or self._unseen(arrival)

    def _unseen(self, plug: Plug) -> bool:
        return plug[0] in self.hidden or plug in self.unclear


class PartSearch:
    """The changes of a plant that explain what was found.

    Parameters
    ----------
    wiring : Wiring
        As planned; the search changes it.
    sight : Sight
    wrong : iterable of Plug
        The ports of switches whose links are not as planned.
    rack_of : callable (device: int) -> str
        The rack of a switch or panel; empty if not known.

    Attributes
    ----------
    steps : list of Step
        In the order in which they were accepted.
    bad : set of Plug
        The ports that no step explains.
    wiring : Wiring
        With all steps.
    """

    def __init__(self, wiring: Wiring, sight: Sight, wrong: Iterable[Plug], rack_of: Callable[[int], str]) -> None:
        self.wiring, self._sight, self._rack_of = wiring, sight, rack_of
        self._off = set(sight.off)
        self.steps: list[Step] = []
        self.bad = self._disagreeing(wrong)
        for _ in range(_ROUNDS):
            if not self.bad or not self._round():
                break
        self._withdraw()

    def _disagreeing(self, plugs: Iterable[Plug]) -> set[Plug]:
        """The ports where something else was found than arrives."""
        several = [*plugs]
        arrivals = zip(several, self.wiring.arrivals(several), strict=True)
        return {plug for plug, arrival in arrivals if not self._sight.agrees(plug, arrival)}

    def _round(self) -> bool:
        """Accept changes, those with most support first; whether there were any."""
        support: dict[Change, set[Plug]] = defaultdict(set)
        n = self.wiring.plant.switches
        heard = {self._sight.heard[plug] for plug in self.bad if plug in self._sight.heard}
        heard = {plug for plug in heard if plug[0] < n}
        several = [*self.bad | heard]
        ways = dict(zip(several, self.wiring.ways(several), strict=True))
        proposed: dict[Plug, set[Change]] = {plug: {*self._proposed(plug, ways)} for plug in self.bad}
        for plug, changes in proposed.items():
            for change in changes:
                support[change].add(plug)
        queue = [(-len(ports), self._preference(change), change) for change, ports in support.items()]
        heapq.heapify(queue)
        touched: set[int] = set()
        for _ in range(_MOST_TRIED):
            if not queue:
                break
            votes, preference, change = heapq.heappop(queue)
            left = len(support[change] & self.bad)
            if left < -votes:
                # Others have explained some of its links since.
                if left:
                    heapq.heappush(queue, (-left, preference, change))
                continue
            fibres = () if change.kind == "switch off" else self._fibres(change)
            # A further change of the same parts is chosen in the next round, by what this one has left.
            explained = None if touched.intersection(fibres) else self._tried(change)
            if explained is None:
                continue
            alike = () if change.kind == "switch off" else tuple(self._alike(change, explained, support, proposed))
            self._apply(change)
            if change.kind == "other type":
                self.bad |= self._disagreeing(self.wiring.reached(fibres))
            self.bad -= explained
            self.steps.append(Step(change, explained, alike))
            touched.update(fibres or (-1,))
        return bool(touched)

    def _withdraw(self) -> None:
        """Withdraw parts of the other type with a link that is not explained: it was right before, and no second part came."""
        while True:
            of_type = (step for step in self.steps if step.change.kind == "other type")
            doubtful = next((step for step in of_type if self.bad & self.wiring.reached([step.change.part])), None)
            if doubtful is None:
                return
            self.steps.remove(doubtful)
            self._apply(doubtful.change)
            reached = self.wiring.reached([doubtful.change.part])
            self.bad = (self.bad - reached) | self._disagreeing(reached)

    def _alike(
        self,
        change: Change,
        explained: frozenset[Plug],
        support: dict[Change, set[Plug]],
        proposed: dict[Plug, set[Change]],
    ) -> Iterator[Change]:
        """The other changes with the same effect, the likely ones first."""
        ports = support[change]
        others = [other for other in proposed[next(iter(ports))] if other != change and support[other] == ports]
        for other in sorted(others, key=lambda each: (self._preference(each), each))[:_MOST_ALIKE]:
            if other.kind not in ("switch off", "other type") and self._tried(other) == explained:
                yield other

    def _preference(self, change: Change) -> tuple[int, ...]:
        """Of changes with the same support the likely ones first: next to each other, a part, then whole panels."""
        if change.kind == "exchanged":
            if any(self.wiring.displaced(end) for end in change.ends):
                return 1, -1  # one more of several plugs that are in each other's ports
            devices = [self._device(end) for end in change.ends]
            racks = [self._rack_of(device) for device in devices]
            apart = 0 if devices[0] == devices[1] else 1 if racks[0] and racks[0] == racks[1] else 2
            return 1, apart
        return _PREFERENCE[change.kind]

    def _device(self, end: End) -> int:
        position = self.wiring.position(end)
        return -1 if position is None else position[0]

    def _proposed(self, plug: Plug, ways: Mapping[Plug, LightWay]) -> Iterator[Change]:
        """The changes of one part that would explain what was found in a port."""
        heard = self._sight.heard.get(plug)
        way = ways[plug]
        if heard is not None:
            if heard in ways:
                yield from self._joined(way, ways[heard])
                yield from self._joined(ways[heard], way)
                yield from self._turned(way, ways[heard])
            return
        if way.arrival is None:
            return
        for switch in {plug[0], way.arrival[0]} & self._off:
            yield Change("switch off", part=switch)
        for fibre in way.fibres:
            yield Change("out", part=fibre)
            yield Change("other type", part=fibre)
        n = self.wiring.plant.switches
        for device in {joint.position[0] for joint in way.joints if joint.position[0] >= n}:
            yield Change("panel dark", part=device)

    def _joined(self, near: LightWay, far: LightWay) -> Iterator[Change]:
        """The changes that join one way, up to a port, with the other one, from a cord or trunk on that is then in the port."""
        fibres = [joint for joint in far.joints if joint.end is not None and not joint.enters]
        for port in near.joints:
            if not port.enters:
                continue
            for joint in fibres:
                change = self._joining(port, joint)
                if change is not None:
                    yield change

    def _turned(self, near: LightWay, far: LightWay) -> Iterator[Change]:
        """The cords and trunks of both ways that join them if their links arrive in the opposite order."""
        wiring = self.wiring
        pair_at = {joint.end: joint.strand for joint in far.joints if joint.enters and joint.end is not None}
        for joint in near.joints:
            if not joint.enters or joint.end is None:
                continue
            fibre, end = joint.end
            last = wiring.pairs[fibre] - wiring.plant.link_pairs
            to = joint.strand if wiring.turned[fibre] else last - joint.strand
            if last and pair_at.get((fibre, 1 - end)) == to:
                yield Change("turned", part=fibre)

    def _joining(self, port: Joint, far: Joint) -> Change | None:
        wiring = self.wiring
        end: End = far.end  # type: ignore[assignment]
        device, number = port.position
        strand = far.strand
        if device < wiring.plant.switches:
            # The first of the ports that the cord serves.
            position = device, number - strand // wiring.plant.link_pairs
        elif port.strand == strand:
            position = port.position
        else:
            return None
        if port.end is None:
            return Change("moved", (end,), position) if wiring.fits(end, position) else None
        own = port.end
        alike = wiring.position(own) == position and wiring.trunk[own[0]] == wiring.trunk[end[0]]
        if own == end or not alike or wiring.pairs[own[0]] != wiring.pairs[end[0]]:
            return None
        return Change("exchanged", (min(own, end), max(own, end)))

    def _tried(self, change: Change) -> frozenset[Plug] | None:
        """The ports that a change explains; None if it puts a link wrong, or leaves more wrong than it explains."""
        if change.kind == "switch off":
            bad = [*self.bad]
            return frozenset(
                plug
                for plug, arrival in zip(bad, self.wiring.arrivals(bad), strict=True)
                if plug[0] == change.part or self._silent(plug, arrival, change.part)
            ) or None  # fmt: skip
        fibres = self._fibres(change)
        affected = self.wiring.reached(fibres)
        undo = self._apply(change)
        affected |= self.wiring.reached(fibres)
        wrong = self._disagreeing(affected)
        undo()
        explained = frozenset(affected & self.bad - wrong)
        # A link over two parts of the other type is lit: the second one puts right what the first one puts wrong.
        allowed = (
            len(wrong - self.bad) * _LEAST_PER_LIT <= len(explained)
            if change.kind == "other type"
            else wrong <= self.bad
        )
        return explained if allowed and len(explained) >= max(len(wrong), 1) else None

    def _silent(self, plug: Plug, arrival: Plug | None, switch: int) -> bool:
        return arrival is not None and arrival[0] == switch and plug not in self._sight.heard

    def _fibres(self, change: Change) -> tuple[int, ...]:
        if change.kind == "panel dark":
            return self.wiring.fibres_in(change.part)
        return tuple(end[0] for end in change.ends) or (change.part,)

    def _apply(self, change: Change) -> Callable[[], None]:
        """Make a change; returns what undoes it."""
        wiring = self.wiring
        if change.kind == "switch off":
            self._sight.hidden.add(change.part)
            return lambda: self._sight.hidden.discard(change.part)
        if change.kind == "panel dark":
            panel = change.part - wiring.plant.switches
            wiring.dark[panel] = True
            return lambda: wiring.dark.__setitem__(panel, False)
        if change.kind in ("other type", "turned"):
            state = wiring.turned if change.kind == "turned" else wiring.other_type
            state[change.part] ^= True
            return lambda: state.__setitem__(change.part, not state[change.part])
        ends = change.ends or ((change.part, 0), (change.part, 1))
        before = {end: wiring.position(end) for end in ends}
        after: dict[End, Position | None] = dict.fromkeys(ends)
        if change.kind == "exchanged":
            after = dict(zip(ends, reversed(before.values()), strict=True))
        elif change.kind == "moved":
            after = {ends[0]: change.to}
        _put(wiring, after)
        return lambda: _put(wiring, before)


def _put(wiring: Wiring, positions: Mapping[End, Position | None]) -> None:
    for end in positions:
        wiring.move(end, None)
    for end, position in positions.items():
        wiring.move(end, position)
