"""Machines: the adapters of one computer, which a subnet manager sees apart, as one host with several ports.

Adapters are called by their machine and by themselves: ``luna-0001 HCA-1`` to ``luna-0001 HCA-8``, ``node7 mlx5_0``. Those that
nobody has named are all called alike (``MT4129 ConnectX7   Mellanox Technologies``) and say nothing of their machines.
"""

import re
from collections import Counter
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.fabric import Fabric

#: What `joined_for` and the command line take: by the plan, always, never.
CHOICES = ("auto", "joined", "apart")

#: What adapters call themselves: HCA-1, mlx5_0, ibp11s0f0, hfi1_0, ...
_DEVICE = re.compile(r"(?:hca|mlx|mthca|qib|hfi|ib|roce|rdma|irdma|bnxt|efa)[\w.-]*[0-9][\w.-]*", re.IGNORECASE)
_DIGITS = re.compile(r"([0-9]+)")


def joined(fabric: Fabric) -> Fabric:
    """The fabric with the adapters of every machine as one host.

    Adapters are one machine's where each is called by two words, the first is the same, and the second, an adapter's name, is
    another for each. The host is then called by the first word. Its ports are numbered through, adapter after adapter, in the
    order of the numbers in their names. A machine that lacks an adapter keeps the numbers of the others: they are those of the
    set of adapters that most machines have, among the sets that have all of its own.

    Returns
    -------
    Fabric
        The same one where there is nothing to join. GUIDs of ports stay; a host has the node GUID of its first adapter.

    Examples
    --------
    >>> from topoloom.fabric.discovery import read_fabric
    >>> adapters = 'Ca 1 "A" # "n1 mlx5_0"\\n[1] "S"[1]\\nCa 1 "B" # "n1 mlx5_1"\\n[1] "S"[2]\\n'
    >>> joined(read_fabric(adapters + 'Switch 2 "S"\\n[1] "A"[1]\\n[2] "B"[1]\\n', "two.net")).host_names
    ('n1',)
    """
    groups = _machines(fabric.host_names)
    if not groups:
        return fabric
    sizes: dict[str, int] = {}
    for members in groups.values():
        for device, host in members.items():
            sizes[device] = max(sizes.get(device, 0), int(fabric.host_sizes[host]))
    sets = Counter(frozenset(members) for members in groups.values())
    first = np.zeros(len(fabric.host_names), np.int64)  # the number before each adapter's first port
    size = fabric.host_sizes.astype(np.int64)
    home = np.arange(len(fabric.host_names))
    names = list(fabric.host_names)
    for machine, members in groups.items():
        whole = max(
            (one for one in sets if one.issuperset(members)), key=lambda one: (sets[one], -len(one), sorted(one))
        )
        order = sorted(whole, key=_natural)
        before = dict(zip(order, np.cumsum([0, *(sizes[device] for device in order)]).tolist(), strict=False))
        lead = min(members.values())
        for device, host in members.items():
            first[host], home[host] = before[device], lead
        names[lead] = machine
        size[lead] = sum(sizes[device] for device in order)
    kept = np.unique(home)
    number = np.searchsorted(kept, home)
    topology = fabric.topology
    return replace(
        fabric,
        topology=topology.replace(host=number[topology.host]),
        host_names=tuple(names[h] for h in kept.tolist()),
        host_guids=fabric.host_guids[kept],
        host_sizes=size[kept].astype(np.int32),
        host_device=fabric.host_device[kept],
        host_ports=(fabric.host_ports + first[topology.host]).astype(np.int32),
    )


def joined_for(plan: Fabric, actual: Fabric, machines: str = "auto") -> Fabric:
    """The actual fabric as it can be set beside the plan.

    Parameters
    ----------
    plan, actual : Fabric
    machines : "auto", "joined" or "apart"
        Whether adapters of one machine are one host. "auto": where the plan has hosts with several ports, and none of its own
        are adapters that could be joined.

    Raises
    ------
    InputError
        Another word.
    """
    if machines not in CHOICES:
        raise InputError(f"machines {machines!r}: it is one of {', '.join(CHOICES)}")
    ports = np.bincount(plan.topology.host, minlength=1)
    wanted = machines == "joined" or (machines == "auto" and ports.max() > 1 and not _machines(plan.host_names))
    return joined(actual) if wanted else actual


def _machines(names: tuple[str, ...]) -> dict[str, dict[str, int]]:
    """The adapters of each machine that has several, by machine: the host that each is."""
    found: dict[str, dict[str, int]] = {}
    doubtful: set[str] = set()
    for host, name in enumerate(names):
        words = name.split()
        if len(words) == 2 and _DEVICE.fullmatch(words[1]):
            if words[1] in found.setdefault(words[0], {}):
                doubtful.add(words[0])
            found[words[0]][words[1]] = host
        elif words:
            # Something else with that first word: then it is no machine's name.
            doubtful.add(words[0])
    return {machine: members for machine, members in found.items() if len(members) > 1 and machine not in doubtful}


def _natural(device: str) -> tuple[tuple[int, str], ...]:
    """Names in the order of their numbers: mlx5_2 before mlx5_10, ibp11s0 before ibp149s0."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(device))
