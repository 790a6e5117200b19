"""Claims of Lakhotia 2022 on growth without rewiring: the sizes, degrees and diameters that the validators of the authors'
artefact demand (polarfly/topologies/topogen/validate_brown_ext.py of github.com/IntelLabs/PolarFly), at its q = 23.
"""

from dataclasses import dataclass

from topoloom.cabling.expansion.expand import expand
from topoloom.graph.hops import hops
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements

_Q = 23
_BASE = _Q * _Q + _Q + 1


@dataclass(frozen=True)
class _Grown:
    """A grown network: switches, cables unplugged, greatest degree, diameter and mean shortest path."""

    switches: int
    removed: int
    degree: int
    diameter: int
    aspl: float


def _grown(switches: int) -> _Grown:
    def compute() -> _Grown:
        plan = expand(f"polarfly:q={_Q}", switches, "copies")
        after = plan.topology
        stats = hops(after)
        return _Grown(after.switches, plan.removed, int(after.degrees.max()), int(stats.diameter), round(stats.aspl, 6))

    return long_run(f"topoloom expand polarfly:q={_Q} --method copies --to {switches}", _Grown, compute)


def _text(grown: _Grown) -> str:
    return (
        f"{grown.switches} switches, {grown.removed} cables unplugged, greatest degree {grown.degree}, diameter"
        f" {grown.diameter}, mean path {grown.aspl:.4f}"
    )


@claim(
    "lakhotia-2022/abstract/growth",
    "it grows incrementally without rewiring the whole network (q = 23, by a copy of the quadrics and one of a fan)",
    "without rewiring",
    f"topoloom expand polarfly:q={_Q} --method copies --to {_BASE + 2 * _Q + 1}",
)
def _growth() -> Outcome:
    grown = _grown(_BASE + 2 * _Q + 1)
    return check_statements(
        {
            "no cable is unplugged": grown.removed == 0,
            "all new switches are linked": grown.switches == _BASE + 2 * _Q + 1,
        },
        _text(grown),
        wrong=True,
    )


@claim(
    "lakhotia-2022/artefact-growth/quadrics",
    "a copy of the q + 1 quadrics: q + 1 more routers, diameter 2, degrees of at most q + 4",
    "577 routers, 2, at most 27",
    f"topoloom expand polarfly:q={_Q} --method copies --to {_BASE + _Q + 1}",
)
def _quadrics() -> Outcome:
    grown = _grown(_BASE + _Q + 1)
    return check_statements(
        {
            "577 routers": grown.switches == 577,
            "diameter 2": grown.diameter == 2,
            "degrees of at most 27": grown.degree <= 27,
            "the mean path is below 2": grown.aspl < 2,
        },
        _text(grown),
        wrong=True,
    )


@claim(
    "lakhotia-2022/artefact-growth/fans",
    "copies of the quadrics and of two fans: 2 q more routers, diameter at most 3, mean path below 2, degrees of at most q + 6",
    "623 routers, at most 3, below 2, at most 29",
    f"topoloom expand polarfly:q={_Q} --method copies --to {_BASE + 3 * _Q + 1}",
)
def _fans() -> Outcome:
    grown = _grown(_BASE + 3 * _Q + 1)
    return check_statements(
        {
            "623 routers": grown.switches == 623,
            "diameter at most 3": grown.diameter <= 3,
            "the mean path is below 2": grown.aspl < 2,
            "degrees of at most 29": grown.degree <= 29,
        },
        _text(grown),
        "the artefact demands degrees of at most q + 1 + 2 r0 + r1 + 1, here r0 = 1 and r1 = 2",
        wrong=True,
    )
