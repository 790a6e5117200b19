"""A fabric as a scheduler models it: each node is under one leaf, and leaves are grouped by the switches that join them.

Leaves with the same nodes, such as the rails of a unit or the same leaf of several planes, are one leaf; so are leaves that
share more than half of their nodes, because an adapter that is down does not change the place of its node. A node that is under
several leaves even so, such as a storage server with two homes, is under the leaf with most of its ports, of these the one
with the fewest nodes, of these the first. All of this is reported.
"""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.files import read_text
from topoloom.fabric.exports.nodes import Attached, some_names
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.fabric.exports.tiers import tiers
from topoloom.graph.connectivity import parts_among
from topoloom.model.topology import Topology
from topoloom.topologies.spec import Choice, Parameter, Text

#: The options of every export with blocks of nodes.
BLOCKS: dict[str, Parameter] = {
    "blocks": Choice(
        ("auto", "domain", "group", "pod", "rack", "leaf"),
        "the unit of blocks: scale-up domains, the network's groups, leaves under the same switches, a rack, a leaf;"
        " auto: the first that exists, except racks",
        default="auto",
    ),
    "domains": Text(
        "a file",
        "the scale-up domain of each node, one line 'node,domain' per node: the NVLink clique of an NVL72; if omitted, the"
        " rack-scale units of a layout",
        default=None,
    ),
}
_LONGEST = 1 << 26

log = logging.getLogger("topoloom")


@dataclass(frozen=True, eq=False)
class NodeTree:
    """The tree of a scheduler.

    Attributes
    ----------
    topology : Topology
        The fabric with merged leaves; one host per node.
    names : list of str
        The name of each switch of `topology`.
    under : dict of int to list of str
        The nodes of each leaf, by its number.
    merged : dict of int to list of str
        For a leaf that stands for several: the names of all of them.
    racks, domains : dict of str to str
        The rack and the scale-up domain of each node, where known.
    outside : list of str
        Nodes outside the rack-scale units of a layout, if it has any.
    notes : list of str
        What was merged, omitted or chosen: one sentence each.
    """

    topology: Topology
    names: list[str]
    under: dict[int, list[str]]
    merged: dict[int, list[str]]
    racks: dict[str, str] = field(default_factory=dict)
    domains: dict[str, str] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, request: ExportRequest, domains: str | None = None, **selection: Any) -> "NodeTree":
        """The tree of a fabric.

        Parameters
        ----------
        request : ExportRequest
        domains : path, optional
            The scale-up domain of each node.
        **selection : object
            The options of `topoloom.fabric.exports.nodes.SELECTION`.

        Raises
        ------
        InputError
            No node remains, or a file cannot be read.
        """
        attached = Attached.of(request, **selection)
        leaves = _merged_leaves(attached)
        home = _homes(attached, leaves)
        topology = request.topology
        stands_for = np.arange(topology.switches)
        for members in leaves:
            stands_for[members] = members[0]
        under: dict[int, list[str]] = {}
        for node, leaf in sorted(home.items(), key=lambda pair: pair[1]):
            under.setdefault(leaf, []).append(node)
        merged = {m[0]: [attached.switches[s] for s in m] for m in leaves if len(m) > 1 and m[0] in under}
        if merged:
            names = [members[0] for members in merged.values()]
            stand = "stands" if len(names) == 1 else "each stand"
            attached.notes.append(
                f"{some_names(names, 'leaf')} {stand} for several leaves with the same nodes (rails or planes)"
            )
        racks, outside = _racks(request, attached.host), list[str]()
        if domains is None:
            domain_of = _units(request, attached.host)
            outside = [node for nodes in under.values() for node in nodes if domain_of and node not in domain_of]
        else:
            domain_of = domains_in(read_text(domains, _LONGEST), domains, home)
        return cls(
            *_contracted(topology, stands_for, attached.switches, under, merged),
            racks,
            domain_of,
            outside,
            attached.notes,
        )

    @cached_property
    def levels(self) -> list[list[list[int]]]:
        """The blocks of leaves, smallest first, each as the list of its leaves; blocks of the last level are not joined.

        The level of a switch is its distance from the nearest leaf. Leaves that are joined through switches of lower levels are
        in one block.
        """
        leaves, level = np.array(list(self.under)), tiers(self.topology)
        levels: list[list[list[int]]] = []
        for height in range(int(level.max()) + 1 if self.topology.links.size else 0):
            part = parts_among(self.topology, level <= height)[leaves]
            blocks = gathered(leaves.tolist(), part.tolist())
            # A level that joins no further leaves is not a block.
            if len(blocks) < (len(levels[-1]) if levels else leaves.size):
                levels.append(blocks)
        return levels or [[[leaf] for leaf in leaves.tolist()]]

    def tree(self) -> list[tuple[str, str, list[str]]]:
        """Every switch of the tree: its name, "nodes" or "children", and their names; leaves first, roots last.

        There are several roots if no cable joins parts of the fabric.
        """
        entries = [(self.names[s], "nodes", nodes) for s, nodes in self.under.items()]
        members = {s: self.names[s] for s in self.under}
        taken = set(self.names)
        for level, blocks in enumerate(self.levels, start=1):
            last = level == len(self.levels)
            named = {}
            for number, block in enumerate(blocks):
                within = set(block)
                lower = [leaf for leaf in sorted(members) if leaf in within]
                if last and len(blocks) > 1 and len(lower) == 1:
                    continue  # a part of a single block: that block is its root
                name = f"block{level}-{number}" if not last else "fabric" if len(blocks) == 1 else f"fabric{number}"
                while name in taken:
                    name += "_"
                entries.append((name, "children", [members[leaf] for leaf in lower]))
                named[lower[0]] = name
            members = named
        return entries

    @property
    def roots(self) -> int:
        """The number of roots: parts of the fabric that no cable joins."""
        return len(self.levels[-1])

    def blocks(self, kind: str) -> list[list[str]]:
        """The nodes of each block.

        Raises
        ------
        InputError
            The network has no such blocks.
        """
        leaves = list(self.under)
        if kind in ("auto", "domain") and self.domains:
            return self._by(self.domains, "domain", "the file of domains")
        if kind == "domain":
            raise InputError(
                f"{self.topology.name}: no domains; give domains=FILE with a line 'node,domain' per node, or a layout with"
                " rack-scale units"
            )
        if kind in ("auto", "group") and "group" in self.topology.labels:
            label = self.topology.labels["group"]
            groups = gathered(leaves, [int(label[s]) for s in leaves])
            if kind == "group" or len(groups) > 1:
                return self._nodes(groups)
        if kind in ("auto", "pod"):
            levels = self.levels
            if kind == "pod" or len(levels[0]) > 1:
                return self._nodes(levels[0])
        if kind == "group":
            raise InputError(f"{self.topology.name}: no groups; use blocks=pod, blocks=rack or blocks=leaf")
        if kind == "rack":
            if not self.racks:
                raise InputError(
                    f"{self.topology.name}: the racks of nodes are not known; give a folder that 'topoloom layout -o' wrote"
                )
            return self._by(self.racks, "rack", "the layout")
        return self._nodes([[leaf] for leaf in leaves])

    def _by(self, key_of: dict[str, str], what: str, where: str) -> list[list[str]]:
        outside = set(self.outside) if key_of is self.domains else ()
        nodes = [node for several in self.under.values() for node in several if node not in outside]
        unknown = [node for node in nodes if node not in key_of]
        if unknown:
            raise InputError(f"{self.topology.name}: {where} has no {what} for {some_names(unknown, 'node')}")
        return gathered(nodes, [key_of[node] for node in nodes])

    def _nodes(self, blocks: Sequence[Sequence[int]]) -> list[list[str]]:
        return [[node for leaf in block for node in self.under[leaf]] for block in blocks]


