"""Claims of Koibuchi 2013 on latency at low load: figures 5 to 8 and 13, simulated as described in its III.C."""

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from statistics import fmean, stdev

from topoloom_papers.papers.koibuchi_2013._switch_loads import (
    DRAWS,
    LOW,
    LOW_4,
    Network,
    clos_in_other_racks,
    gbit_s,
    low_ns,
    ns_of_draws,
)
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare, listed
from topoloom_papers.words import SAME, means

PATTERNS = ("uniform", "transpose", "bit-reversal")
_PARTIAL = "+permute:mode=partial,rack={rack},doubles=drop,seed={{seed}}"
_FULLY = "+permute:mode=full,rack={rack},doubles=drop,seed={{seed}}"
_MANY_DRAWS = tuple(range(1, 17))


@lru_cache(maxsize=16)
def networks(n: int) -> dict[str, Network]:
    """The networks of figures 5, 6 and 7 with 2^n switches; per rack 8 switches, per switch 4 hosts (n > 6: 16 and 8)."""
    hosts, rack = (4, 8) if n == 6 else (8, 16)
    cube = f"hypercube:n={n},hosts={hosts}"
    specs = {
        "P-HYPERCUBE": (cube + _PARTIAL).format(rack=rack),
        "PF-HYPERCUBE": (cube + _FULLY).format(rack=rack),
        f"RING-{n}": f"ring-shortcuts:n={2**n},degree={n},hosts={hosts},seed={{seed}}",
    }
    coarse: dict[str, tuple[str, ...]] = dict.fromkeys(("HYPERCUBE", *specs), PATTERNS if n == 9 else ())
    if n == 8:  # their four draws under uniform traffic are still to be simulated
        coarse |= dict.fromkeys(("PF-HYPERCUBE", "RING-8"), ("uniform",))
    random = {label: Network(spec, "silla-duato", coarse=coarse[label]) for label, spec in specs.items()}
    return {"HYPERCUBE": Network(cube, "duato", coarse=coarse["HYPERCUBE"]), **random}


def torus_networks() -> dict[str, Network]:
    """The networks of degree 4 in figure 6, 256 switches."""
    torus = "torus:dims=16x16,hosts=8"
    return {
        "TORUS-4": Network(torus, "duato", low=LOW_4),
        "P-TORUS-4": Network((torus + _PARTIAL).format(rack=16), "silla-duato", low=LOW_4),
        "PF-TORUS-4": Network((torus + _FULLY).format(rack=16), "silla-duato", low=LOW_4),
        "RING-4": Network(
            "ring-shortcuts:n=256,degree=4,hosts=8,seed={seed}", "silla-duato", low=LOW_4, coarse=("uniform",)
        ),
    }


def constrained_networks() -> dict[str, Network]:
    """The networks of figure 13: RING-8 and constrained shortcuts, 256 switches."""
    ring = "n=256,degree=8,{},hosts=8,seed={{seed}}"
    specs = {f"Nbr({p})-8": "nbr:" + ring.format(f"p={p}") for p in (0.4, 0.5)}
    specs |= {f"Gau({alpha})-8": "gau:" + ring.format(f"alpha={alpha}") for alpha in (0.7, 1.0)}
    return {"RING-8": networks(8)["RING-8"]} | {
        label: Network(spec, "silla-duato", coarse=PATTERNS) for label, spec in specs.items()
    }


def _gains(better: Network, worse: Network, traffic: str, draws: tuple[int, ...] = DRAWS) -> list[float]:
    """How much lower the latency of `better` is than that of `worse`, in %, per draw."""
    return _below(low_ns(better, traffic, draws), low_ns(worse, traffic, draws))


def _below(better_ns: list[float], worse_ns: list[float]) -> list[float]:
    return [100 * (1 - low / high) for low, high in zip(better_ns, worse_ns, strict=True)]


def _compare_draws(
    published: dict[str, str],
    ours: dict[str, list[float]],
    low: float,
    readings: int = 1,
    note: str = "",
    details: str = "",
) -> Outcome:
    """Compare means over draws; the step is two standard deviations of our draws, because one draw is published.

    Parameters
    ----------
    published : dict of str to str
        The published values by name.
    ours : dict of str to list of float
        Our values, one per draw.
    low : float
        The load at which latency is read, in flits per host and cycle.
    readings : int
        Number of readings of the paper that were tried.
    note : str
        Assumptions; the text begins with "; ".
    details : str
        The numbers of each reading.

    Returns
    -------
    Outcome
    """
    step = {name: round(2 * stdev(each), 2) for name, each in ours.items()}
    what = f"two standard deviations of our {len(next(iter(ours.values())))} draws, in points, because one draw is published"
    sizes = ", ".join(f"{name} {size:g}" for name, size in step.items())
    return compare(
        published,
        {name: fmean(each) for name, each in ours.items()},
        step=Step(step, what),
        readings=readings,
        digits=3,
        assumption=f"read as latency at {gbit_s(low):.1g} Gbit/s per host, buffers of 66 flits per virtual channel{note}",
        reason=f"a step would be {what} ({sizes}){note}",
        details=details,
    )


