"""Spares: what lies on the shelf for the day when a part fails."""

from typing import Annotated, ClassVar

from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable


class Spares(TomlTable, frozen=True):
    """How many of the parts of a bill are bought besides, in per cent; a part of a piece counts as a whole one."""

    group: ClassVar[str] = "[spares]"

    switches: Annotated[float, setting("of each model of switch, and at least one", unit="%", least=0, most=1000)] = 1.0
    cables: Annotated[float, setting("of each product of cable and transceiver", unit="%", least=0, most=1000)] = 2.0
    nics: Annotated[float, setting("of the network interfaces", unit="%", least=0, most=1000)] = 0.0
