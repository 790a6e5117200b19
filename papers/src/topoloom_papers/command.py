"""`topoloom reproduce [CLAIM ...]`: the papers' numbers compared with ours."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.cli.declared import declared
from topoloom.cli.output import print_line, print_record, say
from topoloom.cli.presentation import Elsewhere, Json
from topoloom.cli.streams import unread
from topoloom.core.errors import InputError
from topoloom.core.settings import Settings, setting
from topoloom_papers.reproduction import Full, Missing, Verdicts

if TYPE_CHECKING:
    from topoloom_papers.curves import Curves, Steps
    from topoloom_papers.registry import Claim, Computed


class Reproduce(Settings, frozen=True, kw_only=True):
    """The papers' claims compared with our values: all, or those whose id begins with CLAIM.

    Example: topoloom reproduce besta-2014/table-iv
    """

    group: ClassVar[str] = "reproduce"

    claim: Annotated[
        tuple[str, ...], setting("a claim's id, or the beginning of several ids", positional=True, metavar="[CLAIM]...")
    ] = ()
    verdict: Verdicts = ()
    list: Annotated[bool, setting("list ids, published values and computing times; compute nothing")] = False
    full: Full = False
    missing: Missing = False
    keep: Annotated[
        bool, setting("store the measurements and their durations in the package (for its maintainers)")
    ] = False
    output: (
        Annotated[
            str,
            setting(
                "folder for one HTML page per paper, and for the figures as data (.csv) and pictures (.svg)",
                option="-o --output",
                metavar="DIRECTORY",
            ),
        ]
        | None
    ) = None
    details: Annotated[
        bool, setting("print also the numbers of each reading or setup, and the settings; JSON and the pages have them")
    ] = False
    json_lines: Annotated[bool, setting("one line of JSON per claim as soon as it is computed")] = False


@declared(Reproduce, Elsewhere, Json)
def command(asked: Reproduce, elsewhere: Elsewhere, to: Json) -> None:
    from topoloom.cli.elsewhere import carried_out_elsewhere
    from topoloom.cli.progress import working
    from topoloom.core.folders import check_folder
    from topoloom_papers.registry import claims, listed_claims
    from topoloom_papers.reproduction import Reproduced, reproduce

    if asked.json_lines and to.json:
        raise InputError("--json writes one document, --json-lines one line per claim: give one of the two")
    if not (asked.full or asked.missing):
        elsewhere.refuse_changed(("executor",), "only long runs are sent to an executor (--full, --missing)")
    if asked.list:
        if asked.verdict:
            raise InputError("--list computes nothing, so it knows no verdicts: omit --list or --verdict")
        if to.json:
            print_record(listed_claims(asked.claim))
        else:
            for claim in claims(asked.claim):
                say(f"{claim.id:34} {claim.what} [{claim.published}]{_duration(claim)}")
        return
    out = None if asked.output is None else Path(asked.output)
    if out is not None:
        check_folder(out)
        out.mkdir(exist_ok=True)
    by_paper: dict[str, list[tuple[Claim, Computed]]] = {}
    drawn: list[str] = []

    def show(result: "tuple[Claim, Computed]") -> None:
        claim, computed = result
        if out is not None:
            by_paper.setdefault(claim.paper, []).append(result)
            figure = computed.outcome.figure
            if figure is not None and figure.name not in drawn:
                _draw(figure, out)
                drawn.append(figure.name)
        if asked.json_lines:
            print_line(Reproduced.of(claim, computed))
        elif not to.json:
            _print_outcome(claim, computed, asked.details)
        if unread() and out is None and not asked.keep:
            work.stop()  # the reader of the output is gone, and nothing else is written

    with working("reproducing", on_result=show) as work, carried_out_elsewhere(work, elsewhere):
        reproduction = reproduce(
            asked.claim, verdict=asked.verdict, full=asked.full, missing=asked.missing, keep=asked.keep, work=work
        )
    if out is not None:
        pages = _write_pages(by_paper, out)
        say(f"wrote to {out}: {', '.join([*pages, *drawn])}", err=True)
    if to.json:
        print_record(reproduction)
    else:
        counted = "; ".join(f"{verdict}: {count}" for verdict, count in reproduction.verdicts.items())
        if reproduction.others:
            counted = "; ".join(filter(None, [counted, f"other verdicts, not shown: {reproduction.others}"]))
        say(counted, err=asked.json_lines)
        if reproduction.ended != "done" and not unread():
            say(f"{reproduction.ended}: the list above has only the finished claims", err=True)
    if reproduction.ended == "interrupted" and not unread():
        raise KeyboardInterrupt


def _duration(claim: "Claim") -> str:
    """The time that a claim takes, by default and with --full."""
    if claim.costs is None:
        return ""
    usual = f" {claim.costs.seconds:.1f} s"
    return f"{usual}, {_time(claim.costs.long_seconds)} with --full" if claim.costs.long_seconds else usual


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def _print_outcome(claim: "Claim", computed: "Computed", details: bool) -> None:
    outcome, oldest = computed.outcome, computed.oldest
    say(f"{claim.id}: {outcome.verdict_text} ({computed.seconds:.1f} s)")
    say(f"    {claim.what}")
    say(f"    published: {claim.published}")
    say(f"    ours:      {outcome.ours}")
    if outcome.why:
        say(f"    {outcome.why}")
    if outcome.details and details:
        say(f"    details:   {outcome.details}")
    if oldest is not None:
        seconds = sum(run.seconds for run in computed.runs)
        day = {0: "today", 1: "yesterday"}.get(oldest.days, f"{oldest.days} days ago")
        say(
            f"    measured {oldest.date} ({day}) at {oldest.commit or oldest.version}, in {_time(seconds)} on"
            f" {oldest.cores} cores; --full measures again"
        )
    say(f"    {claim.command}")


def _draw(figure: "Curves | Steps", folder: Path) -> None:
    """Write a figure's points or links (.csv) and its picture (.svg)."""
    from topoloom.core.files import write_atomically
    from topoloom_papers.page import figure_svg

    write_atomically(folder / f"{figure.name}.csv", figure.csv())
    write_atomically(folder / f"{figure.name}.svg", figure_svg(figure))


def _write_pages(by_paper: "dict[str, list[tuple[Claim, Computed]]]", folder: Path) -> list[str]:
    """Write one page per paper; returns the file names."""
    from topoloom.core.files import write_atomically
    from topoloom_papers.page import paper_page

    for paper, claims in by_paper.items():
        write_atomically(folder / f"{paper}.html", paper_page(paper, claims))
    return [f"{paper}.html" for paper in by_paper]
