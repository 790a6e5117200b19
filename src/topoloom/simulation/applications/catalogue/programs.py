"""The built-in programs in C (``programs/*.c``): their parameters, and the numbers of ranks that they accept."""

from pathlib import Path
from typing import Any

from topoloom.core.errors import InputError
from topoloom.simulation.applications.collective_programs import mpi_collective
from topoloom.simulation.applications.grids import cut_evenly, grid_of
from topoloom.simulation.applications.program import AsSchedule, Moved, Source
from topoloom.simulation.applications.registry import application
from topoloom.topologies.spec import Choice, Integer, Integers, Real, Seed

_FOLDER = Path(__file__).parent.parent / "programs"
_BYTES = (1, 1 << 30)
_YES_NO = ("no", "yes")


def built_in_program(
    name: str,
    file: str,
    *,
    measure: str = "time",
    schedule: AsSchedule | None = None,
    moved: Moved | None = None,
    **arguments: Any,
) -> Source:
    """Return one of the C programs of this package, with arguments ``key=value`` and the `measure` to compare networks by.

    Parameters
    ----------
    name : str
        The name in results, with the arguments.
    file : str
        The C file in this package.
    measure : str
        The number by which networks are compared: "time", or a result that the program prints.
    schedule : AsSchedule, optional
        The same program for simulators of schedules.
    moved : Moved, optional
        The collective operation that the program performs.
    **arguments
        The program's arguments; "no" and "yes" become 0 and 1.

    Returns
    -------
    Source
        The source, to be compiled with the file that all built-in programs share.

    Examples
    --------
    >>> built_in_program("x", "alltoall.c", bytes=8, check="no").arguments
    ('bytes=8', 'check=0')
    """
    words = {"no": 0, "yes": 1}
    listed = tuple(f"{key}={words.get(value, value)}" for key, value in arguments.items())
    return Source(name, (_FOLDER / file, _FOLDER / "common.c"), listed, measure=measure, schedule=schedule, moved=moved)


def call_text(name: str, **settings: Any) -> str:
    """Return a label such as ``alltoall(bytes=65536,repeats=1)``; values None and ``no`` are omitted.

    Examples
    --------
    >>> call_text("stencil2d", points=(8, 4), overlap="no")
    'stencil2d(points=8x4)'
    """
    words = {key: "x".join(map(str, value)) if isinstance(value, tuple) else value for key, value in settings.items()}
    return f"{name}({','.join(f'{key}={value}' for key, value in words.items() if value not in {None, 'no'})})"


def _check() -> Choice:
    return Choice(_YES_NO, "send real data and check the results: for few ranks", default="no")


def _repeats(times: int) -> Integer:
    return Integer(1, 1 << 20, "number of repetitions; times are means", default=times)


def _at_least_two(name: str, ranks: int) -> None:
    if ranks < 2:
        raise InputError(f"{name}: {ranks} rank{'s' * (ranks != 1)}; at least 2 are needed")


@application(
    "pingpong",
    "two ranks send a message back and forth; half a round trip is the latency",
    bytes=Integer(0, _BYTES[1], "bytes per message", default=8),
    repeats=_repeats(10),
    pairs=Integer(0, 4096, "random pairs of ranks, one after the other; 0: the first and the last rank", default=0),
    seed=Seed(),
    check=_check(),
)
def pingpong(ranks: int, bytes: int, repeats: int, pairs: int, seed: int, check: str) -> Source:
    """Return the program; refuse one rank.

    Raises
    ------
    InputError
        One rank.
    """
    _at_least_two("pingpong", ranks)
    name = call_text("pingpong", bytes=bytes, repeats=repeats, pairs=pairs or None, check=check)
    return built_in_program(
        name, "pingpong.c", measure="latency", bytes=bytes, repeats=repeats, pairs=pairs, seed=seed, check=check
    )


@application(
    "alltoall",
    "every rank sends to every other, by MPI_Alltoall",
    bytes=Integer(*_BYTES, "bytes from each rank to each other rank", default=65536),
    repeats=_repeats(1),
    check=_check(),
)
def alltoall(ranks: int, bytes: int, repeats: int, check: str) -> Source:
    """Return the program; refuse one rank, and checks of more data than a machine can hold.

    Raises
    ------
    InputError
        One rank; more data than any memory can hold, or, with a check, than this machine's memory can.
    """
    _at_least_two("alltoall", ranks)
    _small_enough("alltoall", check, 2 * bytes * ranks * ranks)
    if bytes * ranks > 1 << 40:
        raise InputError(f"alltoall: {bytes} bytes to each of {ranks} ranks exceed any memory; lower bytes=")
    name = call_text("alltoall", bytes=bytes, repeats=repeats, check=check)
    schedule = mpi_collective(name, "alltoall", ranks, bytes, repeats)
    moved = Moved("alltoall", bytes * repeats)
    return built_in_program(
        name, "alltoall.c", schedule=schedule, moved=moved, bytes=bytes, repeats=repeats, check=check
    )


@application(
    "allreduce",
    "the sum of a vector over all ranks, on every rank, by MPI_Allreduce",
    bytes=Integer(8, _BYTES[1], "bytes of the vector, a multiple of 8", default=1 << 20),
    repeats=_repeats(1),
    check=_check(),
)
def allreduce(ranks: int, bytes: int, repeats: int, check: str) -> Source:
    """Return the program; refuse one rank, and vectors that do not consist of doubles.

    Raises
    ------
    InputError
        One rank; a vector that does not consist of whole doubles; with a check, more data than this machine's memory can hold.
    """
    _at_least_two("allreduce", ranks)
    if bytes % 8:
        raise InputError(f"allreduce: bytes={bytes} must be a multiple of 8, as the vector consists of doubles")
    _small_enough("allreduce", check, 2 * bytes * ranks)
    name = call_text("allreduce", bytes=bytes, repeats=repeats, check=check)
    schedule = mpi_collective(name, "allreduce", ranks, bytes, repeats)
    moved = Moved("allreduce", bytes * repeats)
    return built_in_program(
        name, "allreduce.c", schedule=schedule, moved=moved, bytes=bytes, repeats=repeats, check=check
    )


