"""The allocator `fixed`: requests in the order of their inputs and outputs, without any turn."""

from topoloom.simulation.flits.router_parts import Requests, router_allocator


@router_allocator("fixed", "the lowest free input and output first; unfair, to show what fairness is worth")
def fixed(at: Requests) -> None:
    """Grant a request if nothing before it took its input or its output; requests come sorted by input port."""
    for e in range(at.requests):
        if at.at_input[at.input[e]] < 0 and at.at_output[at.output[e]] < 0:
            at.at_input[at.input[e]] = at.at_output[at.output[e]] = e
            at.granted[e] = 1
