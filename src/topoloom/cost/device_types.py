"""NetBox device types as a parts catalogue: switches from YAML files, combined with the cables of a built-in catalogue.

The input is one file of github.com/netbox-community/devicetype-library (its schema/devicetype.json), or a folder of such files.
Values that a file does not state follow from rules, which the product's `source` names:

* ports: the most frequent type of interface that has a rate and is not for management; interfaces with a unique kind of name,
  such as the one port for a fabric manager among numbered ones, are not counted;
* their rate: from the name of the type (``400gbase-x-qsfpdd``, ``infiniband-ndr``: four lanes);
* power: only what all power supplies may draw together, an upper bound, because some of them are redundant.

A device with fewer than eight such ports is a server or an appliance, and is omitted. The files have no prices.
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
from topoloom.cost.switch_products import SwitchProduct

#: Suffixes of device type files.
SUFFIXES = (".yaml", ".yml")
#: Least ports of a switch.
_LEAST_PORTS = 8
#: Most characters of a file (typical: some kilobytes), and most files of a folder (the library has some thousand).
_MOST_CHARACTERS, _MOST_FILES = 400_000, 20_000
#: Gb/s of InfiniBand's types, with four lanes.
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
    """The rate of a NetBox interface type, Gb/s; None where its name gives none.

    Examples
    --------
    >>> [interface_rate_gbps(kind) for kind in ("400gbase-x-qsfpdd", "1000base-t", "infiniband-ndr", "virtual")]
    [400.0, 1.0, 400.0, None]
    """
    if kind.startswith("infiniband-"):
        return _INFINIBAND.get(kind.removeprefix("infiniband-"))
    match = re.match(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)([gt]?)base", kind)
    if match is None or float(match[1]) == 0:
        return None
    return float(match[1]) * {"": 0.001, "g": 1.0, "t": 1000.0}[match[2]]


def device_type(path: Path) -> tuple[SwitchProduct, bool] | None:
    """The switch in a file, and whether its interfaces are InfiniBand; None where the device is not a switch.

    Raises
    ------
    InputError
        The file cannot be read or is not a device type, or PyYAML is not installed.
    """
    return _switch_of(read_text(path, _MOST_CHARACTERS), path)


@lru_cache(maxsize=_MOST_FILES)
def _switch_of(text: str, path: Path) -> tuple[SwitchProduct, bool] | None:
    """As `device_type`, from the text of the file; cached, because a command needs the same one several times."""
    device = parse_yaml(text, _DeviceType, str(path), "device type", strict=False)
    stems = Counter(_stem(interface.name) for interface in device.interfaces)
    kinds = Counter(
        interface.type
        for interface in device.interfaces
        if not interface.mgmt_only
        and stems[_stem(interface.name)] > 1
        and interface_rate_gbps(interface.type) is not None
    )
    if not kinds:
        return None
    # Of equally frequent types, the fastest.
    kind = max(kinds, key=lambda each: (kinds[each], interface_rate_gbps(each) or 0))
    if kinds[kind] < _LEAST_PORTS:
        return None
    draws = [max(supply.maximum_draw or 0, supply.allocated_draw or 0) for supply in device.power_ports]
    watts = sum(draws)
    notes = [f"{kinds[kind]} interfaces of type {kind}"]
    if watts:
        notes.append(f"power: {sum(draw > 0 for draw in draws)} supplies together, an upper bound")
    if device.weight is not None and device.weight_unit not in _KILOGRAMS:
        raise at(str(path), None, f"weight_unit {device.weight_unit[:20]!a} is not one of {', '.join(_KILOGRAMS)}")
    weight_kg = None if device.weight is None else device.weight * _KILOGRAMS[device.weight_unit]
    product = SwitchProduct(
        name=device.model,
        vendor=device.manufacturer,
        ports=kinds[kind],
        rate_gbps=interface_rate_gbps(kind),
        u=device.u_height or None,
        weight_kg=weight_kg,
        power_max_w=watts or None,
        power_max_kind="power supply",
        netbox_type=kind,
        source=f"NetBox device type {path.name}: {'; '.join(notes)}",
        confidence="B",
    )
    return product, kind.startswith("infiniband-")


def _stem(name: str) -> str:
    """A name with its numbers replaced by "#"."""
    return re.sub(r"[0-9]+", "#", name)


def device_types(path: Path) -> tuple[list[SwitchProduct], bool]:
    """The switches of a file or folder, by ports and name; and whether most of them are InfiniBand.

    Raises
    ------
    InputError
        As `device_type`; or no file describes a switch.
    """
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES and file.is_file())
        if len(files) > _MOST_FILES:
            raise InputError(
                f"{path}: {len(files)} files; at most {_MOST_FILES} are read; name the folder of one vendor"
            )
    switches = [switch for switch in map(device_type, files) if switch is not None]
    if not switches:
        what = "no file describes a switch" if path.is_dir() else "the device is not a switch"
        raise InputError(
            f"{path}: {what}: a switch has {_LEAST_PORTS} or more non-management interfaces of a type whose name gives a rate"
        )
    count = Counter(product.name for product, _ in switches)
    named = [
        msgspec.structs.replace(product, name=f"{product.vendor} {product.name}")
        if count[product.name] > 1
        else product
        for product, _ in switches
    ]
    return sorted(named, key=lambda product: (product.ports, product.name)), 2 * sum(ib for _, ib in switches) > len(
        switches
    )
