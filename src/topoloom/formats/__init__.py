"""File formats: one file a format; `load` and `save` choose by suffix or by name."""

from topoloom.formats._registry import FORMATS, Format, encode, format_for, losses, register
from topoloom.formats._storage import choose_format, load, parsed, read_source, save

__all__ = [
    "FORMATS",
    "Format",
    "choose_format",
    "encode",
    "format_for",
    "load",
    "losses",
    "parsed",
    "read_source",
    "register",
    "save",
]
