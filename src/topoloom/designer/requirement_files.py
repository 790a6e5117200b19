"""Reading requirement files; each error names the line."""

import re
from pathlib import Path

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.files import read_text
from topoloom.core.toml_files import LONGEST, parse_toml
from topoloom.core.toml_lines import line_of
from topoloom.cost.panelled import unpriced_shuffles
from topoloom.designer.requirement import Requirement
from topoloom.placement.floors.floor import PRESETS
from topoloom.topologies.spec import FAMILIES, build


def read_requirement(path: str | Path) -> Requirement:
    """The requirement in a TOML file.

    A path under ``parts`` is relative to the requirement's folder.

    Raises
    ------
    InputError
        ``file:line: reason`` for anything that cannot be read or used.
    """
    return requirement_of(read_text(path, LONGEST), str(path), Path(path).parent)


def requirement_of(text: str, source: str, folder: str | Path = ".") -> Requirement:
    """The requirement in a TOML text.

    Parameters
    ----------
    text : str
    source : str
        Its name in error messages.
    folder : path
        The folder that relative paths start from.

    Raises
    ------
    InputError
        ``source:line: reason`` for anything that cannot be read or used.
    """
    requirement, folder = parse_toml(text, Requirement, source), Path(folder)

    def complain(error: object, *keys: str) -> InputError:
        line = line_of(text, list(keys))
        return InputError(f"{source}{f':{line}' if line else ''}: {'.'.join(keys)}: {error}")

    for key in ("parts", "prices"):
        value = getattr(requirement, key)
        if value.endswith(".toml") and not Path(value).is_absolute():
            requirement = msgspec.structs.replace(requirement, **{key: str(folder / value)})
    if requirement.floor.file:
        other = [
            key for key in requirement.floor.__struct_fields__ if key != "file" and f"\n{key}" in _table(text, "floor")
        ]
        if other:
            raise complain(
                f"a floor file describes the whole floor; remove {other[0]} here, or set it in that file",
                "floor",
                other[0],
            )
        if not Path(requirement.floor.file).is_absolute():
            requirement = msgspec.structs.replace(
                requirement, floor=msgspec.structs.replace(requirement.floor, file=str(folder / requirement.floor.file))
            )
        try:
            requirement.floor.floor()
        except InputError as error:
            raise complain(error, "floor", "file") from None
    if requirement.floor.preset not in PRESETS:
        raise complain(f"no floor named '{requirement.floor.preset}' (known: {', '.join(PRESETS)})", "floor", "preset")
    for key, names in (("try", requirement.families.only), ("leave_out", requirement.families.leave_out)):
        for name in names:
            try:
                FAMILIES.find(name)
            except InputError as error:
                raise complain(error, "families", key) from None
    for spec in requirement.families.specs:
        try:
            build(spec)
        except InputError as error:
            raise complain(error, "families", "specs") from None
    try:
        parts = requirement.whole_catalogue()
    except InputError as error:
        raise complain(error, "prices" if requirement.prices else "parts") from None
    try:
        requirement.catalogue()
    except InputError as error:
        raise complain(error, "switch", "product") from None
    try:
        requirement.check_host()
    except InputError as error:
        key, _, reason = str(error).partition(": ")
        raise complain(reason, "host", key) from None
    try:
        requirement.check_phases()
    except InputError as error:
        # The sentence names the phase, counted from 1.
        number = re.match(r"phase ([0-9]+) ", str(error))
        line = line_of(text, ["phase", *([str(int(number[1]) - 1)] if number else [])])
        raise InputError(f"{source}{f':{line}' if line else ''}: {error}") from None
    wanted = requirement.least.grow_to_hosts
    if wanted is not None and wanted < requirement.hosts:
        raise complain(
            f"{wanted:,} is below hosts = {requirement.hosts:,}; give the hosts after the growth",
            "least",
            "grow_to_hosts",
        )
    if parts.unpriced and not requirement.prices:
        raise complain(
            f"the catalogue '{parts.name}' has no prices (unpriced), and a design needs them; give your quotes with prices",
            "parts",
        )
    missing = unpriced_shuffles(parts) if requirement.cable.panels is not None else []
    if missing:
        raise complain(
            f"'{missing[0]}' of '{parts.name}' has no price, and a design with panels needs it; give a quote for it",
            "cable",
            "panels",
        )
    try:
        return requirement.filled()
    except InputError as error:
        raise complain(error, "switch") from None


def _table(text: str, name: str) -> str:
    """The lines of one table of a TOML text."""
    match = re.search(rf"^\[{name}\][^\n]*(\n(?!\[)[^\n]*)*", text, re.MULTILINE)
    return match[0] if match else ""
