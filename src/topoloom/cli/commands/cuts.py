"""`topoloom cuts`: how many links join the halves, or any number of equal parts, of a topology."""

from typing import Any, Literal

import click

from topoloom.cli.output import json_option, print_json, say
from topoloom.opening import open_network


@click.command(
    help="The fewest links found between equal parts of TOPOLOGY (a spec or a file); two parts: the bisection."
)
@click.argument("topology")
@click.option("--parts", type=click.IntRange(2), default=2, show_default=True, help="How many parts.")
@click.option(
    "--seeds", type=click.IntRange(1, 10_000), default=8, show_default=True, help="Runs of METIS; the best is kept."
)
@click.option(
    "--seed", type=click.IntRange(0, (1 << 31) - 1), default=0, show_default=True, help="Starts another series of runs."
)
@click.option(
    "--by",
    type=click.Choice(["switches", "hosts"]),
    default="switches",
    show_default=True,
    help="What is shared equally.",
)
@click.option("--exact", is_flag=True, help="The bisection itself, by branch and bound (up to 40 switches).")
@click.option("--assign", is_flag=True, help="Which switch is in which part, too.")
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
    found = exact_bisection(opened) if exact else cuts(opened, parts, seeds, by, seed)
    values: dict[str, Any] = {
        "name": opened.name,
        "spec": opened.spec,
        "switches": opened.switches,
        "parts": found.parts,
        "by": found.by,
        "links": found.links,
        "narrowest": found.narrowest,
        "sizes": found.sizes,
        "between": found.between,
        "exact": found.exact,
        "seeds": None if exact else seeds,
        "analytic": bisection_by_theory(opened) if parts == 2 and by == "switches" else None,
    }
    if assign:
        values["part"] = found.part
    if as_json:
        print_json(values)
    else:
        _print(values)


def _print(values: dict[str, Any]) -> None:
    how = "exact, by branch and bound" if values["exact"] else f"METIS, best of {values['seeds']} runs, refined"
    say(f"{values['name']}: {values['links']} links between {values['parts']} equal parts ({how})")
    if values["analytic"] is not None:
        say(f"theory: {values['analytic']}")
    say(f"{values['by']} in each part: {' '.join(map(str, values['sizes'].tolist()))}")
    if values["parts"] > 2:
        say(f"fewest links between two parts: {values['narrowest']}")
    if "part" in values:
        for switch, part in enumerate(values["part"].tolist()):
            say(f"{switch} {part}")
