"""`topoloom cuts`: how many links join the halves, or any number of equal parts, of a topology."""

from typing import TYPE_CHECKING, Annotated

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json
from topoloom.core.settings import setting
from topoloom.operations.catalogue.cuts import CutsOperation

if TYPE_CHECKING:
    from topoloom.graph.cuts import Cuts


class _Output(Json, frozen=True, kw_only=True):
    assign: Annotated[bool, setting("which switch is in which part, too (--json always says)")] = False


@declared(CutsOperation, _Output)
def command(operation: CutsOperation, output: _Output) -> None:
    result = performed(operation)
    if output.json:
        print_record(result)
    else:
        _print(result, output.assign)
    if result.ended != "done":
        raise KeyboardInterrupt


def _print(found: "Cuts", assign: bool) -> None:
    how = f"METIS, best of {found.runs} runs, refined" if found.runs else "branch and bound, not over"
    how = "exact, by branch and bound" if found.exact else how
    say(f"{found.provenance.name}: {found.links} links between {found.parts} equal parts ({how})")
    from topoloom.topologies.spec import bisection_by_theory

    theory = bisection_by_theory(found.provenance.spec) if found.parts == 2 and found.by == "switches" else None
    if theory is not None:
        say(f"theory: {theory}")
    if found.planes > 1:
        say(f"each of {found.planes} planes is cut by itself; links of all together")
    say(f"{found.by} in each part: {' '.join(map(str, found.sizes.tolist()))}")
    if found.parts > 2:
        say(f"fewest links between two parts: {found.narrowest}")
    if assign:
        for switch, part in enumerate(found.part.tolist()):
            say(f"{switch} {part}")