def _below_hypercube(traffic: str, ring: str, permuted: str) -> None:
    @claim(
        f"koibuchi-2013/fig-6/latency/{traffic}",
        f"latency below HYPERCUBE's, 256 switches, {traffic} traffic: RING-8, P-HYPERCUBE",
        f"{ring} %, {permuted} %",
        "; ".join(networks(8)[name].command(traffic) for name in ("RING-8", "P-HYPERCUBE", "HYPERCUBE")),
    )
    def compute() -> Outcome:
        cubes, published = networks(8), {"RING-8": ring, "P-HYPERCUBE": permuted}
        gains = {name: _gains(cubes[name], cubes["HYPERCUBE"], traffic) for name in published}
        if traffic != "bit-reversal":
            return _compare_draws(published, gains, cubes["RING-8"].low)
        readings = {"of a host's number, 11": gains, "of a switch's number, 8": _by_switch_bits()}
        nearest = min(
            readings.values(), key=lambda each: sum(abs(fmean(each[name]) - float(published[name])) for name in each)
        )
        means = "; ".join(
            f"bits {which}: {listed([(name, fmean(each)) for name, each in by_name.items()], '{:.1f} %')}"
            for which, by_name in readings.items()
        )
        return _compare_draws(
            published,
            nearest,
            cubes["RING-8"].low,
            len(readings),
            f"; Koibuchi 2013 does not state which bits are reversed; {means}",
        )


@lru_cache(maxsize=1)
def _by_switch_bits() -> dict[str, list[float]]:
    """How much lower latencies are than HYPERCUBE's, in %, with one host per switch: host and switch have the same bits."""
    by_name_ns = {}
    for name, network in networks(8).items():
        if not name.startswith("PF-"):
            by_name_ns[name] = ns_of_draws(
                replace(network, spec=network.spec.replace("hosts=8", "hosts=1")), "bit-reversal", DRAWS
            )
    return {name: _below(by_name_ns[name], by_name_ns["HYPERCUBE"]) for name in ("RING-8", "P-HYPERCUBE")}


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
    tori = torus_networks()
    gains = {name: _gains(tori[name], tori["PF-TORUS-4"], "uniform", _MANY_DRAWS) for name in ("P-TORUS-4", "RING-4")}
    return _compare_draws({"P-TORUS-4": "5", "RING-4": "21"}, gains, LOW_4)


