"""`topoloom repair`: installed tables repaired for the fabric as it is now, and the order of the updates."""

from typing import TYPE_CHECKING, Annotated

from topoloom.cli.declared import declared, performed
from topoloom.cli.diagnosis import DIFFERENT
from topoloom.cli.output import plain, print_facts, print_record, print_table, say
from topoloom.cli.presentation import Json, Threads
from topoloom.core.settings import setting
from topoloom.operations.catalogue.repair import RepairOperation

if TYPE_CHECKING:
    from topoloom.fabric.repair_result import Repair, RepairFigures

_SHOWN = (
    *("mode", "cables_lost", "cables_new", "switches_lost", "switches_new", "hosts_lost", "hosts_new", "hosts_moved"),
    *("entries", "entries_broken", "entries_changed", "virtual_channels_changed", "rebuilt"),
    *("deadlock_free", "installed_deadlock_free"),
)
#: The columns of the table of figures: heading and field.
_FIGURES = {
    "maximum channel load": "max_channel_load",
    "max hops": "max_hops",
    "longer pairs": "longer_pairs",
    "unreachable": "unreachable_pairs",
    "uniform": "uniform_throughput",
    "VCs": "virtual_channels",
    "changed": "entries_changed",
    "steps": "steps",
}
#: Figures of the pairs that arrive, which the others can only raise.
_MAXIMA = ("max_channel_load", "max_hops", "longer_pairs")
#: Names of switches and hosts that are printed.
_MOST_NAMES = 12


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str,
            setting(
                "a folder for the tables and the steps", option="-o --output", metavar="DIRECTORY", names="new folder"
            ),
        ]
        | None
    ) = None


@declared(RepairOperation, Threads, _Output)
def command(operation: RepairOperation, threads: Threads, to: _Output) -> int:
    from topoloom.fabric.repair_files import write_repair

    result = performed(operation, threads.jobs)
    files = [] if to.output is None else write_repair(result, to.output)
    if to.json:
        print_record(result)
    else:
        rows = [(key, plain(getattr(result, key))) for key in _SHOWN]
        steps = [f"{step.kind} {step.pairs or step.entries}" for step in result.steps]
        rows.append(("steps", ", ".join(steps) or "none"))
        print_facts(f"{result.old} and now {result.new}", rows)
        say()
        print_table([("tables", *_FIGURES), *(_row(figures) for figures in result.figures)])
    _warn(result)
    for name in files:
        say(f"wrote {to.output}/{name}", err=True)
    # Pairs that no cables join are a fact of the fabric, which `verify` reports.
    return DIFFERENT if result.lost_pairs or not result.deadlock_free else 0


def _row(figures: "RepairFigures") -> tuple[str, ...]:
    """A row of the table of figures; the new tables of the repair are marked."""
    values = {field: getattr(figures, field) for field in _FIGURES.values()}
    cells = {
        field: "" if value is None else f"{value:.3g}" if 0 < value < 1 else f"{value:,.10g}"
        for field, value in values.items()
    }
    for field in _MAXIMA if figures.lost_pairs else ():
        cells[field] = f"at least {cells[field]}"
    return f"{figures.tables}{' (new)' if figures.chosen else ''}", *cells.values()


def _warn(result: "Repair") -> None:
    """What the new tables, or the steps to them, do not provide."""
    if not result.installed_deadlock_free:
        say(
            "warning: the installed tables can deadlock on the fabric as it is now; no order of updates is verified. If they"
            " have service levels, give --qos",
            err=True,
        )
    if result.dropped_addresses:
        say(
            f"warning: {result.dropped_addresses} addresses cannot be reached during the updates; no other order was found",
            err=True,
        )
    if result.cut_off:
        names = ", ".join(result.cut_off[:_MOST_NAMES])
        more = len(result.cut_off) - _MOST_NAMES
        say(
            f"warning: no cable joins {names}{f' and {more} more' if more > 0 else ''} to the other switches;"
            f" {result.apart_pairs:,} pairs of host ports cannot reach each other, whatever the tables",
            err=True,
        )
    if result.lost_pairs:
        say(
            f"warning: the new tables have no path for {result.lost_pairs:,} pairs of host ports that cables join",
            err=True,
        )
    if result.addresses_held_back:
        say(
            f"note: {result.addresses_held_back:,} addresses (LIDs) do not get the paths of the best tables, since no order of"
            " updates without lost packets leads there",
            err=True,
        )
    longer = next(figures.longer_pairs for figures in result.figures if figures.chosen)
    if longer:
        say(f"note: {longer:,} pairs of host ports have a path that is longer than the shortest one", err=True)
