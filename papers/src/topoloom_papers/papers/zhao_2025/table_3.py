"""Claims of Zhao 2025's Table 3 and Section 5.1, read in a public repository's copy of the paper, arXiv:2505.09343."""

from collections.abc import Mapping

from topoloom.cost.bill import price
from topoloom.cost.placed import place
from topoloom.topologies.spec import build
from topoloom_papers._helpers import facts, known
from topoloom_papers.long_runs import long_run
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Step, check_statements, compare

_FT2, _FT3 = "fat-tree:k=64,hosts=2048", "fat-tree:k=64"
_MPFT = f"{_FT2}+planes:count=8"
#: The paper's dragonfly, by its counts: 511 groups of 32 switches.
_DF = "dragonfly:a=32,h=16,p=16,g=511"


def _counts(spec: str) -> dict[str, float]:
    """Ports of hosts, which the paper counts as endpoints, switches, and links between switches."""
    topology = build(spec)
    return {"endpoints": len(topology.endpoints), "switches": topology.switches, "links": len(topology.links)}


def _row(id: str, name: str, spec: str, published: Mapping[str, str]) -> None:
    @claim(
        f"zhao-2025/table-3/{id}",
        f"{name}: endpoints, switches and links between switches",
        ", ".join(published.values()),
        f"topoloom info {spec}",
    )
    def compute() -> Outcome:
        return compare(published, _counts(spec), reason=f"counted on {spec}")


_row("ft2", "FT2, two levels of 64-port switches", _FT2, {"endpoints": "2,048", "switches": "96", "links": "2,048"})
_row("mpft", "MPFT, eight planes of it", _MPFT, {"endpoints": "16,384", "switches": "768", "links": "16,384"})
_row("ft3", "FT3, three levels", _FT3, {"endpoints": "65,536", "switches": "5,120", "links": "131,072"})


@claim(
    "zhao-2025/table-3/sf",
    "SF, the Slim Fly of 64-port switches: 1,568 switches",
    "32,928, 1,568, 32,928",
    "topoloom info slimfly:q=27,hosts=21; topoloom info slimfly:q=29,hosts=21",
)
def _sf() -> Outcome:
    orders = {}
    for q in range(3, 43):
        found = known(f"slimfly:q={q}")
        if found is not None:
            orders[found.switches] = q
    near = sorted(orders, key=lambda n: abs(n - 1568))[:2]
    return check_statements(
        {"there is a Slim Fly of 1,568 switches": 1568 in orders},
        f"the nearest have {' and '.join(f'{n:,} (q = {orders[n]})' for n in sorted(near))} switches",
        "1,568 = 2 q^2 needs q = 28 = 4 * 7, no prime power; the row follows from the formulas with q = 28",
        wrong=True,
    )


@claim(
    "zhao-2025/table-3/df",
    "DF, the dragonfly of 64-port switches: endpoints and switches",
    "261,632, 16,352",
    f"topoloom info {_DF}",
)
def _df() -> Outcome:
    found = facts(_DF)
    return compare(
        {"endpoints": "261,632", "switches": "16,352"},
        {"endpoints": found.hosts, "switches": found.switches},
        assumption="511 groups of 32 switches with 16 hosts and 16 global links each",
    )


@claim("zhao-2025/table-3/df-links", "DF: links between switches", "384,272", f"topoloom info {_DF}")
def _df_links() -> Outcome:
    found, groups = facts(_DF), 511
    once = found.links or 0
    # Of the 32 x 16 global ports of a group, those that are not needed for one link to each other group.
    spare = 32 * 16 - (groups - 1)
    readings = {"all global ports in use": once + groups * spare // 2, "one link between any two groups": once}
    nearest = min(readings, key=lambda name: abs(readings[name] - 384_272))
    note = (
        f"two readings: each pair of the 511 groups joined once, {once:,} links, or all 512 global ports of a group in use, two"
        " more than there are other groups, which fits"
    )
    return compare(
        {"links": "384,272"}, {"links": readings[nearest]}, readings=len(readings), assumption=note, reason=note
    )


#: Table 3's cost per endpoint in thousands of USD, and the networks that are priced for it.
_COSTS = {"FT2": (4.39, _FT2), "FT3": (7.5, _FT3), "SF": (4.4, "slimfly:q=27,hosts=21")}


def _per_host(name: str) -> float:
    """USD per host with the parts and the method of Besta 2014, which the paper names."""
    spec = _COSTS[name][1]
    return long_run(
        f"topoloom cost {spec} --map rows",
        float,
        lambda: round(price(place(build(spec), map="rows")).cost_per_host_usd, 2),
    )


def _relative(name: str) -> None:
    published = _COSTS[name][0] / _COSTS["FT2"][0]

    @claim(
        f"zhao-2025/table-3/cost-{name.lower()}",
        f"{name}: cost per endpoint compared with FT2, by the method of the Slim Fly paper",
        f"{_COSTS[name][0]:g} against {_COSTS['FT2'][0]:g} thousand USD: {published:.2f} times",
        f"topoloom cost {_COSTS[name][1]} {_FT2} --map rows",
    )
    def compute() -> Outcome:
        ours, base = _per_host(name), _per_host("FT2")
        note = (
            f"the prices of Besta 2014 at 40 Gb/s: {ours:,.0f} against {base:,.0f} USD; the paper's prices of 64-port 400G"
            " switches are not known"
        )
        return compare(
            {"times": f"{published:.2f}"},
            {"times": ours / base},
            step=Step(0.05, "the rounding of the table's costs per endpoint"),
            digits=3,
            assumption=note,
            reason=note,
        )


_relative("FT3")
_relative("SF")


@claim(
    "zhao-2025/section-5.1/two-layers",
    "planes let a fat tree of two layers have more than ten thousand endpoints (64-port switches)",
    "more than 10k",
    f"topoloom info {_MPFT}",
)
def _two_layers() -> Outcome:
    planes, one = len(build(_MPFT).endpoints), len(build(_FT2).endpoints)
    return check_statements(
        {"more than 10,000 with eight planes": planes > 10_000, "one plane has fewer": one < 10_000},
        f"{planes:,} endpoints in eight planes, {one:,} in one",
        wrong=True,
    )
