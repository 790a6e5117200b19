"""Reading the network file of CAMINOS: NODOS, GRADO, and for each router N and a line of its neighbours."""

import re
from collections.abc import Iterator

import numpy as np

from topoloom.core.errors import at
from topoloom.core.text_parts import text_lines
from topoloom.fabric.exports.caminos import nodos_text
from topoloom.formats._registry import Format, register
from topoloom.formats._text import short, text_of, topology_from
from topoloom.model.topology import MOST_SWITCHES, Topology

_NUMBER = re.compile(r"[0-9]{1,9}")


def read(data: bytes, source: str) -> Topology:
    """The topology in a file. It has no hosts, since their number per router is in the experiment's cfg file.

    Raises
    ------
    InputError
        A line has another keyword than NODOS, GRADO and N, a neighbour is not a router, or only one end lists a link.
    """
    lines = enumerate(text_lines(text_of(data, source)), 1)
    routers = 0
    seen: dict[int, int] = {}
    ends: list[tuple[int, int]] = []
    where: list[int] = []
    for line, text in lines:
        words = text.split()
        if not words:
            raise at(source, line, "an empty line may only follow the line N of a router without neighbours")
        if words[0] == "NODOS" and not routers:
            routers = _number(words, source, line, MOST_SWITCHES)
        elif words[0] == "GRADO" and routers:
            _number(words, source, line, MOST_SWITCHES)
        elif words[0] == "N" and routers:
            router = _number(words, source, line, routers - 1)
            if router in seen:
                raise at(source, line, f"router {router} already has a line N, on line {seen[router]}")
            seen[router] = line
            for place, neighbour in _neighbours(lines, routers, source, line):
                if neighbour == router:
                    raise at(source, place, f"router {router} is linked to itself; a link joins two switches")
                ends.append((router, neighbour))
                where.append(place)
        else:
            raise at(
                source, line, f"{short(words[0])} is out of place; write NODOS n first, then GRADO d, then N router"
            )
    if not routers:
        raise at(source, None, "holds no line NODOS")
    return _topology(ends, where, routers, source)


def _number(words: list[str], source: str, line: int, most: int) -> int:
    if len(words) != 2 or not _NUMBER.fullmatch(words[1]) or int(words[1]) > most:
        raise at(source, line, f"{words[0]} needs one number, up to {most}")
    value = int(words[1])
    if words[0] == "NODOS" and not value:
        raise at(source, line, "no routers; a topology has at least one switch")
    return value


def _neighbours(lines: Iterator[tuple[int, str]], routers: int, source: str, line: int) -> Iterator[tuple[int, int]]:
    place, text = next(lines, (line, None))
    if text is None:
        raise at(source, line, "the line of neighbours after it is missing")
    for word in text.split():
        if not _NUMBER.fullmatch(word) or int(word) >= routers:
            raise at(source, place, f"{short(word)} is not a router; routers are 0 to {routers - 1}")
        yield place, int(word)


def _topology(ends: list[tuple[int, int]], where: list[int], routers: int, source: str) -> Topology:
    """Build the topology; every link must be listed by both ends, equally often."""
    both = np.array(ends, np.int64).reshape(-1, 2)
    out, back = both[:, 0] * routers + both[:, 1], both[:, 1] * routers + both[:, 0]
    if not np.array_equal(np.sort(out), np.sort(back)):
        pairs, count = np.unique(out, return_counts=True)
        place = np.searchsorted(pairs, back).clip(max=max(0, pairs.size - 1))
        other = np.where(pairs[place] == back, count[place], 0) if pairs.size else np.zeros(0)
        own = count[np.searchsorted(pairs, out)]
        row = int(np.flatnonzero(own != other)[0])
        u, v = ends[row]
        raise at(
            source,
            where[row],
            f"{u} lists the neighbour {v}, but {v} does not list {u} as often; list each link at both ends",
        )
    return topology_from(source, links=both[both[:, 0] < both[:, 1]], switches=routers)


register(
    Format(
        name="caminos",
        suffixes=(".nodos",),
        description="network of CAMINOS: NODOS, GRADO, and the neighbours of each router",
        keeps=frozenset({"isolated"}),
        read=read,
        write=nodos_text,
        simple=True,
    )
)
