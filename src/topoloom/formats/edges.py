"""Edge lists of the order/degree competition (Graph Golf): two switch ids per line, or two grid points ``x,y``."""

import io
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.core.text_parts import text_lines
from topoloom.formats._registry import Format, register
from topoloom.formats._text import directed_from, largest_id_allowed, refused, short, text_of, topology_from
from topoloom.model.directed import DirectedTopology
from topoloom.model.link_rates import RATE, rate_in, rate_text
from topoloom.model.topology import MOST_SWITCHES, Topology

#: The first line of a file whose links do not determine the number of switches.
_COUNT = re.compile(r"#\s*switches\s+(\S+)\s*")
#: The comment that declares a third word per line, the rate of the link.
_COLUMNS = f"switch switch {RATE}"
_RATED = re.compile(rf"#\s*(switch\s+switch\s+{RATE})\s*", re.IGNORECASE)
#: The comment that declares that a line is an arc, from the first switch to the second.
_DIRECTED = "from to"
_FROM_TO = re.compile(r"#\s*(from\s+to)\s*", re.IGNORECASE)
_POINT = re.compile(r"#\s*switch\s+(\S+)\s*")
#: Ids of up to nine digits cannot overflow; longer ones are mistakes.
_ID = re.compile(r"[0-9]{1,9}")
_GRID_ID = re.compile(r"(-?[0-9]{1,9}),(-?[0-9]{1,9})")


_HOLDS = "a line holds two switch ids, like '0 1'"
_HOLDS_RATE = f"after '# {_COLUMNS}' a line holds two switch ids and a rate in Gb/s, like '0 1 400'"


def write(topology: Topology) -> str:
    """The links, one per line; a first line ``# switches N`` only if the highest switches have no link.

    With rates, each line has a third word, declared by a first line ``# switch switch rate_gbps``.
    """
    count = _count(topology.links, topology.switches)
    if topology.link_rate_gbps is None:
        return count + formatted_rows(topology.links, "{} {}\n")
    rates = map(rate_text, topology.link_rate_gbps.tolist())
    return f"# {_COLUMNS}\n{count}" + "".join(map("{} {} {}\n".format, *topology.links.T.tolist(), rates))


def write_directed(topology: DirectedTopology) -> str:
    """The arcs, one per line, after a first line ``# from to``."""
    return f"# {_DIRECTED}\n{_count(topology.arcs, topology.switches)}" + formatted_rows(topology.arcs, "{} {}\n")


def _count(ends: np.ndarray, switches: int) -> str:
    """The line that states the number of switches, if `ends`, int[m, 2], do not."""
    highest = int(ends.max(initial=-1))
    implied = highest + 1 == switches and highest <= largest_id_allowed(ends.size)
    return "" if implied else f"# switches {switches}\n"


def formatted_rows(numbers: np.ndarray, pattern: str) -> str:
    """Each row of an int array (shape (m, c)) formatted by a pattern with c braces."""
    return "".join(map(pattern.format, *numbers.T.tolist())) if len(numbers) else ""


def read(data: bytes, source: str) -> Topology:
    """The topology in an edge list; ids with commas are grid points and become the labels x and y.

    After a line ``# switch switch rate_gbps`` every line has a third word, the rate of the link in Gb/s. A line ``# from to``
    before the first link declares a directed network.
    """
    quick = _quick(data)
    if quick is not None:
        return topology_from(source, links=quick, switches=int(quick.max()) + 1)
    lines = text_lines(text_of(data, source))
    if _declares_arcs(lines, source):
        raise refused(source, lambda: directed_from(source, **_plain(lines, source)))
    first = next((words for _, words in _pairs(lines)), [""])
    points = [_point(word, source, number) for number, word in _comments(lines, _POINT)]
    return _grid(lines, points, source) if "," in first[0] or points else topology_from(source, **_plain(lines, source))


def _declares_arcs(lines: list[str], source: str) -> bool:
    """Whether a line ``# from to`` says that the links have a direction."""
    place = next((number for number, _ in _comments(lines, _FROM_TO)), 0)
    first = next((number for number, _ in _pairs(lines)), place)
    if place > first:
        raise at(source, place, f"'# {_DIRECTED}' follows a link; write it before the first one")
    return place > 0


def _quick(data: bytes) -> np.ndarray | None:
    """Links, int64[m, 2], of a clean file; None for any other, which the line-by-line parser then reads or explains.

    NumPy's reader is many times faster than a loop over lines, but supports neither comments nor our error messages.
    """
    if data.translate(None, b"0123456789 \t\r\n") or data.count(b"\r") != data.count(b"\r\n"):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            links = np.loadtxt(io.BytesIO(data), dtype=np.int64, comments=None, ndmin=2)
    except (ValueError, Warning):
        return None
    clean = links.size and links.shape[1] == 2 and (links[:, 0] != links[:, 1]).all()
    return links if clean and links.max() <= largest_id_allowed(links.size) else None


