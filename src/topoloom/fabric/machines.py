"""Machines: several adapters of one computer, which a subnet manager lists separately, joined into one host with more ports.

Adapters are named by machine and device: ``luna-0001 HCA-1`` to ``luna-0001 HCA-8``, ``node7 mlx5_0``. Adapters that nobody
has named all have the same name (``MT4129 ConnectX7   Mellanox Technologies``), which does not identify their machine.
"""

import re
from collections import Counter
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.fabric.distinct_names import natural_key
from topoloom.fabric.fabric import Fabric, names_of_nodes

#: The values of `machines`: join adapters if the plan does, always, never.
CHOICES = ("auto", "joined", "apart")

#: What makes planes of parts whose machines appear as an adapter in each.
JOIN_HINT = (
    "If it lists the adapters of its machines one by one, join them: topoloom convert PLAN machines.net --join-machines"
)
#: Names of adapters: HCA-1, mlx5_0, ibp11s0f0, hfi1_0, ...
_DEVICE = re.compile(r"(?:hca|mlx|mthca|qib|hfi|ib|roce|rdma|irdma|bnxt|efa)[\w.-]*[0-9][\w.-]*", re.IGNORECASE)


def joined(fabric: Fabric) -> Fabric:
    """The fabric with all adapters of each machine joined into one host.

    Adapters belong to one machine if their names have two words, the first word is the same, and the second is a different
    adapter name for each. The host gets the first word as its name. Its ports are numbered adapter by adapter, in the order of
    the numbers in the adapters' names. A machine that lacks an adapter keeps the port numbers of the others: they follow the
    most common set of adapters that contains all of the machine's.

    Returns
    -------
    Fabric
        The same object if there is nothing to join. Port GUIDs stay; a host has the node GUID of its first adapter.

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
            (devices for devices in sets if devices.issuperset(members)),
            key=lambda devices: (sets[devices], -len(devices), sorted(devices)),
        )
        order = sorted(whole, key=natural_key)
        before = dict(zip(order, np.cumsum([0, *(sizes[device] for device in order)]).tolist(), strict=False))
        lead = min(members.values())
        for device, host in members.items():
            first[host], home[host] = before[device], lead
        names[lead] = machine
        size[lead] = sum(sizes[device] for device in order)
    port_names: list[dict[int, str]] = [{} for _ in fabric.host_names]
    for host, of_host in enumerate(fabric.host_port_names):
        port_names[home[host]] |= {int(first[host]) + port: name for port, name in of_host.items()}
    lead_hosts = np.unique(home)
    number = np.searchsorted(lead_hosts, home)
    topology = fabric.topology
    return replace(
        fabric,
        topology=topology.replace(host=number[topology.host]),
        host_names=tuple(names[h] for h in lead_hosts.tolist()),
        host_guids=fabric.host_guids[lead_hosts],
        host_sizes=size[lead_hosts].astype(np.int32),
        host_device=fabric.host_device[lead_hosts],
        host_system=fabric.host_system[lead_hosts],
        host_rack=fabric.host_rack[lead_hosts],
        host_unit=fabric.host_unit[lead_hosts],
        host_port_names=names_of_nodes(tuple(port_names), lead_hosts) if fabric.host_port_names else (),
        host_ports=(fabric.host_ports + first[topology.host]).astype(np.int32),
    )


def joined_for(plan: Fabric, actual: Fabric, machines: str = "auto") -> Fabric:
    """The actual fabric in a form that can be compared with the plan.

    Parameters
    ----------
    plan, actual : Fabric
    machines : "auto", "joined" or "apart"
        Whether to join the adapters of a machine. "auto": if the plan has hosts with several ports, and its own hosts are not
        adapters that could be joined.

    Raises
    ------
    InputError
        `machines` has another value.
    """
    if machines not in CHOICES:
        raise InputError(f"machines {machines!r}: must be one of {', '.join(CHOICES)}")
    ports = np.bincount(plan.topology.host, minlength=1)
    join = machines == "joined" or (machines == "auto" and ports.max() > 1 and not _machines(plan.host_names))
    return joined(actual) if join else actual


def _machines(names: tuple[str, ...]) -> dict[str, dict[str, int]]:
    """The adapters of each machine that has several: by machine and device, the number of the host."""
    machines: dict[str, dict[str, int]] = {}
    doubtful: set[str] = set()
    for host, name in enumerate(names):
        words = name.split()
        if len(words) == 2 and _DEVICE.fullmatch(words[1]):
            if words[1] in machines.setdefault(words[0], {}):
                doubtful.add(words[0])
            machines[words[0]][words[1]] = host
        elif words:
            # Another kind of name with the same first word: the word is not the name of a machine.
            doubtful.add(words[0])
    return {machine: members for machine, members in machines.items() if len(members) > 1 and machine not in doubtful}
