"""Claims of Besta 2014's Figure 6: Slim Fly, Dragonfly and fat tree under four patterns of traffic, small and at full size."""

from collections.abc import Callable
from dataclasses import dataclass

from topoloom.figures.curves import Curves
from topoloom.reproduction._load_curves import (
    Contender,
    above,
    accepted,
    latency_figure,
    listed,
    not_below,
    routed,
    saturates,
    stated,
    swept,
)
from topoloom.reproduction.registry import Outcome, claim, judge
from topoloom.simulator.load_curve import LoadCurve

#: The figure's axis ends at 1; the first two are below any saturation but that of shortest paths in the worst case.
LOADS = (0.2, 0.4, 0.6, 0.8, 1.0)
#: Saturation is looked for in such steps; the paper's numbers are multiples of twice that.
_WIDTH = 0.025
_PATTERNS = {"a": "uniform", "b": "bit-reversal", "c": "shift", "d": "worst-case"}
_TITLES = {"a": "Random traffic", "b": "Bit reversal", "c": "Shift", "d": "Worst case"}
_SLIM = ("SF-MIN", "SF-UGAL-L", "SF-UGAL-G")


@dataclass(frozen=True)
class Size:
    """Three networks of like size, with what a user should know of them."""

    slimfly: str
    dragonfly: str
    tree: str
    told: str
    suffix: str = ""

    def contender(self, name: str) -> Contender:
        """One of the figure's curves, by its name there."""
        family, _, protocol = name.partition("-")
        spec = {"SF": self.slimfly, "DF": self.dragonfly, "FT": self.tree}[family]
        engines = {"MIN": "hop-lanes", "VAL": "valiant", "UGAL-L": "ugal-l", "UGAL-G": "ugal-g", "ANCA": "anca"}
        return Contender(name, spec, engines[protocol])


NAMES = ("SF-MIN", "SF-VAL", "SF-UGAL-L", "SF-UGAL-G", "DF-UGAL-L", "FT-ANCA")
_LANES = "3 VCs, 4 for detours, which share 64 flits a port; UGAL compares 4 detours, each by a random switch"
SMALL = Size(
    "slimfly:q=5,hosts=4",
    "dragonfly:h=3,g=10",
    "kary-tree:k=6,n=3",
    f"200, 180 and 216 hosts, where the paper has about 10,000 (--full); {_LANES}",
)
FULL = Size(
    "slimfly:q=19,hosts=15",
    "dragonfly:h=7",
    "kary-tree:k=22,n=3",
    f"the paper's sizes (errata of Besta 2014, 6); {_LANES}",
    "/full",
)


def curves(size: Size, part: str) -> dict[str, LoadCurve]:
    """All curves of a part of the figure, by name."""
    return {name: swept(size.contender(name), _PATTERNS[part], LOADS) for name in NAMES}


def _figure(size: Size, part: str) -> Curves:
    name = f"besta-2014-figure-6{part}{size.suffix.replace('/', '-')}"
    return latency_figure(name, _TITLES[part], curves(size, part))


def bandwidth(size: Size, part: str) -> dict[str, float]:
    """What hosts get at full load, by curve."""
    return {name: accepted(curve) for name, curve in curves(size, part).items()}


def latency(size: Size, part: str) -> dict[str, float]:
    """Cycles at the lowest load, by curve."""
    return {name: curve.points[0].latency_mean for name, curve in curves(size, part).items()}


def _bandwidths(got: dict[str, float]) -> str:
    return f"accepted at full load: {listed(got.items())}"


def _best(size: Size) -> Outcome:
    got = bandwidth(size, "a")
    slower = max(got["SF-VAL"], got["SF-UGAL-L"])
    return stated(
        {f"{name} is not below VAL and UGAL-L": not_below(got[name], slower) for name in ("SF-MIN", "SF-UGAL-G")},
        _bandwidths(got),
        f"by what is accepted at full load, 0.01 counting as equal; {size.told}",
        _figure(size, "a"),
    )


def _topologies(size: Size) -> Outcome:
    got = bandwidth(size, "a")
    slim = max(got[name] for name in _SLIM)
    return stated(
        {
            "Dragonfly is below Slim Fly with UGAL-L": above(got["SF-UGAL-L"], got["DF-UGAL-L"]),
            "the fat tree is above Slim Fly": above(got["FT-ANCA"], slim),
        },
        _bandwidths(got),
        f"by what is accepted at full load; {size.told}",
        _figure(size, "a"),
    )


def _lowest(size: Size, part: str) -> Outcome:
    took = latency(size, part)
    slim = {name: took[name] for name in _SLIM}
    return stated(
        {
            f"{name} is below Dragonfly and fat tree": slim[name] < min(took["DF-UGAL-L"], took["FT-ANCA"])
            for name in slim
        },
        f"cycles at a load of {LOADS[0]:g}: {listed(took.items(), '{:.1f}'.format)}",
        size.told,
        _figure(size, part),
    )


