"""Simulations of NVIDIA Air: ``content.links[]`` with two ends of node and interface, as topoloom exports them.

Source: NVIDIA Air, its JSON of a topology (format "JSON").
"""

from typing import Any

from topoloom.core.errors import at
from topoloom.core.json_files import strict_json
from topoloom.fabric.named_cables import NamedCables
from topoloom.formats._lldp.views import text_in
from topoloom.formats._named_format import register_named_format
from topoloom.formats._text import text_of

_FORM = "a link is two ends with node and interface"
#: Systems that are switches; others are hosts.
_SWITCHES = ("cumulus", "sonic", "vx", "nvos")


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
    content = whole.get("content") if isinstance(whole, dict) else None
    nodes = content.get("nodes") if isinstance(content, dict) else None
    links = content.get("links") if isinstance(content, dict) else None
    if not isinstance(nodes, dict) or not isinstance(links, list):
        raise at(source, None, "is no simulation of NVIDIA Air: it has no content with nodes and links")
    cables = NamedCables(source, lenient=lenient)
    cables.title = text_in(whole.get("title"))
    for name, facts in nodes.items():
        system = text_in(facts.get("os")).lower() if isinstance(facts, dict) else ""
        cables.device(name, switch=any(word in system for word in _SWITCHES) if system else None)
    for number, link in enumerate(links, 1):
        if link_ends := _ends(link):
            near_end, other = ((cables.device(node), interface) for node, interface in link_ends)
            cables.cable(near_end, other, where=f"link {number}")
        else:
            raise at(source, None, f"link {number} is no cable of two devices; {_FORM}")
    return cables


def _ends(link: Any) -> list[tuple[str, str]]:
    """Both ends of a link; empty if it has not two."""
    ends = link if isinstance(link, list) else []
    pairs = [(text_in(end.get("node")), text_in(end.get("interface"))) for end in ends if isinstance(end, dict)]
    return pairs if len(pairs) == 2 == len(ends) and all(node for node, _ in pairs) else []


register_named_format("air", (".air.json",), "simulation of NVIDIA Air", cables_in, _FORM, shared=(".json",))
