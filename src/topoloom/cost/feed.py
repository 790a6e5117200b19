"""What a switch draws where a floor or a rack limits it."""

from topoloom.cost.parts import Parts
from topoloom.floors.floor import Floor


def switch_w(floor: Floor, parts: Parts, ports: int, rate_gbps: float | None, *, housed: bool = False) -> float:
    """Watts of a switch with so many ports where a floor or a rack limits them; else 0, for then nobody asks.

    Parameters
    ----------
    floor : Floor
        The floor.
    parts : Parts
        The catalogue.
    ports : int
        Ports of the switch.
    rate_gbps : float or None
        Their rate, Gb/s; None: any.
    housed : bool
        Whether hosts stand in racks, which must feed the switches too.

    Returns
    -------
    float
        Watts.
    """
    return parts.switch_feed_w(ports, rate_gbps) if floor.limits_power or housed else 0.0
