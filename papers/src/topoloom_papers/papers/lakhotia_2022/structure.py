"""Claims of Lakhotia 2022 on sizes: the abstract (arXiv:2208.01695), and the README and figure of the authors' artefact,
github.com/IntelLabs/PolarFly. The paper itself was not at hand.
"""

from functools import cache

import numpy as np

from topoloom.graph.moore import moore_order
from topoloom.topologies.spec import build
from topoloom_papers._helpers import facts, known, measured
from topoloom_papers.curves import Curves, Series
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare

#: The artefact's "degrees of particular interest".
_DEGREES = (24, 32, 48, 62, 128)
#: The figure ends at this degree.
_MOST_DEGREE = 128
#: A point of the figure is read to a percent: its mark is about as high.
_READ = Step(1.0, "points of the figure are read to a percent")


@cache
def _sizes(family: str) -> dict[int, int]:
    """Most switches per degree, of all networks of a family with one parameter q, up to the figure's degree."""
    sizes: dict[int, int] = {}
    for q in range(2, _MOST_DEGREE):
        found = known(f"{family}:q={q}")
        if found is not None and found.degree is not None and found.degree <= _MOST_DEGREE:
            sizes[found.degree] = max(found.switches, sizes.get(found.degree, 0))
    return sizes


def _hyperx(degree: int) -> int:
    """Switches of the largest HyperX of two dimensions with this degree."""
    return facts(f"hyperx:dims={degree // 2 + 1}x{degree - degree // 2 + 1}").switches


def share(switches: int, degree: int) -> float:
    """Switches as a percentage of the Moore bound for diameter 2."""
    return 100 * switches / moore_order(degree, 2)


def _built_share(spec: str) -> float:
    """The percentage of a network that is built and counted."""
    topology = build(spec)
    return share(topology.switches, int(topology.degrees.max()))


@cache
def _figure() -> Curves:
    """The artefact's figure: percentage of the Moore bound against degree."""
    families = {"PolarFly": _sizes("polarfly"), "Slim Fly": _sizes("slimfly")}
    series = [
        Series(name, tuple((float(degree), share(n, degree)) for degree, n in sorted(sizes.items())))
        for name, sizes in families.items()
    ]
    series.append(
        Series(
            "HyperX", tuple((float(degree), share(_hyperx(degree), degree)) for degree in range(2, _MOST_DEGREE + 1))
        )
    )
    return Curves(
        "lakhotia-2022-moore", "Share of the Moore bound at diameter 2", "degree", "% of the Moore bound", tuple(series)
    )


@claim(
    "lakhotia-2022/abstract/diameter",
    "PolarFly has diameter 2 (every q with a degree of at most 50)",
    "2",
    "topoloom info polarfly:q=49",
)
def _diameter() -> Outcome:
    orders = [degree - 1 for degree in _sizes("polarfly") if degree <= 50]
    diameters = {q: int(measured(f"polarfly:q={q}").diameter) for q in orders}
    return check_statements(
        {"every network has diameter 2": set(diameters.values()) == {2}},
        f"{len(orders)} networks, q = {min(orders)} to {max(orders)}: diameter {', '.join(map(str, set(diameters.values())))}",
        wrong=True,
    )


@claim(
    "lakhotia-2022/abstract/moore-96",
    "at the moderate radixes of current and near-future routers it reaches more than 96 % of the Moore bound",
    "more than 96 %",
    "topoloom info polarfly:q=31; topoloom bounds --switches 993 --degree 32",
)
def _moore_96() -> Outcome:
    shares = {degree: _built_share(f"polarfly:q={degree - 1}") for degree in (32, 48, 62)}
    return check_statements(
        {f"more than 96 % at degree {degree}": value > 96 for degree, value in shares.items()},
        ", ".join(f"degree {degree}: {value:.2f} %" for degree, value in shares.items()),
        "moderate radixes: the degrees of the artefact's list from 32 to 64, as many ports as current switches have",
        wrong=True,
    )


