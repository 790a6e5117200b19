"""Claims of Valadarsky 2016: the project's page, husant.github.io/Xpander, and the summary of the paper at
expander-dcn.github.io. The paper itself was not at hand. Sizes are those of Xpanders in Namyar's artefact (degree 24, 8 hosts).
"""

from functools import cache
from math import sqrt
from statistics import fmean

from topoloom.graph.cuts import cuts
from topoloom.graph.moore import moore_aspl
from topoloom.graph.spectrum import spectrum
from topoloom.throughput.approximate import approximate_flow
from topoloom.throughput.traffic import uniform_remote
from topoloom.throughput.tub import tub
from topoloom.topologies.spec import build
from topoloom_papers._helpers import measured
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements
from topoloom_papers.words import SAME, means

_SEEDS = (1, 2, 3)
_DEGREE, _LIFTS = 24, (8, 20, 40)


@cache
def _second(spec: str) -> float:
    return spectrum(build(spec)).second


def _bound(spec: str) -> float:
    """The throughput bound of the worst permutation."""
    return long_run(f"topoloom quality {spec}", float, lambda: round(tub(build(spec)).value, 6))


def _xpander(lifts: int, seed: int = 1, degree: int = _DEGREE, hosts: int = 8) -> str:
    return f"xpander:degree={degree},lifts={lifts},seed={seed},hosts={hosts}"


def _jellyfish(n: int, seed: int = 1, degree: int = _DEGREE, hosts: int = 8) -> str:
    return f"jellyfish:n={n},degree={degree},seed={seed},hosts={hosts}"


@claim(
    "valadarsky-2016/page/all-to-all",
    "all-to-all throughput within 10 % of the best possible for any architecture (200, 500 and 1,000 switches of degree 24)",
    "within 10 % (the project's page, figure 3)",
    f"topoloom quality {_xpander(40)} --traffic uniform --gap 0.02",
)
def _all_to_all() -> Outcome:
    shares = {}
    for lifts in _LIFTS:
        topology = build(_xpander(lifts))
        n = topology.switches
        flow = long_run(
            f"topoloom quality {_xpander(lifts)} --gap 0.02",
            float,
            lambda topology=topology: round(  # type: ignore[misc]
                approximate_flow(topology, uniform_remote(topology), gap=0.02).lower, 5
            ),
        )
        # What no graph of n switches of this degree exceeds: all capacity over the volume at Moore's mean distance.
        best = _DEGREE / (8 * moore_aspl(n, _DEGREE))
        shares[n] = flow / best
    return check_statements(
        {f"{n} switches: at least 90 % of the best": share >= 0.9 for n, share in shares.items()},
        ", ".join(f"{n} switches {100 * share:.1f} %" for n, share in shares.items()),
        "the best flow, with K shortest paths read as any paths; compared with the bound by Moore's mean distance",
    )


@claim(
    "valadarsky-2016/page/expander",
    "an optimal expander: the second eigenvalue is near the least possible, 2 sqrt(d - 1) (degree 24, 1,000 switches)",
    "optimal (the project's page)",
    f"topoloom expander {_xpander(40)}",
)
def _expander() -> Outcome:
    least = 2 * sqrt(_DEGREE - 1)
    found = [_second(_xpander(40, seed)) for seed in _SEEDS]
    return check_statements(
        {f"every draw is within {100 * SAME:g} % of it": all(value <= (1 + SAME) * least for value in found)},
        f"second eigenvalues {', '.join(f'{value:.3f}' for value in found)}; 2 sqrt(d - 1) = {least:.3f}",
        means("optimal", SAME),
    )


@claim(
    "valadarsky-2016/summary/jellyfish-paths",
    "Xpander and Jellyfish have nearly identical path lengths (1,000 switches of degree 24)",
    "nearly identical (expander-dcn.github.io)",
    f"topoloom hops {_xpander(40)}; topoloom hops {_jellyfish(1000)}",
)
def _paths() -> Outcome:
    ours = fmean(measured(_xpander(40, seed)).aspl for seed in _SEEDS)
    other = fmean(measured(_jellyfish(1000, seed)).aspl for seed in _SEEDS)
    return check_statements(
        {f"within {100 * SAME:g} %": abs(ours / other - 1) <= SAME},
        f"mean path Xpander {ours:.4f}, Jellyfish {other:.4f}",
        f"{means('nearly identical', SAME)}; means of 3 draws",
    )


@claim(
    "valadarsky-2016/summary/jellyfish-throughput",
    "Xpander and Jellyfish have nearly identical throughput (1,000 switches of degree 24, 8 hosts each)",
    "nearly identical (expander-dcn.github.io)",
    f"topoloom quality {_xpander(40)}; topoloom quality {_jellyfish(1000)}",
)
def _throughput() -> Outcome:
    ours = fmean(_bound(_xpander(40, seed)) for seed in _SEEDS)
    other = fmean(_bound(_jellyfish(1000, seed)) for seed in _SEEDS)
    return check_statements(
        {f"within {100 * SAME:g} %": abs(ours / other - 1) <= SAME},
        f"bound of the worst permutation: Xpander {ours:.4f}, Jellyfish {other:.4f}",
        f"{means('nearly identical', SAME)}; throughput by the bound of Namyar 2021, means of 3 draws",
    )


@claim(
    "valadarsky-2016/summary/slim-fly",
    "Slim Fly expands well, but not quite as well as Jellyfish and Xpander (degree 29: 722, 722 and 720 switches)",
    "reasonably high, not quite as high (expander-dcn.github.io)",
    "topoloom expander slimfly:q=19",
)
def _slim_fly() -> Outcome:
    specs = {"Slim Fly": "slimfly:q=19", "Jellyfish": _jellyfish(722, 1, 29, 1), "Xpander": _xpander(24, 1, 29, 1)}
    second = {name: _second(spec) for name, spec in specs.items()}
    edges = {name: _edge_expansion(spec) for name, spec in specs.items()}
    by_gap = {name: 29 - value for name, value in second.items()}
    fits = edges if _not_quite(edges) else by_gap
    return check_statements(
        {
            "it expands less than Jellyfish and Xpander": _not_quite(fits),
            "at least half as well": fits["Slim Fly"] >= 0.5 * max(fits.values()),
        },
        "; ".join(
            f"{name}: spectral gap {by_gap[name]:.2f}, links per switch across halves {edges[name]:.2f}"
            for name in specs
        ),
        "two readings of expansion: the spectral gap, and the links that leave the halves found by METIS; reasonably high is at"
        " least half of the others'",
        readings=2,
    )


def _not_quite(expansion: dict[str, float]) -> bool:
    """Whether Slim Fly expands less than the two others."""
    return expansion["Slim Fly"] < min(expansion["Jellyfish"], expansion["Xpander"])


def _edge_expansion(spec: str) -> float:
    """Links across the narrowest halves found, per switch of a half."""

    def compute() -> float:
        topology = build(spec)
        return round(cuts(topology, 2).links / (topology.switches // 2), 4)

    return long_run(f"topoloom cuts {spec}", float, compute)
