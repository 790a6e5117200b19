"""`topoloom facility TOPOLOGY`: power, weight, air and liquid of racks, rows and the room."""

from typing import TYPE_CHECKING, Annotated

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_facts, print_record, print_table, say
from topoloom.cli.presentation import Json
from topoloom.core.settings import setting
from topoloom.operations.catalogue.facility import FacilityOperation

if TYPE_CHECKING:
    from topoloom.cost.facility import Facility, Supply

#: What to give where devices lack a figure.
_REMEDIES = {
    "maximum power": "give a quote with power_w, or power_w of the host",
    "typical power": "give typical_w in [host], or a quote with power_w",
    "weight": "give weight_kg",
    "airflow": "give air_m3h, or --air-k",
    "liquid": "give --liquid-k",
}
#: Racks that the table lists; more are in the record and in the file.
_MOST_RACKS = 64


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str, setting("write racks, rows and the total to this CSV file", option="-o --output", metavar="FILE")
        ]
        | None
    ) = None


@declared(FacilityOperation, _Output)
def command(operation: FacilityOperation, to: _Output) -> None:
    from topoloom.core.files import write_atomically

    result = performed(operation)
    if to.output is not None:
        write_atomically(to.output, result.csv())
    if to.json:
        print_record(result)
        return
    _print(result)
    if to.output is not None:
        say(f"wrote {to.output}")


def _print(result: "Facility") -> None:
    from topoloom.cost.supply_table import SUPPLY_HEAD, supply_cells

    total = result.total
    say(f"{result.provenance.name}: {total.racks} racks")
    shown = result.racks if len(result.racks) <= _MOST_RACKS else ()
    table: list[tuple[str, ...]] = [SUPPLY_HEAD]
    rows = result.rows_of_floor if len(result.rows_of_floor) > 1 else ()
    for prefix, several in (("rack ", shown), ("row ", rows), ("", (total,))):
        table += [supply_cells(supply, prefix) for supply in several]
    print_table(table)
    if not total.hosts:
        say("hosts have no racks of their own here, and are not counted; --server puts them into racks")
    if not shown:
        say(f"the {len(result.racks)} racks are in the record (--json) and in the file (-o)")
    least = ">= " if total.max_unknown else ""
    facts = [
        (what, f"{watts / 1000:,.1f} kW")
        for what, watts in (
            ("hosts", total.hosts_w),
            ("switches", total.switches_w),
            ("optics", total.optics_w),
            ("further devices", total.devices_w),
        )
        if watts
    ]
    if result.heat_btu_h is not None and result.fullest_w is not None:
        facts.append(("heat", f"{least}{result.heat_btu_h:,.0f} BTU/h"))
        facts.append(("fullest rack", f"{result.fullest_w / 1000:,.1f} kW; {_feeds(result, result.fullest_w / 1000)}"))
    if result.facility_w is not None:
        facts.append(("facility", f"{least}{result.facility_w / 1000:,.1f} kW at a PUE of {result.pue:g}"))
    if total.inlets:
        facts.append(("power inlets", f"{total.inlets:,} of hosts"))
    print_facts("maximum power" if facts else None, facts)
    _print_unknown(total)


def _feeds(result: "Facility", kw: float) -> str:
    if result.feeds == 1:
        return "one feed"
    return f"{result.feeds} feeds of {kw / result.feeds:,.1f} kW, {kw / (result.feeds - 1):,.1f} kW each when one fails"


def _print_unknown(total: "Supply") -> None:
    from topoloom.cost.supply_table import unknown_figures

    for what, count in unknown_figures(total):
        say(f"{count:,} devices have no {what}: the sums do not include them ({_REMEDIES[what]})")
