"""Claims of Lakhotia 2024 on scale: the abstracts of arXiv:2302.07217 (the last version, and version 1 as SPCL's list of
publications has it), and the figure polarstar_moore_bound of the artefact, github.com/IntelLabs/PolarFly.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from statistics import geometric_mean

from topoloom.graph.moore import moore_order
from topoloom_papers._helpers import known, measured
from topoloom_papers.curves import Curves, Series
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare
from topoloom_papers.words import ALMOST_ALL

#: The radixes of the artefact's figure; every mean is over them.
_RADIXES = range(8, 129)
_DRAWN = f"geometric mean over the radixes of the figure, {_RADIXES[0]} to {_RADIXES[-1]}"
#: Half of the last digit of "1.3x", or a percent point of the figure.
_DIGIT, _READ = Step(0.05, "half of the last digit"), Step(1.0, "points of the figure are read to a percent")
_QS = range(2, 128)


@cache
def _largest(name: str) -> Mapping[int, int]:
    """The most switches of a family per radix, up to the figure's, by the facts of the catalogue."""
    largest: dict[int, int] = {}
    for spec in _specs(name):
        facts = known(spec)
        if facts is None or facts.degree is None or facts.degree not in _RADIXES:
            continue  # no such field, supernode or group
        largest[facts.degree] = max(facts.switches, largest.get(facts.degree, 0))
    return dict(sorted(largest.items()))


def _specs(name: str) -> Iterator[str]:
    """All networks of a family whose radix may be in the figure."""
    if name == "PolarStar":
        for q, d in product(_QS, range(1, 128)):
            if q + 1 + d in _RADIXES:
                yield from (f"polarstar:q={q},d={d},supernode={kind}" for kind in ("iq", "paley"))
    elif name == "Bundlefly":
        for q, p in product(range(3, 90), range(5, 256, 4)):
            if (3 * q - 1) / 2 + (p - 1) / 2 <= _RADIXES[-1]:
                yield f"bundlefly:q={q},p={p}"
    elif name == "Dragonfly":
        for radix in _RADIXES:
            yield from (f"dragonfly:a={a},h={radix + 1 - a},p=1" for a in range(2, radix + 1))
    else:
        for radix in _RADIXES:
            sides = [radix // 3 + 1 + (step < radix % 3) for step in range(3)]
            yield f"hyperx:dims={'x'.join(map(str, sides))}"


@cache
def _figure() -> Curves:
    return Curves(
        "lakhotia-2024-moore",
        "Share of the Moore bound at diameter 3",
        "radix",
        "% of the Moore bound",
        tuple(
            Series(name, tuple((float(d), 100 * n / moore_order(d, 3)) for d, n in _largest(name).items()))
            for name in ("PolarStar", "Bundlefly", "Dragonfly", "HyperX")
        ),
    )


def _gain(other: str) -> float:
    """The geometric mean of PolarStar's largest order over that of another family, at the radixes that both have."""
    ours, theirs = _largest("PolarStar"), _largest(other)
    return geometric_mean([ours[radix] / theirs[radix] for radix in ours if radix in theirs])


@claim(
    "lakhotia-2024/abstract/diameter",
    "PolarStar has diameter 3 (the largest of every radix from 8 to 16)",
    "3",
    "topoloom info polarstar:q=11,d=3",
)
def _diameter() -> Outcome:
    largest = {
        radix: max(
            (
                (facts.switches, spec)
                for q, d in product(_QS, range(1, 16))
                if q + 1 + d == radix
                for kind in ("iq", "paley")
                for spec in [f"polarstar:q={q},d={d},supernode={kind}"]
                if (facts := known(spec)) is not None
            ),
            default=None,
        )
        for radix in range(8, 17)
    }
    diameters = {radix: measured(entry[1]).diameter for radix, entry in largest.items() if entry is not None}
    return check_statements(
        {
            "every one has diameter 3": set(diameters.values()) == {3},
            "every radix has one": len(diameters) == len(largest),
        },
        ", ".join(f"radix {radix}: {entry[0]} switches" for radix, entry in largest.items() if entry is not None),
        wrong=True,
    )


def _scale(place: str, other: str, published: str, percent: bool = False) -> None:
    shown = f"{published} %" if percent else f"{published}x"

    @claim(
        f"lakhotia-2024/{place}/{other.lower()}",
        f"the geometric mean increase in scale over {'3-D HyperX' if other == 'HyperX' else other}",
        shown,
        f"topoloom reproduce lakhotia-2024/{place}/{other.lower()}",
    )
    def compute() -> Outcome:
        gain = _gain(other)
        step = Step(0.5, "half of the last digit") if percent else _DIGIT
        return compare(
            {"increase": published},
            {"increase": 100 * (gain - 1) if percent else gain},
            step=step,
            digits=4,
            assumption=_DRAWN,
            reason=f"{_DRAWN} (Dragonfly: the best split of each radix; HyperX: sides as equal as possible)",
            figure=_figure(),
        )


_scale("abstract", "Bundlefly", "1.3")
_scale("abstract", "Dragonfly", "1.9")
_scale("abstract", "HyperX", "6.7")
_scale("abstract-v1", "Bundlefly", "31", percent=True)
_scale("abstract-v1", "Dragonfly", "91", percent=True)
_scale("abstract-v1", "HyperX", "690", percent=True)


@claim(
    "lakhotia-2024/abstract/largest",
    "the largest known diameter-3 networks for almost all radixes",
    "almost all",
    "topoloom reproduce lakhotia-2024/abstract/largest",
)
def _almost_all() -> Outcome:
    ours, others = _largest("PolarStar"), [_largest(name) for name in ("Bundlefly", "Dragonfly", "HyperX")]
    best = [radix for radix in _RADIXES if ours.get(radix, 0) >= max(other.get(radix, 0) for other in others)]
    return check_statements(
        {"the largest at almost all radixes": len(best) >= ALMOST_ALL * len(_RADIXES)},
        f"the largest at {len(best)} of {len(_RADIXES)} radixes; not at"
        f" {', '.join(str(radix) for radix in _RADIXES if radix not in best) or 'none'}",
        f"'almost all' is read as at least {100 * ALMOST_ALL:g} %; compared with Bundlefly, Dragonfly and 3-D HyperX, not with"
        " the largest graphs that searches have found",
        wrong=True,
        figure=_figure(),
    )


def _point(name: str, published: dict[int, float]) -> None:
    @claim(
        f"lakhotia-2024/artefact-figure/{name.lower()}",
        f"{'3-D HyperX' if name == 'HyperX' else name}'s share of the Moore bound for diameter 3",
        ", ".join(f"{value:g} % at radix {radix}" for radix, value in published.items())
        + " (read off the artefact's figure)",
        f"topoloom reproduce lakhotia-2024/artefact-figure/{name.lower()}",
    )
    def compute() -> Outcome:
        sizes = _largest(name)
        return compare(
            {f"radix {radix}": value for radix, value in published.items()},
            {f"radix {radix}": 100 * sizes.get(radix, 0) / moore_order(radix, 3) for radix in published},
            step=_READ,
            digits=4,
            assumption="read before our values were computed",
            reason="read to a percent",
            figure=_figure(),
        )


_point("PolarStar", {9: 37.7, 64: 31, 128: 30})
_point("Dragonfly", {8: 25, 64: 16, 128: 15.3})
_point("HyperX", {8: 10.5, 64: 4.3, 128: 4})
