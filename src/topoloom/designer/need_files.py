"""Requirement files: read, and each mistake named by its line."""

import re
from pathlib import Path

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.files import read_text
from topoloom.core.toml_files import LONGEST, parse_toml
from topoloom.core.toml_lines import line_of
from topoloom.designer.need import Need
from topoloom.placement.floors.floor import PRESETS
from topoloom.topologies.spec import FAMILIES, build


def read_need(path: str | Path) -> Need:
    """The requirement in a TOML file.

    A path under ``parts`` is taken from the requirement's own folder.

    Raises
    ------
    InputError
        ``file:line: reason`` for anything that cannot be read or used.
    """
    return need_of(read_text(path, LONGEST), str(path), Path(path).parent)


def need_of(text: str, source: str, beside: str | Path = ".") -> Need:
    """The requirement that a TOML text is.

    Parameters
    ----------
    text : str
    source : str
        What it is called in complaints.
    beside : path
        The folder that its paths start from.

    Raises
    ------
    InputError
        ``source:line: reason`` for anything that cannot be read or used.
    """
    need, beside = parse_toml(text, Need, source), Path(beside)

    def complain(error: object, *keys: str) -> InputError:
        line = line_of(text, list(keys))
        return InputError(f"{source}{f':{line}' if line else ''}: {'.'.join(keys)}: {error}")

    for key in ("parts", "prices"):
        value = getattr(need, key)
        if value.endswith(".toml") and not Path(value).is_absolute():
            need = msgspec.structs.replace(need, **{key: str(beside / value)})
    if need.floor.file:
        other = [key for key in need.floor.__struct_fields__ if key != "file" and f"\n{key}" in _table(text, "floor")]
        if other:
            raise complain(
                f"a floor file says all of the floor; take {other[0]} out, or write it there", "floor", other[0]
            )
        if not Path(need.floor.file).is_absolute():
            need = msgspec.structs.replace(
                need, floor=msgspec.structs.replace(need.floor, file=str(beside / need.floor.file))
            )
        try:
            need.floor.floor()
        except InputError as error:
            raise complain(error, "floor", "file") from None
    if need.floor.preset not in PRESETS:
        raise complain(f"no floor named '{need.floor.preset}' (known: {', '.join(PRESETS)})", "floor", "preset")
    for key, names in (("try", need.families.only), ("leave_out", need.families.leave_out)):
        for name in names:
            try:
                FAMILIES.find(name)
            except InputError as error:
                raise complain(error, "families", key) from None
    for spec in need.families.specs:
        try:
            build(spec)
        except InputError as error:
            raise complain(error, "families", "specs") from None
    try:
        parts = need.catalogue()
    except InputError as error:
        raise complain(error, "prices" if need.prices else "parts") from None
    if parts.unpriced and not need.prices:
        raise complain(
            f"'{parts.name}' has no prices of everything (unpriced); a design needs them: lay yours over it with prices",
            "parts",
        )
    try:
        return need.filled()
    except InputError as error:
        raise complain(error, "switch") from None


def _table(text: str, name: str) -> str:
    """The lines of one table of a TOML text."""
    found = re.search(rf"^\[{name}\][^\n]*(\n(?!\[)[^\n]*)*", text, re.MULTILINE)
    return found[0] if found else ""
