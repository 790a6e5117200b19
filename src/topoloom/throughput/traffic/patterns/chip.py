"""Processors of a chip that send requests to cache banks, which ask memory controllers on a miss."""

import numpy as np

from topoloom.core.errors import InputError
from topoloom.throughput.traffic.finite import Loop
from topoloom.throughput.traffic.floor_places import ALONG, along_edges, corners_first, edges_of, rows_and_columns
from topoloom.throughput.traffic.making import check_places, lists_of
from topoloom.throughput.traffic.register import PatternRequest, pattern
from topoloom.topologies.spec import Choice, Integer, Real

_FLITS, _CYCLES = (1, 1 << 10), (0, 1 << 20)


@pattern(
    "chip",
    "processors send requests to cache banks, and these to memory on a miss: a closed loop with an execution time",
    source="Nakano 2016 VIII.C",
    processors=Integer(1, 1 << 16, "processors, on the edges", default=8),
    banks=Integer(1, 1 << 20, "cache banks; all hosts without a processor when omitted", default=None),
    memories=Integer(1, 1 << 16, "memory controllers, in the corners", default=4),
    window=Integer(1, 1 << 16, "most requests that a processor has in progress", default=4),
    requests=Integer(1, 1 << 30, "requests per processor in all", default=1000),
    miss=Real(0, 1, "share of requests for which a bank asks the memory", default=0.1),
    request_flits=Integer(*_FLITS, "flits per request", default=1),
    reply_flits=Integer(*_FLITS, "flits per reply", default=5),
    service_cycles=Integer(*_CYCLES, "cycles that a bank takes", default=6),
    miss_cycles=Integer(*_CYCLES, "cycles that the memory takes", default=160),
    think_cycles=Integer(*_CYCLES, "cycles that a processor computes between a reply and its next request", default=0),
    along=Choice(tuple(ALONG), "where processors stand on their edge", default="even"),
)
def chip(
    request: PatternRequest,
    processors: int,
    banks: int | None,
    memories: int,
    window: int,
    requests: int,
    miss: float,
    request_flits: int,
    reply_flits: int,
    service_cycles: int,
    miss_cycles: int,
    think_cycles: int,
    along: str,
) -> Loop:
    """Return the closed loop of Nakano 2016's chip: 8 processors, 64 banks and 4 memory controllers on 72 routers.

    Flits and cycles are those of its Table V. Two processors stand on each edge; Nakano 2016 does not say where. Assumed here:
    they divide their edge into three parts, unless `along` puts them at its middle or its ends; the other hosts are banks; the
    controllers stand in the corners and share the hosts of banks, as 72 routers are 8 processors and 64 banks; addresses are
    spread over all banks and all controllers; a processor continues while requests are in progress, up to `window` of them; one
    request in ten misses. Where the network has no plane grid, processors and controllers are spread evenly over the host
    numbers. A torus is folded.

    Raises
    ------
    InputError
        More processors, banks or controllers than hosts.
    """
    hosts = request.hosts
    count = hosts - processors if banks is None else banks
    if count < 1 or processors + count > hosts or memories > hosts - processors:
        raise InputError(
            f"chip: {processors} processors, {max(1, count)} banks and {memories} memory controllers, but"
            f" {request.topology.name} has {hosts} hosts"
        )
    processor_hosts, memory_hosts = _places(request, processors, memories, along)
    free = np.setdiff1d(np.arange(hosts), processor_hosts)
    bank_hosts = free[np.arange(count) * free.size // count]
    check_places(request.name, processors * count + count * memories)
    first, to = lists_of(np.repeat(processor_hosts, count), np.tile(bank_hosts, processors), hosts)
    back_first, back_to = lists_of(np.repeat(bank_hosts, memories), np.tile(memory_hosts, count), hosts)
    return Loop(
        request.name,
        first,
        to,
        back_first,
        back_to,
        window=window,
        requests=requests,
        request_flits=request_flits,
        reply_flits=reply_flits,
        service_cycles=service_cycles,
        miss_cycles=miss_cycles,
        think_cycles=think_cycles,
        miss=miss,
    )


def _places(request: PatternRequest, processors: int, memories: int, along: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the hosts of the processors and of the memory controllers, int64 each, ascending."""
    topology = request.topology
    floor = rows_and_columns(topology)
    if floor is None:
        processor_hosts = (2 * np.arange(processors) + 1) * request.hosts // (2 * processors)
        free = np.setdiff1d(np.arange(request.hosts), processor_hosts)
        return processor_hosts, free[np.arange(memories) * free.size // memories]
    switches = np.flatnonzero(topology.endpoints_at > 0)
    edges = [switches[edge] for edge in edges_of(floor[0][switches], floor[1][switches])]
    processor_hosts = along_edges(edges, processors, f"chip: {topology.name}: processors", along)
    memory_hosts = corners_first(edges, memories, processor_hosts, f"chip: {topology.name}: memory controllers")
    # The first host of each switch.
    begin = np.concatenate([[0], np.cumsum(topology.endpoints_at)])
    return np.sort(begin[processor_hosts]), np.sort(begin[memory_hosts])