def _order(n: int, figure: int) -> None:
    ring = f"RING-{n}"

    @claim(
        f"koibuchi-2013/fig-{figure}/order",
        f"latency, {2**n} switches, all three patterns: {ring} below P-, that below PF-, all below HYPERCUBE",
        "the order",
        networks(n)[ring].command("uniform"),
    )
    def compute() -> Outcome:
        cubes = networks(n)
        names = (ring, "P-HYPERCUBE", "PF-HYPERCUBE", "HYPERCUBE")
        means = {traffic: [fmean(low_ns(cubes[name], traffic, DRAWS)) for name in names] for traffic in PATTERNS}
        text = "; ".join(f"{traffic} {', '.join(f'{ns:.0f}' for ns in each)} ns" for traffic, each in means.items())
        return check_statements(
            {
                f"{traffic}: {name} below {other}": low < high
                for traffic, each in means.items()
                for (name, low), (other, high) in pairwise(zip(names, each, strict=True))
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
    f"{networks(9)['RING-9'].command('uniform')}; {networks(9)['HYPERCUBE'].command('uniform')}",
)
def _growth() -> Outcome:
    grows, rows = {}, []
    for traffic in PATTERNS:
        for name in ("RING-{n}", "P-HYPERCUBE"):
            gains = [fmean(_gains(networks(n)[name.format(n=n)], networks(n)["HYPERCUBE"], traffic)) for n in (6, 8, 9)]
            grows[f"{traffic}, {name.format(n='n')} grows from size to size"] = all(a < b for a, b in pairwise(gains))
            rows.append(f"{traffic}, {name.format(n='n')} {', '.join(f'{gain:.1f}' for gain in gains)} %")
    return check_statements(
        grows,
        "; ".join(rows),
        f"means of {len(DRAWS)} draws at low load; the bits of a host's number are reversed, 8, 11 and 12: with an odd number"
        " the middle one stays, which makes the hypercube's paths shorter",
    )


def clos_networks(switches: int) -> dict[str, Network]:
    """The networks of figure 8: with 16 switches per rack, and with all switches without hosts in one rack.

    Up*/down* (Koibuchi 2013 III.C) goes by the levels of the Clos: up to a nearest common ancestor, and down. The permuted
    Clos has links within a level and leaves without an ancestor, so that its order begins at one root.
    """
    plain = f"myrinet-clos:switches={switches}"
    return {
        "CLOS": Network(plain, "ancestors", None),
        "PF-CLOS": Network((plain + _FULLY).format(rack=16), "updown", None),
        "PF-CLOS (one switch-only rack)": clos_in_other_racks(switches),
    }


#: Readings of how the switches of the permuted Clos are placed in racks, with their names in `clos_networks`.
CLOS_READINGS = {
    "16 switches per rack, as elsewhere in the paper": "PF-CLOS",
    "all switches but leaves in one rack": "PF-CLOS (one switch-only rack)",
}


def _clos_gains() -> dict[str, dict[str, list[float]]]:
    """How much lower the latency of the permuted Clos is, in %, per draw; by reading, then by size and pattern."""
    gains: dict[str, dict[str, list[float]]] = {}
    for switches in (80, 160):
        clos = clos_networks(switches)
        for reading, name in CLOS_READINGS.items():
            for traffic in PATTERNS:
                by_case = gains.setdefault(reading, {})
                by_case[f"{switches} switches, {traffic}"] = _gains(clos[name], clos["CLOS"], traffic)
    return gains


_CLOS_NOTE = (
    "the paper gives neither the size of switch-only racks nor the wiring of uplinks (errata of Koibuchi 2013, 11);"
    " up*/down* by the levels of the Clos, from one root switch where it is permuted"
)


def _clos_in_words(by_reading: dict[str, dict[str, list[float]]]) -> str:
    return "; ".join(
        f"{reading}: {listed([(name, fmean(gains)) for name, gains in by_case.items()], '{:.1f} %')}"
        for reading, by_case in by_reading.items()
    )


@claim(
    "koibuchi-2013/fig-8/latency",
    "latency of the permuted Myrinet Clos below the Clos's, the maximum over 80 and 160 switches and three patterns",
    "up to 23.4 %",
    clos_networks(80)["PF-CLOS"].command("uniform"),
)
def _clos_maximum() -> Outcome:
    by_reading = _clos_gains()
    # The maximum of each draw, because the paper has one draw.
    most = {
        reading: [max(draw) for draw in zip(*by_case.values(), strict=True)] for reading, by_case in by_reading.items()
    }
    nearest = min(most.values(), key=lambda each: abs(fmean(each) - 23.4))
    note = f"; the maximum of each draw; {_CLOS_NOTE}"
    return _compare_draws({"%": "23.4"}, {"%": nearest}, LOW, len(most), note, _clos_in_words(by_reading))


@claim(
    "koibuchi-2013/fig-8/latency/all-patterns",
    "latency of the permuted Myrinet Clos, 80 and 160 switches: below the Clos's for all traffic patterns",
    "improves",
    clos_networks(80)["PF-CLOS"].command("transpose"),
)
def _clos_improves() -> Outcome:
    by_reading = _clos_gains()
    return check_statements(
        {
            f"{reading}, {name}": fmean(gains) > 0
            for reading, by_case in by_reading.items()
            for name, gains in by_case.items()
        },
        _clos_in_words(by_reading),
        f"means of {len(DRAWS)} draws at low load; {_CLOS_NOTE}",
    )


@claim(
    "koibuchi-2013/fig-13/latency",
    "latency of RING-8, Nbr(0.4)-, Nbr(0.5)-, Gau(0.7)-, Gau(1.0)-8, uniform traffic",
    "sensibly the same",
    constrained_networks()["Nbr(0.5)-8"].command("uniform"),
)
def _constrained() -> Outcome:
    means_ns = _constrained_ns("uniform")
    spread = max(means_ns.values()) / min(means_ns.values()) - 1
    return check_statements(
        {f"the greatest is within {100 * SAME:g} % of the least": spread <= SAME},
        f"spread {100 * spread:.1f} %: {listed(means_ns.items(), '{:.0f}')} ns",
        f"{means('sensibly the same', SAME)}; means of {len(DRAWS)} draws at low load",
    )


@claim(
    "koibuchi-2013/fig-13/bit-reversal",
    "latency of the five networks of figure 13: bit-reversal traffic leads to virtually the same results as uniform traffic",
    "virtually identical",
    "; ".join(constrained_networks()["Nbr(0.5)-8"].command(traffic) for traffic in ("bit-reversal", "uniform")),
)
def _constrained_reversal() -> Outcome:
    uniform, reversal = _constrained_ns("uniform"), _constrained_ns("bit-reversal")
    changes = {label: 100 * (reversal[label] / uniform[label] - 1) for label in uniform}
    return check_statements(
        {f"{label}: within {100 * SAME:g} %": abs(change) <= 100 * SAME for label, change in changes.items()},
        f"bit-reversal against uniform, %: {listed(changes.items(), '{:+.1f}')}",
        f"{means('virtually identical', SAME)}; means of {len(DRAWS)} draws at low load",
    )


def _constrained_ns(traffic: str) -> dict[str, float]:
    return {label: fmean(low_ns(network, traffic, DRAWS)) for label, network in constrained_networks().items()}
