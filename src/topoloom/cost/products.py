"""What all products of a catalogue have: prices (a number or a range), their source, and the units of their keys."""

import datetime
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np

from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable

# The upper bound excludes inf and NaN, which TOML allows.
NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e15)]
Positive = Annotated[float, msgspec.Meta(gt=0, le=1e15)]
Signed = Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)]

#: A price in USD, or [lowest, highest] where the source gives a range. `check_ranges` checks the two numbers, because msgspec
#: (0.22) reads memory outside its bounds for a union of a bounded number and a tuple of fixed length.
Price = NotNegative | tuple[NotNegative, ...]
Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]

#: The ports that a switch needs: their number at each rate, Gb/s.
PortCounts = Mapping[float, int]


def gbps(description: str) -> Any:
    """The annotation of a key that holds a rate in Gb/s."""
    return setting(description, unit="Gb/s", above=0, most=1e15)


def watts(description: str) -> Any:
    """The annotation of a key that holds a power in watts."""
    return setting(description, unit="W", least=0, most=1e15)


#: The materials of a cable; "any" where the source does not say.
Medium = Literal["electric", "copper", "passive copper", "active copper", "fibre", "optical", "any"]

#: The keys of a cable's price line.
LINE = ("base_usd", "per_metre_usd", "base_usd_per_gbps", "per_metre_usd_per_gbps")

#: Lengths that differ by less than this, in metres, are equal: sums of positions have rounding errors.
LENGTH_ERROR_M = 1e-9


def port_total(ports: int | PortCounts) -> int:
    """The number of ports, of all rates together."""
    return ports if isinstance(ports, int) else sum(ports.values())


def shown_ports(ports: int | PortCounts) -> str:
    """Ports in words, those of the lowest rate first.

    >>> shown_ports(64), shown_ports({400.0: 8, 100.0: 32})
    ('64', '32 x 100G + 8 x 400G')
    """
    if isinstance(ports, int):
        return str(ports)
    return " + ".join(f"{ports[rate]} x {rate:.10g}G" for rate in sorted(ports))


def low_high(price: Price | None) -> np.ndarray:
    """The lowest and the highest value of a price, float64[2]; 0 without a price."""
    return np.array(price if isinstance(price, tuple) else (price or 0.0,) * 2, float)


def check_ranges(struct: msgspec.Struct, *keys: str) -> None:
    """Raise `ValueError` for prices under these keys that are neither a number nor [lowest, highest]."""
    for key in keys:
        value = getattr(struct, key)
        for price in value if key == "prices_usd" else (value,):
            if isinstance(price, tuple) and (len(price) != 2 or price[0] > price[1]):
                shown = ", ".join(f"{usd:g}" for usd in price)
                raise ValueError(f"{key}: [{shown}] is not a range; give a number or [lowest, highest]")


#: How reliable a figure is; the built-in catalogues have no D (a guess, or a figure not read in the original).
Confidence = Literal["A", "B", "C", "D"]


class Cited(TomlTable, frozen=True, kw_only=True):
    """Base of a catalogue's products: the source of their figures."""

    group: ClassVar[str] = "parts"

    vendor: Annotated[str, setting("the manufacturer")] = ""
    part_number: Annotated[str, setting("the manufacturer's order number")] = ""
    source: Annotated[str, setting("the source of its figures; the catalogue's, if omitted")] = ""
    date: Annotated[datetime.date | None, setting("the date of the figures, or of reading them")] = None
    confidence: (
        Annotated[
            Confidence,
            setting(
                "A: the vendor's manual or reference architecture; B: curated public data; C: a single third-party page;"
                " D: a guess. The worst of its figures counts"
            ),
        ]
        | None
    ) = None
    quotes: Annotated[
        str, setting("the name of the quotes that its price is from; set when a file of quotes is applied")
    ] = ""
    seller: Annotated[str, setting("who quoted the price")] = ""
    quoted: Annotated[datetime.date | None, setting("the date of the quote")] = None
    valid_until: Annotated[datetime.date | None, setting("the last day of the quote; later, a warning names it")] = None
    lead_weeks: (
        Annotated[float, setting("the time from order to delivery", unit="weeks", least=0, most=10_000)] | None
    ) = None
