"""`topoloom expand TOPOLOGY`: a plan, cable by cable, to a larger network; and the check of such a plan on paper."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_facts, print_record, print_table, say
from topoloom.cli.presentation import Json, Threads
from topoloom.core.amounts import price_range, with_currency
from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue.expand import ExpandOperation

if TYPE_CHECKING:
    from topoloom.cabling.expansion.expansion import Expansion, ExpansionStep
    from topoloom.cabling.expansion.panels.expansion import PanelExpansion
    from topoloom.machine.growing.expansion import MachineExpansion, NetworkGrowth
    from topoloom.model.topology import Topology

#: Steps that are listed on the screen; the others are in the files.
_SHOWN = 24


class _Output(Json, frozen=True, kw_only=True):
    check: Annotated[bool, setting("carry the plan out on paper, and compare")] = False
    output: (
        Annotated[str, setting("folder for the plan", option="-o --output", metavar="DIRECTORY", names="new folder")]
        | None
    ) = None


@declared(ExpandOperation, Threads, _Output)
def command(operation: ExpandOperation, threads: Threads, to: _Output) -> None:
    from topoloom.cabling.expansion.check import check_plan
    from topoloom.cabling.expansion.panels.expansion import PanelExpansion
    from topoloom.report.expansion_page import write_expansion

    if operation.of_machine:
        _machine(operation, to)
        return
    if to.check and operation.to is None and operation.into is None:
        _check(operation.topology, to.json)
        return
    if to.check and to.output is None:
        raise InputError("--check reads the plan's files; give -o as well, or the folder of a plan and nothing else")
    if to.output is not None:
        _refuse_own(operation.topology, to.output)
    plan = performed(operation, threads.jobs)
    if isinstance(plan, PanelExpansion):
        _panels(plan, to)
        return
    if to.output is not None:
        write_expansion(plan, to.output)
        if to.check:
            check_plan(to.output)
    if to.json:
        print_record(plan)
        return
    _print_plan(plan)
    if to.output is not None:
        say(f"wrote {to.output}")


def _machine(operation: ExpandOperation, to: _Output) -> None:
    """Grow a machine, and write the grown machine with the lists of what is added."""
    from topoloom.machine.folder import save_machine

    if to.check:
        raise InputError("--check: a machine grows without unplugging a cable, so there is no plan to check; omit it")
    if to.output is not None:
        _refuse_own(operation.topology, to.output)
    result: MachineExpansion = performed(operation)
    if to.output is not None:
        save_machine(result.machine, to.output, result.files())
    if to.json:
        print_record(result)
        return
    new = ", ".join(f"{count:,} {kind}" for kind, count in result.hosts.items())
    cost = price_range(result.cost_low_usd, result.cost_high_usd)
    amount = cost if cost == "no price" else f"{cost} {result.currency}"
    print_facts(
        result.title,
        [
            ("new hosts", new),
            ("new switches", f"{result.switches:,}"),
            ("new cables", f"{len(result.cables):,}"),
            ("new racks", ", ".join(result.racks) or "none"),
            ("filled racks", ", ".join(result.filled) or "none"),
            ("to buy", f"{amount}, without the hosts"),
        ],
    )
    if result.unpriced:
        say(f"without a price, and not in the sum: {', '.join(result.unpriced)}")
    say()
    head = ("network", "devices", "ports", "switches", "links", "free ports", "taper")
    print_table([head, *(_network_row(network) for network in result.networks)])
    if to.output is not None:
        say(f"wrote {to.output}: the grown machine, and added-devices.csv, added-cables.csv, added-order.csv")


def _network_row(network: "NetworkGrowth") -> tuple[str, ...]:
    numbers = (network.devices, network.ports, network.switches, network.links, network.free_ports)
    taper = "" if network.taper is None else f"{network.taper:.3g}"
    if network.taper_before is not None and taper != f"{network.taper_before:.3g}":
        taper = f"{network.taper_before:.3g}, then {taper}"
    return (network.name, *(f"{number:,}" for number in numbers), taper)


def _check(folder: str, as_json: bool) -> None:
    from topoloom.cabling.expansion.check import check_plan
    from topoloom.cabling.expansion.panels.check import check_panel_plan
    from topoloom.model.network_folders import PANEL_PLAN

    if (Path(folder) / PANEL_PLAN).is_file():
        checked = check_panel_plan(Path(folder))
        if as_json:
            print_record(checked)
            return
        counts = f"{checked.tasks} tasks in {checked.steps} steps give the {checked.pieces} cords and trunks"
        say(f"{counts} of after/fibre_cables.csv, exactly; up to {checked.most_down} links are down at a time")
        return
    result = check_plan(Path(folder))
    if as_json:
        print_record(result)
        return
    say(f"{result.tasks} tasks in {result.steps} steps give the {result.cables} cables of after/cables.csv, exactly")


def _print_plan(plan: "Expansion") -> None:
    before = plan.before.layout.topology
    head = ("step", "", "unplug", "move", "add", "switches", "diameter", "ASPL", "")
    rows: list[tuple[str, ...]] = [
        (
            str(number),
            step.title,
            str(step.unplug),
            str(step.move),
            str(step.add),
            str(step.switches),
            plain(step.diameter),
            plain(round(step.aspl, 4)),
            _remark(step),
        )
        for number, step in enumerate([plan.start, *plan.steps])
    ]
    if len(plan.steps) > _SHOWN:
        between = f"{len(plan.steps) - _SHOWN} more steps; -o writes them, --json prints them"
        rows[_SHOWN:-1] = [("...", between, *[""] * 7)]
    print_facts(
        f"{before.name} by {plan.method}: {len(plan.steps)} step{'s' * (len(plan.steps) != 1)}",
        [
            ("from", _size(before)),
            ("to", _size(plan.topology)),
            ("cables", f"{plan.removed} removed, {plan.added} added, {plan.kept} untouched"),
            (
                "tasks",
                ", ".join(f"{count} {work}" for work, count in plan.tasks.items()) + f"; {plan.bought} cables to buy",
            ),
            *_planes(plan),
            *_trunks(plan),
            ("longest_new", f"{plan.longest_new_m:.1f} m"),
            ("racks", f"{len(plan.racks_touched)} of {plan.racks_before} touched, {plan.racks_new} new"),
            ("ports", _ports(plan)),
            *_port_names(plan),
            ("cost", _cost_text(plan)),
            ("connected", plan.connectedness),
        ],
    )
    say()
    print_table([head, *rows])


def _panels(plan: "PanelExpansion", to: _Output) -> None:
    """Write and print the plan of a network with panels."""
    from topoloom.cabling.expansion.panels.check import check_panel_plan
    from topoloom.cabling.expansion.panels.plan_files import save_panel_expansion

    if to.output is not None:
        save_panel_expansion(plan, to.output)
        if to.check:
            check_panel_plan(to.output)
    if to.json:
        print_record(plan)
        return
    before = plan.before.layout.topology
    left = (
        f"; left over: {', '.join(f'{number} ({length_m:g} m)' for number, length_m in plan.left)}" if plan.left else ""
    )
    worst = max(step.cut_off for step in plan.steps)
    cost = "not known" if plan.cost_usd is None else with_currency(plan.cost_usd, plan.currency)
    unpriced = f"; no price for {', '.join(plan.unpriced)}" if plan.unpriced else ""
    print_facts(
        f"{before.name} by {plan.method}: {len(plan.steps)} step{'s' * (len(plan.steps) != 1)}",
        [
            ("from", _size(before)),
            ("to", _size(plan.topology)),
            *_trunks(plan),
            ("kept", f"{plan.kept:,} cords and trunks, with their numbers, ports and lengths"),
            ("to buy", _bought(plan)),
            ("cut trunks", f"{plan.moved:,} serve again with one end elsewhere{left}"),
            *([("loop plugs", f"{plan.loops_pulled:,} pulled out")] if plan.loops_pulled else []),
            ("drained", f"up to {plan.most_drained:,} links at a time, in {plan.rounds:,} rounds"),
            ("cut off", f"{worst:,} switches meanwhile"),
            ("racks", ", ".join(rack for step in plan.steps for rack in step.new_racks) or "no new one"),
            ("cost", f"{cost}{unpriced}"),
        ],
    )
    say()
    head = ("step", "", "panels", "rounds", "drained", "switches", "diameter", "ASPL")
    rows = [
        (
            str(number),
            step.title,
            " ".join(step.new_panels[:1]) + (f" .. {step.new_panels[-1]}" if len(step.new_panels) > 1 else ""),
            str(step.rounds),
            str(step.trunk_work.drained_links),
            f"{step.topology.switches:,}",
            plain(step.diameter),
            plain(round(step.aspl, 4)),
        )
        for number, step in enumerate(plan.steps, 1)
    ]
    print_table([head, *rows])
    if to.output is not None:
        say(f"wrote {to.output}")


def _bought(plan: "PanelExpansion") -> str:
    """What is bought, kind by kind."""
    counts = [
        f"{item.count:,} {item.product}" + (f" of {item.length_m:g} m" if item.length_m else "") for item in plan.bought
    ]
    return "; ".join(counts)


def _planes(plan: "Expansion") -> list[tuple[str, str]]:
    """One row per plane, if there are several: its tasks, with those of hosts' cables counted separately."""
    tasks = plan.tasks_by_plane()
    if len(tasks) < 2:
        return []
    rows = []
    for number, counts in enumerate(tasks):
        hosts = f", {counts['host']} of them of hosts" if counts["host"] else ""
        rows.append(
            (f"plane {number}", f"{counts['unplug']} unplug, {counts['move']} move, {counts['add']} add{hosts}")
        )
    return rows


