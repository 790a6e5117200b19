"""Claims of Besta 2014's Table IV, cell by cell: cables, cost and power as its own counts give them, and counted exactly."""

from functools import cache

from topoloom.cost.parts_files import load_parts
from topoloom.cost.table_iv import COLUMNS, TableColumn
from topoloom.cost.table_iv import column as column_by_key
from topoloom.topologies.spec import build
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Verdict, judge


@cache
def exact_of(key: str) -> tuple[float, float, dict[str, int]]:
    """(USD per host, W per host, cables by their kind) of a column counted exactly."""
    bill = column_by_key(key).exact()
    counts = {line.item.split(", ")[-1]: line.count for line in bill.lines[1:]}
    return bill.cost_per_host_usd, bill.power_per_host_w, counts


#: Radices that are not as printed (errata of Besta 2014, 3 and 10): (3q - 1)/2 + p of q = 19, and 4p - 3 of FBF-3.
_RADICES = {"sf": 44, "fbf3-33": 37, "fbf3-43": 45}


#: Why sizes differ that have no right ones.
_SIZES = {
    "df-43-small": "with a cable between each two groups, as its fibre cables are counted; 43 ports would be 11 global ones a"
    " router, of which nine lead nowhere"
}


def _command(column: TableColumn) -> str:
    return f"topoloom cost {column.spec} --as-published"


def _table_iv(column: TableColumn) -> None:
    printed = column.printed

    @claim(
        f"besta-2014/table-iv/{column.key}-cost",
        f"{column.title}: cost a node",
        f"{printed.cost_usd:g} USD",
        _command(column),
    )
    def cost() -> Outcome:
        exact, _, _ = exact_of(column.key)
        beside = f"counted exactly it is {exact:,.1f} USD" + (f" ({column.note})" if column.note else "")
        count = column.as_published() if column.as_published is not None else None
        if count is None:
            return Outcome(f"{exact:,.1f} USD", Verdict.NOT_REPRODUCIBLE, f"{column.assumption}; {beside}")
        ours = count.cost_usd(load_parts("slimfly-2014"))
        return judge(
            {"USD": f"{printed.cost_usd:g}"},
            {"USD": ours},
            cut=True,
            digits=7,
            error=column.assumption,
            assumption=beside,
            reason=beside,
        )

    @claim(
        f"besta-2014/table-iv/{column.key}-size",
        f"{column.title}: endpoints, routers and radix",
        f"{printed.hosts:,}, {printed.switches:,}, {printed.radix}",
        _command(column),
    )
    def size() -> Outcome:
        topology = build(column.spec)
        ports = int((topology.degrees + topology.endpoints_at).max())
        ours = {"N": topology.hosts, "N_r": topology.switches, "k": ports}
        if column.key.startswith("ft3"):
            # 2p^3 endpoints and 5p^2 routers of k = 2p ports, 2p pods (errata of Besta 2014, 6).
            p = printed.radix / 2
            return judge(
                {"N": str(printed.hosts), "N_r": str(printed.switches), "k": str(printed.radix)},
                {"N": 2 * p**3, "N_r": 5 * p**2, "k": 2 * p},
                cut=True,
                error=f"p = k/2 = {p:g}, which no tree has",
                assumption=f"the next smaller one has {', '.join(f'{name} {value:,}' for name, value in ours.items())}",
            )
        reason = _SIZES.get(column.key, "links and hosts of its routers")
        return judge(
            {"N": printed.hosts, "N_r": printed.switches, "k": printed.radix},
            ours,
            right={"k": _RADICES[column.key]} if column.key in _RADICES else None,
            reason=reason,
        )

    @claim(
        f"besta-2014/table-iv/{column.key}-power",
        f"{column.title}: power a node",
        f"{printed.power_w:g} W",
        _command(column),
    )
    def power() -> Outcome:
        _, exact, _ = exact_of(column.key)
        formula = printed.switches * printed.radix * 2.8 / printed.hosts
        told = f"counted exactly it is {exact:.3f} W"
        return judge(
            {"W": f"{printed.power_w:g}"},
            {"W": formula},
            cut=True,
            digits=5,
            error="" if abs(formula - exact) < 0.005 else "with the printed radix, which is too small",
            assumption="" if abs(formula - exact) < 0.005 else told,
            reason=f"N_r k 2.8 / N; {told}",
        )

    @claim(
        f"besta-2014/table-iv/{column.key}-cables",
        f"{column.title}: electric and fibre cables",
        f"{printed.electric:,} / {printed.fibre:,}",
        _command(column),
    )
    def cables() -> Outcome:
        _, _, counts = exact_of(column.key)
        ours = {"electric": counts.get("electric", 0), "fibre": counts.get("fibre", 0)}
        wanted = {"electric": printed.electric, "fibre": printed.fibre}
        outcome = judge(wanted, ours)
        if outcome.verdict is Verdict.EXACT:
            return outcome
        count = column.as_published() if column.as_published is not None else None
        if count is not None and count.electric is not None and count.fibre is not None:
            return judge(
                {name: str(value) for name, value in wanted.items()},
                {"electric": count.electric, "fibre": count.fibre},
                cut=True,
                error=column.assumption,
                assumption=f"a true fat tree of k = {printed.radix - 1} has {ours} between switches",
            )
        if sum(wanted.values()) == sum(ours.values()):
            why = f"the total of {sum(ours.values()):,} comes out, the split does not: {column.assumption}"
            return Outcome(outcome.ours, Verdict.NOT_REPRODUCIBLE, why)
        return Outcome(outcome.ours, Verdict.PAPER_WRONG, f"the true graph has {ours}: {column.assumption}")


for _column in COLUMNS:
    _table_iv(_column)
