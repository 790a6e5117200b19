"""The bill of a machine: that of each network, the racks, the spares over all networks, and the total."""

import itertools
import math
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from topoloom.core.errors import InputError, check_type
from topoloom.core.files import write_atomically
from topoloom.core.json_files import indented_json
from topoloom.cost.bill import Bill, bill_with, sum_of_known
from topoloom.cost.items import Item, ItemKey, cable_items, rack_item, with_spares
from topoloom.cost.lines import Line, rack_line, spare_lines
from topoloom.cost.purchase_files import SUFFIXES, purchase_content
from topoloom.cost.switch_kinds import kinds_bought
from topoloom.figures.style import Axes, drawn
from topoloom.machine.machine import HOW, Machine
from topoloom.machine.pairs import pair_cables
from topoloom.machine.phases import machine_phases
from topoloom.model.results import Provenance, Result, json_value
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True)
class PhasePurchase:
    """What a phase of a machine buys.

    Attributes
    ----------
    name : str
    hosts : dict of str to int
        The hosts that come, by kind.
    switches, cables, racks : int
    cost_low_usd, cost_high_usd : float
        Of the items that are ordered, spares included; NaN when none has a price.
    """

    name: str
    hosts: dict[str, int]
    switches: int
    cables: int
    racks: int
    cost_low_usd: float
    cost_high_usd: float


