"""Reading the topology text of ns-3 under ASTRA-sim and SimAI: the numbers of switches, then one cable per line."""

import re
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import at
from topoloom.core.text_parts import decimal_in, text_lines
from topoloom.fabric.cable_lengths import CableLengths
from topoloom.fabric.exports._shared import number
from topoloom.fabric.exports.ns3 import ns3_text
from topoloom.fabric.exports.registry import ExportRequest
from topoloom.fabric.exports.settings import ExportSettings
from topoloom.fabric.fabric import planned_fabric
from topoloom.formats._registry import Format, register
from topoloom.formats._text import short, text_of, topology_from
from topoloom.model.link_rates import rate_in
from topoloom.model.topology import MOST_SWITCHES, Topology

_NUMBER = re.compile(r"[0-9]{1,9}")
#: A delay or an error rate; their values are ignored.
_AMOUNT = re.compile(r"[0-9.eE+-]+[A-Za-z/]*")
#: A rate as ns-3's DataRate reads it: 400Gbps, 50GB/s, 40KiBps, or bits per second without a unit.
_RATE = re.compile(r"([0-9.]+(?:[eE][+-]?[0-9]+)?)(?:(|[kK]|[MGT]|[KMGT]i)([bB])(?:ps|/s))?")
_OF_PREFIX = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_OF_PREFIX |= {"Ki": 1024.0, "Mi": 1024.0**2, "Gi": 1024.0**3, "Ti": 1024.0**4}
_HEADS = "'nodes switches links', or SimAI's 'nodes gpus_per_server nvswitches switches links GPU'"