def report_notes(request: ExportRequest, tree: NodeTree) -> None:
    """Warn of everything that a tree merges, omits or chooses."""
    for note in tree.notes:
        log.warning("%s: %s", request.topology.name, note)


def gathered(members: Sequence, keys: Sequence) -> list[list]:
    """Group members by key, in the order of their first members.

    Examples
    --------
    >>> gathered("abcd", [2, 1, 2, 1])
    [['a', 'c'], ['b', 'd']]
    """
    groups: dict = {}
    for member, key in zip(members, keys, strict=True):
        groups.setdefault(key, []).append(member)
    return list(groups.values())


def _merged_leaves(attached: Attached) -> list[list[int]]:
    """The leaves, those with (mostly) the same nodes together, each list ascending."""
    of_leaf: dict[int, set[str]] = {}
    for node, ports in attached.ports.items():
        for switch in ports:
            of_leaf.setdefault(switch, set()).add(node)
    groups: list[tuple[list[int], set[str]]] = []
    groups_of: dict[str, list[int]] = {}
    # Largest first, so that a leaf which lacks some adapters joins a whole one.
    for leaf in sorted(of_leaf, key=lambda s: (-len(of_leaf[s]), s)):
        nodes = of_leaf[leaf]
        shared = Counter(group for node in nodes for group in groups_of.get(node, ()))
        for group, common in sorted(shared.items(), key=lambda pair: (-pair[1], pair[0])):
            members, nodes_of_first = groups[group]
            if 2 * common > len(nodes | nodes_of_first):
                members.append(leaf)
                break
        else:
            for node in nodes:
                groups_of.setdefault(node, []).append(len(groups))
            groups.append(([leaf], nodes))
    return sorted(sorted(members) for members, _ in groups)


