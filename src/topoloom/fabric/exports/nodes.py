"""The nodes of a scheduler: the machines behind the adapters of a fabric, their switches, and which of them are exported.

A discovered fabric has one host per adapter, called by its machine and its device: ``node7 mlx5_0``. The node is the first
word, without the domain. A planned fabric has one host per node.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from topoloom.core.errors import InputError
from topoloom.core.files import read_text
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.distinct_names import natural_key
from topoloom.fabric.exports.lab import real_host_names
from topoloom.fabric.exports.name_patterns import NameParameter, NamePattern
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.fabric.fabric import Fabric
from topoloom.topologies.spec import Integer, Parameter, Text

#: The options of every export for a scheduler: which nodes, adapters and switches count.
SELECTION: dict[str, Parameter] = {
    "nodes": NameParameter("only these nodes, as in node[01-64], or all but these, as in !login", default=None),
    "adapters": NameParameter("only these adapters of each node, as in mlx5_[0-7]", default=None),
    "switches": NameParameter("only the nodes' cables to these switches, as in !storage", default=None),
    "rail": Integer(0, 255, "only this rail: the adapter of each node with this number, from 0", default=None),
    "node_list": Text(
        "a file",
        "the scheduler's nodes, from 'sinfo -hN -o %N': no others are written, and nodes without a cable are reported",
        default=None,
    ),
    "earlier": Text(
        "a .net file",
        "an earlier discovery, or the plan: its switch for the nodes of node_list that have no cable now",
        default=None,
    ),
}
#: The longest list of nodes, in bytes, and the longest discovery.
_LONGEST_LIST, _LONGEST_NET = 1 << 26, 1 << 30
#: Names of adapters that nobody has named.
_MAKERS = re.compile(
    r"mellanox|nvidia|connectx|infinihost|bluefield|omni-?path|\bMT[0-9]{4,5}\b|^localhost\b", re.IGNORECASE
)
_MANAGED = re.compile(r"MF0;([^;:]+):[^:/]*(?:/U1|((?:/[^:/]+)*))", re.IGNORECASE)
#: Most names in one report.
_SHOWN = 4


#: The patterns of an export by their options.
Patterns = Mapping[str, NamePattern | None]


@dataclass(frozen=True, eq=False)
class Attached:
    """The nodes of a scheduler and their switches.

    Attributes
    ----------
    ports : dict of str to (dict of int to int)
        The switches of each node, with its number of selected ports on each.
    host : dict of str to int
        A host of the fabric for each node.
    switches : list of str
        The name of each switch of the fabric.
    notes : list of str
        What is omitted, and by which rule: one sentence each.
    """

    ports: dict[str, dict[int, int]]
    host: dict[str, int]
    switches: list[str]
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        request: ExportRequest,
        *,
        nodes: NamePattern | None = None,
        adapters: NamePattern | None = None,
        switches: NamePattern | None = None,
        rail: int | None = None,
        node_list: str | None = None,
        earlier: str | None = None,
    ) -> "Attached":
        """The selected nodes of a fabric.

        Parameters
        ----------
        request : ExportRequest
        nodes, adapters, switches : NamePattern, optional
            Select by name; all if omitted.
        rail : int, optional
            Selects one adapter of each node, from 0.
        node_list : path, optional
            The scheduler's nodes.
        earlier : path, optional
            A discovery with the cables of nodes that have none now.

        Raises
        ------
        InputError
            A pattern selects nothing, a file cannot be read, or no node remains.
        """
        topology = request.topology
        if not topology.endpoints.size:
            raise InputError(f"{topology.name}: no hosts, so there is nothing to schedule; add them, as in hosts=4")
        fabric, notes = request.fabric, list[str]()
        machines = _machines(fabric, real_host_names(request), notes)
        names = switch_names(fabric)
        patterns = {"nodes": nodes, "adapters": adapters, "switches": switches}
        for key, pattern in patterns.items():
            if pattern is not None:
                _check(key, pattern, fabric, machines, names)
        chosen = _selected(fabric, machines, names, patterns)
        if rail is not None:
            chosen = _of_rail(fabric, machines, chosen, rail)
        ports: dict[str, dict[int, int]] = {}
        host: dict[str, int] = {}
        for endpoint in chosen:
            number, switch = int(topology.host[endpoint]), int(topology.endpoints[endpoint])
            node = machines[number][0]
            host.setdefault(node, number)
            at = ports.setdefault(node, {})
            at[switch] = at.get(switch, 0) + 1
        wanted = {node for node, _ in machines.values() if nodes is None or nodes.matches(node)}
        if without := sorted(wanted - ports.keys()):
            notes.append(f"{some_names(without, 'node')} without a selected cable: omitted")
        attached = cls(ports, host, names, notes)
        if node_list is None and earlier is not None:
            raise InputError("earlier= has the cables of nodes that are off; add node_list= with the scheduler's nodes")
        if node_list is not None:
            attached._listed(node_list, earlier, patterns)
        if not ports:
            raise InputError(
                f"{topology.name}: no node is left to schedule; change nodes=, adapters=, switches= or node_list="
            )
        return attached

    def _listed(self, path: str, earlier: str | None, patterns: Patterns) -> None:
        """Keep the nodes of the scheduler's list; nodes without a cable get the switch of an earlier discovery."""
        listed = listed_nodes(read_text(path, _LONGEST_LIST), path)
        unlisted = [node for node in self.ports if node not in listed]
        for node in unlisted:
            del self.ports[node]
        if unlisted:
            self.notes.append(f"{some_names(unlisted, 'host')} not in {path}: omitted")
        off = [node for node in listed if node not in self.ports]
        if off and earlier is not None:
            homes = _homes(read_fabric(read_text(earlier, _LONGEST_NET), earlier, lenient=True), patterns)
            number = {name: s for s, name in enumerate(self.switches)}
            placed = [node for node in off if homes.get(node, "") in number]
            for node in placed:
                self.ports[node] = {number[homes[node]]: 1}
            if placed:
                self.notes.append(f"{some_names(placed, 'node')} without a cable now: under the switch of {earlier}")
            off = [node for node in off if node not in self.ports]
        if off:
            remedy = "" if earlier is not None else "; earlier=FILE takes their switches from an earlier discovery"
            self.notes.append(f"{some_names(off, 'node')} of {path} without a cable: omitted{remedy}")


