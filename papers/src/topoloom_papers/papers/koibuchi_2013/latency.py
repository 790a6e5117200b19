"""Claims of Koibuchi 2013 about latency at low load: figures 5 to 8, simulated as its III.C says."""

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from statistics import fmean, stdev

from topoloom_papers.papers.koibuchi_2013._switch_loads import (
    LOW,
    LOW_4,
    Network,
    clos_in_other_racks,
    gbit_s,
    low_ns,
    ns_of_draws,
)
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, judge, listed, stated

PATTERNS = ("uniform", "transpose", "bit-reversal")
_PARTIAL = "+permute:mode=partial,rack={rack},doubles=drop,seed={{seed}}"
_FULLY = "+permute:mode=full,rack={rack},doubles=drop,seed={{seed}}"
#: Draws of random topologies, and of what is sent.
DRAWS = (1, 2, 3, 4)
_MANY_DRAWS = tuple(range(1, 17))


@lru_cache(maxsize=16)
def networks(n: int) -> dict[str, Network]:
    """Figures 5, 6 and 7: of 2^n switches; 8 switches per rack and 4 hosts per switch for n = 6, 16 and 8 above."""
    hosts, rack = (4, 8) if n == 6 else (8, 16)
    cube = f"hypercube:n={n},hosts={hosts}"
    return {
        "HYPERCUBE": Network(cube, "duato"),
        "P-HYPERCUBE": Network((cube + _PARTIAL).format(rack=rack), "silla-duato"),
        "PF-HYPERCUBE": Network((cube + _FULLY).format(rack=rack), "silla-duato"),
        f"RING-{n}": Network(f"ring-shortcuts:n={2**n},degree={n},hosts={hosts},seed={{seed}}", "silla-duato"),
    }


def torus_networks() -> dict[str, Network]:
    """Those of degree 4 in figure 6, 256 switches."""
    torus = "torus:dims=16x16,hosts=8"
    return {
        "TORUS-4": Network(torus, "duato", low=LOW_4),
        "P-TORUS-4": Network((torus + _PARTIAL).format(rack=16), "silla-duato", low=LOW_4),
        "PF-TORUS-4": Network((torus + _FULLY).format(rack=16), "silla-duato", low=LOW_4),
        "RING-4": Network("ring-shortcuts:n=256,degree=4,hosts=8,seed={seed}", "silla-duato", low=LOW_4),
    }


def _gains(better: Network, worse: Network, traffic: str, draws: tuple[int, ...] = DRAWS) -> list[float]:
    """How far the latency of one lies below that of another, in %, for each draw."""
    return _below(low_ns(better, traffic, draws), low_ns(worse, traffic, draws))


def _below(better_ns: list[float], worse_ns: list[float]) -> list[float]:
    return [100 * (1 - low / high) for low, high in zip(better_ns, worse_ns, strict=True)]


def _judged_draws(
    published: dict[str, str], found: dict[str, list[float]], low: float, readings: int = 1, why: str = ""
) -> Outcome:
    """Means over draws; a step: two standard deviations of our draws, of topology and of what is sent, for one is printed.

    Parameters
    ----------
    published : dict of str to str
        What the paper prints, by name.
    found : dict of str to list of float
        Ours of each draw.
    low : float
        The load at which latency is read, flits a host and cycle.
    readings : int
        How many readings of the paper were tried.
    why : str
        What was assumed.

    Returns
    -------
    Outcome
    """
    step = {name: round(2 * stdev(each), 2) for name, each in found.items()}
    what = f"two standard deviations of our {len(next(iter(found.values())))} draws, in points, for one draw is printed"
    sizes = ", ".join(f"{name} {size:g}" for name, size in step.items())
    return judge(
        published,
        {name: fmean(each) for name, each in found.items()},
        step=Step(step, what),
        readings=readings,
        digits=3,
        assumption=f"read as latency at {gbit_s(low):.1g} Gbit/s a host, buffers of 66 flits a VC{why}",
        reason=f"a step would be {what} ({sizes}){why}",
    )


