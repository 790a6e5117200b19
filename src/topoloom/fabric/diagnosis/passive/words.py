"""Passive parts as a crew reads them: the ports of a cord or trunk with their racks, and what to move."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from topoloom.fabric.comparison import Cable
from topoloom.fabric.diagnosis.finding import enumerated
from topoloom.fabric.diagnosis.passive.facts import PassiveFacts
from topoloom.fabric.diagnosis.passive.search import Change
from topoloom.fabric.diagnosis.passive.wiring import End, Position

if TYPE_CHECKING:
    from topoloom.fabric.diagnosis.evidence import Evidence

#: Links, and other explanations, that a text names.
_MOST_NAMED = 3


class PartWords:
    """Formats passive parts as text.

    Parameters
    ----------
    evidence : Evidence
    facts : PassiveFacts
    """

    def __init__(self, evidence: "Evidence", facts: PassiveFacts) -> None:
        self._evidence, self._facts, self._plant = evidence, facts, facts.plant

    def position(self, fibre: int, position: Position) -> str:
        """A port with its rack: ``X01 SP012:R1``, ``A01 S5 ports 49 to 52``."""
        device, port = position
        plant = self._plant
        if device >= plant.switches:
            return f"{self.rack(device)} {plant.label(device, port)}"
        if device >= self._facts.switches:
            return f"{self._facts.others[device - self._facts.switches]} port {port}"
        served = max(int(plant.pairs[fibre]) // plant.link_pairs, 1)
        words = self._evidence.words
        last = f" to {words.port(device, port + served - 1)}" if served > 1 else ""
        return f"{words.node(device)} port{'s' * (served > 1)} {words.port(device, port)}{last}"

    def use(self, fibre: int) -> str:
        """``cord``, ``trunk`` or ``loop plug``."""
        use: str = self._plant.fibres[self._plant.fibre[fibre]].use
        return use

    def planned(self, end: End) -> Position:
        """Where an end is planned."""
        device, port = self._plant.ends[end].tolist()
        return device, port

    def fibre(self, fibre: int) -> str:
        """``trunk X01 SP012:R1 - X14 SP340:R3``."""
        both = dict.fromkeys(self.position(fibre, self.planned((fibre, end))) for end in (0, 1))
        return f"{self.use(fibre)} {' - '.join(both)}"

    def panel(self, device: int) -> str:
        """``panel X01 SP012``."""
        return f"panel {self.rack(device)} {self._plant.names[device - self._plant.switches]}"

    def rack(self, device: int) -> str:
        """The rack of a switch or panel; empty if it is not known."""
        panel = device - self._plant.switches
        if panel >= 0:
            return self._facts.racks[panel]
        return "".join(self._evidence.racks([device])) if device < self._facts.switches else ""

    def exchanged(self, ends: Iterable[End]) -> str:
        """Two ends by their planned ports: ``X01 SP012:R1 and X01 SP012:R2``."""
        return " and ".join(self.position(end[0], self.planned(end)) for end in ends)

    def change(self, change: Change) -> str:
        """A change as another explanation: ``those in X03 SP033:R1 and X07 SP071:R2``."""
        if change.kind == "exchanged":
            return f"the {self.use(change.ends[0][0])}s in {self.exchanged(change.ends)}"
        if change.kind == "moved":
            return self.move(change.ends[0], change.to)
        if change.kind == "panel dark":
            return self.panel(change.part)
        return f"{self.fibre(change.part)}{', turned' * (change.kind == 'turned')}"

    def move(self, end: End, position: Position | None) -> str:
        """``the cord of X01 SP012:F05 is in X01 SP012:F07``; its other end says which."""
        fibre = end[0]
        near = self.position(fibre, self.planned(end))
        other_end = self.position(fibre, self.planned((fibre, 1 - end[1])))
        if position is None:
            return f"the {self.use(fibre)} {near} - {other_end} is out"
        return f"the {self.use(fibre)} from {other_end} is in {self.position(fibre, position)}, should be in {near}"

    def or_else(self, changes: Iterable[Change]) -> str:
        """The other explanations of the same links: ``, or the trunks in .. and ..``."""
        texts = [self.change(change) for change in changes]
        more = len(texts) - _MOST_NAMED
        last = [f"one of {more} more"] * (more > 0)
        return "".join(f", or {text}" for text in (*texts[:_MOST_NAMED], *last))

    def links(self, planned: Iterable[Cable], found: Iterable[Cable]) -> str:
        """The links that follow: ``64 links follow: S0 port 49 - S5 port 50, .. and 61 more``."""
        cables = [*planned] or [*found]
        names = [self._evidence.words.cable(cable, False) for cable in cables]
        return f"{len(cables)} link{'s follow' if len(cables) != 1 else ' follows'}: {enumerated(names, _MOST_NAMED)}"

    def racks(self, ends: Iterable[Position]) -> tuple[str, ...]:
        """The racks of ports, each once."""
        return tuple(dict.fromkeys(filter(None, (self.rack(device) for device, _ in ends))))