@dataclass(frozen=True)
class MachineBill(Result):
    """The bill of a machine.

    Attributes
    ----------
    title : str
    hosts : int
        All hosts, of all kinds.
    racks : int
    names : tuple of str
        The networks.
    bills : tuple of Bill
        The bill of each, without racks and spares.
    common : tuple of Line
        What networks share: racks, cables between pairs of hosts, and spares, which are rounded up per part number over all
        networks.
    items : tuple of Item
        What to order for all networks together, where it was requested: racks, cables between pairs. The bill of each network
        has its own items. The spares of a part stand with its first item over all networks. In a machine with phases, every
        item names its phase; spares come with the first pieces of their item, and nothing is returned.
    phases : tuple of PhasePurchase
        What each phase of the machine buys.
    currency : str
    """

    record_name = "machine-bill"
    derived = ("cost_low_usd", "cost_usd", "cost_high_usd", "power_w", "switches", "cables", "unpriced", "unmetered")

    title: str
    hosts: int
    racks: int
    names: tuple[str, ...]
    bills: tuple[Bill, ...]
    common: tuple[Line, ...]
    items: tuple[Item, ...] = ()
    phases: tuple[PhasePurchase, ...] = ()
    currency: str = "USD"
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def cost_low_usd(self) -> float:
        """The total with every part at its lowest price; NaN when nothing has a price."""
        return sum_of_known([*(bill.cost_low_usd for bill in self.bills), *(line.cost_low_usd for line in self.common)])

    @property
    def cost_high_usd(self) -> float:
        """The total with every part at its highest price; NaN when nothing has a price."""
        return sum_of_known(
            [*(bill.cost_high_usd for bill in self.bills), *(line.cost_high_usd for line in self.common)]
        )

    @property
    def cost_usd(self) -> float:
        """The total; the middle of the range, where catalogues have ranges."""
        return (self.cost_low_usd + self.cost_high_usd) / 2

    @property
    def power_w(self) -> float:
        """The typical power of all networks and of cables between pairs, as far as known; hosts are in `facility`."""
        of_pairs = sum(line.power_w for line in self.common if not math.isnan(line.power_w))
        return sum(bill.power_w for bill in self.bills) + of_pairs

    @property
    def switches(self) -> int:
        """The switches of all networks."""
        return sum(bill.switches for bill in self.bills)

    @property
    def cables(self) -> int:
        """The cables of all networks, those of hosts included."""
        of_bills = sum(line.count for bill in self.bills for line in bill.lines if line.kind == "cable")
        return of_bills + sum(line.count for line in self.common if line.kind == "cable" and "spare" not in line.item)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Kinds of parts without a price; the sums exclude them."""
        of_common = tuple(line.kind for line in self.common if math.isnan(line.cost_usd))
        return tuple(
            dict.fromkeys(kind for some in (*(bill.unpriced for bill in self.bills), of_common) for kind in some)
        )

    @property
    def unmetered(self) -> tuple[str, ...]:
        """Kinds of parts whose power is not known; the sum excludes them."""
        return tuple(dict.fromkeys(kind for bill in self.bills for kind in bill.unmetered))

    def record(self) -> dict[str, Any]:
        """The record, with the middle of the price range of each line."""
        bills = [{name: value for name, value in bill.record().items() if name != "schema"} for bill in self.bills]
        return super().record() | {"bills": bills}

    def rows(self) -> list[dict[str, Any]]:
        """One row per line of each network, then of what they share: network, item, count, metres, cost and power."""
        rows = [
            {"network": name, **row} for name, bill in zip(self.names, self.bills, strict=True) for row in bill.rows()
        ]
        return rows + [
            {"network": "", **json_value(line), "cost_usd": json_value(line.cost_usd)} for line in self.common
        ]

    def content(self, suffix: str) -> bytes:
        """The content of the file that `save` writes with this suffix: ".json", ".csv" or ".xlsx"."""
        if suffix in SUFFIXES:
            return purchase_content(self.purchases(), suffix)
        return indented_json(self.record())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record (JSON); with the suffix .csv the items, with .xlsx a workbook of the purchase.

        The latter two need the items (`price_machine` with ``orders=True``).

        Raises
        ------
        InputError
            The file cannot be written, or the bill has no items.
        """
        write_atomically(path, self.content(Path(path).suffix))

    def purchases(self) -> list[Bill]:
        """The bills as a purchase: those of the networks, by their names, and one of what they share."""
        named = [
            replace(bill, provenance=msgspec.structs.replace(bill.provenance, name=name))
            for name, bill in zip(self.names, self.bills, strict=True)
        ]
        shared = Bill(
            parts="",
            rate_gbps=None,
            radix=0,
            hosts=self.hosts,
            switches=0,
            racks=self.racks,
            cables_inside=0,
            cables_between=0,
            lines=self.common,
            items=self.items,
            currency=self.currency,
            provenance=Provenance.of_run(name="all networks"),
        )
        return [*named, shared]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """One bar per network: its cost, or its power where the catalogues have no prices."""
        priced = not math.isnan(self.cost_usd)
        values = [bill.cost_usd if priced else bill.power_w for bill in self.bills]
        axes.barh(list(self.names), [0.0 if math.isnan(value) else value for value in values])
        axes.invert_yaxis()
        axes.set_xlabel(f"cost [{self.currency}]" if priced else "power [W]")