#: A delay: its line, and its text.
Delay = tuple[int, str]
#: A time as ns-3 reads it: 25ns, 1us, 0.0001ms; in seconds without a unit.
_TIME = re.compile(r"([0-9.]+(?:[eE][+-]?[0-9]+)?)(fs|ps|ns|us|ms|s|)")
_MOST_NS = 1e15
_NS_OF_UNIT = {"fs": 1e-6, "ps": 1e-3, "ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9, "": 1e9}


@dataclass(frozen=True)
class _Head:
    """The counts in the first line."""

    nodes: int
    nvswitches: int
    switches: int
    links: int


def read(data: bytes, source: str) -> Topology:
    """The topology in a file: nodes not listed in line 2 are hosts; GPUs of one NVSwitch are the ports of one host.

    A repeated line is a parallel cable; errors are ignored, and delays are read by `lengths`.

    Raises
    ------
    InputError
        A word is out of place, a count differs from the number of lines, or a cable joins unknown nodes or two hosts.
    """
    return _parsed(data, source)[0]


def lengths(data: bytes, source: str) -> CableLengths:
    """The lengths of cables with the file's delays, at the delay per metre with which topoloom writes them.

    Raises
    ------
    InputError
        A delay is not a time; or as `read`.
    """
    _, link_delays, host_delays = _parsed(data, source)
    per_m = ExportSettings().cable_ns_per_m
    return CableLengths(
        *(np.array([_ns(*each, source) for each in some]) / per_m for some in (link_delays, host_delays))
    )


def _parsed(data: bytes, source: str) -> tuple[Topology, list[Delay], list[Delay]]:
    """The topology, and the delay of each of its links and of its endpoints, in their order."""
    lines = [(n, words) for n, text in enumerate(text_lines(text_of(data, source)), 1) if (words := text.split())]
    if not lines:
        raise at(source, None, f"the file is empty; its first line is {_HEADS}")
    head = _head(lines[0][1], source, lines[0][0])
    wanted = head.nvswitches + head.switches
    ids: list[int] = []
    place = 1
    while len(ids) < wanted:
        if place >= len(lines):
            raise at(
                source, None, f"names {len(ids)} of {wanted} switches; list all their numbers after the first line"
            )
        line, words = lines[place]
        ids += [_node(word, head, source, line) for word in words]
        place += 1
    if len(ids) > wanted or len(set(ids)) < len(ids):
        raise at(source, lines[place - 1][0], f"the first line announces {wanted} switches; list each once")
    inner, outer = set(ids[: head.nvswitches]), ids[head.nvswitches :]
    if not outer:
        raise at(source, lines[0][0], "no switches; a topology has at least one")
    cables = lines[place:]
    if len(cables) != head.links:
        raise at(source, lines[0][0], f"the first line announces {head.links} links, but {len(cables)} lines follow")
    return _topology(cables, head, inner, {node: s for s, node in enumerate(sorted(outer))}, source)


def _head(words: list[str], source: str, line: int) -> _Head:
    numbers = words[:5] if len(words) == 6 else words
    if len(words) not in (3, 6) or not all(_NUMBER.fullmatch(word) for word in numbers):
        raise at(source, line, f"the first line is {_HEADS}")
    values = [int(word) for word in numbers]
    head = _Head(values[0], 0, *values[1:]) if len(words) == 3 else _Head(values[0], *values[2:])
    if head.switches > MOST_SWITCHES or head.nvswitches + head.switches > head.nodes:
        raise at(source, line, f"{head.nvswitches + head.switches} switches among {head.nodes} nodes")
    return head


def _node(word: str, head: _Head, source: str, line: int) -> int:
    if not _NUMBER.fullmatch(word) or int(word) >= head.nodes:
        raise at(source, line, f"{short(word)} is not a node; nodes are 0 to {head.nodes - 1}")
    return int(word)


def _topology(
    cables: list[tuple[int, list[str]]], head: _Head, inner: set[int], switch: dict[int, int], source: str
) -> tuple[Topology, list[Delay], list[Delay]]:
    links: list[tuple[int, int]] = []
    rates: list[float] = []
    delays: list[Delay] = []
    # For each port of a host: its node, the switch, the rate, the delay.
    ports: list[tuple[int, int, float, Delay]] = []
    server: dict[int, int] = {}
    merged: dict[int, int] = {}
    for line, words in cables:
        if len(words) != 5 or not all(_AMOUNT.fullmatch(word) for word in words[2:]):
            raise at(source, line, "write a cable as 'node node rate delay error', as in '0 4 400Gbps 25ns 0'")
        a, b = (_node(word, head, source, line) for word in words[:2])
        if a == b:
            raise at(source, line, f"node {a} is linked to itself; a link joins two switches")
        if a in inner or b in inner:
            gpu, nvswitch = (b, a) if a in inner else (a, b)
            if gpu in inner or gpu in switch:
                raise at(
                    source, line, f"NVSwitch {nvswitch} is linked to another switch; it joins the GPUs of a server"
                )
            # Several NVSwitches of one server count as one.
            first, second = _root(merged, server.setdefault(gpu, nvswitch)), _root(merged, nvswitch)
            merged[max(first, second)] = min(first, second)
        elif a in switch and b in switch:
            links.append((switch[a], switch[b]))
            rates.append(_gbps(words[2], source, line))
            delays.append((line, words[3]))
        elif a in switch or b in switch:
            rate = _gbps(words[2], source, line)
            ports.append((*((b, switch[a]) if a in switch else (a, switch[b])), rate, (line, words[3])))
        else:
            raise at(source, line, f"nodes {a} and {b} are both hosts; a host is linked to switches")
    ports.sort(key=lambda port: port[0])
    owners = [(1, _root(merged, server[node])) if node in server else (0, node) for node, *_ in ports]
    numbers = {owner: h for h, owner in enumerate(dict.fromkeys(owners))}
    ends, homes = np.array(links, np.int64).reshape(-1, 2), np.array([port[1] for port in ports], np.int64)
    topology = topology_from(
        source,
        links=ends,
        switches=len(switch),
        endpoints=homes,
        host=np.array([numbers[owner] for owner in owners], np.int64),
        link_rate_gbps=np.array(rates),
        endpoint_rate_gbps=np.array([port[2] for port in ports]),
    )
    # As `Topology` sorts links and endpoints.
    of_links, of_hosts = np.lexsort((ends.max(axis=1), ends.min(axis=1))), np.argsort(homes, kind="stable")
    return topology, [delays[n] for n in of_links.tolist()], [ports[n][3] for n in of_hosts.tolist()]


def _gbps(word: str, source: str, line: int) -> float:
    """The rate of a cable, in Gb/s."""
    match = _RATE.fullmatch(word)
    amount = decimal_in(match[1]) if match else None
    bits = 0.0 if match is None or amount is None else amount * _OF_PREFIX[match[2] or ""]
    rate = rate_in(bits / 1e9 * (8 if match and match[3] == "B" else 1))
    if rate is None:
        raise at(source, line, f"{short(word)} is not a rate; write 400Gbps")
    return rate


def _ns(line: int, word: str, source: str) -> float:
    """A delay in ns."""
    match = _TIME.fullmatch(word)
    amount = decimal_in(match[1]) if match else None
    if match is None or amount is None or not amount * _NS_OF_UNIT[match[2]] < _MOST_NS:
        raise at(source, line, f"{short(word)} is not a delay; write 25ns")
    return amount * _NS_OF_UNIT[match[2]]


def _root(merged: dict[int, int], nvswitch: int) -> int:
    """The NVSwitch that represents this one and all others with which it shares GPUs."""
    while merged.get(nvswitch, nvswitch) != nvswitch:
        nvswitch = merged[nvswitch]
    return nvswitch


register(
    Format(
        name="ns3",
        suffixes=(".ns3",),
        description="topology text of ns-3 under ASTRA-sim and SimAI",
        keeps=frozenset({"isolated", "endpoints", "rate_gbps"}),
        read=read,
        lengths=lengths,
        write=lambda topology: ns3_text(ExportRequest(planned_fabric(topology))),
        write_order=ns3_text,
        says_rate=lambda rate_gbps: float(number(rate_gbps)) == rate_gbps,
        simple=True,
    )
)
