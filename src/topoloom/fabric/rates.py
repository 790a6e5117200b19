"""Cable rates as InfiniBand tools write them (4xHDR): a width in lanes, the name of a speed, and the product in Gb/s.

The rate is that of data, without line coding: 4xFDR is 54.56 Gb/s. Sources: `ibnetdiscover` and `ibportstate`
(linux-rdma/rdma-core, infiniband-diags) for the names, InfiniBand Architecture Specification 1.7, 14.2.5.6, for the rates.
"""

import re

from topoloom.core.errors import InputError

#: Gb/s of data per lane, by the name of the speed.
LANE_GBPS = {
    "SDR": 2.0,
    "DDR": 4.0,
    "QDR": 8.0,
    "FDR10": 10.0,
    "FDR": 13.64,
    "EDR": 25.0,
    "HDR": 50.0,
    "NDR": 100.0,
    "XDR": 200.0,
}
#: The signal rate in Gb/s per lane, as ibdiagnet and UFM write it, and the name of that speed.
SPEED_OF_SIGNAL = {
    "2.5": "SDR",
    "5": "DDR",
    "10": "QDR",
    "FDR10": "FDR10",
    "14": "FDR",
    "25": "EDR",
    "50": "HDR",
    "100": "NDR",
    "200": "XDR",
}
#: How many lanes a port can have.
WIDTHS = (1, 2, 4, 8, 12)
#: Rates with a smaller relative difference are the same: 4xFDR is 54.5 or 54.56, depending on rounding.
SAME_SHARE = 0.005
_SPEED_OF = {gbps: name for name, gbps in LANE_GBPS.items()}
_RATE = re.compile(r"([0-9]{1,2})x[- ]?([A-Z]+(?:10)?)", re.IGNORECASE)
_PLAIN = re.compile(r"[0-9]{1,7}(?:\.[0-9]{1,6})?")
_MOST_GBPS = 1_000_000


def rate_of(width: int, speed: str) -> float:
    """Gb/s of a cable with `width` lanes of a speed; 0 where either is not known.

    >>> rate_of(4, "HDR"), rate_of(2, "NDR"), rate_of(4, "???")
    (200.0, 200.0, 0.0)
    """
    return width * LANE_GBPS.get(speed.upper(), 0.0)


def lanes_of(rate_gbps: float) -> int:
    """The number of lanes that carry a rate, four if possible; 0 if no number of lanes does.

    >>> lanes_of(400.0), lanes_of(50.0), lanes_of(25.0), lanes_of(30.0)
    (4, 2, 1, 0)
    """
    return next((lanes for lanes in (4, 2, 1, 8, 12) if round(rate_gbps / lanes, 6) in _SPEED_OF), 0)


def has_name(rate_gbps: float) -> bool:
    """Whether a number of lanes times an InfiniBand speed equals a rate exactly.

    >>> has_name(800.0), has_name(54.56), has_name(10.3)
    (True, True, False)
    """
    lanes = lanes_of(rate_gbps)
    return lanes > 0 and lanes * LANE_GBPS[_SPEED_OF[round(rate_gbps / lanes, 6)]] == rate_gbps


def rate_name(width: int, rate_gbps: float) -> str:
    """Width and speed as ibnetdiscover writes them; otherwise Gb/s, the width alone, or empty text.

    >>> rate_name(4, 200.0), rate_name(0, 200.0), rate_name(4, 0.0), rate_name(0, 0.0)
    ('4xHDR', '200 Gb/s', '4x', '')
    """
    if width <= 0:
        return f"{rate_gbps:g} Gb/s" if rate_gbps > 0 else ""
    if rate_gbps <= 0:
        return f"{width}x"
    speed = _SPEED_OF.get(round(rate_gbps / width, 6))
    return f"{rate_gbps:g} Gb/s" if speed is None else f"{width}x{speed}"


def speed_name(width: int, rate_gbps: float) -> str:
    """The name of the speed of a cable with `width` lanes; empty where not known.

    >>> speed_name(4, 200.0), speed_name(2, 200.0), speed_name(0, 200.0)
    ('HDR', 'NDR', '')
    """
    return _SPEED_OF.get(round(rate_gbps / width, 6), "") if width > 0 and rate_gbps > 0 else ""


def signal_of(width: int, rate_gbps: float) -> str:
    """The speed of a lane as ibdiagnet and UFM write it: the signal rate in Gb/s (``50``); empty where not known.

    >>> signal_of(4, 200.0), signal_of(4, 8.0), signal_of(0, 200.0)
    ('50', '2.5', '')
    """
    speed = speed_name(width, rate_gbps)
    return next((signal for signal, name in SPEED_OF_SIGNAL.items() if name == speed), "")


def parse_rate(text: str) -> tuple[int, float]:
    """Width (0: any) and Gb/s of a rate that a user writes: ``4xNDR``, or ``400``.

    Raises
    ------
    InputError
        The text is neither.

    Examples
    --------
    >>> parse_rate("4xNDR"), parse_rate("400")
    ((4, 400.0), (0, 400.0))
    """
    stripped = text.strip()
    if match := _RATE.fullmatch(stripped):
        width, speed = int(match[1]), match[2].upper()
        if width in WIDTHS and speed in LANE_GBPS:
            return width, rate_of(width, speed)
    elif _PLAIN.fullmatch(stripped) and 0 < float(stripped) <= _MOST_GBPS:
        return 0, float(stripped)
    raise InputError(
        f"rate '{text[:30]}': write lanes and a speed such as 4xNDR ({', '.join(LANE_GBPS)}), or Gb/s such as 400"
    )
