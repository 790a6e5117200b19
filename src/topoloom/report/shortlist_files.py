"""The folders of shortlist: each a network folder that every operation opens, with its tables, its bill and what is known of
it.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from topoloom.cabling.cabling import cable
from topoloom.cabling.files import INSTALLER_FILES, cabling_files, layout_files, network_files
from topoloom.core.csv_files import csv_text
from topoloom.core.errors import InputError
from topoloom.core.staging import Content
from topoloom.cost.bill import Bill
from topoloom.designer.assessment.assessment import Assessment
from topoloom.fabric.cable_lengths import lengths_in
from topoloom.fabric.exports.registry import EXPORTS, ExportRequest, made_of
from topoloom.fabric.fabric import planned_fabric
from topoloom.model.network_folders import CABLES, FLOOR, HOSTS, HOUSING, NETWORK, PARTS, PROVENANCE, RACKS, TOPOLOGY
from topoloom.routing.fitting import ANY
from topoloom.routing.route import route
from topoloom.routing.routing import Routing
from topoloom.routing.table_files import TABLE_NAMES, table_contents

#: What a finalist's folder is called in the design's, and the file that says what is known of it.
SHORTLIST, ASSESSMENT = "shortlist", "assessment.json"
_OWN = (*(TOPOLOGY, PROVENANCE, NETWORK, PARTS, CABLES, FLOOR, HOUSING, HOSTS, RACKS), ASSESSMENT, "bill.csv")


def stale_in(folder: str) -> list[str]:
    """Patterns of what an earlier writing left in the folders of this one; what others put beside it stays."""
    exported = (f"exports/{name}/*" for name, record in EXPORTS.items() if not record.asked)
    inside = (*_OWN, *TABLE_NAMES, *INSTALLER_FILES, *exported)
    return [f"{folder}/*/{name}" for name in inside]


def shortlist_files(
    networks: Mapping[str, Assessment],
    operation: str,
    *,
    everything: bool,
    ready: Mapping[str, Mapping[str, Content]] = MappingProxyType({}),
) -> dict[str, Content]:
    """The files of networks that were fully assessed, by their paths in the folder of a design or a comparison.

    Parameters
    ----------
    networks : mapping of str to Assessment
        By the folder of each: "shortlist/1" for the first.
    operation : str
        Which writes them.
    everything : bool
        Labels, sheets, orders and NetBox's files for installers, too, and what other tools read: OpenSM, Slurm, simulators.
    ready : mapping of str to mapping, optional
        By spec, files of a layout that are made already: those of a large network are a gigabyte.

    Returns
    -------
    dict of str to str or bytes
    """
    found: dict[str, Content] = {}
    for name, one in networks.items():
        if one.layout is None:
            continue
        made = None if one.spec is None or everything else ready.get(one.spec)
        if made is not None:
            files = dict(made)
        else:
            cabling = cable(one.network)
            files = cabling_files(cabling) | _exports(one) if everything else layout_files(cabling)
        terms, requirements = one.network.terms, one.network.requirements
        files |= network_files(one.layout.topology, operation, terms, one.layout, requirements)
        if one.routing is not None:
            files |= table_contents(one.routing)
        if one.bill is not None:
            files["bill.csv"] = bill_csv(one.bill)
        files[ASSESSMENT] = msgspec.json.format(msgspec.json.encode(one.record()), indent=1) + b"\n"
        found |= {f"{name}/{inner}": content for inner, content in files.items()}
    return found


def _exports(one: Assessment) -> dict[str, Content]:
    """What other tools read, each in a folder; a tool whose files cannot say this network has a line instead."""
    if one.layout is None or one.routing is None:
        return {}
    fabric = planned_fabric(one.layout.topology)
    files: dict[str, Content] = {}
    routing: Routing = one.routing
    if routing.virtual_channel_rule != "pair":  # what other tools read has a virtual channel for each pair
        routing = route(one.layout.topology, ANY)
    order = ExportRequest(fabric, routing, lengths=lengths_in(one.layout, one.layout.topology), layout=one.layout)
    for name, record in EXPORTS.items():
        if record.asked:
            continue
        try:
            made = made_of(record, order)
        except InputError as error:
            made = {"not-written.txt": f"{error}\n"}
        files |= {f"exports/{name}/{inner}": text for inner, text in made.items()}
    return files


def _known(value: float, digits: int) -> str | None:
    """A number with so many digits; an empty cell where it is not known."""
    return None if math.isnan(value) else f"{value:.{digits}f}"


def bill_csv(bill: Bill) -> str:
    """The bill's lines and its sums."""
    columns = ("item", "count", "length_m", "cost_usd", "power_w", "cost_low_usd", "cost_high_usd")
    rows: list[list[object]] = [
        [
            line.item,
            line.count,
            f"{line.length_m:.1f}" if line.length_m else None,
            *(_known(value, digits) for value, digits in ((line.cost_usd, 2), (line.power_w, 1))),
            *(_known(value, 2) for value in (line.cost_low_usd, line.cost_high_usd)),
        ]
        for line in bill.lines
    ]
    low, high = bill.cost_low_usd, bill.cost_high_usd
    rows.append(["sum", None, None, f"{bill.cost_usd:.2f}", f"{bill.power_w:.1f}", f"{low:.2f}", f"{high:.2f}"])
    rows.append(
        [
            "per host",
            None,
            None,
            f"{bill.cost_per_host_usd:.4f}",
            f"{bill.power_per_host_w:.4f}",
            f"{bill.per_host(low):.4f}",
            f"{bill.per_host(high):.4f}",
        ]
    )
    return csv_text(columns, rows)
