"""The requirement file: what it may say, and reading it."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from topoloom.errors import InputError
from topoloom.floors.floor import PRESETS, Floor, preset
from topoloom.settings import setting
from topoloom.toml_files import TomlTable, read_toml


def _count(description: str) -> Any:
    return setting(description, least=1, most=1_000_000_000)


def _side(description: str) -> Any:
    return setting(description, least=1, most=10_000)


# Upper bounds of 1e15 keep inf and NaN out, which TOML knows.
def _positive(description: str, unit: str = "") -> Any:
    return setting(description, unit=unit, above=0, most=1e15)


def _not_negative(description: str, unit: str = "") -> Any:
    return setting(description, unit=unit, least=0, most=1e15)


class SwitchNeed(TomlTable, frozen=True):
    """The switches that can be had: their ports, and the delay of passing one."""

    group: ClassVar[str] = "requirement [switch]"

    radix: Annotated[
        int,
        setting(
            "ports of the largest switch that can be had; links and hosts of every switch must fit. A design is billed"
            " for the ports that it uses",
            least=2,
            most=4096,
        ),
    ]
    delay_ns: Annotated[float, _not_negative("the delay of passing one switch", "ns")] = 100.0


class CableNeed(TomlTable, frozen=True):
    """Cables: their delay, and whether host cables are billed."""

    group: ClassVar[str] = "requirement [cable]"

    delay_ns_per_m: Annotated[
        float, _not_negative("the signal's delay a metre of cable; 5 ns is light in glass, or copper", "ns/m")
    ] = 5.0
    hosts: Annotated[
        bool, setting("whether the bill holds a cable, of the length inside a cabinet, for every host port")
    ] = False


class Limits(TomlTable, frozen=True):
    """What a design must not exceed; a limit that is left out does not limit."""

    group: ClassVar[str] = "requirement [limits]"

    diameter: Annotated[int, _count("hops between any two switches that carry hosts")] | None = None
    worst_latency_ns: (
        Annotated[
            float,
            _positive(
                "latency without load between the two hosts that are farthest apart: the switches on the path (both"
                " ends included) and the cables between them",
                "ns",
            ),
        ]
        | None
    ) = None
    cost_per_host_usd: (
        Annotated[float, _positive("the whole bill over the hosts that the design has room for", "USD")] | None
    ) = None
    power_per_host_w: Annotated[float, _positive("all watts over those hosts", "W")] | None = None
    longest_cable_m: Annotated[float, _positive("the longest cable between two switches", "m")] | None = None
    oversubscription: (
        Annotated[
            float,
            _positive(
                "hosts on a switch over those that would have full bandwidth for uniform traffic; 1 is full bandwidth"
            ),
        ]
        | None
    ) = None
    busiest_channel: (
        Annotated[
            float,
            _positive(
                "load of the busiest channel in link rates, when every host sends at full rate to all others over all"
                " shortest paths evenly; at 1 no channel is over full"
            ),
        ]
        | None
    ) = None
    switches: Annotated[int, _count("how many switches")] | None = None
    cabinets: Annotated[int, _count("how many cabinets")] | None = None
    cost_over_best: Annotated[
        float,
        setting(
            "cost a host, at most so many times the cheapest design found; a candidate whose switches alone cost more is"
            " not even measured, which saves time; a large number pursues all",
            least=1,
            most=1e15,
        ),
    ] = 2.0


class FloorNeed(TomlTable, frozen=True):
    """The machine room: a preset, and what differs from it."""

    group: ClassVar[str] = "requirement [floor]"

    preset: Annotated[
        str, setting("the floor to begin with, by name; each key beside it changes one of its values")
    ] = "slimfly-2014"
    rows: (
        Annotated[
            int,
            _side(
                "rows of places; with `columns`, the room: what needs more places is dropped. Without both the floor is as"
                " near to a square as it can be"
            ),
        ]
        | None
    ) = None
    columns: Annotated[int, _side("places in a row")] | None = None
    width_m: Annotated[float, _positive("from one place to the next in its row", "m")] | None = None
    depth_m: Annotated[float, _positive("from one row to the next, aisle included", "m")] | None = None
    inside_m: Annotated[float, _not_negative("the length of a cable inside a cabinet", "m")] | None = None
    overhead_end_m: (
        Annotated[
            float, _not_negative("what a cable between cabinets needs besides the distance, at each of its ends", "m")
        ]
        | None
    ) = None
    switches_per_cabinet: Annotated[int, _count("the most switches in a cabinet")] | None = None
    hosts_per_cabinet: Annotated[int, _count("the most hosts in a cabinet")] | None = None
    sequence_cabinet: (
        Annotated[
            int,
            _count(
                "switches that fill a cabinet when the family has no groups of its own and `switches_per_cabinet` is left"
                " out"
            ),
        ]
        | None
    ) = None
    sequence_hosts: (
        Annotated[
            int, _count("hosts that fill such a cabinet, when they come first and `hosts_per_cabinet` is left out")
        ]
        | None
    ) = None

    def floor(self) -> Floor:
        """The floor that is meant."""
        changes = {key: getattr(self, key) for key in self.__struct_fields__ if key != "preset"}
        return replace(preset(self.preset), **{key: value for key, value in changes.items() if value is not None})


class FamiliesNeed(TomlTable, frozen=True, rename={"only": "try"}):
    """Which families to try, which to leave out, and specs to measure besides."""

    group: ClassVar[str] = "requirement [families]"

    only: Annotated[tuple[str, ...], setting("the families that take part; all, if left out")] = ()
    leave_out: Annotated[tuple[str, ...], setting("families that do not")] = ()
    specs: Annotated[tuple[str, ...], setting("specs to measure besides, exactly as written, hosts included")] = ()


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


class Need(TomlTable, frozen=True):
    """A requirement, as a person writes it in TOML."""

    group: ClassVar[str] = "requirement"

    hosts: Annotated[
        int, setting("hosts that must be served; a design may have room for more", least=2, most=1_000_000)
    ]
    switch: Annotated[SwitchNeed, setting("the switches that can be had")]
    title: Annotated[str, setting("the report's title")] = "A network"
    rate_gbps: Annotated[float, _positive("the rate of every link; cables are priced per Gb/s", "Gb/s")] = 40.0
    cable: Annotated[CableNeed, setting("the cables: their delay, and whether the hosts' are billed")] = CableNeed()
    limits: Annotated[Limits, setting("what a design must not exceed")] = Limits()
    floor: Annotated[FloorNeed, setting("the machine room")] = FloorNeed()
    parts: Annotated[
        str, setting("a parts catalogue: by name, or a `.toml` file, its path taken from the folder of the requirement")
    ] = "slimfly-2014"
    minimize: Annotated[Objective, setting("what the ranking goes by, least first")] = "cost_per_host_usd"
    families: Annotated[FamiliesNeed, setting("which families take part")] = FamiliesNeed()
    compare: Annotated[
        tuple[Literal["besta-2014/table-iv"], ...],
        setting(
            "published tables that the report sets beside our numbers; `besta-2014/table-iv` is the cost table of the"
            " Slim Fly paper"
        ),
    ] = ()


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
    from topoloom.toml_lines import line_of

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
