"""`topoloom reproduce [CLAIM ...]`: the papers' numbers, ours beside them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.cli.declared import declared
from topoloom.cli.output import print_line, print_record, say
from topoloom.cli.presentation import Json
from topoloom.cli.streams import unread
from topoloom.core.errors import InputError
from topoloom.core.settings import Settings, setting
from topoloom_papers.reproduction import Full, Missing

if TYPE_CHECKING:
    from topoloom_papers.curves import Curves, Steps
    from topoloom_papers.registry import Claim, Computed


class Reproduce(Settings, frozen=True, kw_only=True):
    """The papers' claims compared with our values: all, or those whose id begins with CLAIM.

    Example: topoloom reproduce besta-2014/table-iv
    """

    group: ClassVar[str] = "reproduce"

    claim: Annotated[
        tuple[str, ...], setting("a claim's id, or what ids begin with", positional=True, metavar="[CLAIM]...")
    ] = ()
    list: Annotated[bool, setting("list ids, what was published and the time it takes; compute nothing")] = False
    full: Full = False
    missing: Missing = False
    keep: Annotated[
        bool, setting("keep what is measured, and how long it took, with the package: for its maintainers")
    ] = False
    output: (
        Annotated[
            str,
            setting(
                "folder for one page per paper, .html, and the figures that claims are about: as data, .csv, and drawn, .svg",
                option="-o --output",
                metavar="DIRECTORY",
            ),
        ]
        | None
    ) = None
    json_lines: Annotated[bool, setting("one line of JSON per claim as soon as it is computed")] = False


@declared(Reproduce, Json)
def command(asked: Reproduce, to: Json) -> None:
    from topoloom.cli.progress import working
    from topoloom.core.folders import check_folder
    from topoloom_papers.registry import claims, listed_claims
    from topoloom_papers.reproduction import Reproduced, reproduce

    if asked.json_lines and to.json:
        raise InputError("--json is one document, --json-lines one a claim: give one of the two")
    if asked.list:
        if to.json:
            print_record(listed_claims(asked.claim))
        else:
            for one in claims(asked.claim):
                say(f"{one.id:34} {one.what} [{one.published}]{_duration(one)}")
        return
    out = None if asked.output is None else Path(asked.output)
    if out is not None:
        check_folder(out)
        out.mkdir(exist_ok=True)
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
        if asked.json_lines:
            print_line(Reproduced.of(one, computed))
        elif not to.json:
            _print_outcome(one, computed)
        if unread() and out is None and not asked.keep:
            work.stop()  # nobody reads what would only be printed

    with working("reproducing", on_result=told) as work:
        reproduction = reproduce(asked.claim, full=asked.full, missing=asked.missing, keep=asked.keep, work=work)
    if out is not None:
        pages = _write_pages(found, out)
        say(f"wrote to {out}: {', '.join([*pages, *drawn])}", err=True)
    if to.json:
        print_record(reproduction)
    else:
        counted = "; ".join(f"{verdict}: {count}" for verdict, count in reproduction.verdicts.items())
        say(counted, err=asked.json_lines)
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
