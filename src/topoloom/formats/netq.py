"""NVIDIA NetQ's graph of a topology: ``links[].compounded_links[].interfaces[]{node, interface}``, nodes in tiers.

Source: outputs in the tests of NVIDIA/topograph.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from topoloom.core.errors import at
from topoloom.core.json_files import strict_json
from topoloom.fabric.device_kinds import is_switch_role
from topoloom.fabric.named_cables import NamedCables
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import text_of

_FORM = "a link has compounded_links with two interfaces of node and interface"


def cables_in(data: bytes, source: str, lenient: bool) -> NamedCables:
    """The cables in a file.

    Parameters
    ----------
    data : bytes
    source : str
    lenient : bool
        Whether the caller reports cables that cannot be right itself.

    Returns
    -------
    NamedCables

    Raises
    ------
    InputError
        The file is damaged.
    """
    whole = strict_json(text_of(data, source), source)
    graphs = [graph for graph in (whole if isinstance(whole, list) else [whole]) if isinstance(graph, dict)]
    cables = NamedCables(source, lenient=lenient)
    names: dict[str, str] = {}
    for graph in graphs:
        for node in _devices(graph.get("nodes"), "compounded_nodes"):
            if node.get("node_type") == "device" and isinstance(node.get("name"), str):
                names[str(node.get("id"))] = node["name"]
                cables.device(node["name"], switch=is_switch_role(str(node.get("device_type") or "")))
    for graph in graphs:
        for link in _devices(graph.get("links"), "compounded_links"):
            ends = link.get("interfaces")
            if not isinstance(ends, list) or len(ends) != 2 or not all(isinstance(end, dict) for end in ends):
                raise at(source, None, f"link {str(link.get('id'))[:60]!a} has not two ends; {_FORM}")
            nodes = [names.get(str(end.get("node")), "") for end in ends]
            if not all(nodes):
                raise at(
                    source, None, f"link {str(link.get('id'))[:60]!a} leads to a node that the file does not describe"
                )
            first, other = (
                (cables.device(node), str(end.get("interface") or "")) for node, end in zip(nodes, ends, strict=True)
            )
            cables.cable(first, other)
    cables.only_in_use()
    return cables


def _devices(entries: Any, inside: str) -> Iterator[Mapping[str, Any]]:
    """Nodes and links without those that hold others: bundles of links, and tiers."""
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            within = entry.get(inside)
            if isinstance(within, list) and within:
                yield from _devices(within, inside)
            else:
                yield entry


register_named_format("netq", (".netq.json",), "topology graph of NVIDIA NetQ", cables_in, _FORM, shared=(".json",))