def price_machine(machine: Machine, *, orders: bool = False) -> MachineBill:
    """The bill of a machine, with its own terms.

    Parameters
    ----------
    machine : Machine
    orders : bool
        Whether to list what to order.

    Returns
    -------
    MachineBill

    Raises
    ------
    InputError
        A catalogue has no suitable switch or cable; or the catalogues have several currencies.
    """
    check_type(machine, Machine, "price_machine", HOW)
    spares, rule = machine.requirement.spares, machine.requirement.rack
    bills = []
    for network in machine.networks.values():
        layout = network.part(Layout)
        bills.append(bill_with(layout, network.terms, kinds_bought(layout.topology, network.terms), orders=True))
    currencies = dict.fromkeys(bill.currency for bill in bills)
    if len(currencies) > 1:
        raise InputError(
            f"the catalogues of the networks are in {' and '.join(currencies)}; give parts of one currency"
        )
    pairs = list(_pair_cables(machine))
    common = [rack_line(rule, len(machine.racks)), *(line for line, _ in pairs)]
    counts = [len(bill.items) for bill in bills]
    items = [item for bill in bills for item in bill.items] + [rack_item(rule, len(machine.racks))]
    items += [item for _, some in pairs for item in some]
    if spares is not None:
        # Over all networks, since a spare of one serves another.
        items = with_spares(items, spares)
        common += spare_lines(items, [line for bill in bills for line in bill.lines])
    edges = np.cumsum([0, *counts, len(items) - sum(counts)]).tolist()
    lists = [items[first:last] for first, last in itertools.pairwise(edges)]
    phases: tuple[PhasePurchase, ...] = ()
    if machine.requirement.phase:
        lists, phases = _by_phase(machine, lists)
    bills = [replace(bill, items=tuple(own) if orders else ()) for bill, own in zip(bills, lists, strict=False)]
    return MachineBill(
        machine.requirement.title,
        machine.hosts,
        len(machine.racks),
        tuple(machine.networks),
        tuple(bills),
        tuple(common),
        items=tuple(lists[-1]) if orders else (),
        phases=phases,
        currency=next(iter(currencies)),
        provenance=Provenance.of_run(name=machine.requirement.title),
    )


def _pair_cables(machine: Machine) -> Iterator[tuple[Line, list[Item]]]:
    """The cables between the two hosts of each pair of a kind: their line and items."""
    for cables in pair_cables(machine):
        bought = cables.bought
        low, high = float(bought.usd_low.sum()), float(bought.usd_high.sum())
        item = f"cable between pairs of '{cables.kind.plan.name}'"
        sums = float(bought.power_w.sum()), float(bought.stock_m.sum())
        yield Line(item, len(cables.port), low, high, *sums, "cable"), list(cable_items(bought.parts, [bought]))


def _by_phase(machine: Machine, lists: list[list[Item]]) -> tuple[list[list[Item]], tuple[PhasePurchase, ...]]:
    """The items of each network, and of what they share, split by phase; and the sums of each phase.

    Parameters
    ----------
    machine : Machine
    lists : list of list of Item
        Those of the whole machine with its spares, in the order of its networks, and last what they share.
    """
    names = list(machine.networks)
    # The most of each item that any phase so far has, for each list.
    bought: list[Counter[ItemKey]] = [Counter() for _ in lists]
    split: list[list[Item]] = [[] for _ in lists]
    spares = [{item.key: item for item in own if item.spares} for own in lists]
    purchases, earlier = [], Counter[str]()
    for stage, phase in zip(machine_phases(machine), machine.requirement.phase, strict=True):
        plain = msgspec.structs.replace(stage.requirement, spares=None, phase=())
        bill = price_machine(replace(stage, requirement=plain), orders=True)
        of_networks = [(names.index(name), each.items) for name, each in zip(bill.names, bill.bills, strict=True)]
        new: list[Item] = []
        for number, items in (*of_networks, (len(names), bill.items)):
            first = {item.key: item for item in reversed(items)}
            counts = Counter[ItemKey]()
            for item in items:
                counts[item.key] += item.count
            for key, item in first.items():
                count = counts[key] - bought[number][key]
                if count > 0:
                    bought[number][key] = counts[key]
                    added = replace(item, count=count, phase=phase.name)
                    if (held := spares[number].pop(key, None)) is not None:
                        added = replace(added, spares=held.spares, spare_rule=held.spare_rule)
                    split[number].append(added)
                    new.append(added)
        hosts = Counter({kind.plan.name: len(kind.names) for kind in stage.kinds})
        total = Counter[str]()
        for item in new:
            total[item.kind] += item.count
        purchases.append(
            PhasePurchase(
                phase.name,
                dict(hosts - earlier),
                total["switch"],
                total["cable"],
                total["rack"],
                sum_of_known(item.to_order * item.unit_low_usd for item in new),
                sum_of_known(item.to_order * item.unit_high_usd for item in new),
            )
        )
        earlier = hosts
    return split, tuple(purchases)
