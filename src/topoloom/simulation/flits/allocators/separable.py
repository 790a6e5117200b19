"""Separable allocators: arbiters of one side choose first, then those of the other side among what was chosen."""

from topoloom.simulation.flits.router_parts import Requests, router_allocator


@router_allocator("separable-input-first", "each input chooses an output, then each output an input")
def separable_input_first(at: Requests) -> None:
    """Grant by arbiters of inputs, then of outputs.

    Source: Dally and Towles, Principles and Practices of Interconnection Networks, 2004, 19.3.
    """
    for e in range(at.requests):
        best = at.at_input[at.input[e]]
        if best < 0 or at.input_rank[e] < at.input_rank[best]:
            at.at_input[at.input[e]] = e
    for e in range(at.requests):
        if at.at_input[at.input[e]] == e:
            best = at.at_output[at.output[e]]
            if best < 0 or at.output_rank[e] < at.output_rank[best]:
                at.at_output[at.output[e]] = e
    for e in range(at.requests):
        at.granted[e] = 1 if at.at_output[at.output[e]] == e else 0


@router_allocator("separable-output-first", "each output chooses an input, then each input an output")
def separable_output_first(at: Requests) -> None:
    """Grant by arbiters of outputs, then of inputs.

    Source: Dally and Towles, Principles and Practices of Interconnection Networks, 2004, 19.3.
    """
    for e in range(at.requests):
        best = at.at_output[at.output[e]]
        if best < 0 or at.output_rank[e] < at.output_rank[best]:
            at.at_output[at.output[e]] = e
    for e in range(at.requests):
        if at.at_output[at.output[e]] == e:
            best = at.at_input[at.input[e]]
            if best < 0 or at.input_rank[e] < at.input_rank[best]:
                at.at_input[at.input[e]] = e
    for e in range(at.requests):
        at.granted[e] = 1 if at.at_input[at.input[e]] == e else 0
