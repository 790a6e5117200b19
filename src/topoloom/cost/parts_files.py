"""Reading and writing parts catalogues: by name, from TOML, from NetBox device types, and as JSON in a network folder."""

import math
import os
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec

from topoloom.core.errors import InputError, naming
from topoloom.core.files import read_text
from topoloom.core.json_files import indented_json, parse_json
from topoloom.core.register import Register
from topoloom.core.toml_files import LONGEST, parse_toml
from topoloom.cost.device_types import SUFFIXES, device_types
from topoloom.cost.parts import Parts
from topoloom.cost.switch_products import SwitchParts

#: The catalogues by name: the built-in ones, and those of other packages.
PARTS: Register[Parts] = Register("parts catalogue", package="topoloom.cost.catalogues", group="topoloom.parts")


def register_parts(file: Path | Traversable) -> Parts:
    """Add the catalogue of a TOML file to `PARTS`, under the name that it contains.

    Raises
    ------
    InputError
        The file cannot be read or used, or the name is taken.
    """
    parts = _checked(file.read_text(encoding="utf-8"), str(file))
    del parts.__dict__["path"]  # errors then name the catalogue, not a file of an installed package
    PARTS.add(parts.name, parts)
    return parts


def load_parts(name: str | Path) -> Parts:
    """A parts catalogue: one of `PARTS` by name (``slimfly-2014``), a TOML file, or NetBox device types.

    Device types are a YAML file of NetBox's library or a folder of them; the cables are then those of ``infiniband-2026``
    where most of the switches are InfiniBand, else those of ``ethernet-2026``.

    Raises
    ------
    InputError
        The file cannot be read or used (``file:line: reason``), or no catalogue has this name.

    Examples
    --------
    >>> load_parts("slimfly-2014").switch_usd(44)
    14525.3
    """
    if Path(name).suffix == ".toml":
        return _checked(read_text(name, LONGEST), str(name))
    if Path(name).suffix in SUFFIXES or (str(name) not in PARTS and os.path.isdir(name)):
        return _of_device_types(Path(name))
    try:
        return PARTS.find(str(name))
    except InputError as error:
        raise InputError(
            f"{error}; or give the path of a .toml file, or of device types of NetBox (.yaml, or a folder)"
        ) from None


def _of_device_types(path: Path) -> Parts:
    """The switches of NetBox device types, with the cables of a built-in catalogue."""
    products, infiniband = device_types(path)
    base = PARTS.find("infiniband-2026" if infiniband else "ethernet-2026")
    return Parts(
        name=path.resolve().stem,
        source=f"switches: NetBox device types in {path}; cables and interfaces: {base.name}",
        cable=base.cable,
        switch=SwitchParts(product=tuple(products)),
        slack_m=base.slack_m,
        transceiver=base.transceiver,
        nic=base.nic,
        server=base.server,
        unpriced=("switch", "cable"),
    )


@lru_cache(maxsize=8)
def _checked(text: str, source: str) -> Parts:
    """A catalogue from its text; cached, because a command needs the same one several times."""
    parts = parse_toml(text, Parts, source)
    parts.__dict__["path"] = source  # for error messages; not a key of the catalogue
    parts.check()
    return parts


def parts_json(parts: Parts) -> bytes:
    """A catalogue as JSON, for a folder that must be read later with the prices that it was written with."""
    return indented_json(_finite(msgspec.to_builtins(parts)))


def _finite(value: Any) -> Any:
    """Plain data without keys whose value is infinite, which JSON cannot hold; infinity is their default."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items() if item != math.inf}
    return [_finite(item) for item in value] if isinstance(value, (list, tuple)) else value


def parts_from_json(text: str, source: str) -> Parts:
    """The catalogue in a JSON file `source` that `parts_json` wrote.

    Raises
    ------
    InputError
        The file is damaged.
    """
    parts = parse_json(text, source, Parts, "parts catalogue")
    with naming(source):
        parts.check()
    return parts