def _below_hypercube(traffic: str, ring: str, permuted: str) -> None:
    @claim(
        f"koibuchi-2013/fig-6/latency/{traffic}",
        f"latency below HYPERCUBE's, 256 switches, {traffic} traffic: RING-8, P-HYPERCUBE",
        f"{ring} %, {permuted} %",
        networks(8)["RING-8"].command(traffic),
    )
    def compute() -> Outcome:
        these, published = networks(8), {"RING-8": ring, "P-HYPERCUBE": permuted}
        found = {name: _gains(these[name], these["HYPERCUBE"], traffic) for name in published}
        if traffic != "bit-reversal":
            return _judged_draws(published, found, these["RING-8"].low)
        readings = {"of a host's number, 11": found, "of a switch's number, 8": _by_switch_bits()}
        nearest = min(
            readings.values(), key=lambda each: sum(abs(fmean(each[name]) - float(published[name])) for name in each)
        )
        told = "; ".join(
            f"bits {which}: {listed([(name, fmean(each)) for name, each in some.items()], '{:.1f} %')}"
            for which, some in readings.items()
        )
        return _judged_draws(
            published,
            nearest,
            these["RING-8"].low,
            len(readings),
            f"; Koibuchi 2013 does not say which bits are reversed; {told}",
        )


@lru_cache(maxsize=1)
def _by_switch_bits() -> dict[str, list[float]]:
    """How far latencies lie below HYPERCUBE's with one host a switch, so that a host's bits are those of its switch."""
    found = {}
    for name, network in networks(8).items():
        if not name.startswith("PF-"):
            found[name] = ns_of_draws(
                replace(network, spec=network.spec.replace("hosts=8", "hosts=1")), "bit-reversal", DRAWS
            )
    return {name: _below(found[name], found["HYPERCUBE"]) for name in ("RING-8", "P-HYPERCUBE")}


_below_hypercube("uniform", "19.4", "16.5")
_below_hypercube("transpose", "20.1", "17.2")
_below_hypercube("bit-reversal", "15.6", "12.0")


@claim(
    "koibuchi-2013/fig-6/latency/torus-4",
    "latency below PF-TORUS-4's, 256 switches, uniform traffic: P-TORUS-4, RING-4",
    "5 %, 21 %",
    torus_networks()["RING-4"].command("uniform"),
)
def _torus() -> Outcome:
    these = torus_networks()
    found = {name: _gains(these[name], these["PF-TORUS-4"], "uniform", _MANY_DRAWS) for name in ("P-TORUS-4", "RING-4")}
    return _judged_draws({"P-TORUS-4": "5", "RING-4": "21"}, found, LOW_4)


def _order(n: int, figure: int) -> None:
    ring = f"RING-{n}"

    @claim(
        f"koibuchi-2013/fig-{figure}/order",
        f"latency, {2**n} switches, all three patterns: {ring} below P-, that below PF-, all below HYPERCUBE",
        "the order",
        networks(n)[ring].command("uniform"),
    )
    def compute() -> Outcome:
        these = networks(n)
        names = (ring, "P-HYPERCUBE", "PF-HYPERCUBE", "HYPERCUBE")
        means = {traffic: [fmean(low_ns(these[name], traffic, DRAWS)) for name in names] for traffic in PATTERNS}
        text = "; ".join(f"{traffic} {', '.join(f'{ns:.0f}' for ns in each)} ns" for traffic, each in means.items())
        return stated(
            {
                f"{traffic}: {one} below {other}": low < high
                for traffic, each in means.items()
                for (one, low), (other, high) in pairwise(zip(names, each, strict=True))
            },
            f"{', '.join(names)}: {text}",
            f"means of {len(DRAWS)} draws at low load",
        )


_order(6, 5)
_order(8, 6)
_order(9, 7)


