"""The report of a machine: one page each for the machine, for every network in its racks, and for the room."""

import math
import os
from collections.abc import Iterator, Mapping, Sized
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from markupsafe import Markup

from topoloom._version import __version__
from topoloom.cabling.cabling import cable
from topoloom.core.amounts import price_range, with_currency
from topoloom.core.errors import InputError
from topoloom.core.files import write_atomically
from topoloom.core.pages.templating import rendered
from topoloom.cost.bill import Bill, sum_of_known
from topoloom.cost.lines import Line
from topoloom.cost.price_age import expired_quotes, price_notes
from topoloom.cost.supply_table import unknown_figures
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.measure import maximum_channel_load
from topoloom.drawing.draw import draw_network
from topoloom.machine.bill import MachineBill
from topoloom.machine.designing import MachineDesign, design_files
from topoloom.machine.folder import save_machine
from topoloom.machine.machine import Machine
from topoloom.machine.report import MachineReport, machine_report
from topoloom.machine.tables import (
    COMMON,
    LIMIT_HEAD,
    PHASE_HEAD,
    BillRow,
    host_rows,
    limit_rows,
    machine_bill_rows,
    network_rows,
    phase_rows,
)
from topoloom.model.network_folders import ASSESSMENT, NETWORKS
from topoloom.placement.layout.layout import Layout
from topoloom.report.assessment_tables import networks_side_by_side
from topoloom.report.floorplan import floorplan_svg
from topoloom.report.machine_room import power_on, room_section
from topoloom.report.on_floor import FLOOR_CAPTION, STRUCTURE_CAPTION, cable_cards
from topoloom.report.page import cards, figure, page, table
from topoloom.report.side_by_side import side_by_side

#: The name of the page in the folder of a machine.
PAGE = "report.html"
#: Items of the list of the largest ones, and of those that lack a figure.
_LARGEST, _MOST_LACKING = 12, 8
_STYLE = """
.cards { grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); }
.card b { white-space: normal; }
.sheet { break-before: page; }
#room td.text:first-child { white-space: nowrap; }
.views { display: flex; flex-wrap: wrap; gap: 24px; }
.views figure { margin: 0; width: 400px; }
.contents a { margin-right: 10px; }
.side-by-side tbody th { font-weight: 400; border-bottom: 1px solid var(--line); width: 45%; }
.side-by-side tr.group th { color: var(--ink); font-weight: 600; padding-top: 12px; border-bottom: 2px solid var(--line); }
.side-by-side .how { display: block; line-height: 1.3; }
@media print {
  section > figure svg { max-height: 84mm; }
  .cards { grid-template-columns: repeat(5, 1fr); }
  .views { display: block; }
  .views figure { display: inline-block; width: 88mm; }
  .views figure svg { max-height: 122mm; }
}
"""


def stored_assessments(folder: str | os.PathLike[str], machine: Machine) -> dict[str, Assessment]:
    """The assessments in the folder of a machine, by network; empty where the design made none.

    Parameters
    ----------
    folder : path
    machine : Machine

    Returns
    -------
    dict of str to Assessment

    Raises
    ------
    InputError
        A record is damaged.
    """
    files = {name: Path(folder) / NETWORKS / name / ASSESSMENT for name in machine.networks}
    return {name: Assessment.load(path) for name, path in files.items() if path.is_file()}


def machine_page(
    machine: Machine, report: MachineReport, assessments: Mapping[str, Assessment] = MappingProxyType({})
) -> str:
    """The report as one self-contained HTML page without scripts, which prints each of its sections on new pages.

    Parameters
    ----------
    machine : Machine
    report : MachineReport
        Its figures.
    assessments : mapping of str to Assessment
        What was measured of each network, by its name.

    Returns
    -------
    str
        An HTML document that fetches nothing.
    """
    bill, own = report.bill, machine_bill_rows(report.bill)
    body = rendered(
        "machine.html",
        title=report.title,
        version=__version__,
        networks=list(machine.networks),
        cards=_cards(report),
        exceeded=report.exceeded,
        hosts=_hosts(machine, report),
        network_table=_networks(report),
        ports=_ports(report),
        bills=_bills(bill),
        common=bill_table(own[COMMON], bill.currency),
        largest=_largest(bill),
        missing=list(_missing(machine, report)),
        phases=table(PHASE_HEAD, phase_rows(report.bill), text=frozenset({0, 1})) if report.bill.phases else "",
        limits=table(LIMIT_HEAD, limit_rows(report), text=frozenset({0, 1, 2})) if report.limits else "",
        sheets=[
            _network_section(machine, report, number) | _measured(assessments.get(name))
            for number, name in enumerate(machine.networks)
        ],
        room=room_section(machine, report.facility),
    )
    return page(report.title, [body], style=_STYLE)