def _homes(attached: Attached, leaves: list[list[int]]) -> dict[str, int]:
    """The (first) leaf of each node, in the order of nodes; nodes with several are reported."""
    first = {switch: members[0] for members in leaves for switch in members}
    ports = {
        node: dict(sum((Counter({first[switch]: count}) for switch, count in own.items()), Counter[int]()))
        for node, own in attached.ports.items()
    }
    size = Counter(leaf for own in ports.values() for leaf in own)
    home, several = {}, []
    for node, own in ports.items():
        home[node] = min(own, key=lambda leaf: (-own[leaf], size[leaf], leaf))
        if len(own) > 1:
            others = ", ".join(attached.switches[leaf] for leaf in sorted(own) if leaf != home[node])
            several.append(f"{node} under {attached.switches[home[node]]} and not {others}")
    if several:
        count = "1 node" if len(several) == 1 else f"{len(several):,} nodes"
        attached.notes.append(
            f"{count} on several leaves, placed under the leaf with most of its ports, then the fewest nodes:"
            f" {'; '.join(several[:3])}{'; ...' if len(several) > 3 else ''}"
        )
    return home


def _contracted(
    topology: Topology,
    stands_for: np.ndarray,
    names: list[str],
    under: dict[int, list[str]],
    merged: dict[int, list[str]],
) -> tuple[Topology, list[str], dict[int, list[str]], dict[int, list[str]]]:
    """The network in which each merged leaf is one switch and each node one host, with everything by its new numbers."""
    keep, number = np.unique(stands_for, return_inverse=True)
    number = number.reshape(-1)
    links = number[topology.links].reshape(-1, 2)
    links = links[links[:, 0] != links[:, 1]]
    leaves = {int(number[leaf]): nodes for leaf, nodes in under.items()}
    contracted = Topology(
        links=links,
        switches=keep.size,
        endpoints=np.repeat(np.array(list(leaves), np.int64), [len(nodes) for nodes in leaves.values()]),
        labels={key: values[keep] for key, values in topology.labels.items()},
        name=topology.name,
    )
    return (
        contracted,
        [names[s] for s in keep.tolist()],
        leaves,
        {int(number[s]): all_of for s, all_of in merged.items()},
    )


def _racks(request: ExportRequest, host: dict[str, int]) -> dict[str, str]:
    layout = request.layout
    if layout is None or layout.topology.hosts != request.topology.hosts:
        return {}
    names, rack = layout.rack_names, layout.host_rack.tolist()
    return {node: names[rack[number]] for node, number in host.items()}


def _units(request: ExportRequest, host: dict[str, int]) -> dict[str, str]:
    """The rack-scale unit of each node that is in one, by the layout."""
    layout = request.layout
    if layout is None or layout.housing is None or layout.topology.hosts != request.topology.hosts:
        return {}
    units = enumerate(layout.housing.units(layout.topology.hosts), start=1)
    unit_of = {number: f"unit{unit}" for unit, hosts in units for number in hosts}
    return {node: unit_of[number] for node, number in host.items() if number in unit_of}


def domains_in(text: str, source: str, nodes: Collection[str]) -> dict[str, str]:
    """The domain of each node, from lines ``node,domain``.

    Parameters
    ----------
    text : str
    source : str
        The file, for messages.
    nodes : collection of str
        The nodes of the fabric; a domain is removed from other names.

    Returns
    -------
    dict of str to str

    Raises
    ------
    InputError
        A line has another form, or a node has two domains.

    Examples
    --------
    >>> domains_in("n1.site.org,rack1\\nn2,rack2\\n", "domains.csv", ["n1", "n2"])
    {'n1': 'rack1', 'n2': 'rack2'}
    """
    domains: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        cells = [cell.strip() for cell in line.partition("#")[0].replace("\t", ",").split(",")]
        if cells == [""] or (number == 1 and cells[0].lower() in ("node", "host", "hostname", "name")):
            continue
        if len(cells) != 2 or not all(cells):
            raise InputError(f"{source}, line {number}: {line[:60]!a} is not a line 'node,domain'")
        node = cells[0] if cells[0] in nodes else cells[0].partition(".")[0]
        if domains.setdefault(node, cells[1]) != cells[1]:
            raise InputError(f"{source}, line {number}: node {node} has two domains, {domains[node]} and {cells[1]}")
    return domains