def _trunks(plan: "Expansion | PanelExpansion") -> list[tuple[str, str]]:
    """A row about trunks and cords, if links pass through shuffle boxes."""
    work = [step.trunk_work for step in plan.steps if step.trunk_work is not None]
    if not work:
        return []
    boxes = sum(step.new_boxes for step in work)
    cut, ends = sum(step.trunks_cut for step in work), sum(step.trunk_ends_connected for step in work)
    cords, drained = sum(step.cords_connected for step in work), sum(step.drained_links for step in work)
    text = (
        f"{boxes:,} new box{'es' * (boxes > 1)}, {cut:,} trunks cut, {ends:,} trunk ends and {cords:,} cords connected"
    )
    return [("trunks", f"{text}, {drained:,} links drained")]


def _size(topology: "Topology") -> str:
    hosts = f", {topology.hosts:,} hosts" if topology.hosts else ""
    return f"{topology.switches:,} switches, {len(topology.links):,} links{hosts}"


def _remark(step: "ExpansionStep") -> str:
    if not step.connected:
        return "not connected"
    if step.cut_off:
        return f"cuts off {step.cut_off} switches for a while"
    return f"{step.interrupted} moves cut something off while they last" if step.interrupted else ""


def _ports(plan: "Expansion") -> str:
    if plan.radix <= plan.radix_before:
        return f"{plan.radix} per switch"
    note = f"existing switches use at most {plan.radix_before} now and need as many (not in the cost)"
    return f"{plan.radix} per switch; {note}"


