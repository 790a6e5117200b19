"""The machine file: kinds of hosts, the networks that join them, and the room that all of them share."""

from typing import Annotated, ClassVar, Literal

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable
from topoloom.cost.price_factors import PriceFactors
from topoloom.designer.assessment.subject import MOST_REPEATS
from topoloom.designer.requirement_keys import (
    CableOf,
    CollectiveOf,
    Facility,
    FactorsOf,
    FamiliesOf,
    FloorOf,
    LeastOf,
    LimitsOf,
    LinkRate,
    Minimized,
    Minutes,
    PartsOf,
    PlaneCounts,
    PricesOf,
    Rack,
    RailsOf,
    Repeats,
    SearchOf,
    SpareParts,
    SwitchOf,
    Title,
)
from topoloom.designer.requirement_tables import (
    CableRequirement,
    CollectiveRequirement,
    DesignLimits,
    FamiliesRequirement,
    FloorRequirement,
    Least,
    SearchRequirement,
    SwitchRequirement,
)
from topoloom.placement.hosts.housing import (
    Connector,
    HostAir,
    HostInlets,
    HostLiquidShare,
    HostPower,
    HostTypicalPower,
    HostUnits,
    HostWeight,
    RackRule,
    ScaleUpRate,
    ScaleUpSize,
)
from topoloom.placement.hosts.rack_device import FacilityRule, RackDevice

#: The device names of a network that serves everything: one port per host, switch and further device of a rack.
EVERYTHING = "everything"
#: The product of a network's managers, if it names none.
MANAGER = "UFM appliance, NDR"
#: The name of a network's managers as a kind of hosts begins with this.
MANAGERS_OF = "managers of "


class NetworkPorts(TomlTable, frozen=True, kw_only=True):
    """The ports of a host on one network."""

    group: ClassVar[str] = "[host.ports]"

    count: Annotated[int, setting("its ports on this network", least=0, most=1024)]
    rate_gbps: (
        Annotated[
            float, setting("the rate of each port; that of the network, if omitted", unit="Gb/s", above=0, most=1e6)
        ]
        | None
    ) = None
    leaves: (
        Annotated[
            int,
            setting(
                "over how many leaf switches its ports are spread: 1, all on one; if omitted, over two where it has"
                " several ports, or by rails where the network has these",
                least=1,
                most=1024,
            ),
        ]
        | None
    ) = None
    block: Annotated[str, setting("the block of the network's leaf switches, where it is described by blocks")] = ""
    nic: Annotated[str, setting("the interface's product, in the parts catalogue, which is then bought")] = ""
    connector: Annotated[Connector | None, setting("what its cages take; any module, if omitted")] = None
    cages: Annotated[
        tuple[tuple[Annotated[int, msgspec.Meta(ge=0, le=1_000_000)], ...], ...],
        setting("which ports share a cage, numbered from 0: `[[0, 1]]`; one cage per port, if omitted"),
    ] = ()
    devices: Annotated[tuple[str, ...], setting("the device name of each port")] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        named = sorted(port for cage in self.cages for port in cage)
        if self.cages and named != list(range(self.count)):
            raise ValueError(f"cages: name each of its {self.count} ports once, numbered from 0: [[0, 1], [2, 3]]")
        if self.devices and len(self.devices) != self.count:
            raise ValueError(f"devices: {len(self.devices)} names for {self.count} ports; give one per port")
        if self.leaves is not None and self.count % self.leaves:
            raise ValueError(
                f"leaves: {self.count} ports cannot be spread evenly over {self.leaves} leaf switches; give a divisor"
            )