@claim(
    "lakhotia-2022/abstract/asymptotic",
    "it asymptotically reaches the Moore bound",
    "asymptotically 100 %",
    "topoloom reproduce lakhotia-2022/abstract/asymptotic",
)
def _asymptotic() -> Outcome:
    shares = [share(n, degree) for degree, n in sorted(_sizes("polarfly").items())]
    last = _built_share("polarfly:q=127")
    return check_statements(
        {
            "the share rises with every degree": all(np.diff(shares) > 0),
            "what is missing halves when the degree doubles": all(
                abs((100 - share(b, 2 * a)) / (100 - share(_sizes("polarfly")[a], a)) - 0.5) <= 0.05
                for a, b in ((a, _sizes("polarfly").get(2 * a)) for a in _sizes("polarfly"))
                if b is not None and a >= 24
            ),
            "more than 99 % at degree 128, built": last > 99,
        },
        f"{len(shares)} degrees up to {_MOST_DEGREE}: {shares[0]:.1f} to {shares[-1]:.2f} %; built at degree 128: {last:.2f} %",
        "asymptotically: it rises all the way, and the gap falls as 1 over the degree (within 5 % from degree 24)",
        wrong=True,
        figure=_figure(),
    )


@claim(
    "lakhotia-2022/abstract/degrees",
    "it offers more feasible degrees than Slim Fly, the state of the art (up to degree 128, where the artefact's figure ends)",
    "more",
    "topoloom reproduce lakhotia-2022/abstract/degrees",
)
def _more_degrees() -> Outcome:
    polarfly, slimfly = len(_sizes("polarfly")), len(_sizes("slimfly"))
    return check_statements(
        {"more feasible degrees": polarfly > slimfly}, f"PolarFly {polarfly}, Slim Fly {slimfly} degrees", wrong=True
    )


@claim(
    "lakhotia-2022/abstract/degrees-half",
    "about 50 % more feasible degrees than Slim Fly",
    "about 50 % (as a draft in github.com/segmentrouting/polarfly quotes the paper)",
    "topoloom reproduce lakhotia-2022/abstract/degrees-half",
)
def _half_more() -> Outcome:
    polarfly, slimfly = len(_sizes("polarfly")), len(_sizes("slimfly"))
    note = f"up to degree {_MOST_DEGREE}, where the artefact's figure ends: PolarFly {polarfly}, Slim Fly {slimfly}"
    return compare(
        {"more [%]": 50},
        {"more [%]": 100 * (polarfly / slimfly - 1)},
        step=Step(5, "half of the unit of about 50 %"),
        assumption=note,
        reason=note,
        digits=3,
    )


@claim(
    "lakhotia-2022/artefact/q-23",
    "q = 23: 553 routers of radix 24",
    "553, 24 (caption of the artefact's README)",
    "topoloom info polarfly:q=23",
)
def _q_23() -> Outcome:
    topology = build("polarfly:q=23")
    return compare({"routers": 553, "radix": 24}, {"routers": topology.switches, "radix": int(topology.degrees.max())})


@claim(
    "lakhotia-2022/artefact/degrees",
    "the degrees 24, 32, 48, 62 and 128, of particular interest, are feasible",
    "24, 32, 48, 62, 128 (the artefact's README)",
    "topoloom info polarfly:q=61; topoloom info polarfly:q=127",
)
def _degrees() -> Outcome:
    slimfly = [degree for degree in _DEGREES if degree in _sizes("slimfly")]
    statements = {f"degree {degree}": degree in _sizes("polarfly") for degree in _DEGREES}
    built = build("polarfly:q=61")
    statements["degree 62 is built"] = int(built.degrees.max()) == 62
    return check_statements(
        statements, f"all five by q = degree - 1; of Slim Fly {', '.join(map(str, slimfly)) or 'none'}", wrong=True
    )


