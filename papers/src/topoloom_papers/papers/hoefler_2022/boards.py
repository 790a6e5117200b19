"""Claims of Hoefler 2022: the abstract, and the rows of 1,024 accelerators in Table II, which are quoted from memory."""

import numpy as np

from topoloom.graph.distances import distance_matrix
from topoloom.model.topology import Topology
from topoloom.throughput.approximate import approximate_flow
from topoloom.throughput.traffic import matrix, uniform_remote
from topoloom.throughput.tub import volume_bound
from topoloom.topologies.spec import build
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare

_MEMORY = "quoted from memory; not checked against the print"
_MESHES = {"Hx2Mesh": (2, 16), "Hx4Mesh": (4, 8)}
#: Planes of an accelerator with 16 ports: four of four ports for meshes, 16 of one port for trees.
_PLANES, _TREE_PLANES = 4, 16
#: Prices that the paper's sums follow from: a 64-port switch, a copper and an optical cable, USD.
_SWITCH_USD, _COPPER_USD, _OPTICAL_USD = 14_280, 272, 603


def _spec(side: int, boards: int) -> str:
    return f"hammingmesh:board={side}x{side},boards={boards}x{boards}"


def _neighbours(side: int, boards: int) -> np.ndarray:
    """Numbers of the accelerators on the grid of all boards, int64[rows, columns]."""
    number = np.arange((side * boards) ** 2).reshape(boards, boards, side, side)
    return number.transpose(0, 2, 1, 3).reshape(side * boards, side * boards)


@claim(
    "hoefler-2022/abstract/two-dimensions",
    "full bandwidth for training jobs with two dimensions of parallelism: all accelerators exchange with their four neighbours"
    " on a torus at the full rate of their four ports (Hx2Mesh and Hx4Mesh of 1,024 accelerators)",
    "full bandwidth (abstract)",
    "topoloom reproduce hoefler-2022/abstract/two-dimensions",
)
def _two_dimensions() -> Outcome:
    found = {}
    for name, (side, boards) in _MESHES.items():
        found[name] = long_run(
            f"the torus exchange on {_spec(side, boards)}, topoloom quality --traffic matrix:FILE --gap 0.01",
            float,
            lambda side=side, boards=boards: round(_torus_flow(side, boards), 4),  # type: ignore[misc]
        )
    return check_statements(
        {f"{name}: at least 99 % of the ports' rate": value >= 0.99 for name, value in found.items()},
        ", ".join(f"{name} {100 * value:.1f} % of the rate of four ports" for name, value in found.items()),
        "the best flow, bracketed within 1 %; one plane of four",
    )


def _torus_flow(side: int, boards: int) -> float:
    """The best flow of the exchange with four neighbours on the torus, as a share of the ports' rate."""
    topology = build(_spec(side, boards))
    grid = _neighbours(side, boards)
    demand = np.zeros((topology.switches, topology.switches))
    for axis in (0, 1):
        for step in (1, -1):
            demand[grid.ravel(), np.roll(grid, step, axis).ravel()] += 0.25
    return approximate_flow(topology, matrix(topology, demand), gap=0.01).lower / 4


def _diameter(topology: Topology) -> int:
    """The most hops between two accelerators, counting those over switches and over other accelerators."""
    carriers = np.unique(topology.endpoints)
    return int(distance_matrix(topology)[np.ix_(carriers, carriers)].max())


