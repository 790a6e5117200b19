"""Price factors: the prices of a catalogue, multiplied per kind of part, to see how a result depends on them."""

from typing import Annotated, Any, ClassVar

import msgspec

from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable
from topoloom.cost.parts import Parts


class PriceFactors(TomlTable, frozen=True):
    """The table [price_factors]: one factor per kind of part, for all its prices."""

    group: ClassVar[str] = "[price_factors]"

    switch: Annotated[float, setting("factor for prices of switches", least=0, most=1e6)] = 1.0
    cable: Annotated[float, setting("factor for prices of cables", least=0, most=1e6)] = 1.0
    transceiver: Annotated[float, setting("factor for prices of transceivers", least=0, most=1e6)] = 1.0
    nic: Annotated[float, setting("factor for prices of network interfaces", least=0, most=1e6)] = 1.0
    panel: Annotated[float, setting("factor for prices of passive panels", least=0, most=1e6)] = 1.0


def with_factors(parts: Parts, factors: PriceFactors) -> Parts:
    """A catalogue with multiplied prices; the same catalogue if all factors are 1.

    Examples
    --------
    >>> from topoloom.cost.parts_files import load_parts
    >>> parts = load_parts("slimfly-2014")
    >>> doubled = with_factors(parts, PriceFactors(switch=2.0))
    >>> doubled.switch_usd(36) / parts.switch_usd(36)
    2.0
    """
    changed = {name: value for name in factors.__struct_fields__ if (value := getattr(factors, name)) != 1}
    if not changed:
        return parts
    listed = ", ".join(f"{name} x {value:g}" for name, value in changed.items())
    # Cords and trunks are cables.
    tables = {name: (name, "cord", "trunk") if name == "cable" else (name,) for name in changed}
    multiplied = {
        table: _with_prices_times(getattr(parts, table), changed[name]) for name, own in tables.items() for table in own
    }
    return msgspec.structs.replace(parts, name=f"{parts.name} ({listed})", **multiplied)


def _with_prices_times(part: Any, factor: float) -> Any:
    """A product, a tuple of products or a table of them, with every price multiplied."""
    if isinstance(part, tuple):
        return tuple(_with_prices_times(product, factor) for product in part)
    changes = {}
    for name in part.__struct_fields__:
        value = getattr(part, name)
        if "usd" in name:
            changes[name] = _times(value, factor)
        elif name == "product":
            changes[name] = _with_prices_times(value, factor)
    return msgspec.structs.replace(part, **changes) if changes else part


def _times(value: Any, factor: float) -> Any:
    """A price multiplied: a number, None, or a range or list of prices."""
    if isinstance(value, (tuple, list)):
        return type(value)(_times(price, factor) for price in value)
    return value if value is None else value * factor
