"""The tables of a requirement: switches, cables, limits, phases, the floor, the families and the search."""

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable
from topoloom.placement.floors.floor import Floor, preset
from topoloom.placement.floors.floor_files import read_floor
from topoloom.routing.fitted_tables import VIRTUAL_CHANNELS


def _count(description: str) -> Any:
    return setting(description, least=1, most=1_000_000_000)


def _side(description: str) -> Any:
    return setting(description, least=1, most=10_000)


# Upper bounds of 1e15 exclude inf and NaN, which TOML allows.
def _positive(description: str, unit: str = "") -> Any:
    return setting(description, unit=unit, above=0, most=1e15)


def _not_negative(description: str, unit: str = "") -> Any:
    return setting(description, unit=unit, least=0, most=1e15)


class SwitchRequirement(TomlTable, frozen=True):
    """The available switches: their ports, and their delay."""

    group: ClassVar[str] = "requirement [switch]"

    radix: (
        Annotated[
            int,
            setting(
                "ports of the largest available switch; links and hosts of every switch must fit. A design is billed"
                " for the ports that it uses. Required, unless `product` gives it",
                least=2,
                most=4096,
            ),
        ]
        | None
    ) = None
    product: Annotated[
        str, setting("the switch to buy, a product of the parts catalogue; `radix` is then its ports at `rate_gbps`")
    ] = ""
    delay_ns: Annotated[float, _not_negative("the delay of one switch", "ns")] = 100.0
    packet_bytes: Annotated[
        float, _not_negative("size of a packet whose time on the links is part of the latencies; 0: none", "bytes")
    ] = 0.0
    flit_bytes: Annotated[
        float,
        _not_negative(
            "what a switch receives of a packet before it forwards; 0: `delay_ns` includes it; `packet_bytes`:"
            " store-and-forward",
            "bytes",
        ),
    ] = 0.0
    virtual_channels: Annotated[
        int,
        setting(
            "virtual channels for data that a switch has; the tables of every network of the shortlist must fit into them",
            least=1,
            most=255,
        ),
    ] = VIRTUAL_CHANNELS


class CableRequirement(TomlTable, frozen=True):
    """Cables: their delay, whether host cables are billed, and whether links pass through panels."""

    group: ClassVar[str] = "requirement [cable]"

    delay_ns_per_m: Annotated[
        float, _not_negative("the signal's delay per metre of cable; 5 ns is light in glass, or copper", "ns/m")
    ] = 5.0
    hosts: Annotated[
        bool, setting("whether the bill holds a cable, of the length inside a rack, for every host port")
    ] = False
    panels: (
        Annotated[
            Literal["shuffle"],
            setting(
                "shuffle: the networks of the family `shuffled` are cabled by shuffle panels of the catalogue; without it, and"
                " in other networks, every link is a cable of its own"
            ),
        ]
        | None
    ) = None


class DesignLimits(TomlTable, frozen=True):
    """What a design must not exceed; an omitted limit does not apply."""

    group: ClassVar[str] = "requirement [limits]"

    diameter: Annotated[int, _count("hops between any two switches that carry hosts")] | None = None
    worst_latency_ns: (
        Annotated[
            float,
            _positive(
                "latency without load between the two hosts that are farthest apart: all switches on the path, and the"
                " cables between them",
                "ns",
            ),
        ]
        | None
    ) = None
    cost_per_host_usd: Annotated[float, _positive("the whole bill divided by the hosts", "USD")] | None = None
    power_per_host_w: Annotated[float, _positive("the power of the network divided by the hosts", "W")] | None = None
    longest_cable_m: Annotated[float, _positive("the longest cable between two switches", "m")] | None = None
    oversubscription: (
        Annotated[
            float,
            _positive(
                "hosts per switch divided by the number with full bandwidth under uniform traffic; 1 is full bandwidth"
            ),
        ]
        | None
    ) = None
    maximum_channel_load: (
        Annotated[
            float,
            _positive(
                "load of the most loaded channel in link rates, when every host sends at full rate to all others, split"
                " evenly over all shortest paths; at 1 no channel is overloaded"
            ),
        ]
        | None
    ) = None
    taper: (
        Annotated[float, _positive("ports down per port up, at any level of a tree; other networks have no levels")]
        | None
    ) = None
    blocking: (
        Annotated[
            float,
            _positive(
                "blocking factor: in a tree, host ports per link up at the narrowest level; elsewhere the oversubscription."
                " If neither this nor `oversubscription` is set: 2, or `taper` if that is larger. A large number lifts it"
            ),
        ]
        | None
    ) = None
    cost_usd: Annotated[float, _positive("the whole bill", "USD")] | None = None
    power_w: Annotated[float, _positive("the power of the whole network", "W")] | None = None
    switches: Annotated[int, _count("number of switches")] | None = None
    racks: Annotated[int, _count("number of racks")] | None = None
    cost_over_best: Annotated[
        float,
        setting(
            "cost per host, as a multiple of the cheapest design found; a candidate whose switches alone cost more is"
            " not measured, which saves time; a large number measures all",
            least=1,
            most=1e15,
        ),
    ] = 2.0


