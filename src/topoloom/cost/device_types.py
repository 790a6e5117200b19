"""Device types of the NetBox community as a parts catalogue: switches from YAML files, with the cables of a catalogue of ours.

A file is one of github.com/netbox-community/devicetype-library (its schema/devicetype.json), or a folder of such files. What it
does not say is made of rules, and the product's `source` names them:

* ports: the most frequent type of interface that is not for management and has a rate; without those whose names are like no
  other's, such as the one port for a fabric manager among the numbered ones;
* their rate: from the name of the type (``400gbase-x-qsfpdd``, ``infiniband-ndr``: four lanes);
* watts: only what all power supplies may draw together, an upper bound, for many are spare.

A device with fewer than eight such ports is a server or an appliance, and omitted. There are no prices in them.
"""

import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import msgspec

from topoloom.core.errors import InputError, at
from topoloom.core.files import read_text
from topoloom.core.yaml_files import parse_yaml
from topoloom.cost.products import SwitchProduct

#: Suffixes of such files.
SUFFIXES = (".yaml", ".yml")
#: Fewer ports make no switch.
_LEAST_PORTS = 8
#: A file is some kilobytes; the library has some thousand files.
_LONGEST, _MOST_FILES = 400_000, 20_000
#: Gb/s of InfiniBand's types, four lanes.
_INFINIBAND = {
    "sdr": 10.0,
    "ddr": 20.0,
    "qdr": 40.0,
    "fdr10": 40.0,
    "fdr": 56.0,
    "edr": 100.0,
    "hdr": 200.0,
    "ndr": 400.0,
    "xdr": 800.0,
}
_KILOGRAMS = {"kg": 1.0, "g": 0.001, "lb": 0.45359237, "oz": 0.028349523125}

_Watts = Annotated[float, msgspec.Meta(ge=0, le=1e6)]


class _Interface(msgspec.Struct):
    name: str
    type: str
    mgmt_only: bool = False


class _PowerPort(msgspec.Struct):
    maximum_draw: _Watts | None = None
    allocated_draw: _Watts | None = None


class _DeviceType(msgspec.Struct, rename={"power_ports": "power-ports"}):
    manufacturer: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    u_height: Annotated[float, msgspec.Meta(ge=0, le=100)] = 1.0
    weight: Annotated[float, msgspec.Meta(gt=0, le=1e6)] | None = None
    weight_unit: str = "kg"
    interfaces: list[_Interface] = []
    power_ports: list[_PowerPort] = []


def interface_rate_gbps(kind: str) -> float | None:
    """The rate of NetBox's type of an interface, Gb/s; None where its name says none.

    Examples
    --------
    >>> [interface_rate_gbps(kind) for kind in ("400gbase-x-qsfpdd", "1000base-t", "infiniband-ndr", "virtual")]
    [400.0, 1.0, 400.0, None]
    """
    if kind.startswith("infiniband-"):
        return _INFINIBAND.get(kind.removeprefix("infiniband-"))
    found = re.match(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)([gt]?)base", kind)
    if found is None or float(found[1]) == 0:
        return None
    return float(found[1]) * {"": 0.001, "g": 1.0, "t": 1000.0}[found[2]]


def device_type(path: Path) -> tuple[SwitchProduct, bool] | None:
    """The switch of a file, and whether it is InfiniBand by its types; None where it is no switch.

    Raises
    ------
    InputError
        The file cannot be read, is no device type, or PyYAML is not installed.
    """
    return _switch_of(read_text(path, _LONGEST), path)


@lru_cache(maxsize=_MOST_FILES)
def _switch_of(text: str, path: Path) -> tuple[SwitchProduct, bool] | None:
    """As `device_type`, from the text of the file; a command asks for the same one several times."""
    told = parse_yaml(text, _DeviceType, str(path), "device type", strict=False)
    stems = Counter(_stem(one.name) for one in told.interfaces)
    kinds = Counter(
        one.type
        for one in told.interfaces
        if not one.mgmt_only and stems[_stem(one.name)] > 1 and interface_rate_gbps(one.type) is not None
    )
    if not kinds:
        return None
    # Of types that are as frequent, the fastest.
    kind = max(kinds, key=lambda one: (kinds[one], interface_rate_gbps(one) or 0))
    if kinds[kind] < _LEAST_PORTS:
        return None
    draws = [max(one.maximum_draw or 0, one.allocated_draw or 0) for one in told.power_ports]
    watts = sum(draws)
    notes = [f"{kinds[kind]} interfaces of type {kind}"]
    if watts:
        notes.append(f"watts: {sum(draw > 0 for draw in draws)} supplies together, an upper bound")
    if told.weight is not None and told.weight_unit not in _KILOGRAMS:
        raise at(str(path), None, f"weight_unit {told.weight_unit[:20]!a} is not one of {', '.join(_KILOGRAMS)}")
    weight_kg = None if told.weight is None else told.weight * _KILOGRAMS[told.weight_unit]
    product = SwitchProduct(
        name=told.model,
        vendor=told.manufacturer,
        ports=kinds[kind],
        rate_gbps=interface_rate_gbps(kind),
        u=told.u_height or None,
        weight_kg=weight_kg,
        power_max_w=watts or None,
        power_max_kind="power supply",
        source=f"NetBox device type {path.name}: {'; '.join(notes)}",
        confidence="B",
    )
    return product, kind.startswith("infiniband-")


def _stem(name: str) -> str:
    """A name without its numbers."""
    return re.sub(r"[0-9]+", "#", name)


def device_types(path: Path) -> tuple[list[SwitchProduct], bool]:
    """The switches of a file or of all files of a folder, by ports and name; and whether most of them are InfiniBand.

    Raises
    ------
    InputError
        As `device_type`; no switch is among them.
    """
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
        if len(files) > _MOST_FILES:
            raise InputError(f"{path}: {len(files)} files; at most {_MOST_FILES} are read: name a folder of one maker")
    found = [one for one in map(device_type, files) if one is not None]
    if not found:
        what = "none of its files is a switch" if path.is_dir() else "is no switch"
        raise InputError(
            f"{path}: {what}: it has {_LEAST_PORTS} or more interfaces, not for management, of a type whose name says a rate"
        )
    count = Counter(product.name for product, _ in found)
    named = [
        msgspec.structs.replace(one, name=f"{one.vendor} {one.name}") if count[one.name] > 1 else one
        for one, _ in found
    ]
    return sorted(named, key=lambda one: (one.ports, one.name)), 2 * sum(ib for _, ib in found) > len(found)
