"""Claims of Besta 2014's Table IV, cell by cell: cables, cost and power by the paper's own counts and counted exactly."""

from functools import cache

from topoloom.cost.parts_files import load_parts
from topoloom.cost.table_iv import COLUMNS, TableColumn
from topoloom.cost.table_iv import column as column_by_key
from topoloom.topologies.spec import build
from topoloom_papers.registry import claim
from topoloom_papers.verdicts import Outcome, Verdict, compare


@cache
def exact_of(key: str) -> tuple[float, float, dict[str, int]]:
    """Cost per host (USD), power per host (W) and cables by kind of a column, counted exactly."""
    bill = column_by_key(key).exact()
    counts = {line.item.split(", ")[-1]: line.count for line in bill.lines[1:]}
    return bill.cost_per_host_usd, bill.power_per_host_w, counts


#: Right radices where the published ones are wrong (errata of Besta 2014, 3 and 10): (3q - 1)/2 + p for q = 19, and 4p - 3 for
#: FBF-3.
_RADICES = {"sf": 44, "fbf3-33": 37, "fbf3-43": 45}


#: Explanations of size differences for columns without right values.
_SIZE_REASONS = {
    "df-43-small": "with one cable between each two groups, as the paper counts fibre cables; 43 ports would leave 11 global"
    " ports per router, nine of them without a cable"
}


def _network(column: TableColumn, electric: int, fibre: int) -> str:
    """The cables of the network that is counted exactly, in words."""
    tree = column.key.startswith("ft3")
    name, note = (f"a true fat tree of k = {column.printed.radix - 1}", "") if tree else ("the network", column.note)
    return f"{name} has {electric:,} and {fibre:,} between switches{f' ({note})' if note else ''}"


def _command(column: TableColumn) -> str:
    return f"topoloom cost {column.spec} --as-published"


def _table_iv(column: TableColumn) -> None:
    published = column.printed

    @claim(
        f"besta-2014/table-iv/{column.key}-cost",
        f"{column.title}: cost per node",
        f"{published.cost_usd:g} USD",
        _command(column),
    )
    def cost() -> Outcome:
        exact, _, _ = exact_of(column.key)
        exact_note = f"counted exactly it is {exact:,.1f} USD" + (f" ({column.note})" if column.note else "")
        count = column.as_published() if column.as_published is not None else None
        if count is None:
            return Outcome(f"{exact:,.1f} USD", Verdict.NOT_REPRODUCIBLE, f"{column.assumption}; {exact_note}")
        ours = count.cost_usd(load_parts("slimfly-2014"))
        return compare(
            {"USD": f"{published.cost_usd:g}"},
            {"USD": ours},
            cut=True,
            digits=7,
            error=column.assumption,
            assumption=exact_note,
            reason=exact_note,
        )

    @claim(
        f"besta-2014/table-iv/{column.key}-size",
        f"{column.title}: endpoints, routers and radix",
        f"{published.hosts:,}, {published.switches:,}, {published.radix}",
        _command(column),
    )
    def size() -> Outcome:
        topology = build(column.spec)
        ports = int((topology.degrees + topology.endpoints_at).max())
        ours = {"N": topology.hosts, "N_r": topology.switches, "k": ports}
        if column.key.startswith("ft3"):
            # A fat tree has 2p^3 endpoints and 5p^2 routers of k = 2p ports, in 2p pods (errata of Besta 2014, 6).
            p = published.radix / 2
            return compare(
                {"N": str(published.hosts), "N_r": str(published.switches), "k": str(published.radix)},
                {"N": 2 * p**3, "N_r": 5 * p**2, "k": 2 * p},
                cut=True,
                error=f"p = k/2 = {p:g}, which is not an integer",
                assumption=f"the next smaller tree has {', '.join(f'{name} {value:,}' for name, value in ours.items())}",
            )
        reason = _SIZE_REASONS.get(column.key, "links and hosts of its routers")
        return compare(
            {"N": published.hosts, "N_r": published.switches, "k": published.radix},
            ours,
            right={"k": _RADICES[column.key]} if column.key in _RADICES else None,
            reason=reason,
        )

    @claim(
        f"besta-2014/table-iv/{column.key}-power",
        f"{column.title}: power per node",
        f"{published.power_w:g} W",
        _command(column),
    )
    def power() -> Outcome:
        _, exact, _ = exact_of(column.key)
        printed = {"W": f"{published.power_w:g}"}
        formula = published.switches * published.radix * 2.8 / published.hosts
        repeated = compare(printed, {"W": formula}, cut=True)
        counted = compare(
            printed, {"W": exact}, cut=True, digits=5, assumption="ports in use of the network that is built"
        )
        if counted.verdict is Verdict.EXACT or column.key not in _RADICES:
            return counted
        right = published.switches * _RADICES[column.key] * 2.8 / published.hosts
        return compare(
            printed,
            {"W": formula if repeated.verdict is Verdict.EXACT else exact},
            cut=True,
            digits=5,
            error="with the published radix, which is too small" if repeated.verdict is Verdict.EXACT else "",
            right={"W": f"{right:.3f}"},
            assumption=f"counted exactly it is {exact:.3f} W",
            reason=f"the radix is {_RADICES[column.key]}, not {published.radix}, with which it would be {formula:.3f} W",
        )

    @claim(
        f"besta-2014/table-iv/{column.key}-cables",
        f"{column.title}: electric and fibre cables",
        f"{published.electric:,} / {published.fibre:,}",
        _command(column),
    )
    def cables() -> Outcome:
        _, _, counts = exact_of(column.key)
        ours = {"electric": counts.get("electric", 0), "fibre": counts.get("fibre", 0)}
        expected = {"electric": published.electric, "fibre": published.fibre}
        outcome = compare(expected, ours)
        if outcome.verdict is Verdict.EXACT:
            return outcome
        count = column.as_published() if column.as_published is not None else None
        if count is not None:
            # The same errors as of the cost: one rule for all columns whose count was found.
            repeated = compare(
                {name: str(value) for name, value in expected.items()},
                {"electric": count.electric, "fibre": count.fibre},
                cut=True,
                error=column.assumption,
                assumption=_network(column, **ours),
            )
            if repeated.verdict is Verdict.EXPLAINED:
                return repeated
        if sum(expected.values()) == sum(ours.values()):
            why = f"the total agrees, the split does not: {column.assumption}"
            return Outcome(outcome.ours, Verdict.NOT_REPRODUCIBLE, why)
        return Outcome(outcome.ours, Verdict.PAPER_WRONG, f"ours are counted on the network: {column.assumption}")


for _column in COLUMNS:
    _table_iv(_column)
