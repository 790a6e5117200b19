"""iSLIP: rounds of grants by outputs and acceptance by inputs."""

from topoloom.simulation.flits.router_parts import Requests, router_allocator


@router_allocator("islip", "rounds: outputs grant, inputs accept; arbiters move on in the first round only")
def islip(at: Requests) -> None:
    """Grant in `rounds` rounds among what is still free; with as many rounds as inputs the matching is maximal.

    Source: McKeown, The iSLIP scheduling algorithm for input-queued switches, IEEE/ACM Transactions on Networking 7(2), 1999.
    """
    # at_input, at_output: the number of the granted request; scratch: what each output grants and each input accepts.
    for turn in range(at.rounds):
        for k in range(at.inputs + at.outputs):
            at.scratch[k] = -1
        for e in range(at.requests):
            if at.at_input[at.input[e]] < 0 and at.at_output[at.output[e]] < 0:
                best = at.scratch[at.inputs + at.output[e]]
                if best < 0 or at.output_rank[e] < at.output_rank[best]:
                    at.scratch[at.inputs + at.output[e]] = e
        more = False
        for o in range(at.outputs):
            e = at.scratch[at.inputs + o]
            if e >= 0:
                best = at.scratch[at.input[e]]
                if best < 0 or at.input_rank[e] < at.input_rank[best]:
                    at.scratch[at.input[e]] = e
        for i in range(at.inputs):
            e = at.scratch[i]
            if e >= 0:
                at.at_input[i], at.at_output[at.output[e]] = e, e
                at.granted[e] = 1 if turn == 0 else 2
                more = True
        if not more:
            break
