"""Maximum-size allocation: a maximum matching by augmenting paths."""

from topoloom.simulation.flits.router_parts import Requests, router_allocator


@router_allocator("maximum-size", "as many grants as possible, by augmenting paths; the first input changes each time")
def maximum_size(at: Requests) -> None:
    """Grant a maximum matching: augment from one free input after another, breadth first.

    Of several maximum matchings it finds one with high outputs: those of hosts, which have the last ports of a switch.

    Source: Ford and Fulkerson 1956; Dally and Towles, Principles and Practices of Interconnection Networks, 2004, 19.1.
    """
    # at_input, at_output: the number of the matched request. scratch: the queue of inputs, by output the request by which the
    # search has come, and the requests by input: begin of each input, then numbers, from the highest output on.
    came, begin = at.inputs, at.inputs + at.outputs
    numbers = begin + at.inputs + 2
    for k in range(begin, numbers):
        at.scratch[k] = 0
    for e in range(at.requests):
        at.scratch[begin + at.input[e] + 2] += 1
        at.scratch[numbers + e] = -1
    for k in range(at.inputs):
        at.scratch[begin + k + 2] += at.scratch[begin + k + 1]
    for e in range(at.requests):
        i, place = at.input[e], at.scratch[begin + at.input[e] + 1]
        at.scratch[begin + i + 1] += 1
        while place > 0:
            before = at.scratch[numbers + place - 1]
            if before < 0 or at.input[before] != i or at.output[before] > at.output[e]:
                break
            at.scratch[numbers + place] = before
            place -= 1
        at.scratch[numbers + place] = e
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
            for place in range(at.scratch[begin + i], at.scratch[begin + i + 1]):
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
