"""The requirement file: what it may say, and reading it."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from topoloom.errors import InputError
from topoloom.floors.floor import PRESETS, Floor, preset
from topoloom.toml_files import read_toml

_Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
_Side = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
# The upper bound keeps inf and NaN out, which TOML knows.
_Positive = Annotated[float, msgspec.Meta(gt=0, le=1e15)]
_NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e15)]


class SwitchNeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The switches that can be had: their ports, and the delay of passing one."""

    radix: Annotated[int, msgspec.Meta(ge=2, le=4096)]
    delay_ns: _NotNegative = 100.0


class CableNeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cables: signal delay a metre (5 ns is light in glass or copper), and whether host cables are billed."""

    delay_ns_per_m: _NotNegative = 5.0
    hosts: bool = False


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a design must not exceed; a limit that is not given does not limit.

    `cost_over_best`: at most so many times the cheapest design found; a candidate whose switches alone cost more is not
    even measured.
    """

    diameter: _Count | None = None
    worst_latency_ns: _Positive | None = None
    cost_per_host_usd: _Positive | None = None
    power_per_host_w: _Positive | None = None
    longest_cable_m: _Positive | None = None
    oversubscription: _Positive | None = None
    busiest_channel: _Positive | None = None
    switches: _Count | None = None
    cabinets: _Count | None = None
    cost_over_best: Annotated[float, msgspec.Meta(ge=1, le=1e15)] = 2.0


class FloorNeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The machine room: a preset, and what differs from it."""

    preset: str = "slimfly-2014"
    rows: _Side | None = None
    columns: _Side | None = None
    width_m: _Positive | None = None
    depth_m: _Positive | None = None
    inside_m: _NotNegative | None = None
    overhead_end_m: _NotNegative | None = None
    switches_per_cabinet: _Count | None = None
    hosts_per_cabinet: _Count | None = None
    sequence_cabinet: _Count | None = None
    sequence_hosts: _Count | None = None

    def floor(self) -> Floor:
        """The floor that is meant."""
        changes = {key: getattr(self, key) for key in self.__struct_fields__ if key != "preset"}
        return preset(self.preset, **{key: value for key, value in changes.items() if value is not None})


class FamiliesNeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"only": "try"}):
    """Which families to try (all, if empty), which to leave out, and specs to measure besides."""

    only: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    specs: tuple[str, ...] = ()


#: What can be minimised: the columns of a candidate where less is better.
Objective = Literal[
    "cost_per_host_usd",
    "power_per_host_w",
    "mean_latency_ns",
    "worst_latency_ns",
    "host_aspl",
    "switches",
    "mean_cable_m",
    "oversubscription",
    "busiest_channel",
    "cost_usd",
    "power_w",
]


class Need(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A requirement, as a person writes it in TOML."""

    hosts: Annotated[int, msgspec.Meta(ge=2, le=1_000_000)]
    switch: SwitchNeed
    title: str = "A network"
    rate_gbps: _Positive = 40.0
    cable: CableNeed = CableNeed()
    limits: Limits = Limits()
    floor: FloorNeed = FloorNeed()
    parts: str = "slimfly-2014"
    minimize: Objective = "cost_per_host_usd"
    families: FamiliesNeed = FamiliesNeed()
    compare: tuple[Literal["besta-2014/table-iv"], ...] = ()


def read_need(path: str | Path) -> Need:
    """The requirement in a TOML file.

    A path under ``parts`` is taken from the requirement's own folder.

    Raises
    ------
    InputError
        ``file:line: reason`` for anything that cannot be read or used.
    """
    from topoloom.cost.parts import load_parts
    from topoloom.spec import FAMILIES, build
    from topoloom.toml_files import line_of

    need = read_toml(path, Need)
    text = Path(path).read_text(encoding="utf-8")

    def complain(error: object, *keys: str) -> InputError:
        line = line_of(text, list(keys))
        return InputError(f"{path}{f':{line}' if line else ''}: {'.'.join(keys)}: {error}")

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
    if need.parts.endswith(".toml") and not Path(need.parts).is_absolute():
        need = msgspec.structs.replace(need, parts=str(Path(path).parent / need.parts))
    try:
        parts = load_parts(need.parts)
    except InputError as error:
        raise complain(error, "parts") from None
    if parts.unpriced:
        raise complain(f"'{parts.name}' has no prices of everything (unpriced); a design needs them", "parts")
    return need
