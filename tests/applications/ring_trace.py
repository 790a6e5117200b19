"""A small network, and a program that everything about it is known of."""

from topoloom import build
from topoloom.simulation.applications.program import RankTraces

TORUS = build("torus:dims=4x4,hosts=2")


def ring(ranks, bytes_, flops):
    """Each rank computes, sends to the next and receives from the one before."""

    def text(rank):
        after, before = (rank + 1) % ranks, (rank - 1) % ranks
        lines = ["init", f"compute {flops}", f"isend {after} 0 {bytes_} 6", f"recv {before} 0 {bytes_} 6", "waitall 1"]
        return "".join(f"{rank} {line}\n" for line in (*lines, "finalize"))

    return RankTraces("ring", ranks, text, operations=ranks * flops)
