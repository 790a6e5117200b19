"""How a block of a drawing is lost: its switches in the grammar of losses, as ``group:3`` or ``switch:8..15``."""

import re

import numpy as np

from topoloom.drawing.arranging import Arrangement
from topoloom.graph.connectivity import components
from topoloom.model.topology import Topology

#: Labels that name a part first, where several do.
_FIRST = ("plane", "rail", "group")
#: Kinds of the grammar that a label of this name would hide.
_OTHER_KINDS = frozenset({"switch", "link", "rack", "feed", "cable"})
#: Most items of a name, and most values of a label.
_MOST_ITEMS, MOST_VALUES = 64, 4096


def losable_labels(topology: Topology) -> dict[str, np.ndarray]:
    """The labels whose values name parts that can be lost, planes first: str[switches] each.

    Parameters
    ----------
    topology : Topology

    Returns
    -------
    dict of str to str[switches]
        With ``plane`` for a network of several parts without that label. Values that a list of losses would part are omitted.
    """
    labels = dict(topology.labels)
    if "plane" not in labels and topology.switches and (part := components(topology)).any():
        labels["plane"] = part
    names = [name for name in labels if re.fullmatch("[a-z][a-z0-9_]*", name) and name not in _OTHER_KINDS]
    names.sort(key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    texts = {name: np.asarray(labels[name]).astype(str) for name in names}
    return {
        name: values
        for name, values in texts.items()
        if not any(re.search(r",|^\s|\s$|^$", value) for value in np.unique(values))
    }


def lost_names(topology: Topology, places: Arrangement, labels: dict[str, np.ndarray]) -> tuple[str, ...]:
    """What `losses` calls the switches of each block; empty for the network, and where a name would be too long.

    Parameters
    ----------
    topology : Topology
    places : Arrangement
    labels : dict of str to str[switches]
        Of `losable_labels`.

    Returns
    -------
    tuple of str
    """
    members: list[list[np.ndarray]] = [[] for _ in places.parts]
    items: list[list[list[str]]] = [[] for _ in places.parts]
    sizes = {name: dict(zip(*np.unique(values, return_counts=True), strict=True)) for name, values in labels.items()}
    names = [""] * len(places.parts)
    for number in range(len(places.parts) - 1, 0, -1):
        part = places.parts[number]
        switches = np.sort(np.concatenate([part.switches, *members[number]]))
        own = _rack(part.kind, part.name) or _labelled(part.kind, switches, labels, sizes)
        runs = _runs(switches)
        inner = [item for child in items[number] for item in child] or runs
        chosen = [own] if own else min(runs, inner, key=len)
        names[number] = ",".join(chosen) if len(chosen) <= _MOST_ITEMS else ""
        around = int(places.parent[number])
        members[around].append(switches)
        items[around].append(chosen)
        members[number] = []
    return tuple(names)


def _rack(kind: str, name: str) -> str:
    return f"rack:{name}" if kind == "rack" and name == name.strip() and "," not in name else ""


def _labelled(kind: str, switches: np.ndarray, labels: dict[str, np.ndarray], sizes: dict[str, dict[str, int]]) -> str:
    """The label and the value that these switches have, and no others; that of the block's kind first."""
    own = "level" if kind == "tier" else kind
    for name in sorted(labels, key=lambda name: name != own):
        values = labels[name]
        value = values[switches[0]]
        if sizes[name][value] == switches.size and (values[switches] == value).all():
            return f"{name}:{value}"
    return ""


def _runs(switches: np.ndarray) -> list[str]:
    """Consecutive switches as ranges."""
    ends = np.flatnonzero(np.diff(switches) > 1)
    low, high = np.append(0, ends + 1), np.append(ends, switches.size - 1)
    pairs = zip(switches[low].tolist(), switches[high].tolist(), strict=True)
    return [f"switch:{a}" if a == b else f"switch:{a}..{b}" for a, b in pairs]
