"""What the tests of the NAS skeletons count in a trace, and a small machine that runs one without buffering."""

import json
from collections import Counter, deque
from pathlib import Path

from topoloom.simulation.applications.program import Program, RankTraces
from topoloom.simulation.applications.registry import program_of

REFERENCE = Path(__file__).parents[1] / "reference" / "npb"
BYTES = {0: 8, 1: 4, 23: 4, 43: 16}


def measured(file: str) -> dict[str, dict]:
    """The measured runs of a reference file, by name: ``bt.A.64.it2``."""
    return json.loads((REFERENCE / file).read_text())["runs"]


def trace(text: str, ranks: int) -> RankTraces:
    """The trace of a program's text."""
    found: Program = program_of(text, ranks)
    assert isinstance(found, RankTraces)
    return found


def skeleton_of(name: str) -> RankTraces:
    """The skeleton of a measured run, its FT with group collectives as SimGrid traces them."""
    benchmark, size, ranks, *rest = name.split(".")
    text = f"{benchmark}:class={size}"
    if rest:
        text += f",graph={rest[0]}" if benchmark == "dt" else f",iterations={rest[0].removeprefix('it')}"
    if benchmark == "ft":
        text += ",groups=alltoall"
    return trace(text, int(ranks))


def messages(lines: list[str]) -> list[str]:
    """A trace without its computing."""
    return [line for line in lines if line.split(maxsplit=2)[1] != "compute"]


def computed(program: RankTraces) -> float:
    """The operations of all ranks together."""
    return sum(
        number * float(line.split()[2])
        for rank in range(program.ranks)
        for line, number in Counter(program.text(rank).splitlines()).items()
        if line.split()[1] == "compute"
    )


def counted(program: RankTraces) -> dict[str, object]:
    """The facts of calls.json of a trace."""
    calls: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    histogram: Counter[str] = Counter()
    collectives: Counter[str] = Counter()
    pairs: set[tuple[int, int]] = set()
    lengths = []
    for rank in range(program.ranks):
        length = 0
        for line, number in Counter(program.text(rank).splitlines()).items():
            _, action, *values = line.split()
            if action in {"init", "finalize", "compute"}:
                continue
            calls[action] += number
            length += number
            if action in {"send", "isend"}:
                to, _, count, datatype = map(int, values)
                sizes[f"{count}x dt{datatype}"] += number
                histogram[str(count * BYTES[datatype])] += number
                pairs.add((rank, to))
            elif action in {"bcast", "reduce", "allreduce", "alltoall", "barrier"}:
                collectives[" ".join([action, *values])] += number
            elif action == "alltoallv":
                collectives["alltoallv <v>"] += number
        lengths.append(length)
    degrees = Counter(rank for rank, _ in pairs)
    offsets = Counter(str((to - rank) % program.ranks) for rank, to in pairs)
    reached = list(degrees.values()) or [0]  # of those that send
    return {
        "ranks": program.ranks,
        "calls_total": dict(calls),
        "calls_per_rank_min_max": [min(lengths), max(lengths)],
        "p2p_sends_by_count_and_datatype": dict(sizes),
        "p2p_bytes_histogram": dict(histogram),
        "p2p_total_bytes": sum(int(size) * number for size, number in histogram.items()),
        "p2p_distinct_pairs": len(pairs),
        "p2p_out_degree_min_max": [min(reached), max(reached)],
        "p2p_pairs_hop_offsets": dict(offsets),
        "collectives_by_args": dict(collectives),
    }


def run_without_buffers(program: RankTraces) -> None:
    """Run a trace on a machine where a send ends only when its receive is posted; fails where it stops for ever.

    Messages between two ranks with one tag meet in their order; a receive has room for what it gets; collectives must be
    the same, in the same order, on all ranks; nothing is left over in the end.
    """
    lines = [deque(line.split()[1:] for line in program.text(rank).splitlines()) for rank in range(program.ranks)]
    sends: dict[tuple[int, int, int], deque[list]] = {}
    receives: dict[tuple[int, int, int], deque[list]] = {}
    open_requests: list[list[list]] = [[] for _ in range(program.ranks)]
    blocked: list[list | None] = [None] * program.ranks
    gathered: list[list[str]] = []
    passed = [0] * program.ranks

    def post(here: dict, there: dict, key: tuple[int, int, int], request: list) -> None:
        if there.get(key):
            other = there[key].popleft()
            sent, room = (request, other) if here is sends else (other, request)
            assert sent[1] * BYTES[sent[2]] <= room[1] * BYTES[room[2]], (key, sent, room)
            request[0] = other[0] = True
        else:
            here.setdefault(key, deque()).append(request)

    def step(rank: int) -> bool:
        """One action of a rank, if it can go on."""
        waiting = blocked[rank]
        if waiting is not None:
            if not all(request[0] for request in waiting):
                return False
            blocked[rank] = None
            open_requests[rank] = [request for request in open_requests[rank] if not request[0]]
        if not lines[rank]:
            return False
        action, *values = lines[rank][0]
        if action in {"send", "isend", "recv", "irecv"}:
            other, tag, count, datatype = map(int, values)
            sending = action.endswith("send")
            request = [False, count, datatype, (rank, other, tag) if sending else (other, rank, tag)]
            post(*((sends, receives) if sending else (receives, sends)), request[3], request)
            if action in {"send", "recv"}:
                blocked[rank] = [request]
            else:
                open_requests[rank].append(request)
        elif action == "wait":
            key = tuple(map(int, values))
            found = [request for request in open_requests[rank] if request[3] == key]
            blocked[rank] = found[:1]
        elif action == "waitall":
            blocked[rank] = list(open_requests[rank])
        elif action in {"bcast", "reduce", "allreduce", "alltoall", "alltoallv", "barrier"}:
            turn = passed[rank]
            if turn == len(gathered):
                gathered.append([])
            seen = action if action == "alltoallv" else " ".join([action, *values])
            gathered[turn].append(seen)
            passed[rank] += 1
            arrived = gathered[turn]
            assert len(set(arrived)) == 1, arrived
            blocked[rank] = [[_Later(arrived, program.ranks)]]
        lines[rank].popleft()
        return True

    going = True
    while going:
        going = False
        for rank in range(program.ranks):
            while step(rank):
                going = True
    assert not any(lines), [(rank, list(left)[:2]) for rank, left in enumerate(lines) if left]
    assert not any(sends.values())
    assert not any(receives.values())
    assert not any(not request[0] for requests in open_requests for request in requests)


class _Later:
    """True as soon as all ranks have arrived at a collective."""

    def __init__(self, arrived: list[str], ranks: int) -> None:
        self.arrived, self.ranks = arrived, ranks

    def __bool__(self) -> bool:
        return len(self.arrived) == self.ranks
