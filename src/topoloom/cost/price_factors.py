"""PriceFactors: a catalogue's prices times a factor for each kind of part, to see what hangs on them."""

from typing import Annotated, Any, ClassVar

import msgspec

from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable
from topoloom.cost.parts import Parts


class PriceFactors(TomlTable, frozen=True):
    """The table [price_factors]: what all prices of a kind of part are multiplied by."""

    group: ClassVar[str] = "[price_factors]"

    switch: Annotated[float, setting("of switches", least=0, most=1e6)] = 1.0
    cable: Annotated[float, setting("of cables", least=0, most=1e6)] = 1.0
    transceiver: Annotated[float, setting("of transceivers", least=0, most=1e6)] = 1.0
    nic: Annotated[float, setting("of network interfaces", least=0, most=1e6)] = 1.0


def with_factors(parts: Parts, factors: PriceFactors) -> Parts:
    """A catalogue whose prices are multiplied; the same one where all factors are 1.

    Examples
    --------
    >>> from topoloom.cost.parts_files import load_parts
    >>> parts = load_parts("slimfly-2014")
    >>> dear = with_factors(parts, PriceFactors(switch=2.0))
    >>> dear.switch_usd(36) / parts.switch_usd(36)
    2.0
    """
    changed = {name: value for name in factors.__struct_fields__ if (value := getattr(factors, name)) != 1}
    if not changed:
        return parts
    told = ", ".join(f"{name} x {value:g}" for name, value in changed.items())
    made = {name: _times(getattr(parts, name), value) for name, value in changed.items()}
    return msgspec.structs.replace(parts, name=f"{parts.name} ({told})", **made)


def _times(part: Any, factor: float) -> Any:
    """A product, or several, with every price of theirs multiplied."""
    if isinstance(part, tuple):
        return tuple(_times(one, factor) for one in part)
    changes = {}
    for name in part.__struct_fields__:
        value = getattr(part, name)
        if "usd" in name:
            changes[name] = _multiplied(value, factor)
        elif name == "product":
            changes[name] = _times(value, factor)
    return msgspec.structs.replace(part, **changes) if changes else part


def _multiplied(value: Any, factor: float) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_multiplied(one, factor) for one in value)
    return value if value is None else value * factor
