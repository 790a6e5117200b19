"""Maximum-size allocation: a maximum matching by augmenting paths."""

from topoloom.simulation.flits.router_parts import Requests, router_allocator


@router_allocator("maximum-size", "as many grants as possible, by augmenting paths; the first input changes each time")
def maximum_size(at: Requests) -> None:
    """Grant a maximum matching: augment from one free input after another, breadth first.

    Source: Ford and Fulkerson 1956; Dally and Towles, Principles and Practices of Interconnection Networks, 2004, 19.1.
    """
    # at_input, at_output: the number of the matched request. scratch: the queue of inputs, by output the request by which the
    # search has come, and the requests by input: begin of each input, then numbers.
    came, begin = at.inputs, at.inputs + at.outputs
    numbers = begin + at.inputs + 1
    for k in range(at.inputs + 1):
        at.scratch[begin + k] = 0
    for e in range(at.requests):
        at.scratch[begin + at.input[e] + 1] += 1
    for k in range(at.inputs):
        at.scratch[begin + k + 1] += at.scratch[begin + k]
    for e in range(at.requests - 1, -1, -1):
        at.scratch[begin + at.input[e] + 1] -= 1
        at.scratch[numbers + at.scratch[begin + at.input[e] + 1]] = e
    # The begin of input k stands at k + 1 now; its requests end where those of the next one begin.
    for k in range(at.inputs):
        start = (k + at.turn) % at.inputs
        if at.at_input[start] >= 0:
            continue
        for o in range(at.outputs):
            at.scratch[came + o] = -1
        at.scratch[0], head, tail, free = start, 0, 1, -1
        while head < tail and free < 0:
            i = at.scratch[head]
            head += 1
            last = at.scratch[begin + i + 2] if i + 1 < at.inputs else at.requests
            for place in range(at.scratch[begin + i + 1], last):
                e = at.scratch[numbers + place]
                if at.scratch[came + at.output[e]] < 0:
                    at.scratch[came + at.output[e]] = e
                    if at.at_output[at.output[e]] < 0:
                        free = at.output[e]
                        break
                    at.scratch[tail] = at.input[at.at_output[at.output[e]]]
                    tail += 1
        while free >= 0:
            e = at.scratch[came + free]
            i, before = at.input[e], at.at_input[at.input[e]]
            at.at_input[i], at.at_output[free] = e, e
            free = at.output[before] if before >= 0 else -1
    for e in range(at.requests):
        at.granted[e] = 1 if at.at_input[at.input[e]] == e else 0
