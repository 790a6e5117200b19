"""Wavefront allocation: the diagonals of the matrix of requests, one after another."""

from topoloom.simulation.flits.router_parts import Requests, router_allocator


@router_allocator(
    "wavefront", "all that is free on a diagonal of inputs and outputs, then the next; a maximal matching"
)
def wavefront(at: Requests) -> None:
    """Grant diagonal by diagonal, from another first diagonal each time; requests of a diagonal never conflict.

    Source: Tamir and Chi, Symmetric crossbar arbiters for VLSI communication switches, IEEE TPDS 4(1), 1993.
    """
    size = max(at.inputs, at.outputs)
    # Requests sorted by diagonal, speculative ones last: scratch[0:2 size] counts, the rest is the order.
    for k in range(2 * size):
        at.scratch[k] = 0
    for e in range(at.requests):
        at.scratch[size * at.late[e] + (at.input[e] + at.output[e] + size - at.turn % size) % size] += 1
    before = 0
    for k in range(2 * size):
        at.scratch[k], before = before, before + at.scratch[k]
    for e in range(at.requests):
        k = size * at.late[e] + (at.input[e] + at.output[e] + size - at.turn % size) % size
        at.scratch[2 * size + at.scratch[k]] = e
        at.scratch[k] += 1
    for k in range(at.requests):
        e = at.scratch[2 * size + k]
        if at.at_input[at.input[e]] < 0 and at.at_output[at.output[e]] < 0:
            at.at_input[at.input[e]], at.at_output[at.output[e]] = e, e
            at.granted[e] = 1
