"""`topoloom bounds`: bounds on diameter and ASPL for an order, a degree and a longest link."""

from typing import TYPE_CHECKING

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_facts, print_record
from topoloom.cli.presentation import Json
from topoloom.operations.catalogue.bounds import BoundsOperation

if TYPE_CHECKING:
    from topoloom.graph.bounds import Bounds
    from topoloom.graph.grid_bounds import BalancedPairs


@declared(BoundsOperation, Json)
def command(operation: BoundsOperation, output: Json) -> None:
    result = performed(operation)
    if output.json:
        print_record(result)
    else:
        _print(result)


def _print(result: "Bounds | BalancedPairs") -> None:
    # Without a longest link the least diameter and ASPL are Moore's, which are in the rows already.
    omitted = {"provenance"} if getattr(result, "length", None) else {"provenance", "diameter", "aspl"}
    rows = []
    for key in result.__dataclass_fields__:
        value = getattr(result, key)
        if key == "planes" and value == 1:
            continue
        if key in {"balanced", "pairs"} and value is not None:
            shown = ", ".join(f"({pair.degree}, {pair.length})" for pair in value)
            rows.append(("balanced (degree, length)", shown or "none"))
        elif hasattr(value, "tolist"):
            rows.append((key, " ".join(map(str, value.tolist()))))
        elif key not in omitted and value is not None:
            rows.append((key, plain(value)))
    print_facts(result.provenance.name or None, rows)
