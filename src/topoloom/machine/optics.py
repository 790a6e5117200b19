"""What transceivers and cables add to the power of the devices that they are plugged into."""

from collections.abc import Mapping
from dataclasses import dataclass, field

_ROUNDING = 1 + 1e-9


@dataclass(frozen=True)
class Optics:
    """What transceivers and cables add to the power of each device, W.

    Attributes
    ----------
    switches_w : dict of str to float
        Of a switch, by its network.
    hosts_w : dict of str to float
        Of a host, by its kind.
    """

    switches_w: Mapping[str, float] = field(default_factory=dict)
    hosts_w: Mapping[str, float] = field(default_factory=dict)

    def exceeds(self, other: "Optics") -> bool:
        """Whether any of its devices takes more than in another."""
        return any(
            watts > theirs.get(name, 0.0) * _ROUNDING
            for own, theirs in ((self.switches_w, other.switches_w), (self.hosts_w, other.hosts_w))
            for name, watts in own.items()
        )

    def at_least(self, other: "Optics") -> "Optics":
        """The larger of the two for each kind of device."""
        return Optics(_larger(self.switches_w, other.switches_w), _larger(self.hosts_w, other.hosts_w))


def _larger(own: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
    return {name: max(own.get(name, 0.0), other.get(name, 0.0)) for name in {**other, **own}}
