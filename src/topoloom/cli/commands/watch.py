"""`topoloom watch`: the discoveries of a cabling week compared with the plan, one after the other."""

from typing import Annotated

from topoloom.cli.declared import declared, performed
from topoloom.cli.monitored import monitored
from topoloom.cli.output import print_record, print_table, say
from topoloom.cli.presentation import Monitored
from topoloom.core.settings import setting
from topoloom.operations.catalogue.watch import WatchOperation

#: Exit code: the command succeeded, and cabling work remains.
OPEN = 3
#: Most root causes that are printed; the sheets and --json have all.
_MOST_LINES = 40


class _Output(Monitored, frozen=True, kw_only=True):
    output: (
        Annotated[
            str, setting("a folder for the sheets", option="-o --output", metavar="DIRECTORY", names="new folder")
        ]
        | None
    ) = None


@declared(WatchOperation, _Output)
def command(operation: WatchOperation, to: _Output) -> int:
    from topoloom.cabling.fault_sheets import write_sheets

    result = performed(operation)
    files = [] if to.output is None else write_sheets(result, to.output)
    if to.json:
        print_record(result)
    elif not to.nagios:
        head = ("discovery", "right", "newly right", "missing", "lost", "faults", "new faults", "repaired")
        keys = ("source", "right_cables", "new_right", "missing_cables", "lost", "faults", "new_faults", "gone_faults")
        rows = [tuple(str(row[key]) for key in keys) for row in result.rows()]
        say(f"{result.plan}: {result.planned_cables:,} cables")
        print_table([head, *rows])
        lines = result.causes
        for line in lines[:_MOST_LINES]:
            say(line)
        if len(lines) > _MOST_LINES:
            say(f"and {len(lines) - _MOST_LINES} more; -o writes sheets of all open tasks, --json prints all")
    for name in files:
        say(f"wrote {to.output}/{name}", err=True)
    newest = operation.discoveries[-1:] or tuple(files.rpartition(",")[2] for files in operation.plane)
    return monitored(result, to, 0 if result.done else OPEN, newest)
