"""Edge lists of the order/radix problem (Graph Golf's host-switch graphs): ``hosts switches radix``, then two numbers per line.

Numbers below the number of hosts are hosts, with one port each; the others are switches. A switch has at most `radix` edges.
Source: the rules of Graph Golf, 2021, and the files of the ORP libraries.
"""

import re

import numpy as np

from topoloom.core.errors import InputError, at
from topoloom.formats._registry import Format, register
from topoloom.formats._text import short, text_of, topology_from
from topoloom.model.topology import MOST_SWITCHES, Topology

_FORM = "the first line is 'hosts switches radix', every other line an edge, like '0 16'"
_NUMBER = re.compile(r"[0-9]{1,9}")


def read(data: bytes, source: str) -> Topology:
    """The topology of a file.

    Raises
    ------
    InputError
        A line is not valid; an edge twice, between hosts, or of a switch with itself; a host without a switch or with two; a
        switch with more edges than the radix.
    """
    lines = [
        (number, line.split()) for number, line in enumerate(text_of(data, source).splitlines(), 1) if line.split()
    ]
    for number, words in lines:
        if not all(map(_NUMBER.fullmatch, words)) or len(words) != (3 if number == lines[0][0] else 2):
            raise at(source, number, f"{short(' '.join(words))} is out of place; {_FORM}")
    if not lines:
        raise at(source, None, f"holds no line; {_FORM}")
    hosts, switches, radix = map(int, lines[0][1])
    if not 0 < switches <= MOST_SWITCHES or hosts > 1 << 24:
        raise at(
            source, lines[0][0], f"{hosts} hosts and {switches} switches; a topology has 1 to {MOST_SWITCHES} switches"
        )
    switch_of: dict[int, int] = {}
    links: dict[tuple[int, int], int] = {}
    degree = [0] * switches
    for number, words in lines[1:]:
        low, high = sorted(map(int, words))
        if high >= hosts + switches:
            raise at(source, number, f"{high} is no host or switch; they count from 0 to {hosts + switches - 1}")
        if high < hosts or low == high:
            raise at(
                source, number, f"an edge joins {'two hosts' if high < hosts else 'a switch to itself'}: {low} {high}"
            )
        if low < hosts and low in switch_of:
            raise at(source, number, f"host {low} already has an edge; a host has one")
        if low >= hosts and links.setdefault((low - hosts, high - hosts), number) != number:
            raise at(
                source, number, f"the edge {low} {high} is there already, in line {links[low - hosts, high - hosts]}"
            )
        if low < hosts:
            switch_of[low] = high - hosts
        for end in (low, high):
            if end >= hosts:
                degree[end - hosts] += 1
                if degree[end - hosts] > radix:
                    raise at(source, number, f"switch {end} has more than {radix} edges, the radix in the first line")
    if len(switch_of) < hosts:
        missing = next(host for host in range(hosts) if host not in switch_of)
        raise at(source, None, f"host {missing} has no edge; a host has one")
    return topology_from(
        source,
        links=np.array(list(links), np.int64).reshape(-1, 2),
        switches=switches,
        endpoints=np.array([switch_of[host] for host in range(hosts)], np.int64),
    )


def write(topology: Topology) -> str:
    """The file; the radix is the most ports of a switch that are in use.

    Raises
    ------
    InputError
        Two switches are joined by two links.
    """
    links, counts = np.unique(topology.links, axis=0, return_counts=True)
    if (counts > 1).any():
        a, b = links[counts > 1][0].tolist()
        raise InputError(
            f"{topology.name}: switches {a} and {b} are joined by two links; an order/radix file has each edge once; choose"
            " another format, such as .edges"
        )
    hosts = len(topology.endpoints)
    degree = np.bincount(topology.links.ravel(), minlength=topology.switches) + topology.endpoints_at
    first = f"{hosts} {topology.switches} {int(degree.max(initial=0))}\n"
    at_hosts = "".join(f"{host} {switch + hosts}\n" for host, switch in enumerate(topology.endpoints.tolist()))
    return first + at_hosts + "".join(f"{a + hosts} {b + hosts}\n" for a, b in topology.links.tolist())


register(
    Format(
        name="order-radix",
        suffixes=(".orp",),
        description="edge list of the order/radix problem: hosts, switches, radix, then hosts and switches by number",
        keeps=frozenset({"isolated", "endpoints"}),
        read=read,
        write=write,
        simple=True,
        shared=(".edges", ".txt"),
    )
)
