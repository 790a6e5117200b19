"""The NAS Parallel Benchmarks as skeletons: ``cg:class=A``, ``dt:class=S,graph=SH``."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from topoloom.simulation.applications.nas.bt import SIZES as BT_SIZES
from topoloom.simulation.applications.nas.bt import bt
from topoloom.simulation.applications.nas.cg import SIZES as CG_SIZES
from topoloom.simulation.applications.nas.cg import cg
from topoloom.simulation.applications.nas.dt import SIZES as DT_SIZES
from topoloom.simulation.applications.nas.dt import dt
from topoloom.simulation.applications.nas.ep import SIZES as EP_SIZES
from topoloom.simulation.applications.nas.ep import ep
from topoloom.simulation.applications.nas.ft import SIZES as FT_SIZES
from topoloom.simulation.applications.nas.ft import ft
from topoloom.simulation.applications.nas.lu import SIZES as LU_SIZES
from topoloom.simulation.applications.nas.lu import lu
from topoloom.simulation.applications.nas.mg import SIZES as MG_SIZES
from topoloom.simulation.applications.nas.mg import mg
from topoloom.simulation.applications.nas.skeleton import NasRun
from topoloom.simulation.applications.nas.sort import SIZES as IS_SIZES
from topoloom.simulation.applications.nas.sort import integer_sort
from topoloom.simulation.applications.nas.sp import SIZES as SP_SIZES
from topoloom.simulation.applications.nas.sp import sp
from topoloom.simulation.applications.program import RankTraces
from topoloom.simulation.applications.registry import application
from topoloom.topologies.spec import Choice, Integer, Parameter

_SOURCE = "NAS Parallel Benchmarks, NPB3.3-MPI (NAS reports 95-020 and 02-007)"
_UNTIMED = Choice(("yes", "no"), "include set-up, warm-up and verification, which are not timed", default="yes")


def _classes(sizes: Iterable[str]) -> Choice:
    return Choice(tuple(sizes), "size of the problem", default="A")


def _iterations(most: int = 1000) -> Integer:
    return Integer(0, most, "iterations of the timed part; 0: as the class defines", default=0)


def _iterative(
    name: str, description: str, make: Callable[[NasRun], RankTraces], sizes: Iterable[str], most: int = 1000
) -> None:
    parameters: dict[str, Parameter] = {"class_": _classes(sizes), "iterations": _iterations(most), "untimed": _UNTIMED}

    @application(name, description, source=_SOURCE, **parameters)
    def program(ranks: int, class_: str, iterations: int, untimed: str) -> RankTraces:
        return make(NasRun(ranks, class_, iterations, untimed == "yes"))


_iterative(
    "bt", "NAS BT skeleton: block-tridiagonal solver, pipelines along three axes; a square of ranks", bt, BT_SIZES
)
_iterative(
    "cg", "NAS CG skeleton: sparse matrix products, sums along rows and swaps; a power of two of ranks", cg, CG_SIZES
)
_iterative(
    "is", "NAS IS skeleton: integer sort, all-to-all of keys; a power of two of ranks", integer_sort, IS_SIZES, 20
)
_iterative("lu", "NAS LU skeleton: wavefronts of small messages; x times y ranks, y <= x <= 2 y", lu, LU_SIZES)
_iterative("mg", "NAS MG skeleton: multigrid, halos on all levels; a power of two of ranks", mg, MG_SIZES)
_iterative("sp", "NAS SP skeleton: pentadiagonal solver, pipelines along three axes; a square of ranks", sp, SP_SIZES)


@application(
    "ep",
    "NAS EP skeleton: random numbers, and sums at the end",
    source=_SOURCE,
    class_=_classes(EP_SIZES),
    untimed=_UNTIMED,
)
def _ep(ranks: int, class_: str, untimed: str) -> RankTraces:
    return ep(NasRun(ranks, class_, 0, untimed == "yes"))


@application(
    "ft",
    "NAS FT skeleton: Fourier transform in three dimensions, all-to-all; a power of two of ranks",
    source=_SOURCE,
    class_=_classes(FT_SIZES),
    iterations=_iterations(),
    untimed=_UNTIMED,
    groups=Choice(
        ("messages", "alltoall"),
        "an all-to-all within a group, with more ranks than planes: as its messages, or as in SimGrid's own trace, "
        "which replays it as one of all ranks",
        default="messages",
    ),
)
def _ft(ranks: int, class_: str, iterations: int, untimed: str, groups: str) -> RankTraces:
    traces = ft(NasRun(ranks, class_, iterations, untimed == "yes"), groups == "messages")
    return traces if groups == "messages" else replace(traces, name=f"{traces.name} (groups={groups})")


@application(
    "dt",
    "NAS DT skeleton: data flows through a graph, with one rank per node",
    source=_SOURCE,
    class_=_classes(DT_SIZES),
    graph=Choice(("BH", "WH", "SH"), "black hole, white hole or shuffle", default="BH"),
)
def _dt(ranks: int, class_: str, graph: str) -> RankTraces:
    return dt(NasRun(ranks, class_), graph)