class MachineHosts(TomlTable, frozen=True, kw_only=True):
    """A kind of hosts: compute nodes, storage servers, login nodes, appliances."""

    group: ClassVar[str] = "[[host]]"

    name: Annotated[str, setting("its name")]
    product: Annotated[
        str,
        setting("its server in the parts catalogue, which supplies omitted keys; the server named `name`, if omitted"),
    ] = ""
    count: Annotated[int, setting("how many of them", least=1, most=1_000_000)]
    ports: Annotated[
        dict[str, Annotated[int, msgspec.Meta(ge=0, le=1024)] | NetworkPorts],
        setting("its ports by network: `{ compute = 8, storage = 2 }`, or a table per network"),
    ]
    node: Annotated[str, setting("the prefix of its names; made from `name`, if omitted")] = ""
    u: HostUnits = None
    power_w: HostPower = 0.0
    weight_kg: HostWeight = None
    typical_w: HostTypicalPower = None
    air_m3h: HostAir = None
    liquid_share: HostLiquidShare = 0.0
    inlets: HostInlets = None
    scale_up: ScaleUpSize = 1
    scale_up_gb_per_s: ScaleUpRate = None
    role: Annotated[
        Literal["compute", "storage", "login", "management", "gateway"],
        setting("what it is for; jobs run on compute nodes only"),
    ] = "compute"
    racks: (
        Annotated[
            Literal["own", "network"],
            setting(
                "whether its hosts fill racks of their own, or stand with the switches in network racks; if omitted, `own`"
                " for compute and storage"
            ),
        ]
        | None
    ) = None
    rack_hosts: (
        Annotated[int, setting("most of them in one rack, in addition to the limits of [rack]", least=1, most=100_000)]
        | None
    ) = None
    unit_hosts: (
        Annotated[
            int,
            setting(
                "hosts of a rack-scale system, which stays in one rack: 18 trays of an NVL72", least=1, most=100_000
            ),
        ]
        | None
    ) = None
    unit_power_w: (
        Annotated[
            float,
            setting(
                "the maximum power of a rack-scale system with the further devices of its rack, which then have none of their"
                " own; each of its hosts has an equal share",
                unit="W",
                above=0,
                most=1e9,
            ),
        ]
        | None
    ) = None
    unit_weight_kg: (
        Annotated[float, setting("likewise its weight, without the empty rack", unit="kg", above=0, most=1e7)] | None
    ) = None
    device: Annotated[
        tuple[RackDevice, ...],
        setting("further devices in each rack of these hosts: power shelves, NVLink switch trays"),
    ] = ()
    rack_switches: Annotated[
        dict[str, Annotated[int, msgspec.Meta(ge=1, le=64)]],
        setting(
            "switches in each rack of these hosts, by network: `{ oob = 2 }`; they serve what stands in the rack. Only for a"
            " network with an `uplink`; a further device with the name of its switch product is such a switch"
        ),
    ] = msgspec.field(default_factory=dict)
    pair_cables: Annotated[
        int,
        setting(
            "cables between the two of each pair, outside all networks: two appliances that stand by for each other",
            least=0,
            most=100,
        ),
    ] = 0

    @property
    def own_racks(self) -> bool:
        """Whether its hosts fill racks of their own."""
        return self.racks == "own" or (self.racks is None and self.role in ("compute", "storage"))

    @property
    def partial_system(self) -> str:
        """What is wrong where its hosts are no whole number of rack-scale systems; else empty."""
        if not self.count % (self.unit_hosts or 1):
            return ""
        return f"host '{self.name}': {self.count} hosts are no whole number of rack-scale systems of {self.unit_hosts}"

    def on(self, network: str) -> NetworkPorts:
        """Its ports on a network; none if it names none."""
        ports = self.ports.get(network, 0)
        return ports if isinstance(ports, NetworkPorts) else NetworkPorts(count=ports)


