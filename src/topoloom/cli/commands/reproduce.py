"""`topoloom reproduce [CLAIM ...]`: the papers' numbers, ours beside them."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from topoloom.cli.output import json_option, print_json, say

if TYPE_CHECKING:
    from topoloom.figures.curves import Curves, Steps


@click.command(
    help="The papers' claims with our values beside them: all, or those whose id starts with CLAIM (besta-2014/table-iv)."
)
@click.argument("claim", nargs=-1)
@click.option("--list", "only_list", is_flag=True, help="List the ids and what was published, and compute nothing.")
@click.option("--full", is_flag=True, help="Run those of full size as well, which take minutes.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False),
    help="Folder for the figures that claims are about: as data, .csv, and drawn, .svg.",
)
@json_option
def command(claim: tuple[str, ...], only_list: bool, full: bool, folder: str | None, as_json: bool) -> None:
    from topoloom.cli.folders import writable_folder
    from topoloom.reproduction import claims, run

    out = writable_folder(folder) if folder is not None else None

    chosen = [one for one in claims(claim) if full or not one.full or only_list or one.id in claim]
    if only_list:
        if as_json:
            print_json(
                [
                    {"id": c.id, "what": c.what, "published": c.published, "command": c.command, "full": c.full}
                    for c in chosen
                ]
            )
        else:
            for one in chosen:
                say(f"{one.id:34} {one.what} [{one.published}]")
        return
    results = []
    drawn: dict[str, Curves | Steps] = {}
    counts: dict[str, int] = {}
    for one in chosen:
        if sys.stderr.isatty():
            click.echo(f"\r\033[K{one.id} ...", err=True, nl=False)
        outcome = run(one)
        if out is not None and outcome.figure is not None:
            drawn[outcome.figure.name] = outcome.figure
        counts[outcome.verdict.value] = counts.get(outcome.verdict.value, 0) + 1
        results.append(
            {
                "id": one.id,
                "what": one.what,
                "published": one.published,
                "ours": outcome.ours,
                "verdict": outcome.verdict.value,
                "why": outcome.why,
                "command": one.command,
                "seconds": round(outcome.seconds, 3),
            }
        )
        if sys.stderr.isatty():
            click.echo("\r\033[K", err=True, nl=False)
        if not as_json:
            say(f"{one.id}: {outcome.verdict.value} ({outcome.seconds:.1f} s)")
            say(f"    {one.what}")
            say(f"    published: {one.published}")
            say(f"    ours:      {outcome.ours}")
            if outcome.why:
                say(f"    {outcome.why}")
            say(f"    {one.command}")
    if out is not None:
        _draw(drawn, out)
    if as_json:
        print_json({"claims": results, "verdicts": counts})
    else:
        say("; ".join(f"{verdict}: {count}" for verdict, count in counts.items()))


def _draw(drawn: "dict[str, Curves | Steps]", folder: Path) -> None:
    """Each figure's points or links, and its picture."""
    from topoloom.figures.curves import Curves, curves_svg
    from topoloom.files import write_atomically
    from topoloom.report.graph_picture import steps_svg

    for name, figure in drawn.items():
        write_atomically(folder / f"{name}.csv", figure.csv())
        svg = curves_svg(figure) if isinstance(figure, Curves) else steps_svg(figure.panels)
        write_atomically(folder / f"{name}.svg", svg)
    told = ", ".join(drawn) or "no figure: none of these claims is about one"
    say(f"wrote to {folder}: {told}", err=True)
