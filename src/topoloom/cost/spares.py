"""Spares: parts that are bought in reserve for failures."""

from typing import Annotated, ClassVar

from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable


class Spares(TomlTable, frozen=True):
    """Spare parts, as percentages of the parts in a bill; fractions are rounded up."""

    group: ClassVar[str] = "[spares]"

    switches: Annotated[
        float, setting("share of each switch model, rounded up to at least one", unit="%", least=0, most=1000)
    ] = 1.0
    cables: Annotated[float, setting("share of each cable and transceiver product", unit="%", least=0, most=1000)] = 2.0
    nics: Annotated[float, setting("share of the network interfaces", unit="%", least=0, most=1000)] = 0.0
