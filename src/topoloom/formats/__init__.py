"""File formats: one file a format; `load` and `save` choose by suffix or by name."""

from topoloom.formats._registry import Format, encode, find_format, format_for, formats, losses
from topoloom.formats._storage import choose_format, load, save

__all__ = ["Format", "choose_format", "encode", "find_format", "format_for", "formats", "load", "losses", "save"]
