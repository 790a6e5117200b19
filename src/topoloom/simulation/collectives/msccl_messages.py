"""The messages of an MSCCL program as a schedule that every simulator runs."""

from topoloom.core.errors import InputError
from topoloom.simulation.collectives.msccl_program import RECEIVES, SENDS, MscclProgram
from topoloom.simulation.flows.operations import RECV, SEND
from topoloom.simulation.flows.rank_operations import Rank
from topoloom.simulation.flows.schedule import Schedule, schedule_of

#: The most steps, of all loops.
_MOST_STEPS = 4_000_000


def schedule_of_msccl(program: MscclProgram, size: int, loops: int = 1) -> Schedule:
    """Return the operations of each rank: the steps of each block in order, after those that they wait for.

    Parameters
    ----------
    program : MscclProgram
    size : int
        Bytes as in `topoloom.simulation.collectives.bound.OPERATIONS`.
    loops : int
        How often the executor goes through all steps, each time with this part of the bytes.

    Returns
    -------
    Schedule
        A message starts when it is sent, whether it is awaited or not, as connections have buffers; its block goes on when it
        has arrived. A step that receives and sends does so with whole messages. Copying and adding up take no time.

    Raises
    ------
    InputError
        Too many steps.
    """
    steps = loops * sum(len(block.steps) for blocks in program.blocks for block in blocks)
    if steps > _MOST_STEPS:
        raise InputError(
            f"{program.source}: {steps:,} steps in {loops} loops; at most {_MOST_STEPS:,} are simulated; take fewer pieces"
        )
    total = size * (program.ranks if program.operation == "alltoall" else 1)
    chunk = total / program.chunks / loops
    return schedule_of(
        program.name or program.operation,
        [_rank(program, rank, chunk, loops) for rank in range(program.ranks)],
        eager=True,
    )


def _rank(program: MscclProgram, rank: int, chunk: float, loops: int) -> Rank:
    """Return the operations of a rank; ``chunk``: the bytes of a chunk in a loop."""
    operations = Rank()
    last: list[int | None] = [None] * len(program.blocks[rank])
    for _ in range(loops):
        first: dict[tuple[int, int], int] = {}
        end: dict[tuple[int, int], int] = {}
        for number, block in enumerate(program.blocks[rank]):
            for place, step in enumerate(block.steps):
                size, added = step.chunks * chunk, []
                if step.kind in RECEIVES:
                    added.append(operations.add(RECV, block.receive, size, block.channel))
                if step.kind in SENDS:
                    added.append(operations.add(SEND, block.send, size, block.channel))
                if not added:
                    added.append(operations.calc(0.0))
                if len(added) > 1:
                    operations.requires(added[1], added[0])
                before = last[number]
                if before is not None:
                    operations.requires(added[0], before)
                first[number, place], end[number, place] = added[0], added[-1]
                last[number] = added[-1]
        for number, block in enumerate(program.blocks[rank]):
            for place, step in enumerate(block.steps):
                if step.waits is not None:
                    operations.requires(first[number, place], end[step.waits])
    return operations
