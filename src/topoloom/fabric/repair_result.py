"""A repair: new tables for a fabric that has changed, by numbers, and the steps to them."""

from dataclasses import dataclass, field

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.model.results import Provenance, Result
from topoloom.routing.live.steps import DROP
from topoloom.routing.routing import Routing
from topoloom.routing.verification.verification import Verification


@dataclass(frozen=True)
class UpdateStep:
    """What changes together.

    Attributes
    ----------
    number : int
        From 1.
    kind : "set", "drop" or "reopen"
        Entries get new ports; or, where no order was found that is free of deadlock, none for a while; or connections are
        opened again, with new service levels, before anything else.
    entries : int
    switches : int
        Whose tables change.
    addresses : int
        LIDs whose entries change.
    pairs : int
        Whose connections are opened again, of switches or of host ports.
    """

    number: int
    kind: str
    entries: int
    switches: int
    addresses: int
    pairs: int


@dataclass(frozen=True)
class Update:
    """An entry that changes.

    Attributes
    ----------
    step : int
    switch, guid : str
    lid : int
    target : str
        Whose LID it is.
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
    """New tables for a fabric that has changed under the old ones, and how to come to them.

    Attributes
    ----------
    old, new : str
        Where the discoveries come from.
    cables_lost, cables_new, switches_lost, switches_new, hosts_lost, hosts_new, hosts_moved : int
        What has changed between them.
    entries : int
        Entries of all switches that are there: one for each switch and LID.
    entries_broken : int
        Those that lead nowhere, or elsewhere than they were meant to.
    entries_changed : int
        Those that are other ones in the new tables.
    virtual_channels_changed : int
        Pairs of switches, or of host ports, in another virtual channel than before.
    rebuilt : bool
        Whether virtual channels were too few to repair the tables, so that all are new.
    deadlock_free : bool
        Whether the new tables are, and all that the steps can mix on the way is.
    installed_deadlock_free : bool
        Whether the installed tables are, on what is cabled now.
    levels_by_step : bool
        Whether pairs change levels with the entries that lead to them, so that each step is over only when their
        connections were opened again.
    steps : tuple of UpdateStep
    updates : tuple of Update
        By step.
    verification : Verdict
        On the new tables.
    fabric : Fabric
        As it is now.
    routing : Routing
        The new tables: between its switches, or between switches and host ports, where these have paths of their own.
    tables : tuple of int32[n, k + n]
        The real ports of all entries, in force and then after each step; -1: none.
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
        """LIDs that cannot be reached for a while, since no order was found that is free of deadlock."""
        return sum(step.addresses for step in self.steps if step.kind == DROP)