def switch_names(fabric: Fabric) -> list[str]:
    """A unique name without blanks for each switch: ``leaf1`` for ``MF0;leaf1:MQM8700/U1``.

    Names that several switches have get their node GUIDs.

    Examples
    --------
    >>> from topoloom import build
    >>> from topoloom.fabric.fabric import planned_fabric
    >>> switch_names(planned_fabric(build("ring:n=3,hosts=1")))
    ['S0', 'S1', 'S2']
    """
    plain = []
    for name in fabric.switch_names:
        match = _MANAGED.fullmatch(name)
        plain.append("_".join((f"{match[1]}{match[2] or ''}" if match else name).split()))
    times = Counter(plain)
    guids = fabric.switch_guids.tolist()
    return [
        name if times[name] == 1 else f"{_maker_removed(name)}{guid:016x}"
        for name, guid in zip(plain, guids, strict=True)
    ]


def _maker_removed(name: str) -> str:
    return "S-" if _MAKERS.search(name) else f"{name}-"


def _machines(fabric: Fabric, names: Sequence[str], notes: list[str]) -> dict[int, tuple[str, str]]:
    """The node and the adapter of each host; without the adapters that nobody has named, which are noted."""
    unnamed = [h for h, name in enumerate(names) if not name.split() or _MAKERS.search(name)]
    if unnamed:
        guids = [f"{guid:#x}" for guid in fabric.host_guids[unnamed].tolist()]
        notes.append(
            f"{some_names(guids, 'adapter')} without a host's name: omitted; set their node descriptions (rdma-ndd)"
        )
    omitted = set(unnamed)
    machines = {h: (name.split()[0], " ".join(name.split()[1:])) for h, name in enumerate(names) if h not in omitted}
    whole = {node for node, _ in machines.values()}
    short = Counter(node.partition(".")[0] for node in whole)
    # Dots may belong to the name: a domain is removed only where the rest is still unique.
    plain = {node: head if head and short[head] == 1 else node for node in whole for head in (node.partition(".")[0],)}
    return {h: (plain[node], adapter) for h, (node, adapter) in machines.items()}


def _names_of(key: str, fabric: Fabric, machines: dict[int, tuple[str, str]], names: list[str]) -> dict[int, str]:
    """What a pattern looks at, for each endpoint of a machine: its node, its adapter or its switch."""
    ends = enumerate(zip(fabric.topology.host.tolist(), fabric.topology.endpoints.tolist(), strict=True))
    if key == "switches":
        return {e: names[switch] for e, (host, switch) in ends if host in machines}
    place = 0 if key == "nodes" else 1
    return {e: machines[host][place] for e, (host, _) in ends if host in machines}