class MachineNetwork(TomlTable, frozen=True, kw_only=True):
    """A network of the machine: its own requirement, or a network that is given."""

    group: ClassVar[str] = "[[network]]"

    name: Annotated[str, setting("its name: `compute`")]
    spec: Annotated[
        str,
        setting(
            "the network itself, instead of a choice by `families`: a spec, or a file relative to the machine file"
        ),
    ] = ""
    switch: SwitchOf = SwitchRequirement()
    planes: PlaneCounts = ()
    rails: RailsOf = None
    rate_gbps: LinkRate
    cable: CableOf = CableRequirement()
    limits: LimitsOf = DesignLimits()
    least: LeastOf = Least()
    collective: CollectiveOf = CollectiveRequirement()
    minimize: Minimized = "cost_usd"
    families: FamiliesOf = FamiliesRequirement()
    search: SearchOf = SearchRequirement()
    managers: Annotated[
        int, setting("fabric managers: appliances with two ports each, on its leaf switches", least=0, most=64)
    ] = 0
    manager: Annotated[str, setting("the manager's product, a server of the parts catalogue")] = MANAGER
    serves: Annotated[
        tuple[str, ...] | Literal["everything"],
        setting(
            "devices that have a port on it in addition to the hosts' `ports`: `everything`, or names of host kinds, of"
            " networks (their switches) and of devices of racks"
        ),
    ] = ()
    uplink: Annotated[
        str, setting("the network that its switches are connected to; it then has no links of its own")
    ] = ""
    uplinks: Annotated[int, setting("cables from each of its switches to that network", least=1, most=64)] = 2
    uplink_gbps: (
        Annotated[float, setting("the rate of each; that of the network, if omitted", unit="Gb/s", above=0, most=1e6)]
        | None
    ) = None
    leaves: (
        Annotated[
            int,
            setting(
                "how many switches a network with an `uplink` has, in addition to `rack_switches`; if omitted, as few as its"
                " ports need",
                least=1,
            ),
        ]
        | None
    ) = None
    place: Annotated[
        Literal["rack", "row", "end", "central"],
        setting(
            "where its leaf switches stand: in the racks of their hosts, in the middle or at the end of their row, or"
            " with its other switches in the middle of the room"
        ),
    ] = "row"
    parts: PartsOf = ""
    prices: PricesOf = ""


class MachinePhase(TomlTable, frozen=True, kw_only=True):
    """A phase in which a part of the hosts comes."""

    group: ClassVar[str] = "[[phase]]"

    name: Annotated[str, setting("its name: that of a folder, as `2027-q1`")]
    hosts: Annotated[
        dict[str, Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]],
        setting(
            "the hosts of each kind that are there then; as in the phase before where a kind is not named, and all of them in"
            " the first"
        ),
    ] = msgspec.field(default_factory=dict)


class MachineLimits(TomlTable, frozen=True):
    """What the whole machine must not exceed; an omitted limit does not apply."""

    group: ClassVar[str] = "machine [limits]"

    cost_usd: Annotated[float, setting("the bill of all networks", unit="USD", above=0, most=1e15)] | None = None
    power_w: (
        Annotated[float, setting("the maximum power of all IT, hosts included", unit="W", above=0, most=1e15)] | None
    ) = None
    network_power_w: (
        Annotated[float, setting("the typical power of all networks", unit="W", above=0, most=1e15)] | None
    ) = None
    racks: Annotated[int, setting("the racks of the machine", least=1, most=1_000_000)] | None = None
    switches: Annotated[int, setting("the switches of all networks", least=1, most=1_000_000_000)] | None = None


class MachineRequirement(TomlTable, frozen=True, kw_only=True):
    """A machine, as its TOML file gives it."""

    group: ClassVar[str] = "machine"

    host: Annotated[tuple[MachineHosts, ...], setting("the kinds of hosts")]
    network: Annotated[tuple[MachineNetwork, ...], setting("the networks")]
    title: Title = "A machine"
    rack: Rack = RackRule()
    facility: Facility = FacilityRule()
    floor: FloorOf = FloorRequirement()
    limits: Annotated[MachineLimits, setting("what the whole machine must not exceed")] = MachineLimits()
    phase: Annotated[tuple[MachinePhase, ...], setting("phases in which the hosts come; the last has all of them")] = ()
    spares: SpareParts = None
    shortlist: Annotated[
        int,
        setting(
            "how many machines are placed and priced; the networks of the best are then assessed in full: tables,"
            " throughput, load, collectives, failures and growth; 0: one is placed, and nothing is assessed",
            least=0,
            most=100,
        ),
    ] = 6
    minutes: Minutes = 5.0
    repeats: Repeats = MOST_REPEATS
    parts: PartsOf = ""
    prices: PricesOf = ""
    price_factors: FactorsOf = PriceFactors()

    def uplink_gbps(self, network: MachineNetwork) -> float:
        """The rate of the uplinks of a network that has them, Gb/s."""
        return self.plan(network.uplink).rate_gbps if network.uplink_gbps is None else network.uplink_gbps

    def plan(self, name: str) -> MachineNetwork:
        """The network of this name.

        Raises
        ------
        InputError
            There is none.
        """
        for network in self.network:
            if network.name == name:
                return network
        names = ", ".join(network.name for network in self.network)
        raise InputError(f"the machine has no network '{name}' (it has {names})")
