"""The requirement and all its keys; `requirement_files` reads it."""

import logging
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from topoloom.cabling.expansion.phases.dates import check_phases
from topoloom.core.errors import InputError, hint
from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable, merged, table_of
from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import PARTS
from topoloom.cost.price_factors import PriceFactors, with_factors
from topoloom.cost.quotes import quoted_parts
from topoloom.cost.servers import housing_of
from topoloom.cost.terms import DEFAULT_PARTS, Terms
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
    PhaseList,
    PlaneCounts,
    PricesOf,
    Rack,
    RailsOf,
    Repeats,
    SearchOf,
    ShortlistSize,
    SpareParts,
    SwitchOf,
    Title,
    WithUsual,
)
from topoloom.designer.requirement_tables import (
    CableRequirement,
    CollectiveRequirement,
    DesignLimits,
    FamiliesRequirement,
    FloorRequirement,
    Least,
    SearchRequirement,
)
from topoloom.graph.serialization import Serialization
from topoloom.model.results import json_value
from topoloom.model.topology import Topology
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.placement.hosts.rack_device import FacilityRule

log = logging.getLogger("topoloom")

#: The largest blocking factor of a design where the requirement limits neither it nor the oversubscription, nor allows a taper
#: beyond it.
DEFAULT_BLOCKING = 2.0


def _elsewhere(table: Literal["switch", "nic", "server"], name: str, names: Sequence[str]) -> str:
    """What to do about a product that a catalogue lacks: the catalogue that has it, or a similar or all names."""
    for parts in PARTS.values():
        products = parts.switch.product if table == "switch" else parts.nic if table == "nic" else parts.server
        if any(product.name == name for product in products):
            return f'{parts.name} has it: set parts = "{parts.name}"'
    return hint(name, names) if names else "it has none"


