"""`topoloom reproduce [CLAIM ...]`: the papers' numbers, ours beside them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from topoloom.cli.output import json_option, print_line, print_record, say
from topoloom.cli.streams import unread
from topoloom.core.errors import InputError

if TYPE_CHECKING:
    from topoloom_papers.curves import Curves, Steps
    from topoloom_papers.registry import Claim, Computed


@click.command(
    help="The papers' claims with our values beside them: all, or those whose id begins with CLAIM.\n\n\b\n"
    "Example: topoloom reproduce besta-2014/table-iv"
)
@click.argument("claim", nargs=-1)
@click.option(
    "--list", "only_list", is_flag=True, help="List ids, what was published and the seconds it takes; compute nothing."
)
@click.option(
    "--full", is_flag=True, help="Make the long runs again, which take minutes to hours, instead of reading kept ones."
)
@click.option("--missing", is_flag=True, help="Make the long runs that are not kept, and read the others.")
@click.option(
    "--keep", is_flag=True, help="Keep what is measured, and how long it took, with the package: for its maintainers."
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False),
    help="Folder for a page a paper, .html, and the figures that claims are about: as data, .csv, and drawn, .svg.",
)
@click.option("--json-lines", "as_lines", is_flag=True, help="A line of JSON for each claim as soon as it is there.")
@json_option
def command(
    claim: tuple[str, ...],
    only_list: bool,
    full: bool,
    missing: bool,
    keep: bool,
    folder: str | None,
    as_lines: bool,
    as_json: bool,
) -> None:
    from topoloom.cli.folders import writable_folder
    from topoloom.cli.progress import working
    from topoloom_papers.registry import claims, listed_claims
    from topoloom_papers.reproduction import Reproduced, reproduce

    if as_lines and as_json:
        raise InputError("--json is one document, --json-lines one a claim: give one of the two")
    if only_list:
        if as_json:
            print_record(listed_claims(claim))
        else:
            for one in claims(claim):
                say(f"{one.id:34} {one.what} [{one.published}]{_duration(one)}")
        return
    out = writable_folder(folder) if folder is not None else None
    found: dict[str, list[tuple[Claim, Computed]]] = {}
    drawn: list[str] = []

    def told(result: "tuple[Claim, Computed]") -> None:
        one, computed = result
        if out is not None:
            found.setdefault(one.paper, []).append(result)
            figure = computed.outcome.figure
            if figure is not None and figure.name not in drawn:
                _draw(figure, out)
                drawn.append(figure.name)
        if as_lines:
            print_line(Reproduced.of(one, computed))
        elif not as_json:
            _print_outcome(one, computed)
        if unread() and out is None and not keep:
            work.stop()  # nobody reads what would only be printed

    with working("reproducing", on_result=told) as work:
        reproduction = reproduce(claim, full=full, missing=missing, keep=keep, work=work)
    if out is not None:
        pages = _write_pages(found, out)
        say(f"wrote to {out}: {', '.join([*pages, *drawn])}", err=True)
    if as_json:
        print_record(reproduction)
    else:
        counted = "; ".join(f"{verdict}: {count}" for verdict, count in reproduction.verdicts.items())
        say(counted, err=as_lines)
        if reproduction.ended != "done" and not unread():
            say(f"{reproduction.ended}: the claims above are those that were finished", err=True)
    if reproduction.ended == "interrupted" and not unread():
        raise KeyboardInterrupt


def _duration(claim: "Claim") -> str:
    """How long a claim takes, and with --full."""
    if claim.costs is None:
        return ""
    told = f" {claim.costs.seconds:.1f} s"
    return f"{told}, {_time(claim.costs.long_seconds)} with --full" if claim.costs.long_seconds else told


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _print_outcome(claim: "Claim", computed: "Computed") -> None:
    outcome, oldest = computed.outcome, computed.oldest
    say(f"{claim.id}: {outcome.told} ({computed.seconds:.1f} s)")
    say(f"    {claim.what}")
    say(f"    published: {claim.published}")
    say(f"    ours:      {outcome.ours}")
    if outcome.why:
        say(f"    {outcome.why}")
    if oldest is not None:
        seconds = sum(run.seconds for run in computed.runs)
        day = {0: "today", 1: "yesterday"}.get(oldest.days, f"{oldest.days} days ago")
        say(
            f"    measured {oldest.date} ({day}) at {oldest.commit or oldest.version}, in {_time(seconds)} on"
            f" {oldest.cores} cores; --full measures again"
        )
    say(f"    {claim.command}")


def _draw(figure: "Curves | Steps", folder: Path) -> None:
    """A figure's points or links, and its picture."""
    from topoloom.core.files import write_atomically
    from topoloom_papers.page import figure_svg

    write_atomically(folder / f"{figure.name}.csv", figure.csv())
    write_atomically(folder / f"{figure.name}.svg", figure_svg(figure))


def _write_pages(found: "dict[str, list[tuple[Claim, Computed]]]", folder: Path) -> list[str]:
    """A page for each paper; the names of the files."""
    from topoloom.core.files import write_atomically
    from topoloom_papers.page import paper_page

    for paper, claims in found.items():
        write_atomically(folder / f"{paper}.html", paper_page(paper, claims))
    return [f"{paper}.html" for paper in found]
