"""DT: data flows through a graph of filters, with one rank per node."""

from typing import NamedTuple

from topoloom.simulation.applications.nas.actions import DOUBLE, INTEGER, TraceLines
from topoloom.simulation.applications.nas.skeleton import ClockedParts, NasRun, check_ranks, skeleton
from topoloom.simulation.applications.program import RankTraces

SIZES = {
    "S": (1728, 128, 4),
    "W": (1728 << 3, 256, 8),
    "A": (1728 << 6, 512, 16),
    "B": (1728 << 9, 1024, 32),
    "C": (1728 << 12, 2048, 64),
}
"""Mean samples per source, their deviation, and the number of sources, by class."""

_FIELDS = 4  # numbers in a sample
_FAN = 4  # arcs into (or out of) a comparator of the black (white) hole
_SEED = 314159265


class _Graph(NamedTuple):
    """A graph whose nodes are in an order in which data flows: ``arcs[i]`` is the tail and head of arc i."""

    nodes: int
    arcs: list[tuple[int, int]]
    sources: list[int]


def dt(run: NasRun, graph: str) -> RankTraces:
    """Return the skeleton of DT; its operations are the numbers that flow over the graph's arcs, as the benchmark counts them.

    The graph is a black hole (BH: from many sources through comparators to one sink), a white hole (WH: the reverse) or a
    shuffle (SH: a butterfly). Ranks beyond the nodes do nothing. Rank 0 collects a number from each sink.

    Source: NPB3.3-MPI.
    """
    samples, deviation, sources = SIZES[run.size]
    net = {"BH": _black_hole, "WH": _white_hole, "SH": _shuffle}[graph](sources)
    check_ranks(
        "dt", run.ranks, f"at least {net.nodes} for {graph} of class {run.size}", lambda ranks: ranks >= net.nodes
    )
    lengths = _lengths(net, samples, deviation)
    sinks = sorted(set(range(net.nodes)) - {tail for tail, _ in net.arcs})
    unit = float(samples * _FIELDS)

    def parts(me: TraceLines) -> ClockedParts:
        text = ""
        for arc, (tail, head) in enumerate(net.arcs):
            if head == me.number:
                text += me.recv(tail, arc, 1, INTEGER) + me.recv(tail, arc, lengths[tail]) + me.compute(unit)
        for arc, (tail, head) in enumerate(net.arcs):
            if tail == me.number:
                text += me.send(head, arc, 1, INTEGER) + me.send(head, arc, lengths[tail])
        if me.number in sinks:
            text += me.send(0, len(net.arcs) + me.number, 1)
        if me.number == 0:
            text += "".join(me.recv(sink, len(net.arcs) + sink, 1, DOUBLE) for sink in sinks)
        return ClockedParts("", text, "")

    return skeleton(f"dt.{graph}", run, unit * len(net.arcs), parts)


def _black_hole(sources: int) -> _Graph:
    """Return a tree of comparators, each with four inputs, from the sources to the sink."""
    arcs, first, wide, nodes = [], 0, sources, sources
    while wide > _FAN:
        for low in range(0, wide, _FAN):
            arcs += [(first + tail, nodes) for tail in range(low, min(low + _FAN, wide))]
            nodes += 1
        first, wide = first + wide, -(-wide // _FAN)
    arcs += [(first + tail, nodes) for tail in range(wide)]
    return _Graph(nodes + 1, arcs, list(range(sources)))


def _white_hole(sources: int) -> _Graph:
    """Return the black hole's tree reversed, with its nodes counted from the other end."""
    nodes, arcs, _ = _black_hole(sources)
    return _Graph(nodes, [(nodes - 1 - head, nodes - 1 - tail) for tail, head in arcs], [0])


def _shuffle(sources: int) -> _Graph:
    """Return a butterfly: a layer for each bit, whose nodes take input from both values of the bit."""
    layers = sources.bit_length() - 1
    arcs = [
        (layer * sources + other, (layer + 1) * sources + node)
        for layer in range(layers)
        for node in range(sources)
        for other in (node & ~(1 << layer), node | 1 << layer)
    ]
    return _Graph((layers + 1) * sources, arcs, list(range(sources)))


def _lengths(net: _Graph, samples: int, deviation: int) -> list[int]:
    """Return how many numbers each node sends: a source's own length, else the longest input, and at least the average."""
    lengths = [samples * _FIELDS] * net.nodes
    for node in net.sources:
        lengths[node] = _FIELDS * (samples - deviation + _spread(node, 2 * deviation))
    for tail, head in sorted(net.arcs, key=lambda arc: arc[1]):
        lengths[head] = max(lengths[head], lengths[tail])
    return lengths


def _spread(node: int, modulus: int) -> int:
    """Return the benchmark's random draw for a source: a power of a number from its generator, in 32-bit integers.

    Products overflow 32 bits and wrap around, and remainders of negative numbers are negative, as in C.
    """
    odd = 2 * node + 1
    base = int(2**46 / (odd * _SEED % 2**46)) * ord("S")
    square, product, exponent = base, 1, odd
    while exponent > 1:
        if exponent % 2 == 0:
            square, exponent = _remainder(square * square, modulus), exponent // 2
        else:
            product, exponent = _remainder(product * square, modulus), exponent - 1
    return abs(_remainder(product * square, modulus))


def _remainder(number: int, modulus: int) -> int:
    wrapped = (number + 2**31) % 2**32 - 2**31
    return wrapped % modulus if wrapped >= 0 else -(-wrapped % modulus)
