"""`topoloom cuts`: how many links join the halves, or any number of equal parts, of a topology."""

from typing import TYPE_CHECKING, Literal

import click

from topoloom.cli.output import json_option, print_record, say
from topoloom.cli.progress import working
from topoloom.cli.types import Whole
from topoloom.opening import open_network

if TYPE_CHECKING:
    from topoloom.graph.cuts import Cuts


@click.command(
    help="The fewest links found between equal parts of TOPOLOGY (a spec, a file or a folder); two parts: the bisection."
    " Ctrl-C keeps the best found so far.\n\nExample: topoloom cuts slimfly:q=5 --parts 4"
)
@click.argument("topology")
@click.option("--parts", type=Whole(2), default=2, show_default=True, help="How many parts.")
@click.option("--seeds", type=Whole(1, 10_000), default=8, show_default=True, help="Runs of METIS; the best is kept.")
@click.option(
    "--seed", type=Whole(0, (1 << 31) - 1), default=1, show_default=True, help="Starts another series of runs."
)
@click.option(
    "--by",
    type=click.Choice(["switches", "hosts"]),
    default="switches",
    show_default=True,
    help="What is shared equally.",
)
@click.option("--exact", is_flag=True, help="The bisection itself, by branch and bound (up to 40 switches).")
@click.option("--assign", is_flag=True, help="Which switch is in which part, too (--json always says).")
@json_option
def command(
    topology: str,
    parts: int,
    seeds: int,
    seed: int,
    by: Literal["switches", "hosts"],
    exact: bool,
    assign: bool,
    as_json: bool,
) -> None:
    from topoloom.graph.cuts import cuts, exact_bisection
    from topoloom.spec import bisection_by_theory

    if exact and (parts != 2 or by != "switches"):
        raise click.UsageError("--exact is for two parts, by switches")
    opened = open_network(topology).topology
    with working("cutting") as work:
        found = exact_bisection(opened, work=work) if exact else cuts(opened, parts, seeds, by, seed, work=work)
    if as_json:
        print_record(found)
    else:
        theory = bisection_by_theory(opened) if parts == 2 and by == "switches" else None
        _print(found, theory, assign)
    if found.ended != "done":
        raise KeyboardInterrupt


def _print(found: "Cuts", theory: int | None, assign: bool) -> None:
    how = f"METIS, best of {found.runs} runs, refined" if found.runs else "branch and bound, not over"
    how = "exact, by branch and bound" if found.exact else how
    say(f"{found.provenance.name}: {found.links} links between {found.parts} equal parts ({how})")
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