def _pairs(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """The words of each nonempty line without its comment, with the line number from 1."""
    for number, line in enumerate(lines, 1):
        words = (line.partition("#")[0] if "#" in line else line).split()
        if words:
            yield number, words


def _comments(lines: list[str], pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The text that `pattern` captures in comment lines, with the line numbers from 1."""
    for number, line in enumerate(lines, 1):
        match = pattern.fullmatch(line.strip()) if "#" in line else None
        if match:
            yield number, match[1]


def _plain(lines: list[str], source: str) -> dict[str, Any]:
    """The arguments of `Topology`, whose links have the order of the file: first switch, second switch."""
    switches = 0
    for number, word in _comments(lines, _COUNT):
        if not _ID.fullmatch(word) or not 0 < int(word) <= MOST_SWITCHES:
            raise at(source, number, f"{short(word)} switches; a topology has 1 to {MOST_SWITCHES}")
        switches = int(word)
    rated = any(True for _ in _comments(lines, _RATED))
    ends: list[int] = []
    places: list[int] = []
    rates: list[float] = []
    for number, words in _pairs(lines):
        if len(words) != 2 + rated:
            raise at(source, number, f"{_words(words)}; {_HOLDS_RATE if rated else _HOLDS}")
        if rated:
            rate = rate_in(words[2])
            if rate is None:
                raise at(source, number, f"{short(words[2])} is not a rate; {_HOLDS_RATE}")
            rates.append(rate)
        u, v = _switch(words[0], source, number), _switch(words[1], source, number)
        if u == v:
            raise at(source, number, f"switch {u} is linked to itself; a link joins two switches")
        ends += (u, v)
        places.append(number)
    if not ends and not switches:
        raise at(source, None, f"holds no links; {_HOLDS}")
    links = np.array(ends, np.int64).reshape(-1, 2)
    allowed = switches - 1 if switches else largest_id_allowed(links.size)
    if links.max(initial=0) > allowed:
        line = places[int(np.argmax(links.max(axis=1) > allowed))]
        if switches:
            raise at(source, line, f"a switch id above {allowed}, but the file states '# switches {switches}'")
        raise _id_too_large(source, line, allowed)
    return {
        "links": links,
        "switches": switches or int(links.max()) + 1,
        "link_rate_gbps": np.array(rates) if rated else None,
    }


def _words(words: list[str]) -> str:
    return f"{len(words)} word{'s' * (len(words) > 1)}"


def _switch(word: str, source: str, line: int) -> int:
    if not _ID.fullmatch(word):
        if "," in word:
            raise at(source, line, f"{short(word)} is a grid point, but the first line holds plain ids; use one kind")
        if word.isascii() and word.isdigit():
            raise _id_too_large(source, line, MOST_SWITCHES - 1)
        raise at(source, line, f"{short(word)} is not a switch id; ids are whole numbers from 0")
    return int(word)


def _id_too_large(source: str, line: int, allowed: int) -> InputError:
    return at(
        source,
        line,
        f"a switch id above {allowed}; ids are 0 .. n - 1 without large gaps (a first line '# switches N' allows gaps)",
    )


def _grid(lines: list[str], points: list[tuple[int, int]], source: str) -> Topology:
    """The topology of a list of grid points: the points that occur are switches, numbered row by row (y, then x)."""
    ends = [coordinate for point in points for coordinate in point]
    for number, words in _pairs(lines):
        if len(words) != 2:
            raise at(source, number, f"{_words(words)}; a line holds two grid points, like '0,0 1,0'")
        first, second = _point(words[0], source, number), _point(words[1], source, number)
        if first == second:
            raise at(source, number, f"the switch at {words[0]} is linked to itself; a link joins two switches")
        ends += (*first, *second)
    xy = np.array(ends, np.int64).reshape(-1, 2)
    # One key for both coordinates sorts many times faster than rows; nine digits stay below 2^30.
    keys, number_of = np.unique((xy[:, 1] << 31) + xy[:, 0] + (1 << 30), return_inverse=True)
    if len(keys) > MOST_SWITCHES:
        raise at(source, None, f"{len(keys)} switches; at most {MOST_SWITCHES} are read")
    links = number_of.reshape(-1)[len(points) :].reshape(-1, 2)
    labels = {"x": (keys & (2**31 - 1)) - (1 << 30), "y": keys >> 31}
    return topology_from(source, links=links, switches=len(keys), labels=labels)


def _point(word: str, source: str, line: int) -> tuple[int, int]:
    match = _GRID_ID.fullmatch(word)
    if not match:
        raise at(source, line, f"{short(word)} is not a grid point; write x,y with whole numbers of up to nine digits")
    return int(match[1]), int(match[2])


register(
    Format(
        name="edges",
        suffixes=(".edges", ".txt"),
        description="edge list: two switch ids, or grid points x,y, a line (order/degree competition)",
        keeps=frozenset({"isolated", "rate_gbps"}),
        read=read,
        write=write,
        write_directed=write_directed,
    )
)
