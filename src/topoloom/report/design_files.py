"""The files of a design's folder."""

from pathlib import Path
from typing import Any

import msgspec

from topoloom.cabling.cabling import Cabling, cable
from topoloom.cabling.expansion.phases.files import PHASES, phases_files, stale_phases
from topoloom.cabling.files import layout_files, network_files
from topoloom.core.csv_files import csv_text
from topoloom.core.folders import write_folder
from topoloom.core.staging import Content
from topoloom.cost.bill import Bill, price
from topoloom.cost.facility import rack_power
from topoloom.designer.design import Design
from topoloom.designer.measure import without_gaps
from topoloom.designer.outcomes import MEASURES
from topoloom.designer.placing import placed_network
from topoloom.model.network_folders import HOSTS, HOUSING, NETWORK, PARTS, RACKS, refuse_other_network
from topoloom.network import Network
from topoloom.placement.layout.layout import Layout
from topoloom.report.design_page import design_figures, design_page
from topoloom.report.floorplan import floorplan_svg
from topoloom.report.shortlist_files import (
    BILL_BOOK,
    PHASES_BOOK,
    SHORTLIST,
    WORKBOOKS,
    bill_csv,
    shortlist_files,
    stale_in,
    workbook,
)
from topoloom.routing.table_files import TABLE_NAMES

_OF_WINNER = (
    "topology.json",
    "provenance.json",
    NETWORK,
    PARTS,
    "cables.csv",
    "floor.toml",
    "bill.csv",
    *WORKBOOKS,
    HOUSING,
    HOSTS,
    RACKS,
    "floorplan.svg",
    "cost-latency.svg",
    "power-bisection.svg",
    "hops.svg",
)
#: Files that are the same in the design's folder and in its winner's.
_OF_A_LAYOUT = ("cables.csv", "floor.toml", HOUSING, HOSTS, RACKS, BILL_BOOK)


def write_design(design: Design, folder: str | Path, *, everything: bool = False) -> list[Path]:
    """Write the report and the tables, the winner's files if there is a winner, and one folder per network of the shortlist.

    All files are written, or none; files that an earlier design left are removed.

    Parameters
    ----------
    design : Design
    folder : path
        Created if it does not exist; its parent folder must exist.
    everything : bool
        Whether the shortlist's folders also contain the files for installers and for other tools.

    Returns
    -------
    list of Path
        The paths of the files in `folder`.

    Raises
    ------
    InputError
        The folder cannot be made or written.
    """
    files: dict[str, Content] = {"candidates.csv": candidates_csv(design), "design.json": design_json(design)}
    parts = design.requirement.catalogue()
    layout: Layout | None = None
    bill: Bill | None = None
    plan: str | None = None
    cables: Cabling | None = None
    network: Network | None = design.network
    if design.winner is not None:
        if network is None:  # a design that was read from a file
            network = placed_network(design.winner.spec, design.requirement, parts, design.winner.map)
        refuse_other_network(folder, network.topology.digest, "design")
        layout, terms = network.part(Layout), network.terms
        bill = without_gaps(network.bill, parts)
        cables = cable(network)
        plan = floorplan_svg(layout, cables.link_medium, rack_power(layout, terms))
        files |= network_files(network.topology, "design", terms, layout, network.requirements)
        files |= layout_files(cables)
        files["bill.csv"] = bill_csv(bill)
        files |= workbook(BILL_BOOK, [price(network, orders=True)])
        files["floorplan.svg"] = plan
    files |= _of_phases(design)
    drawn = design_figures(design)
    files |= {name: svg for name, (svg, _) in drawn.items()}
    files["report.html"] = design_page(design, parts, layout, bill, drawn, plan, cables=cables, written=tuple(files))
    files |= shortlist_files(
        {f"{SHORTLIST}/{number}": assessed for number, assessed in enumerate(design.shortlist, 1)},
        "design",
        everything=everything,
        ready={}
        if design.best is None
        else {design.best: {name: files[name] for name in _OF_A_LAYOUT if name in files}},
    )
    stale = [*_OF_WINNER, *TABLE_NAMES, *stale_in(SHORTLIST), *stale_phases(PHASES)]
    return write_folder(folder, files, stale=[*stale, *stale_phases(f"{SHORTLIST}/*/{PHASES}")])


def _of_phases(design: Design) -> dict[str, Content]:
    """The files of the phases of each network of the shortlist, or of the winner; and a workbook of all that they buy."""
    folders = {assessed.spec: f"{SHORTLIST}/{number}/" for number, assessed in enumerate(design.shortlist, 1)}
    files: dict[str, Content] = {}
    for grown in design.phases:
        place = folders.get(grown.spec, "")
        files |= {f"{place}{PHASES}/{name}": content for name, content in phases_files(grown, "design").items()}
        if not grown.networks:  # a design that was read from a file has no items to buy
            continue
        book = workbook(PHASES_BOOK, [bill for _, bill in grown.purchases()])
        for inside in {place, "" if grown.spec == design.best else place}:
            files |= {f"{inside}{name}": content for name, content in book.items()}
    return files


def candidates_csv(design: Design) -> str:
    """Every candidate, ranked ones first: rank, Pareto front, the limit that dropped it, and its measures."""
    columns = ("rank", "pareto", "spec", "family", "dropped", "map", *MEASURES, "currency")
    return csv_text(columns, ([_cell(row[column]) for column in columns] for row in design.rows()))


def _cell(value: Any) -> str | int | None:
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.10g}" if isinstance(value, float) else value


def design_json(design: Design) -> str:
    """The design's record, as `Design.save` writes it."""
    return msgspec.json.format(msgspec.json.encode(design.record()), indent=1).decode() + "\n"
