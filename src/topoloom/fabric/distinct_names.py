"""Names that identify: where several nodes of a fabric have one name, the GUID or the LID of each follows its name."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from topoloom.fabric.fabric import Fabric


def distinct_names(fabric: Fabric) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the switches and of the hosts of a fabric, each of which only one node has.

    Parameters
    ----------
    fabric : Fabric

    Returns
    -------
    (tuple of str, tuple of str)
        Unique names (without regard to capitals) are unchanged. Others are followed by the GUID of the node; if several nodes
        have one GUID, by the LID; otherwise by ``#`` and the number of the node among those of that name.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from topoloom.fabric.fabric import planned_fabric
    >>> from topoloom.model.topology import Topology
    >>> fabric = planned_fabric(Topology(links=[(0, 1)], switches=2, endpoints=[0]))
    >>> distinct_names(replace(fabric, switch_names=("leaf", "leaf")))
    (('leaf 0x0000000000200000', 'leaf 0x0000000000200001'), ('H0',))
    """
    switches, hosts = fabric.switch_names, fabric.host_names
    names = [*switches, *hosts]
    keys = [name.strip().lower() for name in names]
    counts = Counter(keys)
    if len(counts) == len(keys):
        return switches, hosts
    guids = [f"0x{guid:016x}" for guid in (*fabric.switch_guids.tolist(), *fabric.host_guids.tolist())]
    lids = [f"LID {lid}" if lid else "" for lid in (*fabric.switch_lids.tolist(), *_host_lids(fabric))]
    by_guid, by_lid = _counted(keys, guids), _counted(keys, lids)
    seen: Counter[str] = Counter()
    for node, (name, key) in enumerate(zip(names, keys, strict=True)):
        if counts[key] > 1:
            seen[key] += 1
            if by_guid[key, guids[node]] == 1:
                names[node] = f"{name} {guids[node]}"
            elif lids[node] and by_lid[key, lids[node]] == 1:
                names[node] = f"{name} {lids[node]}"
            else:
                names[node] = f"{name} #{seen[key]}"
    return tuple(names[: len(switches)]), tuple(names[len(switches) :])


def _counted(keys: Sequence[str], marks: Sequence[str]) -> Counter[tuple[str, str]]:
    return Counter(zip(keys, marks, strict=True))


def _host_lids(fabric: Fabric) -> list[int]:
    """The LID of the first port of each host; 0 where not known."""
    lids = np.zeros(fabric.topology.hosts, np.int64)
    # The lowest port is assigned last.
    order = np.argsort(-fabric.host_ports, kind="stable")
    lids[fabric.topology.host[order]] = fabric.port_lids[order]
    return [int(lid) for lid in lids]


@lru_cache(maxsize=1 << 16)
def natural_key(text: str) -> tuple[tuple[int, str], ...]:
    """A sort key that orders names by their numbers."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", text))


def unplanned_nodes(numbers: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """The nodes without a planned one, in the order of their names: the order of the discovery may change every day.

    Parameters
    ----------
    numbers : int64[nodes]
        The planned node of each; below 0: none.
    names : sequence of str
        The names of all nodes.

    Returns
    -------
    int64[unplanned nodes]
    """
    extra = np.flatnonzero(numbers < 0).tolist()
    return np.array(sorted(extra, key=lambda node: (natural_key(names[node].lower()), node)), np.int64)