@claim(
    "koibuchi-2013/fig-7/growth",
    "the advantage over HYPERCUBE grows with the network: 64, 256, 512 switches; RING-n, P-HYPERCUBE",
    "it grows",
    networks(9)["RING-9"].command("uniform"),
)
def _growth() -> Outcome:
    grows, told = {}, []
    for traffic in PATTERNS:
        for name in ("RING-{n}", "P-HYPERCUBE"):
            found = [fmean(_gains(networks(n)[name.format(n=n)], networks(n)["HYPERCUBE"], traffic)) for n in (6, 8, 9)]
            grows[f"{traffic}, {name.format(n='n')} grows from size to size"] = all(a < b for a, b in pairwise(found))
            told.append(f"{traffic}, {name.format(n='n')} {', '.join(f'{gain:.1f}' for gain in found)} %")
    return stated(grows, "; ".join(told), f"means of {len(DRAWS)} draws at low load")


def clos_networks(switches: int) -> dict[str, Network]:
    """Figure 8: 16 switches per rack; and with all switches that carry no hosts in one rack."""
    plain = f"myrinet-clos:switches={switches}"
    return {
        "CLOS": Network(plain, "updown", None),
        "PF-CLOS": Network((plain + _FULLY).format(rack=16), "updown", None),
        "PF-CLOS (one switch-only rack)": clos_in_other_racks(switches),
    }


#: How switches of the permuted Clos stand in racks, which the paper leaves open, and its name in `clos_networks`.
CLOS_READINGS = {
    "16 switches per rack, as elsewhere in the paper": "PF-CLOS",
    "all switches but leaves in one rack": "PF-CLOS (one switch-only rack)",
}


def _clos_gains() -> dict[str, dict[str, list[float]]]:
    """By reading, then by size and pattern: how far the permuted Clos lies below the Clos, in %, for each draw."""
    found: dict[str, dict[str, list[float]]] = {}
    for switches in (80, 160):
        these = clos_networks(switches)
        for reading, name in CLOS_READINGS.items():
            for traffic in PATTERNS:
                each = found.setdefault(reading, {})
                each[f"{switches} switches, {traffic}"] = _gains(these[name], these["CLOS"], traffic)
    return found


_CLOS_READ = (
    "the paper gives no size of switch-only racks, and not how uplinks are wired (errata of Koibuchi 2013, 11);"
    " up*/down* from one switch"
)


def _clos_told(found: dict[str, dict[str, list[float]]]) -> str:
    return "; ".join(
        f"{reading}: {listed([(name, fmean(gains)) for name, gains in each.items()], '{:.1f} %')}"
        for reading, each in found.items()
    )


@claim(
    "koibuchi-2013/fig-8/latency",
    "latency of the permuted Myrinet Clos below the Clos's, most of 80 and 160 switches and of three patterns",
    "up to 23.4 %",
    clos_networks(80)["PF-CLOS"].command("uniform"),
)
def _clos_most() -> Outcome:
    found = _clos_gains()
    # The most of a draw, as the paper's is of one.
    most = {reading: [max(draw) for draw in zip(*each.values(), strict=True)] for reading, each in found.items()}
    nearest = min(most.values(), key=lambda each: abs(fmean(each) - 23.4))
    why = f"; the most of each draw; {_clos_told(found)}; {_CLOS_READ}"
    return _judged_draws({"%": "23.4"}, {"%": nearest}, LOW, len(most), why)


@claim(
    "koibuchi-2013/fig-8/latency/all-patterns",
    "latency of the permuted Myrinet Clos, 80 and 160 switches: below the Clos's for all traffic patterns",
    "improves",
    clos_networks(80)["PF-CLOS"].command("transpose"),
)
def _clos_improves() -> Outcome:
    found = _clos_gains()
    return stated(
        {f"{reading}, {name}": fmean(gains) > 0 for reading, each in found.items() for name, gains in each.items()},
        _clos_told(found),
        f"means of {len(DRAWS)} draws at low load; {_CLOS_READ}",
    )
