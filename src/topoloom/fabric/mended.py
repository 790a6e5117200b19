"""A mending: new tables for a fabric that has changed, by numbers, and the steps to them."""

from dataclasses import dataclass, field

import numpy as np

from topoloom.fabric.fabric import Fabric
from topoloom.model.results import Provenance, Result
from topoloom.routing.judge.verdict import Verdict
from topoloom.routing.live.steps import DROP
from topoloom.routing.routing import Routing


@dataclass(frozen=True)
class UpdateStep:
    """What changes together.

    Attributes
    ----------
    number : int
        From 1.
    kind : "set", "drop" or "reopen"
        Entries get new ports; or, where no order was found that is free of deadlock, none for a while; or connections are
        opened anew, with new service levels, before anything else.
    entries : int
    switches : int
        Whose tables change.
    addresses : int
        LIDs whose entries change.
    pairs : int
        Whose connections are opened anew, of switches or of host ports.
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
class Mending(Result):
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
    lanes_changed : int
        Pairs of switches, or of host ports, in another lane than before.
    anew : bool
        Whether lanes were too few to mend the tables, so that all are new.
    deadlock_free : bool
        Whether the new tables are, and all that the steps can mix on the way is.
    in_force_deadlock_free : bool
        Whether the tables in force are, on what is cabled now.
    levels_by_step : bool
        Whether pairs change levels with the entries that lead to them, so that each step is over only when their
        connections were opened anew.
    steps : tuple of UpdateStep
    updates : tuple of Update
        By step.
    verdict : Verdict
        On the new tables.
    fabric : Fabric
        As it is now.
    routing : Routing
        The new tables: between its switches, or between switches and host ports, where these have paths of their own.
    tables : tuple of int32[n, k + n]
        The real ports of all entries, in force and then after each step; -1: none.
    levels : tuple of uint8 arrays
        The lanes after each step, as in `routing`.
    """

    noun = "mending"
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
    lanes_changed: int
    anew: bool
    deadlock_free: bool
    in_force_deadlock_free: bool
    levels_by_step: bool
    steps: tuple[UpdateStep, ...]
    updates: tuple[Update, ...]
    verdict: Verdict
    fabric: Fabric
    routing: Routing
    tables: tuple[np.ndarray, ...]
    levels: tuple[np.ndarray, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def dropped_addresses(self) -> int:
        """LIDs that cannot be reached for a while, since no order was found that is free of deadlock."""
        return sum(step.addresses for step in self.steps if step.kind == DROP)
