"""The result of a repair: new tables for a fabric that has changed, in numbers, and the steps to install them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from topoloom.fabric._live_tables import TableAddresses
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.lft import Tables
from topoloom.model.results import Provenance, Result
from topoloom.routing.live.steps import DROP

#: The modes of a repair: as few changed entries as possible, the best tables for the present fabric, and given tables.
FEW_CHANGES, BEST, TO = "few-changes", "best", "to"


@dataclass(frozen=True)
class UpdateStep:
    """Changes that are applied together.

    Attributes
    ----------
    number : int
        From 1.
    kind : "set", "clear", "drop" or "reopen"
        "set": entries get new ports; "clear": entries that only broken paths use are removed, until a later step sets them;
        "drop": entries are removed for a while, since no deadlock-free order was found; "reopen": connections are opened again
        with new service levels, before anything else.
    entries : int
    switches : int
        Number of switches whose tables change.
    addresses : int
        Number of LIDs whose entries change.
    pairs : int
        Number of pairs of host ports whose connections are opened again.
    """

    number: int
    kind: str
    entries: int
    switches: int
    addresses: int
    pairs: int


@dataclass(frozen=True)
class Update:
    """A changed table entry.

    Attributes
    ----------
    step : int
    switch, guid : str
    lid : int
    target : str
        The owner of the LID.
    old_port, new_port : int
        -1: none.
    """

    step: int
    switch: str
    guid: str
    lid: int
    target: str
    old_port: int
    new_port: int


@dataclass(frozen=True)
class RepairFigures:
    """The figures of one set of tables in a repair.

    Attributes
    ----------
    tables : "before", "installed", "few-changes", "best" or "to"
        "before": the installed tables on the old fabric; "installed": the same on the present one; the others are new tables.
    chosen : bool
        Whether these are the new tables of the repair.
    max_channel_load : float
        Pairs of host ports over the channel with most of them.
    max_hops : int
        Hops between switches of the longest path.
    longer_pairs : int
        Pairs of host ports with a path that is longer than the shortest one in the fabric.
    unreachable_pairs, lost_pairs : int
        Pairs of host ports of which a path does not arrive, and of these the ones that cables join. With lost pairs, the load,
        the hops and the longer pairs are lower bounds, and the throughput is 0.
    uniform_throughput : float
        The share of the hosts' rate at which every host sends evenly to all hosts of other switches.
    virtual_channels : int
        Number of virtual channels.
    entries_changed : int or None
        Entries that differ from the installed ones; None for these.
    steps : int or None
        Number of steps; None where they were not computed.
    deadlock_free : bool or None
        Whether the tables and all mixtures during the steps are verified deadlock-free; None where this was not verified.
    """

    tables: str
    chosen: bool
    max_channel_load: float
    max_hops: int
    longer_pairs: int
    unreachable_pairs: int
    uniform_throughput: float
    virtual_channels: int
    entries_changed: int | None
    steps: int | None
    deadlock_free: bool | None
    lost_pairs: int = 0


@dataclass(frozen=True, eq=False)
class Stages:
    """The entries of all addresses from the installed tables to the new ones, without a copy of the tables per step.

    Attributes
    ----------
    addresses : TableAddresses
    installed, final : int16[n, A]
        The real port by which each switch sends to each address, before and in the end; -1: no entry.
    set_in, dropped_in : int16[n, A]
        The step that sets an entry to its final port, and the step that removes it for a while; 0: none.
    levels : tuple of uint8[k, k]
        The service level of each pair of host ports, [to, from], after each step.
    """

    addresses: TableAddresses
    installed: np.ndarray
    final: np.ndarray
    set_in: np.ndarray
    dropped_in: np.ndarray
    levels: tuple[np.ndarray, ...]

    def after(self, step: int) -> np.ndarray:
        """The real ports after a step, int16[n, A]; 0: as installed."""
        dropped = (self.dropped_in > 0) & (self.dropped_in <= step)
        ports = np.where(dropped, np.int16(-1), self.installed)
        return np.where((self.set_in > 0) & (self.set_in <= step), self.final, ports)

    def changes(self, step: int) -> np.ndarray:
        """The entries that a step changes: switch, address, old port and new port, int64[k, 4], by switch and address."""
        at = np.argwhere((self.set_in == step) | (self.dropped_in == step))
        s, a = at.T
        before = np.where((self.dropped_in[s, a] > 0) & (self.dropped_in[s, a] < step), -1, self.installed[s, a])
        after = np.where(self.set_in[s, a] == step, self.final[s, a], -1)
        rows = np.column_stack([at, before, after]).astype(np.int64)
        return np.asarray(rows[before != after])


@dataclass(frozen=True, eq=False)
class Repair(Result):
    """New tables for a fabric that has changed, and the steps from the installed tables to them.

    Attributes
    ----------
    old, new : str
        The sources of the two discoveries.
    mode : "few-changes", "best" or "to"
    cables_lost, cables_new, switches_lost, switches_new, hosts_lost, hosts_new, hosts_moved : int
        Differences between the discoveries.
    entries : int
        Entries of all present switches: one per switch and LID.
    entries_broken : int
        Entries that lead nowhere, or elsewhere than intended.
    entries_changed : int
        Entries that differ in the new tables.
    virtual_channels_changed : int
        Pairs of host ports that change their virtual channel.
    rebuilt : bool
        Whether virtual channels did not suffice to repair the tables, so that all tables are new.
    deadlock_free : bool
        Whether the new tables, and all mixtures of old and new entries during the steps, are verified deadlock-free.
    installed_deadlock_free : bool
        Whether the installed tables are deadlock-free on the current cables.
    levels_by_step : bool
        Whether pairs change service levels with the entries that lead to them, so that a step ends only when their
        connections were opened again.
    addresses_held_back : int
        In mode "best", the LIDs whose entries differ from those of the fitting engine, since no order of updates without a lost
        packet leads to these.
    steps : tuple of UpdateStep
    figures : tuple of RepairFigures
        The tables before, as installed, repaired in every mode.
    cut_off : tuple of str
        The switches and hosts that no cable joins to the largest part of the fabric.
    apart_pairs : int
        Pairs of host ports that no cables join, so that no tables can.
    fabric : Fabric
        The current fabric.
    stages : Stages
        The entries, as installed and after each step.
    """

    record_name = "repair"
    record_version = 2
    former_names = ("mending",)
    derived = ("dropped_addresses", "unreachable_pairs", "lost_pairs", "updates")
    unrecorded = ("fabric", "stages")

    old: str
    new: str
    mode: str
    cables_lost: int
    cables_new: int
    switches_lost: int
    switches_new: int
    hosts_lost: int
    hosts_new: int
    hosts_moved: int
    entries: int
    entries_broken: int
    entries_changed: int
    virtual_channels_changed: int
    rebuilt: bool
    deadlock_free: bool
    installed_deadlock_free: bool
    levels_by_step: bool
    addresses_held_back: int
    steps: tuple[UpdateStep, ...]
    figures: tuple[RepairFigures, ...]
    cut_off: tuple[str, ...]
    apart_pairs: int
    fabric: Fabric
    stages: Stages
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def dropped_addresses(self) -> int:
        """LIDs that cannot be reached for a while, since no deadlock-free order was found."""
        return sum(step.addresses for step in self.steps if step.kind == DROP)

    @property
    def unreachable_pairs(self) -> int:
        """Pairs of host ports that the new tables do not join, also those that no cables join."""
        return next(figures.unreachable_pairs for figures in self.figures if figures.chosen)

    @property
    def lost_pairs(self) -> int:
        """Pairs of host ports that cables join, but not the new tables."""
        return self.unreachable_pairs - self.apart_pairs

    @property
    def updates(self) -> tuple[Update, ...]:
        """The changed entries, by step."""
        return tuple(self.update_rows())

    def update_rows(self) -> Iterator[Update]:
        """The changed entries one by one, by step, switch and address."""
        fabric, addresses = self.fabric, self.stages.addresses
        k = fabric.topology.endpoints.size
        targets = [fabric.host_names[host] for host in fabric.topology.host.tolist()] + list(fabric.switch_names)
        ports = [*fabric.host_ports.tolist(), *([0] * (len(targets) - k))]
        names = [name if port < 2 else f"{name} port {port}" for name, port in zip(targets, ports, strict=True)]
        lids, owner = addresses.lid.tolist(), addresses.target.tolist()
        guids = [f"0x{guid:016x}" for guid in fabric.switch_guids.tolist()]
        for step in self.steps:
            for s, a, before, after in self.stages.changes(step.number).tolist():
                yield Update(step.number, fabric.switch_names[s], guids[s], lids[a], names[owner[a]], before, after)

    def tables_after(self, step: int | None = None) -> Tables:
        """The tables after a step as those that `read_lft` reads; the new tables when omitted, and 0: the installed ones.

        Parameters
        ----------
        step : int, optional

        Returns
        -------
        Tables
        """
        addresses = self.stages.addresses
        ports = self.stages.final if step is None else self.stages.after(step)
        k, n = self.fabric.topology.endpoints.size, self.fabric.topology.switches
        counts = np.bincount(addresses.target, minlength=k + n)
        paths = [np.full((n, k + n), -1, np.int16) for _ in range(int(counts.max(initial=1)))]
        for offset, path in enumerate(paths):
            at = np.flatnonzero(addresses.offset == offset)
            path[:, addresses.target[at]] = ports[:, at]
        lid_of = dict(zip(addresses.lid.tolist(), addresses.target.tolist(), strict=True))
        return Tables("fabric.lft", paths[0], lid_of, tuple(paths[1:]), counts, addresses.lid[: k + n].astype(np.int64))

    @cached_property
    def service_levels(self) -> np.ndarray:
        """The service level of each pair of host ports in the end, uint8[k, k], [to, from]."""
        return self.stages.levels[-1]
