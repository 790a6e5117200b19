"""The folders of the shortlist: network folders that every operation opens, each with its tables, bill and assessment."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from topoloom.cabling.cabling import cable
from topoloom.cabling.files import INSTALLER_FILES, cabling_files, layout_files, network_files
from topoloom.core.csv_files import csv_text
from topoloom.core.errors import InputError
from topoloom.core.json_files import indented_json
from topoloom.core.staging import Content
from topoloom.cost.bill import Bill, price
from topoloom.cost.purchase_files import purchase_content
from topoloom.designer.assessment.assessment import Assessment
from topoloom.fabric.cable_lengths import lengths_in
from topoloom.fabric.exports.registry import EXPORTS, ExportRequest, made_of
from topoloom.fabric.fabric import Fabric
from topoloom.model.network_folders import (
    ASSESSMENT,
    CABLED,
    CABLES,
    FLOOR,
    HOSTS,
    HOUSING,
    NETWORK,
    PARTS,
    PROVENANCE,
    RACKS,
    TOPOLOGY,
)
from topoloom.network.folder import fabric_files
from topoloom.routing.fitting import ANY
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.routing.table_files import TABLE_NAMES, table_contents

#: The folder of the shortlist in a design's folder.
SHORTLIST = "shortlist"
#: The workbook of a bill, that of its phases, and files with the reason why one is missing.
BILL_BOOK, PHASES_BOOK = "bill.xlsx", "phases.xlsx"
WORKBOOKS = (BILL_BOOK, PHASES_BOOK, *(f"{name}-not-written.txt" for name in (BILL_BOOK, PHASES_BOOK)))
_NETWORK_FILES = (
    *(TOPOLOGY, PROVENANCE, NETWORK, PARTS, CABLES, CABLED, FLOOR, HOUSING, HOSTS, RACKS),
    *(ASSESSMENT, "bill.csv", *WORKBOOKS),
)


def stale_in(folder: str) -> list[str]:
    """Patterns of the files that an earlier run wrote into the folders below this one; other files stay."""
    exported = (f"exports/{name}/*" for name, record in EXPORTS.items() if not record.asked)
    inside = (*_NETWORK_FILES, *TABLE_NAMES, *INSTALLER_FILES, *exported)
    return [f"{folder}/*/{name}" for name in inside]


def shortlist_files(
    networks: Mapping[str, Assessment],
    operation: str,
    *,
    everything: bool,
    ready: Mapping[str, Mapping[str, Content]] = MappingProxyType({}),
) -> dict[str, Content]:
    """The files of fully assessed networks, by their paths in the folder of a design or a comparison.

    Parameters
    ----------
    networks : mapping of str to Assessment
        By folder: "shortlist/1" for the first.
    operation : str
        The operation that writes them, for their provenance.
    everything : bool
        Whether to add labels, sheets, orders and NetBox files for installers, and files for OpenSM, Slurm and simulators.
    ready : mapping of str to mapping, optional
        By spec, layout files that exist already: those of a large network take a gigabyte.

    Returns
    -------
    dict of str to str or bytes
    """
    contents: dict[str, Content] = {}
    for name, assessed in networks.items():
        if assessed.layout is None:
            continue
        layout_ready = None if assessed.spec is None or everything else ready.get(assessed.spec)
        if layout_ready is not None:
            files = dict(layout_ready)
        else:
            cabling = cable(assessed.network)
            files = cabling_files(cabling) | _exports(assessed) if everything else layout_files(cabling)
        terms, requirements = assessed.network.terms, assessed.network.requirements
        files |= network_files(assessed.layout.topology, operation, terms, assessed.layout, requirements)
        files |= fabric_files(assessed.network, operation)
        if assessed.routing is not None:
            files |= table_contents(assessed.routing)
        if assessed.bill is not None:
            files["bill.csv"] = bill_csv(assessed.bill)
            if BILL_BOOK not in files:
                files |= workbook(BILL_BOOK, [price(assessed.network, orders=True)])
        files[ASSESSMENT] = indented_json(assessed.record())
        contents |= {f"{name}/{inner}": content for inner, content in files.items()}
    return contents


def workbook(name: str, bills: Sequence[Bill]) -> dict[str, Content]:
    """The workbook of a purchase, by its name; a file with the reason where it cannot be made.

    Parameters
    ----------
    name : str
        `BILL_BOOK` or `PHASES_BOOK`.
    bills : sequence of Bill
        With their items.

    Returns
    -------
    dict of str to str or bytes
        One file.
    """
    try:
        return {name: purchase_content(bills, ".xlsx")}
    except InputError as error:
        return {f"{name}-not-written.txt": f"{error}\n"}


def _exports(assessed: Assessment) -> dict[str, Content]:
    """The files for other tools, one folder per tool; a tool that cannot represent the network gets a file with the reason."""
    if assessed.layout is None or assessed.routing is None:
        return {}
    fabric: Fabric = assessed.network.fabric
    files: dict[str, Content] = {}
    routing: Routing = assessed.routing
    if routing.virtual_channel_rule != "pair":  # other tools' formats have one virtual channel per pair
        routing = route(assessed.layout.topology, ANY)
    order = ExportRequest(
        fabric, routing, lengths=lengths_in(assessed.layout, assessed.layout.topology), layout=assessed.layout
    )
    for name, record in EXPORTS.items():
        if record.asked:
            continue
        try:
            tool_files = made_of(record, order)
        except InputError as error:
            tool_files = {"not-written.txt": f"{error}\n"}
        files |= {f"exports/{name}/{inner}": text for inner, text in tool_files.items()}
    return files


def _cell(value: float, digits: int) -> str | None:
    """A number with this many decimals; None, an empty cell, where it is not known."""
    return None if math.isnan(value) else f"{value:.{digits}f}"


def bill_csv(bill: Bill) -> str:
    """The lines of a bill and their sums, as CSV."""
    columns = ("item", "count", "length_m", "cost_usd", "power_w", "cost_low_usd", "cost_high_usd", "currency")
    rows: list[list[object]] = [
        [
            line.item,
            line.count,
            f"{line.length_m:.1f}" if line.length_m else None,
            *(_cell(value, digits) for value, digits in ((line.cost_usd, 2), (line.power_w, 1))),
            *(_cell(value, 2) for value in (line.cost_low_usd, line.cost_high_usd)),
            bill.currency,
        ]
        for line in bill.lines
    ]
    low, high = bill.cost_low_usd, bill.cost_high_usd
    rows.append(
        ["sum", None, None, f"{bill.cost_usd:.2f}", f"{bill.power_w:.1f}", f"{low:.2f}", f"{high:.2f}", bill.currency]
    )
    rows.append(
        [
            "per host",
            None,
            None,
            f"{bill.cost_per_host_usd:.4f}",
            f"{bill.power_per_host_w:.4f}",
            f"{bill.per_host(low):.4f}",
            f"{bill.per_host(high):.4f}",
            bill.currency,
        ]
    )
    return csv_text(columns, rows)