def _check(
    key: str, pattern: NamePattern, fabric: Fabric, machines: dict[int, tuple[str, str]], names: list[str]
) -> None:
    """Refuse a pattern that selects nothing."""
    every = set(_names_of(key, fabric, machines, names).values())
    if key == "adapters" and not any(every):
        raise InputError(
            f"adapters={pattern.text[:60]}: hosts have no names of adapters, such as 'node7 mlx5_0'; use rail= or switches="
        )
    pattern.required_of(every, {"nodes": "node", "adapters": "adapter", "switches": "switch with nodes"}[key], key)


def _selected(fabric: Fabric, machines: dict[int, tuple[str, str]], names: list[str], patterns: Patterns) -> list[int]:
    """The endpoints that every pattern selects."""
    chosen = [e for e, host in enumerate(fabric.topology.host.tolist()) if host in machines]
    for key, pattern in patterns.items():
        if pattern is not None:
            texts = _names_of(key, fabric, machines, names)
            selected = {text for text in set(texts.values()) if pattern.matches(text)}
            chosen = [e for e in chosen if texts[e] in selected]
    return chosen


def _of_rail(fabric: Fabric, machines: dict[int, tuple[str, str]], endpoints: list[int], rail: int) -> list[int]:
    """The endpoints on one rail: by the rail of their switch if the plan has rails, else the adapter of this number."""
    topology = fabric.topology
    labels = topology.labels.get("rail")
    if labels is not None:
        return _some_endpoints([e for e in endpoints if int(labels[topology.endpoints[e]]) == rail], rail)
    devices = {e: (natural_key(machines[int(topology.host[e])][1]), int(fabric.host_ports[e])) for e in endpoints}
    # The adapters of all nodes are counted, so that one which is down does not move the others to another rail.
    order = sorted(set(devices.values()))
    return _some_endpoints([e for e in endpoints if order.index(devices[e]) == rail], rail)


def _some_endpoints(chosen: list[int], rail: int) -> list[int]:
    if not chosen:
        raise InputError(f"rail={rail}: no node has an adapter of this number; rails are counted from 0")
    return chosen


def listed_nodes(text: str, source: str) -> dict[str, None]:
    """The nodes of a list: one name or list of names such as ``node[01-16]`` per line, or several with commas or blanks.

    Raises
    ------
    InputError
        It has no node, or a part that is not a name.

    Examples
    --------
    >>> list(listed_nodes("login1\\nnode[08-10,12]\\n", "nodes.txt"))
    ['login1', 'node08', 'node09', 'node10', 'node12']
    """
    nodes: dict[str, None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        for word in re.findall(r"(?:[^\s,\[\]]|\[[^\[\]\s]*\])+|[\[\]]", line.partition("#")[0]):
            match = re.fullmatch(r"([^\[\]]*)(?:\[([0-9,-]+)\]([^\[\]]*))?", word)
            if match is None:
                raise InputError(
                    f"{source}, line {number}: {word[:60]!a} is not a node; write one name per line, as sinfo -hN -o %N"
                )
            for middle in [""] if match[2] is None else _numbers(match[2], source, number):
                nodes[f"{match[1]}{middle}{match[3] or ''}"] = None
    if not nodes:
        raise InputError(f"{source}: no node; write one name per line, as 'sinfo -hN -o %N' prints them")
    return nodes


def _numbers(text: str, source: str, line: int) -> list[str]:
    numbers = []
    for part in text.split(","):
        match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", part)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if match is None or not low <= high < low + (1 << 20):
            raise InputError(f"{source}, line {line}: [{text[:40]}] is not a list of ranges, as in [01-16,20]")
        numbers += [f"{number:0{len(match[1])}d}" for number in range(low, high + 1)]
    return numbers


def _homes(fabric: Fabric, patterns: Patterns) -> dict[str, str]:
    """The switch of most selected ports of each node, by name."""
    machines, names = _machines(fabric, list(fabric.host_names), []), switch_names(fabric)
    counts: dict[str, Counter[str]] = {}
    for endpoint in _selected(fabric, machines, names, patterns):
        node = machines[int(fabric.topology.host[endpoint])][0]
        counts.setdefault(node, Counter())[names[fabric.topology.endpoints[endpoint]]] += 1
    return {node: count.most_common(1)[0][0] for node, count in counts.items()}


def some_names(names: Sequence[str], what: str) -> str:
    """Names as part of a sentence: at most a few of them."""
    shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    plural = what if len(names) == 1 else "leaves" if what == "leaf" else f"{what}s"
    return f"{len(names):,} {plural} ({shown})"
