"""Claims of Besta 2014, V, beyond Figures 6 and 8: other sizes, other patterns for buffers, and detours of UGAL-L."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from topoloom.topologies.spec import build
from topoloom_papers._load_curves import Contender, LoadPoint, not_below, swept
from topoloom_papers.papers.besta_2014.loads import DRAGONFLY, SETUP_NOTE, SLIMFLY, TREE, curves
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, check_statements, compare, listed

_LOADS = (0.3, 0.5, 0.7)
_FEW_LOADS = (0.3, 0.5, 1.0)
#: Networks of about 1,000, 2,000 and 5,000 hosts, and those of figure 6.
_SIZES = {
    "SF-UGAL-L": ("ugal-l", ("slimfly:q=9,hosts=7", "slimfly:q=11,hosts=9", "slimfly:q=16,hosts=12", SLIMFLY)),
    "DF-UGAL-L": ("ugal-l", ("dragonfly:h=4", "dragonfly:h=5", "dragonfly:h=6", DRAGONFLY)),
    "FT-ANCA": ("anca", ("kary-tree:k=10,n=3", "kary-tree:k=13,n=3", "kary-tree:k=17,n=3", TREE)),
}


@claim(
    "besta-2014/v/sizes",
    "networks of N about 1K, 2K and 5K: latency varies by at most 10 % compared with 10K",
    "10 %",
    Contender("", "slimfly:q=9,hosts=7", "ugal-l").command("uniform", " --loads 0.3,0.5,0.7"),
)
def _other_sizes() -> Outcome:
    off: dict[str, float] = {}
    compared = 0
    for name, (engine, specs) in _SIZES.items():
        *smaller, largest = (swept(Contender(name, spec, engine), "uniform", _LOADS) for spec in specs)
        most = curves("a")[name][-1].accepted
        shares = [
            abs((point.latency_mean or 0.0) / (reference.latency_mean or 1.0) - 1)
            for points in smaller
            for point, reference in zip(points, largest, strict=True)
            if not (point.saturated or reference.saturated) and point.offered < most
        ]
        compared += len(shares)
        off[name] = 100 * max(shares)
    return check_statements(
        {f"{name} varies by 10 % or less": value <= 10 for name, value in off.items()},
        f"maximum, in %: {listed(off.items(), '{:.1f}')}",
        "random traffic at loads of 0.3, 0.5 and 0.7, without those at which one of them is saturated, or which exceed what the"
        f" larger one carries: {compared} pairs",
        details=SETUP_NOTE,
    )


#: Networks of figure 6 with exactly 10,000 hosts: fewer than Slim Fly has, more than the Dragonfly has.
_EXACTLY = {
    "SF-UGAL-L": Contender("SF-UGAL-L", "slimfly:q=19+spread:hosts=10000", "ugal-l"),
    "DF-UGAL-L": Contender("DF-UGAL-L", "dragonfly:h=7+spread:hosts=10000", "ugal-l"),
}


@claim(
    "besta-2014/v/exactly-10k",
    "networks of exactly 10K endpoints, under- or oversubscribed, follow similar performance patterns",
    "similar",
    _EXACTLY["SF-UGAL-L"].command("uniform", " --loads 0.3,0.5,1"),
)
def _exactly() -> Outcome:
    theirs = {name: swept(each, "uniform", _FEW_LOADS) for name, each in _EXACTLY.items()}
    balanced = {name: points[-1].accepted for name, points in curves("a").items() if name in _EXACTLY}
    accepted = {name: points[-1].accepted for name, points in theirs.items()}
    latency = {name: [point.latency_mean or 0.0 for point in points[:2]] for name, points in theirs.items()}
    return check_statements(
        {
            "the order by accepted load is that of the balanced networks": sorted(accepted, key=lambda n: accepted[n])
            == sorted(balanced, key=lambda n: balanced[n]),
            "Slim Fly has the lower latency at 0.3 and 0.5": all(
                fly < other for fly, other in zip(latency["SF-UGAL-L"], latency["DF-UGAL-L"], strict=True)
            ),
        },
        f"accepted at full load: {listed(accepted.items())}; balanced: {listed(balanced.items())}",
        "similar patterns: the same order by accepted load, and Slim Fly with the lower latency; hosts are spread evenly; the"
        " fat tree is not run",
        details=f"cycles at 0.3 and 0.5: {_at_two_loads(latency)}; {SETUP_NOTE}",
    )


@claim(
    "besta-2014/v-a/detours",
    "UGAL-L loses bandwidth by detours at the highest load; this is much less visible in Slim Fly than in the Dragonfly",
    "much less",
    Contender("", DRAGONFLY, "ugal-g").command("uniform", " --loads 1"),
)
def _detours() -> Outcome:
    figure = curves("a")
    ideal = {
        "SF": figure["SF-UGAL-G"][-1].accepted,
        "DF": swept(Contender("DF-UGAL-G", DRAGONFLY, "ugal-g"), "uniform", (1.0,))[-1].accepted,
    }
    lost = {name: 100 * (1 - figure[f"{name}-UGAL-L"][-1].accepted / most) for name, most in ideal.items()}
    return check_statements(
        {"Slim Fly loses less than half of what the Dragonfly loses": 0 <= lost["SF"] < lost["DF"] / 2},
        f"% below UGAL-G, which sees all queues: {listed(lost.items(), '{:.1f}')}",
        "by the accepted load at full load, random traffic; much less: less than half",
        details=SETUP_NOTE,
    )


#: The loads at which buffers of other sizes are simulated; the curve for 64 flits is that of figure 6a.
_BUFFER_LOADS = (0.5, 0.7, 1.0)


@claim(
    "besta-2014/v-d/random",
    "buffer sizes: other scenarios follow similar performance patterns, here random traffic with 8, 64 and 256 flits",
    "similar",
    Contender("", SLIMFLY, "ugal-l", ("buffer_flits=8",)).command("uniform", " --loads 0.5,0.7,1"),
)
def _random_buffers() -> Outcome:
    by_size = {
        flits: swept(
            Contender(f"{flits} flits", SLIMFLY, "ugal-l", (f"buffer_flits={flits}",)), "uniform", _BUFFER_LOADS
        )
        for flits in (8, 256)
    }
    by_size[64] = [point for point in curves("a")["SF-UGAL-L"] if point.offered in _BUFFER_LOADS]
    sizes = sorted(by_size)
    accepted = {flits: by_size[flits][-1].accepted for flits in sizes}
    latency = {flits: [point.network_mean or 0.0 for point in by_size[flits][:-1]] for flits in sizes}
    return check_statements(
        {
            f"{more} flits carry no less than {few}": not_below(accepted[more], accepted[few])
            for few, more in pairwise(sizes)
        }
        | {
            f"at 0.7, {few} flits take less than {more}": latency[few][-1] < latency[more][-1]
            for few, more in pairwise(sizes)
        },
        f"accepted at full load, by flits per port: {_by_flits(accepted)}",
        "UGAL-L; latency from injection, as in the claims of Figure 8a",
        details=f"cycles at 0.5 and 0.7, by flits per port: {_at_two_loads(latency)}; {SETUP_NOTE}",
    )


def _at_two_loads(cycles: Mapping[str, Sequence[float]] | Mapping[int, Sequence[float]]) -> str:
    return ", ".join(f"{name} {' and '.join(f'{value:.1f}' for value in each)}" for name, each in cycles.items())


def _by_flits(values: dict[int, float]) -> str:
    return listed((str(flits), value) for flits, value in values.items())


@claim(
    "besta-2014/v-e/sizes",
    "six oversubscribed Slim Flies, concentration 16 to 21, connect 11,552 to 15,162 endpoints",
    "11,552, 15,162",
    "topoloom info slimfly:q=19,hosts=16; topoloom info slimfly:q=19,hosts=21",
)
def _oversubscribed() -> Outcome:
    hosts = {p: build(f"slimfly:q=19,hosts={p}").hosts for p in range(16, 22)}
    return compare(
        {"p = 16": 11_552, "p = 21": 15_162, "networks": 6},
        {"p = 16": hosts[16], "p = 21": hosts[21], "networks": len(set(hosts.values()))},
    )


@claim(
    "besta-2014/v-e/others",
    "oversubscribed Slim Flies of other concentrations follow similar patterns: p = 17 and 19",
    "similar",
    Contender("", "slimfly:q=19,hosts=19", "hop-vcs").command("uniform", " --loads 1"),
)
def _other_concentrations() -> Outcome:
    by_p: dict[int, list[LoadPoint]] = {
        p: swept(Contender(f"p = {p}", f"slimfly:q=19,hosts={p}", "hop-vcs"), "uniform", (1.0,)) for p in (17, 19)
    }
    accepted = {15: curves("a")["SF-MIN"][-1].accepted} | {p: points[-1].accepted for p, points in by_p.items()}
    share = {p: accepted[p] * p / (accepted[15] * 15) for p in by_p}
    return check_statements(
        {
            "the load per host falls with every host more": all(
                accepted[a] > accepted[b] for a, b in pairwise(sorted(accepted))
            )
        }
        | {
            f"p = {p}: all hosts together carry as much as with p = 15, within 10 %": abs(s - 1) <= 0.1
            for p, s in share.items()
        },
        "accepted at full load by p: " + _by_flits(accepted),
        "MIN, random traffic; as with p = 16 and 18, the same links carry the same total; p = 20 and 21 are not run",
        details=f"total compared with p = 15: {_by_flits(share)}; {SETUP_NOTE}",
    )
