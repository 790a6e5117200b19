"""`topoloom paths`: the number of paths between two switches, and how two flows interfere."""

from typing import TYPE_CHECKING

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_facts, print_record, print_table
from topoloom.cli.presentation import Json, Threads
from topoloom.core.amounts import amount
from topoloom.operations.catalogue.paths import PathsOperation

if TYPE_CHECKING:
    from topoloom.graph.spreads import Spread


@declared(PathsOperation, Threads, Json)
def command(operation: PathsOperation, threads: Threads, to: Json) -> None:
    result = performed(operation, threads.jobs)
    if to.json:
        print_record(result)
        return
    flows = ", ".join(f"{value:,.0f}" for value in result.flows)
    print_facts(
        result.provenance.name,
        [
            ("hops between switches", f"{plain(result.mean_hops)} on average, {result.diameter} at most"),
            ("flows that channels hold", f"{flows} (for flows of the mean hops, of 1 and of 2 hops more)"),
        ],
    )
    headings = ("", "mean", "least", "1 %", "median", "99 %", "most", "none", "one", "of")
    rows: list[tuple[str, ...]] = [headings]
    words = ("shortest", "1 hop longer", "2 hops longer")
    rows += [_path_row(f"paths, {name}", spread) for name, spread in zip(words, result.paths, strict=True)]
    words = ("shortest", "up to 1 hop longer", "up to 2 hops longer")
    rows += [_path_row(f"disjoint, {name}", spread) for name, spread in zip(words, result.disjoint, strict=True)]
    for hops, spread in zip(result.interference_hops, result.interference, strict=True):
        rows.append(_path_row(f"interference, {hops} hops", spread, ", greedily"))
    print_table(rows)


def _path_row(name: str, spread: "Spread", inexact: str = ", at least") -> tuple[str, ...]:
    """A row of the table: the quantity, its spread, and the number of pairs; `inexact` is added if the count is not exact."""
    error = f" +- {spread.error:.2g}" if not spread.all_counted else ""
    values = (spread.least, spread.percent_1, spread.median, spread.percent_99, spread.most)
    of = f"{'all ' if spread.all_counted else ''}{spread.counted:,}{'' if spread.exact else inexact}"
    return (
        name,
        f"{amount(spread.mean)}{error}",
        *(f"{value:,.0f}" for value in values),
        f"{spread.none:.1%}",
        f"{spread.one:.1%}",
        of,
    )
