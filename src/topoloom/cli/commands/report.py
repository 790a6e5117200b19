"""`topoloom report MACHINE -o report.html`: the report of a machine."""

import os
from typing import TYPE_CHECKING, Annotated

from topoloom.cli.declared import declared
from topoloom.cli.output import print_record, print_table, say
from topoloom.cli.presentation import Json
from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue.report import ReportOperation

if TYPE_CHECKING:
    from topoloom.machine.report import MachineReport


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str,
            setting(
                "file for the page, which fetches nothing; with --site, the folder of the site, `site` in TOPOLOGY if omitted",
                option="-o --output",
                metavar="FILE.html",
            ),
        ]
        | None
    ) = None
    site: Annotated[
        bool,
        setting(
            "write the explorer's views of every network in the folder TOPOLOGY as a site that opens from disk, read-only"
        ),
    ] = False


@declared(ReportOperation, _Output)
def command(operation: ReportOperation, to: _Output) -> None:
    if to.site:
        _write_site(operation.topology, to)
        return
    from topoloom.machine.report import machine_report
    from topoloom.report.machine_page import check_page, stored_assessments, write_machine_page

    if to.output is not None:
        check_page(to.output)
    machine = operation.machine()
    result = machine_report(machine)
    if to.output is not None:
        write_machine_page(machine, result, to.output, stored_assessments(operation.topology, machine))
    if to.json:
        print_record(result)
        return
    _print(result)
    if to.output is not None:
        say(f"report: {to.output}")


def _write_site(folder: str, to: _Output) -> None:
    """Write the static site of a folder."""
    from topoloom.web.site import PAGE, write_site

    if to.json:
        raise InputError("--site writes a site and no record; omit --json")
    output = to.output or os.path.join(folder, "site")
    written = write_site(folder, output, progress=lambda text: say(text, err=True))
    say(f"site: {os.path.join(output, PAGE)} ({len(written)} files)")


def _print(result: "MachineReport") -> None:
    """Print the sums and the limits."""
    from topoloom.core.amounts import price_range
    from topoloom.machine.tables import LIMIT_HEAD, limit_rows

    figures, bill = result.overview, result.bill
    cost = price_range(bill.cost_low_usd, bill.cost_high_usd)
    say(
        f"{result.title}: {figures.hosts:,} hosts, {figures.switches:,} switches, {bill.cables:,} cables,"
        f" {figures.racks:,} racks; {cost}{'' if cost == 'no price' else f' {bill.currency}'}"
    )
    if result.exceeded:
        say(f"exceeded: {result.exceeded}")
    if result.limits:
        print_table([LIMIT_HEAD, *limit_rows(result)])