@application(
    "beff",
    "effective bandwidth: rings and random rings, 21 message sizes",
    source="after Rabenseifner and Koniges 2001, b_eff; Xu 2019 section 3",
    bytes=Integer(8192, _BYTES[1], "the largest message, in bytes", default=1 << 20),
    loops=Integer(1, 300, "most repetitions; never more than fit into the largest message", default=1),
    orders=Integer(1, 64, "random orders of the ranks for each of the six ring sizes", default=1),
    seed=Seed(),
)
def beff(ranks: int, bytes: int, loops: int, orders: int, seed: int) -> Source:
    """Return the program; refuse one rank.

    Raises
    ------
    InputError
        One rank.
    """
    _at_least_two("beff", ranks)
    name = call_text("beff", bytes=bytes, loops=loops, orders=orders, seed=seed)
    return built_in_program(name, "beff.c", measure="beff", bytes=bytes, loops=loops, orders=orders, seed=seed)


def _stencil(name: str, ranks: int, points: tuple[int, ...], grid: tuple[int, ...] | None, **settings: Any) -> Source:
    dims = int(name[-2])
    if len(points) != dims:
        raise InputError(f"{name}: points= has {len(points)} numbers; a grid in {dims} dimensions needs {dims}")
    cut = grid_of(name, ranks, dims, grid)
    thinnest = min(cut_evenly(side, parts) for side, parts in zip(points, cut, strict=True))
    if thinnest < settings["halo"]:
        raise InputError(
            f"{name}: {ranks} ranks as {'x'.join(map(str, cut))} leave a rank {thinnest} layers of {'x'.join(map(str, points))}"
            f" points, less than the halo of {settings['halo']}; give more points or fewer ranks"
        )
    axes = "xyz"[:dims]
    arguments: dict[str, Any] = {f"points_{axis}": side for axis, side in zip(axes, points, strict=True)}
    arguments |= {f"ranks_{axis}": parts for axis, parts in zip(axes, cut, strict=True)}
    label = call_text(name, points=points, grid=cut, **settings)
    return built_in_program(label, "stencil.c", **{"dims": dims, **arguments, **settings})


def _of_stencil(points: tuple[int, ...], flops: float) -> dict[str, Any]:
    return {
        "points": Integers(1, 1 << 20, "points of the whole grid", default=points),
        "grid": Integers(1, 1 << 20, "ranks along each side; as square as possible when omitted", default=None),
        "halo": Integer(1, 64, "layers of points that a rank gets from a neighbour", default=1),
        "iterations": Integer(1, 1 << 20, "iterations", default=10),
        "overlap": Choice(_YES_NO, "compute the inner points while halos travel", default="no"),
        "periodic": Choice(_YES_NO, "the grid wraps around at its sides", default="yes"),
        "flops": Real(0, 1e9, "operations per point and iteration", default=flops),
        "check": _check(),
    }


@application(
    "stencil2d",
    "halo exchange on a grid in two dimensions, then operations on every point",
    **_of_stencil((4096, 4096), 6),
)
def stencil2d(ranks: int, **settings: Any) -> Source:
    """Return the program; refuse ranks that leave blocks thinner than the halo."""
    return _stencil("stencil2d", ranks, **settings)


@application("stencil3d", "as stencil2d, in three dimensions", **_of_stencil((256, 256, 256), 8))
def stencil3d(ranks: int, **settings: Any) -> Source:
    """Return the program; refuse ranks that leave blocks thinner than the halo."""
    return _stencil("stencil3d", ranks, **settings)


@application(
    "matmul",
    "C = A B in blocks on a grid of ranks, broadcasts along rows and columns (SUMMA)",
    source="van de Geijn and Watts 1997; Nakano 2016 VIII.A.3 (MM)",
    n=Integer(1, 1 << 17, "rows and columns of the matrices", default=2048),
    block=Integer(1, 1 << 14, "columns of A and rows of B per broadcast", default=64),
    grid=Integers(1, 1 << 20, "rows and columns of ranks; as square as possible when omitted", default=None),
    check=_check(),
)
def matmul(ranks: int, n: int, block: int, grid: tuple[int, ...] | None, check: str) -> Source:
    """Return the program; refuse more rows or columns of ranks than the matrices have.

    Raises
    ------
    InputError
        A grid that does not match the ranks, or has more rows or columns than the matrices; with a check, matrices that this
        machine's memory cannot hold.
    """
    cut = grid_of("matmul", ranks, 2, grid)
    if max(cut) > n:
        raise InputError(f"matmul: {ranks} ranks as {cut[0]}x{cut[1]}, but the matrices have {n} rows; raise n=")
    _small_enough("matmul", check, 24 * n * n)
    name = call_text("matmul", n=n, block=block, grid=cut, check=check)
    return built_in_program(name, "matmul.c", n=n, block=block, rows=cut[0], check=check)


def _small_enough(name: str, check: str, total: int) -> None:
    if check == "yes" and total > 1 << 30:
        raise InputError(f"{name}: check=yes needs {total / 1e9:.0f} GB for real data; use fewer ranks or less data")