def _permutations(size: Size, part: str) -> Outcome:
    got, took = bandwidth(size, part), latency(size, part)
    return stated(
        {
            "the fat tree is above UGAL-L": above(got["FT-ANCA"], got["SF-UGAL-L"]),
            "the fat tree is not below UGAL-G": not_below(got["FT-ANCA"], got["SF-UGAL-G"]),
            "Slim Fly is not below Dragonfly": not_below(got["SF-UGAL-L"], got["DF-UGAL-L"]),
            "Slim Fly is faster than Dragonfly": took["SF-UGAL-L"] < took["DF-UGAL-L"],
        },
        f"{_bandwidths(got)}; cycles at a load of {LOADS[0]:g}: {listed(took.items(), '{:.1f}'.format)}",
        "hosts above the largest power of two are silent"
        + ("; half of all packets are to the sender itself, as Besta 2014 writes the pattern" if part == "c" else "")
        + f"; {size.told}",
        _figure(size, part),
    )


def _adversary(size: Size) -> Outcome:
    got = bandwidth(size, "d")
    return stated(
        {
            "VAL is not below Dragonfly": not_below(got["SF-VAL"], got["DF-UGAL-L"]),
            "UGAL-L is above Dragonfly": above(got["SF-UGAL-L"], got["DF-UGAL-L"]),
            "the fat tree is above both": above(got["FT-ANCA"], max(got[n] for n in NAMES if n != "FT-ANCA")),
        },
        _bandwidths(got),
        size.told,
        _figure(size, "d"),
    )


def _limit(size: Size) -> Outcome:
    hosts = int(routed(size.slimfly, "hop-lanes").topology.endpoints_at.max())
    curve = curves(size, "d")["SF-MIN"]
    return judge(
        {"at the host that gets least": 1 / (2 * hosts)},
        {"at the host that gets least": curve.points[-1].accepted_min},
        tolerance=0.005,
        digits=3,
        figure=_figure(size, "d"),
        assumption=f"the print has lost the fraction; 1/(2p) is what 2p senders over one link get (errata of"
        f" Besta 2014, 17); {size.told}",
        reason=f"the print has lost the fraction; {size.told}",
    )


def _saturation(size: Size, name: str, part: str, published: float, at_most: bool) -> Outcome:
    found = saturates(size.contender(name), _PATTERNS[part], LOADS, _WIDTH)
    full = bandwidth(size, part)[name]
    return judge(
        {"saturates at": published},
        {"saturates at": found, "accepted at full load": full},
        tolerance=0 if at_most else _WIDTH,
        at_most=at_most,
        digits=3,
        assumption=f"to {_WIDTH:g}; {size.told}",
        figure=_figure(size, part),
        reason=f"{size.told}; UGAL's threshold and how queues are counted are not printed, nor how the paper breaks ties"
        " between shortest paths",
    )


def _register(size: Size) -> None:
    full = bool(size.suffix)

    def add(id: str, what: str, published: str, name: str, compute: Callable[[], Outcome], more: str = "") -> None:
        part = id[len("fig-6") :][0]
        loads = ",".join(f"{load:g}" for load in LOADS)
        command = size.contender(name).command(_PATTERNS[part], f" --loads {loads}{more}")
        claim(f"besta-2014/{id}{size.suffix}", what, published, command, full=full)(compute)

    def saturated(id: str, name: str, published: float, at_most: bool = False) -> None:
        part = id[len("fig-6") :][0]
        told = f"{'below ' if at_most else ''}{published:.0%} of the injection rate"
        add(
            id,
            f"{_TITLES[part].lower()}: {name} saturates",
            told,
            name,
            lambda: _saturation(size, name, part, published, at_most),
            f" --saturation --width {_WIDTH:g}",
        )

    add(
        "fig-6a/best",
        "random traffic: UGAL-G and MIN are the best of Slim Fly",
        "best",
        "SF-UGAL-G",
        lambda: _best(size),
    )
    saturated("fig-6a/val", "SF-VAL", 0.5, at_most=True)
    saturated("fig-6a/ugal-l", "SF-UGAL-L", 0.8)
    add(
        "fig-6a/topologies",
        "random traffic: Dragonfly has less bandwidth than Slim Fly, the fat tree slightly more",
        "less, slightly more",
        "DF-UGAL-L",
        lambda: _topologies(size),
    )
    add(
        "fig-6a/latency",
        "random traffic: Slim Fly has the lowest latency",
        "lowest",
        "SF-UGAL-L",
        lambda: _lowest(size, "a"),
    )
    for part in "bc":
        add(
            f"fig-6{part}",
            f"{_TITLES[part].lower()}: the fat tree carries more than UGAL-L and slightly more than UGAL-G;"
            " Slim Fly slightly more than Dragonfly, with less latency",
            "more",
            "SF-UGAL-L",
            lambda part=part: _permutations(size, part),  # type: ignore[misc]
        )
    saturated("fig-6d/val", "SF-VAL", 0.4)
    saturated("fig-6d/ugal-l", "SF-UGAL-L", 0.45)
    add(
        "fig-6d/topologies",
        "worst case: VAL and UGAL-L carry slightly more than Dragonfly, the fat tree more than both",
        "slightly more, more",
        "DF-UGAL-L",
        lambda: _adversary(size),
    )
    add("fig-6d/min", "worst case: MIN is limited to a fraction", "1/ (lost)", "SF-MIN", lambda: _limit(size))


_register(SMALL)
_register(FULL)