@claim(
    "lakhotia-2022/artefact/common-neighbour",
    "no two routers have more than one common neighbour (q = 7, 23)",
    "at most one (a draft in github.com/segmentrouting/polarfly, of the paper's graph)",
    "topoloom paths polarfly:q=7",
)
def _common() -> Outcome:
    most, pairs = {}, {}
    for q in (7, 23):
        topology = build(f"polarfly:q={q}")
        adjacent = np.zeros((topology.switches, topology.switches), np.int64)
        adjacent[topology.links[:, 0], topology.links[:, 1]] = 1
        adjacent += adjacent.T
        common = adjacent @ adjacent
        np.fill_diagonal(common, 0)
        most[q] = int(common.max())
        pairs[q] = int(((common == 0) & (adjacent == 0)).sum() - topology.switches)
    return check_statements(
        {f"q = {q}: at most one": value <= 1 for q, value in most.items()}
        | {f"q = {q}: unlinked routers have exactly one": value == 0 for q, value in pairs.items()},
        f"most common neighbours {most[7]} and {most[23]}; unlinked pairs without one: {pairs[7]} and {pairs[23]}",
        wrong=True,
    )


def _point(id: str, what: str, published: dict[str, float], ours: dict[str, str], command: str) -> None:
    shown = ", ".join(f"{value:g} % at {name}" for name, value in published.items())

    @claim(
        f"lakhotia-2022/artefact-figure/{id}",
        what,
        f"{shown} (read off the artefact's moore_bound_comparison)",
        command,
    )
    def compute() -> Outcome:
        values = {name: _built_share(spec) for name, spec in ours.items()}
        return compare(
            published,
            values,
            step=_READ,
            digits=4,
            figure=_figure(),
            assumption="read before our values were computed",
            reason=f"read to a percent; the networks are {', '.join(ours.values())}",
        )


_point(
    "polarfly",
    "PolarFly's share of the Moore bound for diameter 2, at three degrees",
    {"degree 24": 96, "degree 62": 98.5, "degree 128": 99.3},
    {"degree 24": "polarfly:q=23", "degree 62": "polarfly:q=61", "degree 128": "polarfly:q=127"},
    "topoloom info polarfly:q=23; topoloom info polarfly:q=61; topoloom info polarfly:q=127",
)
_point(
    "slim-fly",
    "Slim Fly's share, at five degrees",
    {"degree 5": 69.5, "degree 11": 80, "degree 13": 95.5, "degree 17": 83.5, "degree 125": 88},
    {
        "degree 5": "slimfly:q=3",
        "degree 11": "slimfly:q=7",
        "degree 13": "slimfly:q=9",
        "degree 17": "slimfly:q=11",
        "degree 125": "slimfly:q=83",
    },
    "topoloom info slimfly:q=9; topoloom info slimfly:q=11",
)
_point(
    "hyperx",
    "the share of a HyperX of two dimensions, at three degrees",
    {"degree 20": 30, "degree 50": 27, "degree 128": 26},
    {"degree 20": "hyperx:dims=11x11", "degree 50": "hyperx:dims=26x26", "degree 128": "hyperx:dims=65x65"},
    "topoloom info hyperx:dims=11x11; topoloom info hyperx:dims=26x26; topoloom info hyperx:dims=65x65",
)
_point(
    "moore-graphs",
    "the Petersen and the Hoffman-Singleton graph meet the bound",
    {"Petersen": 100, "Hoffman-Singleton": 100},
    {"Petersen": "petersen", "Hoffman-Singleton": "hoffman-singleton"},
    "topoloom info petersen; topoloom info hoffman-singleton",
)


@claim(
    "lakhotia-2022/artefact-figure/above",
    "PolarFly is above Slim Fly and HyperX at every degree from 20 on",
    "above (the artefact's moore_bound_comparison)",
    "topoloom reproduce lakhotia-2022/artefact-figure/above",
)
def _above() -> Outcome:
    polarfly = {degree: share(n, degree) for degree, n in _sizes("polarfly").items() if degree >= 20}
    others = [share(n, degree) for degree, n in _sizes("slimfly").items() if degree >= 20]
    others += [share(_hyperx(degree), degree) for degree in range(20, _MOST_DEGREE + 1)]
    return check_statements(
        {"its least share is above the greatest of the others": min(polarfly.values()) > max(others)},
        f"PolarFly {min(polarfly.values()):.1f} % at least; the others {max(others):.1f} % at most",
        wrong=True,
        figure=_figure(),
    )