def _port_names(plan: "Expansion") -> list[tuple[str, str]]:
    """A row about the names of the ports that the plan uses, if the network is cabled with named ports."""
    from topoloom.cabling.expansion.expansion import unnamed_ports

    if plan.before.fabric is None or not plan.before.fabric.named_ports:
        return []
    count = len(unnamed_ports(plan))
    ports = "1 free port that is used has" if count == 1 else f"{count} free ports that are used have"
    text = f"{ports} no name in the source, and only a number in the plan"
    return [("port_names", text if count else "of the source")]


def _cost_text(plan: "Expansion") -> str:
    cost, parts = plan.cost, plan.after.bought.parts
    named = cost.by_kind
    amounts = [f"{what} {usd:,.0f}" for what, usd in named.items() if usd and not math.isnan(usd)]
    unknown = [what for what, usd in named.items() if math.isnan(usd)]
    missing = f"; the catalogue {parts.name} has no price for {' and '.join(unknown)}" if unknown else ""
    if unknown and not amounts:
        return f"not known{missing}"
    return f"{with_currency(cost.total_usd, parts.currency)}: {', '.join(amounts) or 'nothing is bought'}{missing}"


def _refuse_own(source: str, folder: str) -> None:
    """Refuse to write a plan over the folder that it starts from."""
    place = Path(source)
    if not place.is_dir() and place.name != "cables.csv":
        return
    begin, end = place.resolve() if place.is_dir() else place.resolve().parent, Path(folder).resolve()
    # A plan's folder has the folders before and after; those of another plan must not be overwritten either.
    if begin == end or begin in end.parents or end in begin.parents:
        raise InputError(f"-o {folder}: it holds {source}, which the plan starts from; take another folder")