class Requirement(TomlTable, frozen=True, kw_only=True):
    """A requirement, as its TOML file gives it."""

    group: ClassVar[str] = "requirement"

    hosts: Annotated[
        int,
        setting(
            "hosts to serve: every design has exactly these; room for more is given next to it", least=2, most=1_000_000
        ),
    ]
    host: Annotated[
        HostType | None,
        setting(
            "the kind of host: its interfaces, height and power; hosts then stand in racks, and their cables are measured"
        ),
    ] = None
    phase: PhaseList = ()
    rack: Rack = RackRule()
    facility: Facility = FacilityRule()
    planes: PlaneCounts = ()
    rails: RailsOf = None
    switch: SwitchOf
    title: Title = "A network"
    rate_gbps: LinkRate = 40.0
    cable: CableOf = CableRequirement()
    limits: LimitsOf = DesignLimits()
    least: LeastOf = Least()
    collective: CollectiveOf = CollectiveRequirement()
    spares: SpareParts = None
    usual: WithUsual = True
    shortlist: ShortlistSize = 6
    minutes: Minutes = 5.0
    repeats: Repeats = MOST_REPEATS
    floor: FloorOf = FloorRequirement()
    parts: PartsOf = ""
    prices: PricesOf = ""
    price_factors: FactorsOf = PriceFactors()
    minimize: Minimized = "cost_usd"
    families: FamiliesOf = FamiliesRequirement()
    search: SearchOf = SearchRequirement()
    compare: Annotated[
        tuple[Literal["besta-2014/table-iv"], ...],
        setting(
            "published tables that the report compares with our numbers; `besta-2014/table-iv` is the cost table of the"
            " Slim Fly paper"
        ),
    ] = ()

    @property
    def radix(self) -> int:
        """Ports of the largest switch; before `filled`, 0 where only a product is named."""
        return self.switch.radix or 0

    @property
    def grown_hosts(self) -> int:
        """Hosts that every candidate is sized for: those after the growth that the requirement asks for, or its hosts."""
        return max(self.hosts, self.least.grow_to_hosts or 0)

    @property
    def ports_per_host(self) -> int:
        """Ports of a host on this network."""
        return 1 if self.host is None else (self.host.nics or 1) * self.host.ports

    @property
    def host_gbps(self) -> float:
        """The rate of a host port, Gb/s."""
        own = None if self.host is None else self.host.rate_gbps
        return self.rate_gbps if own is None else own

    @property
    def rates(self) -> str:
        """The transform that gives links and host ports of a spec their rates; empty where all are alike."""
        if self.host_gbps == self.rate_gbps:
            return ""
        return f"+rates:links={self.rate_gbps:.10g},hosts={self.host_gbps:.10g}"

    @property
    def housing(self) -> Housing | None:
        """Hosts and their racks; None where hosts stand with their switches."""
        return None if self.host is None else Housing(host=self.host, rack=self.rack, facility=self.facility)

    def packet(self, rate_gbps: float | None = None) -> Serialization:
        """The packet whose time on the links is part of latencies.

        Parameters
        ----------
        rate_gbps : float, optional
            The rate of every link of a network without rates.

        Raises
        ------
        InputError
            A flit is larger than the packet.
        """
        sizes = {"packet_bytes": self.switch.packet_bytes, "flit_bytes": self.switch.flit_bytes}
        return Serialization(**sizes, rate_gbps=rate_gbps)

    def changed(self, changes: Mapping[str, Any], source: str = "design") -> "Requirement":
        """The requirement with some of its keys changed, tables within it key by key.

        Parameters
        ----------
        changes : mapping
            Keys and values; of a table, a mapping of its own keys.
        source : str
            The beginning of error messages.

        Raises
        ------
        InputError
            A key does not exist, or a value is out of range.
        """
        return table_of(merged(json_value(self), changes), Requirement, source) if changes else self

    def whole_catalogue(self) -> Parts:
        """The parts catalogue with the quotes and price factors applied."""
        return with_factors(quoted_parts(self.parts or DEFAULT_PARTS, self.prices or None), self.price_factors)

    def check_phases(self) -> None:
        """Refuse phases that do not grow to the hosts of the requirement, or dates that are not in order.

        Raises
        ------
        InputError
            The sentence names the phase.
        """
        if not self.phase:
            return
        if self.cable.panels is not None:
            raise InputError(
                "[cable] panels: a network with panels is not planned in phases; omit panels, or the phases"
            )
        check_phases([phase.hosts for phase in self.phase], [phase.by for phase in self.phase])
        if self.phase[-1].hosts != self.hosts:
            raise InputError(
                f"phase {len(self.phase)} has {self.phase[-1].hosts:,} hosts, but hosts = {self.hosts:,}; the last phase must"
                " have the requirement's hosts"
            )

    def check_host(self) -> None:
        """Refuse an interface, or a server that is described by its name alone, that the parts catalogue does not have.

        Raises
        ------
        InputError
            There is no such product.
        """
        if self.host is None:
            return
        parts = self.whole_catalogue()
        nics, servers = [nic.name for nic in parts.nic], [server.name for server in parts.server]
        if self.host.nic and self.host.nic not in nics:
            raise InputError(
                f"nic: the catalogue '{parts.name}' has no interface '{self.host.nic}'"
                f" ({_elsewhere('nic', self.host.nic, nics)})"
            )
        sold = next((nic for nic in parts.nic if nic.name == self.host.nic), None)
        rate, ports = self.host.rate_gbps, self.host.ports
        if sold is not None and rate is not None and rate * ports > sold.rate_gbps * (1 + 1e-9):
            raise InputError(
                f"rate_gbps: the interface '{sold.name}' has {sold.rate_gbps:g} Gb/s, but {ports} x {rate:g} Gb/s are needed;"
                " give a rate that it has"
            )
        # A host of any name may be described key by key.
        if self.host.name not in servers and self.host == HostType(name=self.host.name) != HostType():
            raise InputError(
                f"name: the catalogue '{parts.name}' has no server '{self.host.name}'"
                f" ({_elsewhere('server', self.host.name, servers)}); describe the host with nics, u and power_w"
            )
        if housing_of(Housing(host=self.host, rack=self.rack), parts).host.u is None:
            raise InputError(f"u: the height of the host '{self.host.name}' is not known; give it, in rack units")

    def catalogue(self) -> Parts:
        """The parts catalogue with the quotes and price factors applied, reduced to the switch that is named, if any."""
        parts = self.whole_catalogue()
        if not self.switch.product:
            return parts
        named = tuple(product for product in parts.switch.product if product.name == self.switch.product)
        if not named:
            names = [product.name for product in parts.switch.product]
            raise InputError(
                f"the catalogue '{parts.name}' has no switch '{self.switch.product}'"
                f" ({_elsewhere('switch', self.switch.product, names)})"
            )
        return msgspec.structs.replace(parts, switch=msgspec.structs.replace(parts.switch, product=named))

    @property
    def currency(self) -> str:
        """The currency of the catalogue, with its quotes."""
        return self.whole_catalogue().currency

    def terms(self, parts: Parts, topology: Topology) -> Terms:
        """The terms of purchase of a design; a network with rates has its own.

        Parameters
        ----------
        parts : Parts
            As `catalogue` returns them.
        topology : Topology
            The network that is bought.
        """
        rate = topology.uniform_rate_gbps if topology.rated else self.rate_gbps
        return Terms(parts=parts, rate_gbps=rate, host_cables=self.cable.hosts, spares=self.spares)

    def panels_of(self, topology: Topology) -> str | None:
        """The panels that the links of a network pass through; None where each is a cable of its own.

        Parameters
        ----------
        topology : Topology
        """
        shuffled = topology.spec is not None and topology.spec.startswith("shuffled:")
        return self.cable.panels if shuffled else None

    def filled(self) -> "Requirement":
        """The requirement, completed with the catalogue's data of the host and the switch that it names, and with defaults.

        A requirement without a parts catalogue gets the default one, with a warning.

        Raises
        ------
        InputError
            No such switch, a switch without ports of that rate, or neither radix nor product.
        """
        self.check_phases()
        self.packet()
        parts, requirement = self.catalogue(), self
        if not self.parts:
            log.warning(
                "parts is not set: prices are those of '%s', of %s; name a catalogue of today (parts = \"infiniband-2026\""
                ' or "ethernet-2026") and your quotes (prices), or set parts = "%s" to compare designs only',
                parts.name,
                parts.date,
                DEFAULT_PARTS,
            )
            requirement = msgspec.structs.replace(requirement, parts=DEFAULT_PARTS)
        limits = self.limits
        if limits.blocking is None and limits.oversubscription is None:
            limits = msgspec.structs.replace(limits, blocking=max(DEFAULT_BLOCKING, limits.taper or 0.0))
            requirement = msgspec.structs.replace(requirement, limits=limits)
        if self.host is not None:
            housing = housing_of(Housing(host=self.host, rack=self.rack), parts)
            requirement = msgspec.structs.replace(requirement, host=housing.host, rack=housing.rack)
            if housing.host.u is None:
                raise InputError(f"the height of the host '{self.host.name}' is not known; give `u` in [host]")
        if self.switch.product:
            product, slower = parts.switch.product[0], min(self.rate_gbps, self.host_gbps)
            ports = product.ports_at(slower)
            for rate, key in ((self.rate_gbps, "rate_gbps"), (self.host_gbps, "host.rate_gbps")):
                if not product.ports_at(rate):
                    raise InputError(f"'{self.switch.product}' has no ports of {rate:g} Gb/s; give another {key}")
                if self.rates and not product.runs(rate):
                    raise InputError(
                        f"'{self.switch.product}' has no mode of {rate:g} Gb/s; give another {key}, or a `breakout` of that"
                        " rate in the parts catalogue"
                    )
            radix = min(ports, self.switch.radix) if self.switch.radix else ports
            requirement = msgspec.structs.replace(requirement, switch=msgspec.structs.replace(self.switch, radix=radix))
        if requirement.switch.radix is None:
            raise InputError(
                "switch.radix is missing; give the ports of the largest switch, or name a [switch] product"
            )
        if requirement.rates:
            # Specs that the user names have the rates of the requirement, unless they have their own.
            specs = tuple(spec if "+rates:" in spec else spec + requirement.rates for spec in self.families.specs)
            families = msgspec.structs.replace(requirement.families, specs=specs)
            requirement = msgspec.structs.replace(requirement, families=families)
        return requirement