def check_page(path: str | os.PathLike[str]) -> None:
    """Check that a page can be written to `path`, by its ending and its folder.

    Raises
    ------
    InputError
        The name ends otherwise than in .html, or there is no such folder.
    """
    place = Path(path)
    if place.suffix.lower() != ".html":
        raise InputError(f"output {path}: end its name in .html")
    if not place.parent.is_dir():
        raise InputError(f"output {path}: there is no folder {place.parent}; create it first")


def write_machine_page(
    machine: Machine,
    report: MachineReport,
    path: str | os.PathLike[str],
    assessments: Mapping[str, Assessment] = MappingProxyType({}),
) -> None:
    """Write the page, completely or not at all.

    Parameters
    ----------
    machine : Machine
    report : MachineReport
    path : path
        A file whose name ends in .html.
    assessments : mapping of str to Assessment
        What was measured of each network, by its name.

    Raises
    ------
    InputError
        As `check_page`; or the file cannot be written.
    """
    check_page(path)
    write_atomically(path, machine_page(machine, report, assessments))


def save_machine_design(design: MachineDesign, folder: str | os.PathLike[str]) -> None:
    """Write the folder of a designed machine, with its bill, its order and its page.

    Nothing is written where no machine is within the limits.

    Parameters
    ----------
    design : MachineDesign
    folder : path
        Created if missing; its parent folder must exist.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    if design.machine is not None and design.bill is not None:
        page = machine_page(design.machine, machine_report(design.machine), design.assessments)
        save_machine(design.machine, folder, design_files(design) | {PAGE: page})


def _measured(assessment: Assessment | None) -> dict[str, Any]:
    """The figures of a network that was assessed, and what they are of."""
    if assessment is None:
        return {"measured": "", "why": ""}
    # As it is stored, where bounds without an end are not known: `report` then gives the same page as `design`.
    stored = Assessment.from_record(assessment.record())
    return {"measured": side_by_side(networks_side_by_side([stored])), "why": stored.why}


def _cards(report: MachineReport) -> Markup:
    """The machine in numbers."""
    figures, bill, total = report.overview, report.bill, report.facility.total
    items = [
        (f"{figures.hosts:,}", f"hosts of {_count(len(figures.kinds), 'kind')}"),
        (f"{figures.switches:,}", f"switches of {_count(len(figures.networks), 'network')}"),
        (f"{bill.cables:,}", f"cables, for {figures.connections:,} links and ports"),
        (f"{figures.racks:,}", "racks"),
    ]
    if not math.isnan(bill.cost_usd):
        low, high = bill.cost_low_usd, bill.cost_high_usd
        between = f", between {price_range(low, high).replace('-', ' and ')}" if low < high else ""
        items.append((f"{with_currency(bill.cost_usd, bill.currency)}", f"bill of all networks{between}"))
    items.append((f"{_least(bill.unmetered)}{bill.power_w / 1000:,.1f} kW", "typical power of all networks"))
    if total.max_w is not None:
        least = ">= " if total.max_unknown else ""
        items.append((f"{least}{total.max_w / 1000:,.1f} kW", "maximum power of all IT, hosts included"))
    return cards(items)


def _least(unknown: Sized) -> str:
    """The mark of a lower bound where something is not known."""
    return ">= " if len(unknown) else ""


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _hosts(machine: Machine, report: MachineReport) -> Markup:
    """The kinds of hosts."""
    networks = list(machine.networks)
    head = ["hosts", "role", "count", "units each", "racks", "max W each", "max kW in all", *networks]
    rows = []
    for cells, kind, own in zip(host_rows(report.overview), report.overview.kinds, machine.kinds, strict=True):
        name, role, count, racks, watts, _ = cells
        in_all = f"{kind.hosts * kind.power_w / 1000:,.1f}" if kind.power_w else "not known"
        ports = [f"{kind.ports[network]:,}" if network in kind.ports else "" for network in networks]
        rows.append([name, role, count, f"{own.units:g}", racks, watts, in_all, *ports])
    return table(head, rows, text=frozenset({0, 1}))


def _networks(report: MachineReport) -> Markup:
    """The networks."""
    head = ["network", "Gb/s", "switches", "leaves", "links", "devices", "ports", "taper", "racks"]
    rows = []
    for cells, network in zip(network_rows(report.overview), report.overview.networks, strict=True):
        name, rate, switches, links, devices, ports, metres, longest, topology = cells
        taper = "" if network.taper is None else f"{network.taper:.2f}:1"
        own = [name, rate, switches, f"{network.leaves:,}", links, devices, ports, taper, f"{network.racks:,}"]
        rows.append([*own, metres, longest, topology])
    return table([*head, "cables", "longest", "topology"], rows, text=frozenset({0, 11}))


def _ports(report: MachineReport) -> Markup:
    """The ports of each kind of device on each network."""
    networks = report.overview.networks
    kinds = dict.fromkeys(kind for network in networks for kind in network.by_kind)
    rows = [[kind, *(_or_empty(network.by_kind.get(kind, 0)) for network in networks)] for kind in kinds]
    rows.append(["all", *(f"{network.ports:,}" for network in networks)])
    return table(["ports of", *(network.name for network in networks)], rows, text=frozenset({0}), best=len(rows) - 1)


def _or_empty(count: int) -> str:
    return f"{count:,}" if count else ""


def _bills(bill: MachineBill) -> Markup:
    """The sums of all bills: networks, what they share, the total."""
    head = ["network", "switches", "cables", f"cost [{bill.currency}]", "middle", "share", "typical power [W]"]
    rows = [
        [name, f"{each.switches:,}", _cables(each.lines), *_sums(each, bill)]
        for name, each in zip(bill.names, bill.bills, strict=True)
    ]
    low, high = (
        sum_of_known([getattr(line, key) for line in bill.common]) for key in ("cost_low_usd", "cost_high_usd")
    )
    power = f"{sum_of_known([line.power_w for line in bill.common]):,.0f}"
    rows.append(["shared: racks, spares", "", _cables(bill.common), *_prices(low, high, bill), power])
    rows.append(["total", f"{bill.switches:,}", f"{bill.cables:,}", *_sums(bill, bill)])
    return table(head, rows, text=frozenset({0}), best=len(rows) - 1)


def _cables(lines: tuple[Line, ...]) -> str:
    return _or_empty(sum(line.count for line in lines if line.kind == "cable" and "spare" not in line.item))


def _sums(own: Bill | MachineBill, bill: MachineBill) -> list[str]:
    """Price, middle, share and power of a bill."""
    return [*_prices(own.cost_low_usd, own.cost_high_usd, bill), f"{_least(own.unmetered)}{own.power_w:,.0f}"]


def _prices(low: float, high: float, bill: MachineBill) -> list[str]:
    """A price or its range, the middle, and the share of the whole bill."""
    middle = (low + high) / 2
    if math.isnan(middle):
        return [price_range(low, high), "", ""]
    return [price_range(low, high), f"{middle:,.0f}", f"{middle / bill.cost_usd:.1%}" if bill.cost_usd else ""]


def bill_table(rows: list[BillRow], currency: str) -> Markup:
    """The lines of a bill and their sum, as `topoloom cost` prints them.

    Parameters
    ----------
    rows : list of BillRow
    currency : str
    """
    head = ["item", "count", "metres", f"cost [{currency}]", "typical power [W]"]
    cells = [[row.item, row.count, row.metres, row.price, row.power] for row in rows]
    return table(head, cells, text=frozenset({0}), best=len(cells) - 1)


def _largest(bill: MachineBill) -> Markup:
    """The lines of all bills that cost most; that take most power where nothing has a price."""
    lines = [(name, line) for name, each in zip(bill.names, bill.bills, strict=True) for line in each.lines]
    lines += [(COMMON, line) for line in bill.common]
    priced = not math.isnan(bill.cost_usd)

    def value(line: Line) -> float:
        amount_of = line.cost_usd if priced else line.power_w
        return 0.0 if math.isnan(amount_of) else amount_of

    total = bill.cost_usd if priced else bill.power_w
    largest = sorted(lines, key=lambda pair: -value(pair[1]))[:_LARGEST]
    head = ["network", "item", "count", f"cost [{bill.currency}], middle" if priced else "typical power [W]", "share"]
    rows = [
        [name, line.item, f"{line.count:,}", f"{value(line):,.0f}", f"{value(line) / total:.1%}"]
        for name, line in largest
        if value(line)
    ]
    return table(head, rows, text=frozenset({0, 1})) if rows else Markup("")


def _missing(machine: Machine, report: MachineReport) -> Iterator[str]:
    """What the sums do not include, one sentence each."""
    bill = report.bill
    devices: dict[str, int] = {}
    for _, device, _ in machine.racks.devices:
        devices[device.name] = devices.get(device.name, 0) + 1
    others = "".join(f" and {count:,} {name}" for name, count in devices.items())
    yield f"The bill is that of the networks: {report.overview.hosts:,} hosts{others} have no price in it."
    if math.isnan(bill.cost_usd):
        yield "Nothing in the bill has a price: quotes of vendors (`prices` in the machine file) give prices."
    lines = [(name, line) for name, each in zip(bill.names, bill.bills, strict=True) for line in each.lines]
    lines += [(COMMON, line) for line in bill.common]
    keys = (("price", "cost_usd"), ("typical power", "power_w"))
    for what, key in keys[math.isnan(bill.cost_usd) :]:
        lacking = [f"{line.count:,} x {line.item} ({name})" for name, line in lines if math.isnan(getattr(line, key))]
        more = f"; and {len(lacking) - _MOST_LACKING:,} more items" if len(lacking) > _MOST_LACKING else ""
        if lacking:
            yield f"No {what} is known of {'; '.join(lacking[:_MOST_LACKING])}{more}: the sums do not include them."
    for what, count in unknown_figures(report.facility.total):
        yield f"{_count(count, 'device')} {'have' if count > 1 else 'has'} no {what}: the sums of the room do not include them."
    notes = dict.fromkeys(
        note
        for network in machine.networks.values()
        for note in (*price_notes(network.terms.catalogue), expired_quotes(network.terms.catalogue))
        if note
    )
    yield from (f"Age of prices: {note}." for note in notes)


def _network_section(machine: Machine, report: MachineReport, number: int) -> dict[str, Any]:
    """The values of a network's section."""
    name, network = list(machine.networks.items())[number]
    figures, bill = report.overview.networks[number], report.bill.bills[number]
    layout = network.part(Layout)
    others = np.setdiff1d(machine.slot, layout.used)
    power = power_on(layout, machine, report.facility)
    plan = floorplan_svg(layout, cable(network).link_medium, power, others=others)
    numbers = [
        (f"{figures.switches:,}", f"switches in {_count(figures.racks, 'rack')}"),
        (f"{figures.rate_gbps:g} Gb/s", "rate of its links"),
        (f"{figures.links:,}", "links between switches"),
        (f"{figures.ports:,}", f"ports of {_count(figures.devices, 'device')}"),
        (f"{figures.longest_m:,.1f} m", f"longest cable; {figures.cables_m:,.0f} m in all"),
        (f"{_least(bill.unmetered)}{bill.power_w / 1000:,.1f} kW", "typical power"),
    ]
    if figures.taper is not None:
        numbers.insert(4, (f"{figures.taper:.2f}:1", "taper: most ports down per port up"))
    if not math.isnan(bill.cost_usd):
        numbers.append((with_currency(bill.cost_usd, bill.currency), "its bill, middle of the range"))
    groups = [
        [
            group.kind,
            f"{len(group.names):,}",
            f"{group.ports:,}",
            f"{group.total:,}",
            f"{group.rate_gbps:g}",
            group.names[0] if len(group.names) == 1 else f"{group.names[0]} to {group.names[-1]}",
        ]
        for group in machine.groups[name]
    ]
    head = ["devices", "count", "ports each", "ports", "Gb/s", "names"]
    return {
        "name": name,
        "topology": "" if figures.topology == name else figures.topology,
        "parts": network.terms.catalogue.name,
        "cards": cards(numbers),
        "groups": table(head, groups, text=frozenset({0, 5})),
        "load": maximum_channel_load(layout.topology) if layout.topology.links.size else None,
        "structure": figure(draw_network(network).svg(), STRUCTURE_CAPTION),
        "plan": figure(plan, FLOOR_CAPTION),
        "cables": cable_cards(layout) if layout.topology.links.size else "",
        "bill": bill_table(machine_bill_rows(report.bill)[name], bill.currency),
    }