class Least(TomlTable, frozen=True):
    """What a design must offer at least; an omitted key requires nothing."""

    group: ClassVar[str] = "requirement [least]"

    bisection_gbps_per_host: (
        Annotated[
            float,
            _positive(
                "links between the halves times their rate, in both directions, divided by the hosts of a half", "Gb/s"
            ),
        ]
        | None
    ) = None
    survives: Annotated[
        tuple[Literal["port", "leaf", "plane"], ...],
        setting("what may fail, one at a time, without cutting a host off: a port (or its cable), a leaf, a plane"),
    ] = ()
    grow_to_hosts: (
        Annotated[
            int,
            _count(
                "hosts after a later growth, without moving a cable: every candidate is sized for them, and built for `hosts`"
            ),
        ]
        | None
    ) = None


class PhaseRequirement(TomlTable, frozen=True):
    """One phase of a growth: its hosts, and when they are needed."""

    group: ClassVar[str] = "requirement [[phase]]"

    hosts: Annotated[int, setting("hosts after this phase; the last phase has the requirement's `hosts`", least=1)]
    by: Annotated[str, setting("when they are needed: 2027, 2027-01 or 2027-01-15", example='"2027-01"')] = ""


class CollectiveRequirement(TomlTable, frozen=True):
    """What a step of the application sends, for the objectives that are times, which are computed by formula.

    docs/reference/requirement-file.md gives the formulas.
    """

    group: ClassVar[str] = "requirement [collective]"

    all_to_all_mib: Annotated[float, _not_negative("what every host sends to all others together", "MiB")] = 256.0
    all_reduce_mib: Annotated[float, _not_negative("the vector that is reduced over all hosts", "MiB")] = 256.0
    compute_ms: Annotated[float, _not_negative("the time that a step computes", "ms")] = 0.0


class FloorRequirement(TomlTable, frozen=True):
    """The machine room: a preset with changes, or a floor file."""

    group: ClassVar[str] = "requirement [floor]"

    file: Annotated[
        str,
        setting(
            "a floor file (`.toml` or `.csv`), relative to the folder of the requirement; no other key may be given then"
        ),
    ] = ""
    preset: Annotated[str, setting("the name of the floor to start from; each other key changes one of its values")] = (
        "slimfly-2014"
    )
    rows: (
        Annotated[
            int,
            _side(
                "rows of places; `rows` and `columns` set the room: a network that needs more places is dropped. Without both"
                " the floor is as near to a square as possible"
            ),
        ]
        | None
    ) = None
    columns: Annotated[int, _side("places in a row")] | None = None
    width_m: Annotated[float, _positive("from one place to the next in its row", "m")] | None = None
    depth_m: Annotated[float, _positive("from one row to the next, aisle included", "m")] | None = None
    inside_m: Annotated[float, _not_negative("the length of a cable inside a rack", "m")] | None = None
    overhead_end_m: (
        Annotated[float, _not_negative("extra length of a cable between racks, at each of its ends", "m")] | None
    ) = None
    switches_per_rack: Annotated[int, _count("the most switches in a rack")] | None = None
    hosts_per_rack: Annotated[int, _count("the most hosts in a rack")] | None = None
    sequence_rack: (
        Annotated[
            int,
            _count("switches that fill a rack when the family defines no groups and `switches_per_rack` is omitted"),
        ]
        | None
    ) = None
    sequence_hosts: (
        Annotated[int, _count("hosts that fill such a rack, if that happens first and `hosts_per_rack` is omitted")]
        | None
    ) = None

    def floor(self) -> Floor:
        """The floor that these keys describe."""
        if self.file:
            return read_floor(self.file)
        changes = {key: getattr(self, key) for key in self.__struct_fields__ if key not in ("preset", "file")}
        return replace(preset(self.preset), **{key: value for key, value in changes.items() if value is not None})


class FamiliesRequirement(TomlTable, frozen=True, rename={"only": "try"}):
    """Families to try, families to leave out, and further specs to measure."""

    group: ClassVar[str] = "requirement [families]"

    preset: Annotated[
        Literal["supported", "everything"],
        setting(
            "the families that take part unless `try` names them: those that vendors sell and support (fat trees, with rails"
            " where hosts have several ports; Dragonfly+; Dragonfly if the catalogue has switches of HPE or names no vendor),"
            " or every family"
        ),
    ] = "supported"
    only: Annotated[tuple[str, ...], setting("the families that take part; those of the preset, if omitted")] = ()
    leave_out: Annotated[tuple[str, ...], setting("families that do not take part")] = ()
    specs: Annotated[
        tuple[str, ...], setting("further specs to measure, exactly as written: also with more hosts than needed")
    ] = ()


class SearchRequirement(TomlTable, frozen=True):
    """The search for networks beyond the catalogue."""

    group: ClassVar[str] = "requirement [search]"

    networks: Annotated[
        int,
        setting(
            "how many networks beyond the catalogue are measured, varied from the best ones: parameters, wiring, smaller"
            " switches, optimised links; 0: none",
            least=0,
            most=1_000_000,
        ),
    ] = 0
    seed: Annotated[int, setting("the seed of the variations", least=0, most=(1 << 63) - 1)] = 1
