"""What cages take: the connector, the lanes and the ports of a cage of a host or of a switch."""

from dataclasses import dataclass

from topoloom.placement.hosts.housing import Connector

#: The lanes of a cage.
_LANES = {"OSFP finned": 8, "OSFP flat": 8, "QSFP-DD": 8, "QSFP112": 4, "QSFP56": 4, "QSFP28": 4, "SFP28": 1}
_LANES |= {"MPO-12 socket": 4, "MMC-12 socket": 4}
#: The smaller plugs that a cage takes, too.
_SMALLER: dict[str, tuple[str, ...]] = {
    "QSFP112": ("QSFP56", "QSFP28"),
    "QSFP56": ("QSFP28",),
    "QSFP-DD": ("QSFP56", "QSFP28"),
}
#: Rates of lanes that differ by less than this factor are equal.
_SAME = 1 + 1e-9


def plug_fits(cage: Connector | None, plug: Connector | None) -> bool:
    """Whether a plug fits a cage, of the same kind or smaller; True where one of the two is not known."""
    return cage is None or plug is None or plug == cage or plug in _SMALLER.get(cage, ())


@dataclass(frozen=True)
class HostPlug:
    """What a cage of a host takes: the connector (None: any), and the ports that share the cage."""

    connector: Connector | None = None
    ports: int = 1

    def takes(self, connector: Connector | None) -> bool:
        """Whether a plug with this connector fits; True where one of the two is not known."""
        return plug_fits(self.connector, connector)


@dataclass(frozen=True)
class SwitchCage:
    """What a cage of a switch takes at a rate of its ports.

    Attributes
    ----------
    connector : str or None
        None: any. Co-packaged optics have sockets for fibres.
    ports : int
        The most ports of the cage at this rate.
    least : int
        The ports that each cage must give, so that the switch has the ports that it needs.
    rate_gbps : float
        Of a port, Gb/s.
    lane_gbps : float or None
        The highest rate of a lane, Gb/s; None where it is not known.
    """

    connector: Connector | None = None
    ports: int = 1
    least: int = 1
    rate_gbps: float = 0.0
    lane_gbps: float | None = None

    @property
    def socket(self) -> str:
        """The fibre connector of a socket of co-packaged optics, which takes no module: "MPO-12"; else empty."""
        name = self.connector or ""
        return name.removesuffix(" socket") if name.endswith(" socket") else ""

    def takes(self, connector: Connector | None) -> bool:
        """Whether a plug with this connector fits; True where one of the two is not known."""
        return plug_fits(self.connector, connector)

    def runs(self, lane_gbps: float | None) -> bool:
        """Whether its ports run over lanes of that rate; True where a rate is not known.

        A lane of optics does not step down, so it must not be faster than the switch's; and the lanes of the cage must carry
        the ports that it must give.
        """
        if lane_gbps is None or self.lane_gbps is None:
            return True
        lanes = _LANES.get(self.connector or "", 0)
        return lane_gbps <= self.lane_gbps * _SAME and self.least * self.rate_gbps <= lanes * lane_gbps * _SAME
