"""The growth of a machine: what is added, and what must be bought."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from topoloom.cost.bill import bill_of_items
from topoloom.cost.items import Item
from topoloom.cost.purchase_files import purchase_content
from topoloom.machine.lists import CableEntry, DeviceEntry, cables_table, devices_table
from topoloom.model.results import Provenance, Result


@dataclass(frozen=True)
class NetworkGrowth:
    """What a network of a machine gets.

    Attributes
    ----------
    name : str
    devices, ports : int
        New hosts and other devices, and their ports on it.
    switches, links : int
        New switches, and their links.
    free_ports : int
        The ports at its rate that its switches with devices have free afterwards.
    taper_before, taper : float or None
        The most ports down per port up at any level of a tree, before and after; None for other networks.
    """

    name: str
    devices: int
    ports: int
    switches: int
    links: int
    free_ports: int
    taper_before: float | None
    taper: float | None


@dataclass(frozen=True, eq=False)
class MachineExpansion(Result):
    """The growth of an existing machine: nothing that exists is moved, renamed or unplugged.

    Attributes
    ----------
    title : str
    hosts : dict of str to int
        The new hosts by kind.
    networks : tuple of NetworkGrowth
        Of each network.
    racks : tuple of str
        The new racks.
    filled : tuple of str
        The existing racks in which new hosts or switches stand.
    devices : tuple of DeviceEntry
    cables : tuple of CableEntry
    cost_low_usd, cost_high_usd : float
        Of the items, spares included; NaN when none has a price.
    items : tuple of Item
        What to order.
    currency : str
    machine : Machine
        The grown machine; not in the record.
    """

    record_name = "machine-expansion"
    unrecorded = ("machine",)
    derived = ("cost_usd", "switches", "unpriced")

    title: str
    hosts: dict[str, int]
    networks: tuple[NetworkGrowth, ...]
    racks: tuple[str, ...]
    filled: tuple[str, ...]
    devices: tuple[DeviceEntry, ...]
    cables: tuple[CableEntry, ...]
    cost_low_usd: float
    cost_high_usd: float
    items: tuple[Item, ...]
    currency: str = "USD"
    machine: Any = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def cost_usd(self) -> float:
        """The cost in the middle of its range."""
        return (self.cost_low_usd + self.cost_high_usd) / 2

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Products without a price; the cost excludes them."""
        return tuple(dict.fromkeys(item.product for item in self.items if math.isnan(item.unit_usd)))

    @property
    def switches(self) -> int:
        """The new switches of all networks."""
        return sum(network.switches for network in self.networks)

    def rows(self) -> list[dict[str, Any]]:
        """One row per added cable: its network, both devices with ports and racks, rate and length."""
        return [asdict(cable) for cable in self.cables]

    def files(self) -> dict[str, str | bytes]:
        """What to add, as lists for the folder of the grown machine: devices, cables and the order."""
        order = bill_of_items(
            self.items,
            hosts=sum(self.hosts.values()),
            switches=self.switches,
            racks=len(self.racks),
            currency=self.currency,
        )
        return {
            "added-devices.csv": devices_table(self.devices),
            "added-cables.csv": cables_table(self.cables),
            "added-order.csv": purchase_content([order], ".csv"),
        }
