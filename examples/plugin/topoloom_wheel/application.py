"""The application `token`: a message travels around all ranks."""

from topoloom.core.errors import InputError
from topoloom.simulation.applications.nas.actions import TraceLines
from topoloom.simulation.applications.program import RankTraces
from topoloom.simulation.applications.registry import application
from topoloom.topologies.spec import Integer


@application(
    "token",
    "a message goes from rank to rank, round and round",
    words=Integer(1, 1 << 20, "words of 8 bytes in the message", default=1),
    laps=Integer(1, 1000, "how often it goes round", default=1),
)
def token(ranks: int, words: int, laps: int) -> RankTraces:
    """Traces of all ranks: rank 0 sends first, the others forward the message."""
    if ranks < 2:
        raise InputError(f"token: {ranks} rank; it takes at least 2")

    def trace(rank: int) -> str:
        lines, tag = TraceLines(rank), 0
        send = lines.send((rank + 1) % ranks, tag, words)
        receive = lines.recv((rank - 1) % ranks, tag, words)
        lap = send + receive if rank == 0 else receive + send
        return f"{rank} init\n{lap * laps}{rank} finalize\n"

    return RankTraces(f"token(words={words},laps={laps})", ranks, trace)