@claim(
    "hoefler-2022/table-ii/diameter",
    "1,024 accelerators: diameters of Hx2Mesh and Hx4Mesh",
    f"4, 8 ({_MEMORY})",
    f"topoloom hops {_spec(2, 16)}; topoloom hops {_spec(4, 8)}",
)
def _diameters() -> Outcome:
    shared = {name: _diameter(build(_spec(side, boards))) for name, (side, boards) in _MESHES.items()}
    apart = {
        name: _diameter(build(f"{_spec(side, boards)},radix={2 * boards}")) for name, (side, boards) in _MESHES.items()
    }
    return compare(
        {"Hx2Mesh": 4, "Hx4Mesh": 8},
        apart,
        readings=2,
        assumption="a switch for each line of accelerators, which fits; with lines of a board row on one 64-port switch, as"
        f" in the count of switches, {shared['Hx2Mesh']} and {shared['Hx4Mesh']}",
        reason=f"with a switch per line; with lines that share 64-port switches {shared['Hx2Mesh']} and {shared['Hx4Mesh']}",
    )


@claim(
    "hoefler-2022/table-ii/global",
    "1,024 accelerators: all-to-all bandwidth of Hx2Mesh and Hx4Mesh, of the injection bandwidth",
    f"25.4 %, 11.3 % ({_MEMORY})",
    f"topoloom quality {_spec(2, 16)}; topoloom quality {_spec(4, 8)}",
)
def _global() -> Outcome:
    bounds, flows = {}, {}
    for name, (side, boards) in _MESHES.items():
        topology = build(_spec(side, boards))
        bounds[name] = 100 * volume_bound(topology, uniform_remote(topology)) / 4
        flows[name] = long_run(
            f"topoloom quality {_spec(side, boards)} --gap 0.02",
            float,
            lambda topology=topology: round(  # type: ignore[misc]
                25 * approximate_flow(topology, uniform_remote(topology), gap=0.02).lower, 3
            ),
        )
    note = (
        "the paper simulates packets; two readings: the best flow within 2 %, and the bound by the volume of all-to-all traffic"
        f": {bounds['Hx2Mesh']:.1f} and {bounds['Hx4Mesh']:.1f} %"
    )
    return compare(
        {"Hx2Mesh": 25.4, "Hx4Mesh": 11.3},
        flows,
        step=Step(1.0, "a percent of the injection bandwidth"),
        readings=2,
        digits=4,
        assumption=note,
        reason=note,
    )


def _mesh_cost(side: int, boards: int) -> float:
    """Millions of USD of four planes: the switches, and half of the cables of lines copper, half optical."""
    topology = build(_spec(side, boards))
    level = topology.labels["level"]
    cables = int((level[topology.links].max(axis=1) > 0).sum())
    return _PLANES * (int((level > 0).sum()) * _SWITCH_USD + cables / 2 * (_COPPER_USD + _OPTICAL_USD)) / 1e6


def _tree_cost() -> float:
    """Millions of USD of 16 trees: copper to the accelerators, optical cables between switches."""
    tree = build("fat-tree:k=64,hosts=1024")
    return (
        _TREE_PLANES * (tree.switches * _SWITCH_USD + tree.hosts * _COPPER_USD + len(tree.links) * _OPTICAL_USD) / 1e6
    )


@claim(
    "hoefler-2022/table-ii/cost",
    "1,024 accelerators: cost of a non-blocking fat tree, of a 2-D HyperX (Hx1Mesh), of Hx2Mesh and of Hx4Mesh",
    f"25.3, 10.8, 5.4, 2.7 million USD ({_MEMORY})",
    "topoloom reproduce hoefler-2022/table-ii/cost",
)
def _cost() -> Outcome:
    return compare(
        {"fat tree": "25.3", "HyperX": "10.8", "Hx2Mesh": "5.4", "Hx4Mesh": "2.7"},
        {
            "fat tree": _tree_cost(),
            "HyperX": _mesh_cost(1, 32),
            "Hx2Mesh": _mesh_cost(2, 16),
            "Hx4Mesh": _mesh_cost(4, 8),
        },
        digits=4,
        assumption=f"prices from memory: {_SWITCH_USD:,}, {_COPPER_USD} and {_OPTICAL_USD} USD per switch, copper and optical"
        " cable; cables on boards cost nothing",
        reason="counts of our networks at the paper's prices, from memory",
    )
