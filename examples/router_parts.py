"""Router parts: allocators and arbiters compared near saturation, with an allocator of one's own.

The page "Simulate packets" explains them. `loneliest` grants first the outputs that the fewest inputs want.
"""

from topoloom import RouterConfig, build, route, simulate
from topoloom.simulation.flits.router_parts import Requests, router_allocator


@router_allocator("loneliest", "outputs with few requests first")
def loneliest(at: Requests) -> None:
    """Count the requests of each output, then grant greedily in that order."""
    for k in range(at.outputs):
        at.scratch[k] = 0
    for e in range(at.requests):
        at.scratch[at.output[e]] += 1
    for wanted in range(1, at.inputs + 1):
        for e in range(at.requests):
            if at.scratch[at.output[e]] == wanted and at.at_input[at.input[e]] < 0 and at.at_output[at.output[e]] < 0:
                at.at_input[at.input[e]] = at.at_output[at.output[e]] = e
                at.granted[e] = 1


def main() -> None:
    """Accepted load and latency of a flattened butterfly with a speedup of 1."""
    butterfly = route(build("flattened-butterfly:dims=4x4,hosts=4"), "dor")
    print("switch allocator        arbiter      accepted at 1.0  latency at 0.6")  # noqa: T201
    for allocator, arbiter in (
        ("separable-input-first", "round-robin"),
        ("separable-input-first", "matrix"),
        ("separable-input-first", "age"),
        ("islip", "round-robin"),
        ("wavefront", "round-robin"),
        ("maximum-size", "round-robin"),
        ("loneliest", "round-robin"),
    ):
        parts = {"switch_allocator": allocator, "vc_arbiter": arbiter, "switch_arbiter": arbiter}
        router = RouterConfig(vcs=4, speedup=1, vc_choice="any", **parts)
        points = simulate(butterfly, "uniform", router, loads=[0.6, 1.0], fast=True).points
        print(f"{allocator:22s}  {arbiter:11s}  {points[1].accepted:15.3f}  {points[0].latency_mean:14.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
