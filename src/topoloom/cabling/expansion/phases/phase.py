"""Phases: the networks of a growth in phases, what is bought for each, and what moves."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from topoloom.cabling.plugs import Plugs
from topoloom.core.amounts import with_currency
from topoloom.core.errors import InputError
from topoloom.cost.bill import Bill
from topoloom.cost.choose import CableLot
from topoloom.cost.items import Item
from topoloom.cost.lines import Line
from topoloom.cost.purchase_files import SUFFIXES, save_purchase
from topoloom.cost.purchases import in_stock, purchases
from topoloom.cost.terms import Terms
from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Recorded, Result
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True)
class PhaseTables(Recorded):
    """What the forwarding tables of a phase's network carry.

    Attributes
    ----------
    engine : str
        The routing engine.
    deadlock_free : bool
        By the verifier of tables.
    virtual_channels : int
    max_hops : int
        Between switches with hosts.
    uniform_throughput : float
        When every host sends to all others at once, as a share of its rate.
    """

    engine: str
    deadlock_free: bool
    virtual_channels: int
    max_hops: int
    uniform_throughput: float


@dataclass(frozen=True)
class Phase(Recorded):
    """One phase: its network, and what is bought for it.

    Attributes
    ----------
    number : int
        From 1.
    by : str
        When it is needed; empty if not stated.
    hosts, switches, links, racks : int
        Of the network after it.
    new_switches : dict of str to int
        The switches that are bought, by level ("leaf", "spine" ...).
    new_cables : int
        Cables that are plugged in: links, and cables of hosts.
    moved : int
        Cables of earlier phases that no longer have the same two ports.
    new_racks : int
    ports_reserved : int
        Ports of its switches that wait for cables of later phases.
    ports_free : int
        Ports of its switches that no phase uses.
    oversubscription : float
        Mean hosts per switch with hosts, over the number with full bandwidth under uniform traffic; of the worst plane.
    cost_usd, total_usd : float
        What is bought for the phase, and for all phases up to it; without parts whose price is not known.
    power_w : float
        Of the network after it.
    hosts_power_w : float or None
        Of its hosts; None where it is not known.
    bought : tuple of Line
        The lines of the bill that it has more than the phases before.
    orders : tuple of CableLot
        The cables and transceivers to order for it.
    tables : PhaseTables or None
        None where no tables were made.
    """

    derived = ("new_hosts",)

    number: int
    by: str
    hosts: int
    earlier_hosts: int
    switches: int
    links: int
    racks: int
    new_switches: dict[str, int]
    new_cables: int
    moved: int
    new_racks: int
    ports_reserved: int
    ports_free: int
    oversubscription: float
    cost_usd: float
    total_usd: float
    power_w: float
    hosts_power_w: float | None
    bought: tuple[Line, ...]
    orders: tuple[CableLot, ...] = ()
    tables: PhaseTables | None = None

    @property
    def name(self) -> str:
        """Its number and date: "phase 1 (2027-01)"."""
        return f"phase {self.number}{f' ({self.by})' if self.by else ''}"

    @property
    def new_hosts(self) -> int:
        """Hosts that come with the phase."""
        return self.hosts - self.earlier_hosts


@dataclass(frozen=True, eq=False)
class PhaseNetwork:
    """The network of a phase on its floor.

    Attributes
    ----------
    layout : Layout
        Switches and hosts are numbered in the order of their arrival, so they have the same numbers in all phases.
    plugs : Plugs
        The ports and numbers of its cables, which are the same in all phases.
    terms : Terms
    bill : Bill
        Of the whole network of the phase.
    """

    layout: Layout
    plugs: Plugs
    terms: Terms
    bill: Bill


@dataclass(frozen=True, eq=False)
class Phases(Result):
    """A growth in phases of a network that is sized for the last one.

    Attributes
    ----------
    spec : str or None
        The network of the last phase.
    kind : "tree", "groups" or "whole"
        What comes later: leaves and the switches above them, whole groups, or hosts only.
    phases : tuple of Phase
    left_over : tuple of Line
        What earlier phases bought and the last phase does not need.
    planes : int
    plane_usd : float
        The cost of the switches and cables of one plane in the first phase, which may come later where there are several; hosts
        then have the bandwidth of the planes that stand.
    networks : tuple of PhaseNetwork
        Not in the record.
    number : int64[switches]
        The number in the network of `spec` of each switch of the last phase; not in the record.
    """

    record_name = "phases"
    unrecorded = ("networks", "number")
    derived = ("moved", "cost_usd")

    spec: str | None
    kind: str
    phases: tuple[Phase, ...]
    left_over: tuple[Line, ...] = ()
    planes: int = 1
    plane_usd: float = 0.0
    # Any: a record cannot hold these.
    networks: Any = ()
    number: Any = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def moved(self) -> int:
        """Cables that move, in all phases."""
        return sum(phase.moved for phase in self.phases)

    @property
    def currency(self) -> str:
        """The currency of all amounts, also of those whose names end in ``usd``."""
        return str(self.provenance.settings.get("currency", "USD"))

    @property
    def cost_usd(self) -> float:
        """The cost of all phases."""
        return self.phases[-1].total_usd

    def rows(self) -> list[dict[str, Any]]:
        """One row per phase."""
        return [
            {name: value for name, value in phase._content().items() if not isinstance(value, (dict, list))}
            | {"currency": self.currency}
            for phase in self.phases
        ]

    def purchases(self) -> Iterator[tuple[Phase, Bill]]:
        """Each phase with the bill of what is bought for it, for orders and quotes.

        The lines of all these bills add up to the bill of the last phase plus `left_over`; the items too.
        """
        owned: tuple[Item, ...] = ()
        between = 0
        for phase, network in zip(self.phases, self.networks, strict=False):
            items = purchases(owned, network.bill.items)
            owned = in_stock(owned, network.bill.items)
            between, earlier = network.bill.cables_between, between
            bought = {line.kind: 0 for line in phase.bought}
            yield (
                phase,
                replace(
                    network.bill,
                    lines=phase.bought,
                    orders=phase.orders,
                    items=tuple(replace(item, phase=phase.name.removeprefix("phase ")) for item in items),
                    provenance=msgspec.structs.replace(
                        network.bill.provenance, name=f"{self.provenance.name}, {phase.name}"
                    ),
                    cables_between=between - earlier,
                    hosts=phase.new_hosts,
                    switches=sum(phase.new_switches.values()),
                    racks=phase.new_racks,
                    unpriced=tuple(kind for kind in network.bill.unpriced if kind in bought),
                    unmetered=tuple(kind for kind in network.bill.unmetered if kind in bought),
                ),
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record (JSON); with the suffix .xlsx a workbook of all purchases, with .csv their items, with the phase.

        Raises
        ------
        InputError
            The file cannot be written; the phases were read from a record, which has no items.
        """
        if Path(path).suffix not in SUFFIXES:
            super().save(path)
            return
        if not self.networks:
            raise InputError("phases that are read from a record have no items to buy; make them again with `phases`")
        save_purchase([bill for _, bill in self.purchases()], Path(path))

    def timing(self) -> list[str]:
        """Sentences that state what comes when, and what may come later."""
        first, last = self.phases[0], self.phases[-1]
        sentences = [_TIMING[self.kind]]
        early = [level for level in last.new_switches if level in first.new_switches and len(self.phases) > 1]
        only = [
            level for level in first.new_switches if not any(level in phase.new_switches for phase in self.phases[1:])
        ]
        if self.kind == "tree" and only and early:
            names = " and ".join(only)
            sentences.append(
                f"All switches of level {names} come in phase 1, because each leaf or pod has cables to each of them."
            )
        if self.planes > 1:
            share = 1 / self.planes
            sentences.append(
                f"The {self.planes} planes share no switch. A plane may come later: each plane costs"
                f" {with_currency(self.plane_usd, self.currency)} in phase 1, and hosts have {share:.0%} less bandwidth per"
                " plane that is missing."
            )
        return sentences

    def verified(self) -> list[str]:
        """Sentences on the tables of the phases; none where no tables were made."""
        tables = [(phase.number, phase.tables) for phase in self.phases if phase.tables is not None]
        if not tables:
            return []
        unsafe = [str(number) for number, own in tables if not own.deadlock_free]
        deadlocks = f"of phase {', '.join(unsafe)} may deadlock" if unsafe else "are free of deadlock, verified"
        engines = ", ".join(dict.fromkeys(own.engine for _, own in tables))
        hops = max(own.max_hops for _, own in tables)
        (first, own), *others = tables
        shares = f"{own.uniform_throughput:.0%} of the rate of its port in phase {first}" + "".join(
            f", {other.uniform_throughput:.0%} in phase {number}" for number, other in others
        )
        sentences = [
            f"The tables (engine {engines}) {deadlocks}, with paths of up to {hops} hops. When all hosts send to all others at"
            f" once, each gets {shares}."
        ]
        if len(tables) < len(self.phases):
            sentences.append(f"There was no time for the tables of {len(self.phases) - len(tables)} phases.")
        return sentences

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """The cost of each phase, on top of the cost of the phases before it."""
        names = [phase.name.removeprefix("phase ") for phase in self.phases]
        spent = np.array([phase.total_usd - phase.cost_usd for phase in self.phases])
        axes.bar(names, [phase.cost_usd for phase in self.phases], bottom=spent)
        axes.set_xlabel("phase")
        axes.set_ylabel(f"cost [{self.currency}]")


_TIMING = {
    "tree": "Leaves come with their hosts, with all their uplinks; no cable moves.",
    "groups": "Groups come with their hosts; their cables to later groups come with those, and no cable moves.",
    "whole": "All switches come in phase 1, because every host needs them; later phases add hosts on idle ports. `topoloom"
    " expand` plans a smaller network that grows by moving cables.",
}
