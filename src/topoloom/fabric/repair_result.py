"""The result of a repair: new tables for a fabric that has changed, in numbers, and the steps to install them."""

from dataclasses import dataclass, field

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.model.results import Provenance, Result
from topoloom.routing.live.steps import DROP
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verification import Verification


@dataclass(frozen=True)
class UpdateStep:
    """Changes that are applied together.

    Attributes
    ----------
    number : int
        From 1.
    kind : "set", "drop" or "reopen"
        "set": entries get new ports; "drop": entries are removed for a while, since no deadlock-free order was found; "reopen":
        connections are opened again with new service levels, before anything else.
    entries : int
    switches : int
        Number of switches whose tables change.
    addresses : int
        Number of LIDs whose entries change.
    pairs : int
        Number of pairs, of switches or of host ports, whose connections are opened again.
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


@dataclass(frozen=True, eq=False)
class Repair(Result):
    """New tables for a fabric that has changed, and the steps from the installed tables to them.

    Attributes
    ----------
    old, new : str
        The sources of the two discoveries.
    cables_lost, cables_new, switches_lost, switches_new, hosts_lost, hosts_new, hosts_moved : int
        Differences between the discoveries.
    entries : int
        Entries of all present switches: one per switch and LID.
    entries_broken : int
        Entries that lead nowhere, or elsewhere than intended.
    entries_changed : int
        Entries that differ in the new tables.
    virtual_channels_changed : int
        Pairs of switches, or of host ports, that change their virtual channel.
    rebuilt : bool
        Whether virtual channels did not suffice to repair the tables, so that all tables are new.
    deadlock_free : bool
        Whether the new tables, and all mixtures of old and new entries during the steps, are verified deadlock-free.
    installed_deadlock_free : bool
        Whether the installed tables are deadlock-free on the current cables.
    levels_by_step : bool
        Whether pairs change service levels with the entries that lead to them, so that a step ends only when their
        connections were opened again.
    steps : tuple of UpdateStep
    updates : tuple of Update
        The changed entries, by step.
    verification : Verification
        Of the new tables.
    fabric : Fabric
        The current fabric.
    routing : Routing
        The new tables: between switches, or between switches and host ports if these have their own paths.
    tables : tuple of int32[n, k + n]
        The real ports of all entries, as installed and then after each step; -1: none.
    levels : tuple of uint8 arrays
        The virtual channels after each step, as in `routing`.
    """

    record_name = "repair"
    former_names = ("mending",)
    derived = ("dropped_addresses",)
    unrecorded = ("fabric", "routing", "tables", "levels")

    old: str
    new: str
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
    steps: tuple[UpdateStep, ...]
    updates: tuple[Update, ...]
    verification: Verification
    fabric: Fabric
    routing: Routing
    tables: tuple[np.ndarray, ...]
    levels: tuple[np.ndarray, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def dropped_addresses(self) -> int:
        """LIDs that cannot be reached for a while, since no deadlock-free order was found."""
        return sum(step.addresses for step in self.steps if step.kind == DROP)
