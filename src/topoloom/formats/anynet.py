"""BookSim's anynet: lines ``router 0 node 0 node 1 router 1 10``: what a router is joined to, with the cycles of each cable.

A cable has one direction per line, and a direction that is not written is that of the other line. Delays are not part of a
topology and are reported. Source: booksim/booksim2, src/networks/anynet.cpp.
"""

import logging
import re

import numpy as np

from topoloom.core.errors import at
from topoloom.formats._registry import Format, register
from topoloom.formats._text import short, text_of, topology_from
from topoloom.model.topology import Topology

log = logging.getLogger("topoloom")

_FORM = "a line is like 'router 0 node 0 node 1 router 1 10'"
_MOST = 1 << 22
_NUMBER = re.compile(r"[0-9]{1,9}")


def read(data: bytes, source: str) -> Topology:
    """The topology of a file: routers as switches, nodes as hosts with one port.

    Raises
    ------
    InputError
        A line is not valid, a node has several routers, or numbers are missing.
    """
    links: dict[tuple[int, int], None] = {}
    at_router: dict[int, tuple[int, int]] = {}
    routers: set[int] = set()
    weights = 0
    for line, whole in enumerate(text_of(data, source).splitlines(), 1):
        words = whole.split()
        if not words:
            continue
        kinds = _entries(words, source, line)
        weights += sum(weight is not None for _, _, weight in kinds)
        kind, router, _ = kinds[0]
        if kind != "router":
            raise at(source, line, f"{short(whole.strip())} does not begin with a router; {_FORM}")
        routers.add(router)
        for other_kind, number, _ in kinds[1:]:
            if other_kind == "router":
                if number == router:
                    raise at(source, line, f"router {router} is joined to itself")
                routers.add(number)
                links[min(router, number), max(router, number)] = None
            elif at_router.setdefault(number, (router, line))[0] != router:
                present, before = at_router[number]
                raise at(source, line, f"node {number} already is at router {present} (line {before})")
    for what, numbers in (("routers", routers), ("nodes", set(at_router))):
        if numbers and numbers != set(range(len(numbers))):
            missing = min(set(range(len(numbers))) - numbers)
            raise at(source, None, f"{what} are numbered from 0 without gaps; {missing} is missing")
    if not routers:
        raise at(source, None, f"names no router; {_FORM}")
    if weights:
        log.warning("%s: the delays of %d cables, in cycles, are not part of a topology; not read", source, weights)
    order = [at_router[node][0] for node in range(len(at_router))]
    # Endpoints are listed by switch.
    host = np.argsort(order, kind="stable")
    return topology_from(
        source,
        links=np.array(list(links), np.int64).reshape(-1, 2),
        switches=len(routers),
        endpoints=np.array(order, np.int64)[host] if order else np.empty(0, np.int64),
        host=host.astype(np.int64),
    )


def _entries(words: list[str], source: str, line: int) -> list[tuple[str, int, int | None]]:
    """Each ``router N`` or ``node N`` of a line, with the number that follows it, if any."""
    entries: list[tuple[str, int, int | None]] = []
    place = 0
    while place < len(words):
        kind, number = words[place], words[place + 1] if place + 1 < len(words) else ""
        if kind not in ("router", "node") or not _NUMBER.fullmatch(number) or int(number) > _MOST:
            raise at(source, line, f"{short(' '.join(words[place : place + 2]))} is out of place; {_FORM}")
        place += 2
        weight = None
        if place < len(words) and words[place].isdecimal():
            weight = int(words[place][:9])
            place += 1
        entries.append((kind, int(number), weight))
    return entries


register(
    Format(
        name="anynet",
        suffixes=(".anynet",),
        description="BookSim's anynet: routers, their nodes, and the cables between them",
        keeps=frozenset({"isolated", "endpoints", "host"}),
        read=read,
        write=None,
        simple=True,
        shared=(".txt",),
    )
)
