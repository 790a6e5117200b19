"""The files of a growth in phases: a network folder for each phase, what is bought for it, and a table of all phases."""

import os
from pathlib import Path

import numpy as np

from topoloom.cabling.cabling import cable
from topoloom.cabling.expansion.phases.phase import Phase, PhaseNetwork, Phases
from topoloom.cabling.expansion.plan_files import reproducible
from topoloom.cabling.files import INSTALLER_FILES, layout_files, network_files
from topoloom.cabling.lists import orders_csv
from topoloom.core.csv_files import csv_table, csv_text, numbers
from topoloom.core.errors import check_path, check_type
from topoloom.core.folders import write_folder
from topoloom.core.json_files import indented_json
from topoloom.core.staging import Content
from topoloom.cost.purchase_files import purchase_csv
from topoloom.model.network_folders import CABLES, FLOOR, HOSTS, HOUSING, NETWORK, PARTS, PROVENANCE, RACKS, TOPOLOGY

#: The folder of the phases in a folder of a design; the record, the table, what is bought, and the numbers of switches.
PHASES, RECORD, TABLE, PURCHASE, NUMBERS = "phases", "phases.json", "phases.csv", "purchase.csv", "numbers.csv"
_OF_A_PHASE = (
    *(TOPOLOGY, PROVENANCE, NETWORK, PARTS, CABLES, FLOOR, HOUSING, HOSTS, RACKS),
    *("bought.csv", "order.csv", "new-cables.csv"),
    *INSTALLER_FILES,
)


def save_phases(phases: Phases, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the phases into a folder, all of it or nothing; returns the paths.

    ``phases.json``, the record; ``phases.csv``, one row per phase; ``purchase.csv``, all items by part number, with the phase
    in which they are bought; ``numbers.csv``, the number in the network's spec of each switch; and for each phase a network
    folder ``1``, ``2``, ... with ``bought.csv``, the lines to buy, ``order.csv``, the cables and transceivers to order, and
    ``new-cables.csv``, the cables to plug in.

    Raises
    ------
    InputError
        The folder cannot be created, or a file in it cannot be written; nothing has changed then.
    """
    check_type(phases, Phases, "save_phases", "phases(network, hosts) returns one")
    check_path(folder, "save_phases", "name a folder")
    return write_folder(folder, phases_files(phases), stale=stale_phases())


def stale_phases(folder: str = "") -> list[str]:
    """Patterns of the files that an earlier run wrote."""
    inside = f"{folder}/" if folder else ""
    return [f"{inside}{name}" for name in (RECORD, TABLE, PURCHASE, NUMBERS)] + [
        f"{inside}[0-9]*/{name}" for name in _OF_A_PHASE
    ]


def phases_files(phases: Phases, operation: str = "phases") -> dict[str, Content]:
    """The files of `save_phases`, by name."""
    files: dict[str, Content] = {RECORD: indented_json(reproducible(phases.record())), TABLE: phases_csv(phases)}
    if phases.number is not None:
        switches = np.arange(phases.number.size)
        files[NUMBERS] = csv_table({"switch": numbers(switches), "number": numbers(phases.number)})
    if phases.networks:
        files[PURCHASE] = purchase_csv([bill for _, bill in phases.purchases()])
    plugged: set[int] = set()
    for phase, network in zip(phases.phases, phases.networks, strict=False):
        inner = _files(phase, network, operation, phases.currency, plugged)
        files |= {f"{phase.number}/{name}": content for name, content in inner.items()}
    return files


def _files(phase: Phase, network: PhaseNetwork, operation: str, currency: str, plugged: set[int]) -> dict[str, Content]:
    """The files of one phase; `plugged` are the cables of the phases before, and is updated."""
    layout, terms = network.layout, network.terms
    cabling = cable(layout, terms.catalogue, network.bill.rate_gbps, True, network.plugs)
    files: dict[str, Content] = {**network_files(layout.topology, operation, terms, layout), **layout_files(cabling)}
    files["bought.csv"] = bought_csv(phase, currency)
    files["order.csv"] = orders_csv(phase.orders, currency)
    new = [row for row in cabling.rows() if row["cable"] not in plugged]
    plugged.update(cabling.number.tolist())
    columns = tuple(new[0]) if new else ("cable",)
    files["new-cables.csv"] = csv_text(columns, ([_text(row[column]) for column in columns] for row in new))
    return files


def phases_csv(phases: Phases) -> str:
    """One row per phase."""
    rows = phases.rows()
    return csv_text(tuple(rows[0]), ([_text(value) for value in row.values()] for row in rows))


def bought_csv(phase: Phase, currency: str) -> str:
    """One row per line that is bought for a phase; its cost is in this currency."""
    columns = ("phase", "by", "kind", "item", "count", "length_m", "cost_usd", "currency")
    return csv_text(
        columns,
        (
            [
                *(phase.number, phase.by, line.kind, line.item, line.count),
                f"{line.length_m:.1f}" if line.length_m else None,
                None if np.isnan(line.cost_usd) else f"{line.cost_usd:.2f}",
                currency,
            ]
            for line in phase.bought
        ),
    )


def _text(value: object) -> object:
    """A cell: floats with at most six digits after the point."""
    return f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
