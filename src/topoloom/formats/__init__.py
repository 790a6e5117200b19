"""File formats: one file per format; `load` and `save` select one by suffix or by name."""

from topoloom.formats._registry import FORMATS, Format, dropped_by, encode, encode_directed, format_for, register
from topoloom.formats._storage import choose_format, load, parsed, read_source, save, save_directed

__all__ = [
    "FORMATS",
    "Format",
    "choose_format",
    "dropped_by",
    "encode",
    "encode_directed",
    "format_for",
    "load",
    "parsed",
    "read_source",
    "register",
    "save",
    "save_directed",
]
