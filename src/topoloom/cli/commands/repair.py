"""`topoloom repair`: installed tables repaired for the fabric as it is now, and the order of the updates."""

from typing import Annotated

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_facts, print_record, say
from topoloom.cli.presentation import Json, Threads
from topoloom.core.settings import setting
from topoloom.operations.catalogue.repair import RepairOperation

_SHOWN = (
    *("cables_lost", "cables_new", "switches_lost", "switches_new", "hosts_lost", "hosts_new", "hosts_moved"),
    *(
        "entries",
        "entries_broken",
        "entries_changed",
        "virtual_channels_changed",
        "rebuilt",
        "deadlock_free",
        "installed_deadlock_free",
    ),
)


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[str, setting("a folder for the tables and the steps", option="-o --output", metavar="DIRECTORY")]
        | None
    ) = None


@declared(RepairOperation, Threads, _Output)
def command(operation: RepairOperation, threads: Threads, to: _Output) -> None:
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
    if not result.installed_deadlock_free:
        say(
            "warning: the installed tables can deadlock on the fabric as it is now; no order of updates is verified",
            err=True,
        )
    if result.dropped_addresses:
        say(
            f"warning: {result.dropped_addresses} addresses cannot be reached during the updates; no other order was found",
            err=True,
        )
    for name in files:
        say(f"wrote {to.output}/{name}", err=True)
