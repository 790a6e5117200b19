"""`topoloom design REQUIREMENT.toml -o DIR`: from a requirement to ranked, priced designs."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from topoloom.cli.declared import declared, running
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Elsewhere, Json, Threads, ToolFiles
from topoloom.cli.signals import hurried
from topoloom.core.amounts import amount, with_currency
from topoloom.core.errors import Stopped
from topoloom.core.settings import setting
from topoloom.operations.catalogue.design import DesignOperation

if TYPE_CHECKING:
    from topoloom.designer.design import Design
    from topoloom.designer.search import Searched


#: The exit code where no candidate is within every limit.
_NO_CANDIDATE = 2


class _Output(Json, frozen=True, kw_only=True):
    output: Annotated[
        str, setting("folder for the report and files", option="-o --output", metavar="DIRECTORY", names="new folder")
    ]
    time_limit: (
        Annotated[
            float, setting("the deadline; the design then uses the candidates measured so far", unit="s", above=0)
        ]
        | None
    ) = None
    fresh: Annotated[bool, setting("measure everything again, instead of using the measurements of an earlier run")] = (
        False
    )


@declared(DesignOperation, Threads, Elsewhere, ToolFiles, _Output)
def command(operation: DesignOperation, threads: Threads, elsewhere: Elsewhere, files: ToolFiles, to: _Output) -> int:
    from topoloom.cli.assessment_text import print_assessments
    from topoloom.cli.phases_text import print_phases
    from topoloom.report.design_files import write_design

    if operation.of_machine:
        return _machine(operation, threads, elsewhere, to)
    requirement, out = operation.prepared(), Path(to.output)
    with running(operation.doing, threads.jobs, elsewhere, seconds=to.time_limit) as context:
        result = operation.designed(requirement, context, out / "measured", fresh=to.fresh)
    if hurried():
        going_on = f"run it again to go on from {out}/measured" if (out / "measured").is_dir() else "run it again"
        raise Stopped(f"interrupted{_unmeasured(result)}; {going_on}")
    expensive = result.dropped_by.get("cost_over_best", 0)
    if expensive:
        limit = f"{requirement.limits.cost_over_best:g} times the best"
        say(f"{expensive} more were not pursued: they cost over {limit}", err=True)
    if result.ended != "done":
        why = "the time limit was reached" if result.ended == "deadline" else "interrupted"
        say(f"{why}{_unmeasured(result)}; writing what is measured", err=True)
    write_design(result, out, everything=files.everything)
    if to.json:
        print_record(result)
    else:
        _print(result)
        if result.installed is not None:
            _print_installed(result)
        if result.shortlist:
            say()
            print_assessments(result.shortlist, result.requirement.minutes)
            say(f"shortlist: {out / 'shortlist'}, one folder per network; every command opens them")
        grown = result.phases_of(result.best)
        if grown is not None:
            say()
            print_phases(grown)
        for spec, reason in result.no_phases.items():
            say(f"no phases of {spec}: {reason}")
        say(f"report: {out / 'report.html'}")
    if result.ended == "interrupted":
        raise KeyboardInterrupt
    return 0 if result.ranked else _NO_CANDIDATE


def _machine(operation: DesignOperation, threads: Threads, elsewhere: Elsewhere, to: _Output) -> int:
    """Design a machine, write its folder, and print the machines side by side."""
    from topoloom.cli.assessment_text import print_assessments
    from topoloom.report.machine_page import PAGE, save_machine_design

    with running(operation.doing, threads.jobs, elsewhere, seconds=to.time_limit) as context:
        result = operation.machine_design(context)
    save_machine_design(result, to.output)
    if to.json:
        print_record(result)
        return 0 if result.ranked else _NO_CANDIDATE
    joined = ", ".join(f"{name} {count}" for name, count in result.choices.items())
    say(
        f"{result.title}: choices per network that none of its others beats: {joined}; {result.joined:,}"
        f" machine{'s' * (result.joined != 1)} of them"
    )
    if not result.ranked:
        say(result.reason)
        return _NO_CANDIDATE
    for rank, machine in enumerate(result.ranked, 1):
        say(
            f"{rank}: {with_currency(machine.cost_usd, result.currency, 0)}, {machine.power_w:,.0f} W,"
            f" {machine.switches:,} switches, {machine.racks:,} racks"
        )
        for network, name in machine.names.items():
            say(f"   {network}: {name}" + (f" ({spec})" if (spec := machine.specs[network]) else ""))
    if result.assessments:
        say()
        print_assessments(tuple(result.assessments.values()), result.machine.requirement.minutes)
    for machine in result.dropped:
        say(f"dropped: {', '.join(machine.names.values())}: {machine.exceeds}")
    say(f"machine: {to.output}; its networks: {to.output}/networks, one folder each; every command opens them")
    say(f"report: {Path(to.output) / PAGE}")
    return 0


def _unmeasured(design: "Design") -> str:
    """The candidates that are not measured, as a part of a sentence; empty if all are."""
    count = design.unmeasured
    return f": {count:,} candidate{'s' * (count != 1)} not measured" if count else ""


def _print_remedy(design: "Design") -> None:
    """Print why the limit that drops most candidates drops one of them, and what to change."""
    from topoloom.report.design_tables import why_dropped

    requirement = design.requirement
    limits = [limit for limit in design.dropped_by if any(out.limit == limit for out in design.dropped)]
    if not limits:
        return
    limit = max(limits, key=lambda name: design.dropped_by[name])
    # The candidate that exceeds it least, where that is known.
    example = min(
        (out for out in design.dropped if out.limit == limit),
        key=lambda out: out.known.get(limit, out.known.get("switches", math.inf)),
    )
    reason = why_dropped(example, requirement)
    by_table = f"raise {limit} under [limits]" if hasattr(requirement.limits, limit) else f"lower {limit} under [least]"
    # Errors of building, placing and pricing name their remedy themselves.
    remedy = "" if ";" in reason or limit == "facility" else f"; {_REMEDIES.get(limit, by_table)}"
    say(f"{limit} drops most, such as {example.spec}" + (f": {reason}" if reason else "") + remedy)


#: Most networks that are named because their tables fail a limit.
_MOST_FAILED = 5
#: What to change where a candidate is not dropped by a key of [limits] or [least].
_REMEDIES = {
    "floor": "add rows or columns under [floor], or raise what a rack holds",
    "radix": "allow a larger switch",
    "hosts": "allow a larger switch, or try more families",
    "parts": "give the missing prices with `prices`, or another rate_gbps",
    "construction": "try more families",
    "same": "try more families",
    "size": "allow a larger radix",
    "wiring": "try more families",
}


def _print(design: "Design") -> None:
    """Print the best design, or the limits that exclude all candidates."""
    from topoloom.cost.price_age import price_notes
    from topoloom.designer.candidates import MOST_SWITCHES
    from topoloom.designer.measured_limits import failed_on_tables
    from topoloom.designer.outcomes import outcome_name

    best, limits = design.winner, design.requirement.limits
    if best is None:
        dropped = ", ".join(f"{limit} {count}" for limit, count in design.dropped_by.items())
        say(f"no candidate is within every limit (dropped by: {dropped or 'none yet'})")
        _print_remedy(design)
        if "size" in design.dropped_by:
            say(
                f"size: over {MOST_SWITCHES:,} switches, which would take days to measure; allow a larger radix",
                err=True,
            )
        return
    say(
        f"best of {len(design.ranked)}: {best.name}\n"
        f"  {best.spec}\n"
        f"  {best.switches:,} switches, up to {best.radix} ports used, {best.hosts:,} hosts, diameter {best.diameter},"
        f" {with_currency(best.cost_per_host_usd, design.currency, 1)} and {best.power_per_host_w:.2f} W per host"
    )
    parts = design.requirement.catalogue()
    for outcome in failed_on_tables(design.dropped)[:_MOST_FAILED]:
        name = outcome_name(outcome, design.requirement, parts)
        say(f"  not ranked: {name}, {outcome.spec}: {outcome.limit}, {outcome.reason}")
    if design.search is not None:
        _print_search(design.search)
    for note in price_notes(parts):
        say(f"  {note}", err=True)
    if limits.oversubscription is None and limits.maximum_channel_load is None and best.oversubscription > 1.5:
        say(
            f"  it is {best.oversubscription:.1f} times oversubscribed; set oversubscription under [limits] for more bandwidth",
            err=True,
        )


def _print_installed(design: "Design") -> None:
    """Print the installed network compared with the best design, and the limits that it exceeds."""
    from topoloom.designer.outcomes import Candidate, single_numbers

    installed, best = design.installed, design.winner
    if installed is None:
        return
    within = isinstance(installed, Candidate)
    measures = single_numbers(installed) if isinstance(installed, Candidate) else installed.known
    say(f"installed: {installed.spec}")
    if "cost_usd" not in measures:
        say(f"  not compared: {getattr(installed, 'limit', '')}: {getattr(installed, 'reason', '')}")
        return
    columns = {
        "cost": ("cost_usd", design.currency),
        "power": ("power_w", "W"),
        "diameter": ("diameter", ""),
        "oversubscription": ("oversubscription", ""),
        "racks": ("racks", ""),
    }
    for label, (key, unit) in columns.items():
        of_best = "" if best is None else f"; the best {amount(getattr(best, key), 6)}"
        say(f"  {label} {amount(measures[key], 6)} {unit}".rstrip() + of_best)
    say("  within every limit" if within else f"  exceeds: {getattr(installed, 'reason', '')}")


def _print_search(search: "Searched") -> None:
    """Print the networks found beyond the catalogue, and their gains."""
    say(
        f"beyond the catalogue: {search.measured:,} networks tried, {len(search.specs):,} within every limit;"
        f" {search.beaten} of the {search.front} that none of the catalogue beats are beaten"
    )
    for gain in search.gains:
        name = gain.measure.replace("_", " ")
        if gain.share > 0:
            say(
                f"  {name}: {amount(gain.catalogue, 6)} to {amount(gain.found, 6)} ({gain.share:.1%} better): {gain.found_spec}"
            )
        else:
            say(f"  {name}: none better than the catalogue's {amount(gain.catalogue, 6)}")
