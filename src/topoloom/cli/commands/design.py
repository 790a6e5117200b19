"""`topoloom design NEED.toml -o DIR`: the main job."""

from typing import TYPE_CHECKING

import click

from topoloom.cli.output import json_option, print_record, say
from topoloom.cli.signals import hurried
from topoloom.cli.types import Number, Whole
from topoloom.core.errors import Stopped

if TYPE_CHECKING:
    from topoloom.designer.design import Design
    from topoloom.designer.need import Need
    from topoloom.designer.search import Searched

#: With more hosts than these a design takes so long that it is said before.
_MANY_HOSTS = 100_000


@click.command(help="From a requirement file to ranked, priced designs and a report.")
@click.argument("need", type=click.Path())
@click.option(
    "-o", "--output", "folder", required=True, type=click.Path(file_okay=False), help="Folder for the report and files."
)
@click.option("--jobs", type=Whole(1, 1024), help="Processes; the default is one for each core.")
@click.option(
    "--time-limit", type=Number(above=0, unit="seconds"), help="Seconds; then the design is made of what is measured."
)
@click.option("--fresh", is_flag=True, help="Measure everything again, even what an earlier run measured.")
@click.option(
    "--finalists", type=Whole(0, 100), help="How many go the whole way, in place of the requirement's `finalists`."
)
@click.option(
    "--minutes", type=Number(above=0, unit="minutes"), help="Their budget, in place of the requirement's `minutes`."
)
@click.option(
    "--repeats", type=Whole(1, 16), help="Of draws, at most, where time is left; in place of the requirement's."
)
@click.option(
    "--search",
    type=Whole(0, 1_000_000),
    metavar="NETWORKS",
    help="Networks beyond what the catalogue offers that are tried, in place of the requirement's `search.networks`.",
)
@click.option(
    "--files",
    type=click.Choice(["some", "all"]),
    default="some",
    show_default=True,
    help="all: files of the finalists for installers and for other tools, too.",
)
@json_option
def command(
    need: str,
    folder: str,
    jobs: int | None,
    time_limit: float | None,
    fresh: bool,
    finalists: int | None,
    minutes: float | None,
    repeats: int | None,
    search: int | None,
    files: str,
    as_json: bool,
) -> None:
    from topoloom.cli.assessment_text import print_assessments
    from topoloom.cli.folders import writable_folder
    from topoloom.cli.progress import working
    from topoloom.designer.candidates import MOST_SWITCHES
    from topoloom.designer.design import design
    from topoloom.designer.need_files import read_need
    from topoloom.report.design_files import write_design

    wanted = _changed(read_need(need), search, finalists=finalists, minutes=minutes, repeats=repeats)
    out = writable_folder(folder, "measured")
    if wanted.hosts > _MANY_HOSTS:
        say(
            f"{wanted.hosts:,} hosts: networks of up to {MOST_SWITCHES:,} switches are measured, the largest for minutes each;"
            " Ctrl-C, or --time-limit SECONDS, makes the design of what is measured by then",
            err=True,
        )
    with working("measuring", seconds=time_limit) as work:
        found = design(wanted, store=out / "measured", fresh=fresh, jobs=jobs, work=work)
    if hurried():
        raise Stopped(
            f"interrupted: {found.unmeasured} candidates not measured; run it again to go on from {out}/measured"
        )
    dear = found.dropped_by.get("cost_over_best", 0)
    if dear:
        say(f"{dear} more were not pursued: they cost over {wanted.limits.cost_over_best:g} times the best", err=True)
    if found.ended != "done":
        why = "the time was over" if found.ended == "deadline" else "interrupted"
        say(f"{why}: {found.unmeasured} candidates not measured; writing what is known", err=True)
    write_design(found, out, everything=files == "all")
    if as_json:
        print_record(found)
    else:
        _print(found)
        if found.finalists:
            say()
            print_assessments(found.finalists, found.need.minutes)
            say(f"finalists: {out / 'finalists'}, a folder each, for every other command")
        say(f"report: {out / 'report.html'}")
    if found.ended == "interrupted":
        raise KeyboardInterrupt


def _changed(need: "Need", networks: int | None, **options: float | None) -> "Need":
    """The requirement with what options say in its place."""
    from msgspec.structs import replace

    search = None if networks is None else replace(need.search, networks=networks)
    given = {**options, "search": search}
    return replace(need, **{key: value for key, value in given.items() if value is not None})


def _print(found: "Design") -> None:
    """The best design, or what stands in its way."""
    from topoloom.designer.candidates import MOST_SWITCHES

    best, limits = found.winner, found.need.limits
    if best is None:
        told = ", ".join(f"{limit} {count}" for limit, count in found.dropped_by.items())
        say(f"no candidate is within every limit (dropped by: {told or 'none yet'})")
        if "size" in found.dropped_by:
            say(
                f"size: over {MOST_SWITCHES:,} switches, which would take days to measure; try larger switches",
                err=True,
            )
        return
    say(
        f"best of {len(found.ranked)}: {best.spec}\n"
        f"  {best.switches:,} switches of {best.radix} ports, {best.hosts:,} hosts, diameter {best.diameter},"
        f" {best.cost_per_host_usd:,.1f} USD and {best.power_per_host_w:.2f} W a host"
    )
    if found.search is not None:
        _print_search(found.search)
    if limits.oversubscription is None and limits.busiest_channel is None and best.oversubscription > 1.5:
        say(
            f"  it is {best.oversubscription:.1f} times oversubscribed; set oversubscription under [limits] for more bandwidth",
            err=True,
        )


def _print_search(search: "Searched") -> None:
    """What was found beyond the catalogue, and what it gains."""
    say(
        f"beyond the catalogue: {search.measured:,} networks tried, {len(search.specs):,} within every limit;"
        f" {search.beaten} of the {search.front} that none of the catalogue beats are beaten"
    )
    for gain in search.gains:
        name = gain.measure.replace("_", " ")
        if gain.share > 0:
            say(f"  {name}: {gain.catalogue:,.6g} to {gain.found:,.6g} ({gain.share:.1%} better): {gain.found_spec}")
        else:
            say(f"  {name}: none better than the catalogue's {gain.catalogue:,.6g}")
