"""`topoloom reproduce [CLAIM ...]`: the papers' numbers, ours beside them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from topoloom.cli.output import json_option, print_record, say

if TYPE_CHECKING:
    from topoloom.reproduction import Claim, Outcome


@click.command(help="The papers' claims with our values beside them: all, or those whose id starts with CLAIM.")
@click.argument("claim", nargs=-1)
@click.option("--list", "only_list", is_flag=True, help="List the ids and what was published, and compute nothing.")
@click.option("--full", is_flag=True, help="Run those of full size as well, which take minutes.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False),
    help="Folder for the figures that claims are about: as data, .csv, and drawn, .svg; each is written when it is there.",
)
@json_option
def command(claim: tuple[str, ...], only_list: bool, full: bool, folder: str | None, as_json: bool) -> None:
    from topoloom.cli.folders import writable_folder
    from topoloom.cli.progress import working
    from topoloom.reproduction import claims, listed, reproduce

    if only_list:
        if as_json:
            print_record(listed(claim))
        else:
            for one in claims(claim):
                say(f"{one.id:34} {one.what} [{one.published}]")
        return
    out = writable_folder(folder) if folder is not None else None
    drawn: list[str] = []

    def told(result: "tuple[Claim, Outcome]") -> None:
        found, outcome = result
        if out is not None and outcome.figure is not None and outcome.figure.name not in drawn:
            _draw(outcome, out)
            drawn.append(outcome.figure.name)
        if not as_json:
            _print_outcome(found, outcome)

    with working("reproducing", on_result=told) as work:
        reproduction = reproduce(claim, full=full, work=work)
    if out is not None:
        say(f"wrote to {out}: {', '.join(drawn) or 'no figure: none of these claims is about one'}", err=True)
    if as_json:
        print_record(reproduction)
    else:
        say("; ".join(f"{verdict}: {count}" for verdict, count in reproduction.verdicts.items()))
        if reproduction.ended != "done":
            say(f"{reproduction.ended}: the claims above are those that were finished", err=True)


def _print_outcome(claim: "Claim", outcome: "Outcome") -> None:
    say(f"{claim.id}: {outcome.verdict.value} ({outcome.seconds:.1f} s)")
    say(f"    {claim.what}")
    say(f"    published: {claim.published}")
    say(f"    ours:      {outcome.ours}")
    if outcome.why:
        say(f"    {outcome.why}")
    say(f"    {claim.command}")


def _draw(outcome: "Outcome", folder: Path) -> None:
    """A figure's points or links, and its picture."""
    from topoloom.figures.curves import Curves, curves_svg
    from topoloom.files import write_atomically
    from topoloom.report.graph_picture import steps_svg

    figure = outcome.figure
    if figure is None:
        return
    write_atomically(folder / f"{figure.name}.csv", figure.csv())
    svg = curves_svg(figure) if isinstance(figure, Curves) else steps_svg(figure.panels)
    write_atomically(folder / f"{figure.name}.svg", svg)
