"""The cables between the two hosts of each pair of a machine, outside all networks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from topoloom.cost.choose import Cables, choose_cables
from topoloom.machine.devices import HostKind, hosts_by_kind
from topoloom.machine.machine import Machine


@dataclass(frozen=True, eq=False)
class PairCables:
    """The cables between the pairs of a kind of hosts.

    Attributes
    ----------
    kind : HostKind
    ends : int64[cables, 2]
        The two hosts of each cable, by their numbers in the machine.
    port : int64[cables]
        The number of the cable in its pair, from 1.
    rate_gbps : float
    bought : Cables
        Of the slowest network's catalogue.
    """

    kind: HostKind
    ends: np.ndarray
    port: np.ndarray
    rate_gbps: float
    bought: Cables


def pair_cables(machine: Machine) -> Iterator[PairCables]:
    """Yield the cables between pairs, kind by kind.

    Parameters
    ----------
    machine : Machine
    """
    name = min(machine.networks, key=lambda each: machine.requirement.plan(each).rate_gbps)
    terms, rate = machine.networks[name].terms, machine.requirement.plan(name).rate_gbps
    for kind, hosts in hosts_by_kind(machine.kinds):
        count, pairs = kind.plan.pair_cables, np.array(hosts[: len(hosts) // 2 * 2]).reshape(-1, 2)
        if count and len(pairs):
            rack = machine.slot[machine.racks.host[pairs]]
            between = rack[:, 0] != rack[:, 1]
            length_m = machine.floor.cable_m(machine.slots.apart_m(rack[:, 0], rack[:, 1]), between)
            each = np.repeat(np.arange(len(pairs)), count)
            port = np.tile(np.arange(1, count + 1), len(pairs))
            bought = choose_cables(terms.catalogue, length_m[each], between[each], rate)
            yield PairCables(kind, pairs[each], port, rate, bought)
