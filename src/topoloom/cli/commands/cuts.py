"""`topoloom cuts`: the number of links between two or more equal parts of a topology."""

from typing import TYPE_CHECKING, Annotated

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json
from topoloom.core.settings import setting
from topoloom.operations.catalogue.cuts import CutsOperation

if TYPE_CHECKING:
    from topoloom.graph.cuts import Cuts


class _Output(Json, frozen=True, kw_only=True):
    assign: Annotated[bool, setting("also list the part of every switch (--json always does)")] = False


@declared(CutsOperation, _Output)
def command(operation: CutsOperation, output: _Output) -> None:
    result = performed(operation)
    if output.json:
        print_record(result)
    else:
        _print(result, output.assign)
    if result.ended != "done":
        raise KeyboardInterrupt


def _print(result: "Cuts", assign: bool) -> None:
    how = f"METIS, best of {result.runs} runs, refined" if result.runs else "branch and bound, not finished"
    how = "exact, by branch and bound" if result.exact else how
    gbps = "" if result.gbps is None else f", {result.gbps:,.10g} Gb/s per direction,"
    say(f"{result.provenance.name}: {result.links} links{gbps} between {result.parts} equal parts ({how})")
    from topoloom.topologies.spec import bisection_by_theory

    theory = bisection_by_theory(result.provenance.spec) if result.parts == 2 and result.by == "switches" else None
    if theory is not None:
        say(f"theory: {theory}")
    if result.planes > 1:
        say(f"each of the {result.planes} planes is cut separately; the links of all planes are counted")
    say(f"{result.by} in each part: {' '.join(map(str, result.sizes.tolist()))}")
    if result.parts > 2:
        say(f"fewest links between two parts: {result.narrowest}")
        if result.narrowest_gbps is not None:
            say(f"least rate between two parts: {result.narrowest_gbps:,.10g} Gb/s per direction")
    if assign:
        for switch, part in enumerate(result.part.tolist()):
            say(f"{switch} {part}")
