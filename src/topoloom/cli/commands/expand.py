"""`topoloom expand TOPOLOGY`: a plan, cable by cable, to a larger network; and carrying one out on paper."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from topoloom.cli.output import json_option, plain, print_facts, print_record, print_table, say
from topoloom.cli.placing import placing_of, placing_options, terms_of
from topoloom.cli.types import Whole

if TYPE_CHECKING:
    from topoloom.cabling.expansion.expansion import Expansion, ExpansionStep
    from topoloom.model.topology import Topology
    from topoloom.network import Network

#: Steps that are listed on the screen; the others are in the files.
_SHOWN = 24


@click.command(
    help="""Grow TOPOLOGY, cable by cable: what to unplug, move and add, with both ends' ports, lengths and stock.

    TOPOLOGY may also be a folder that 'topoloom layout -o' or 'topoloom expand -o' (its folder 'after') wrote: then
    everything stays where it is, port by port. With --check, and nothing else, TOPOLOGY is the folder of a plan, which is
    carried out on paper: its tasks on the cables before must give the cables after. 'topoloom expand --methods' lists the
    methods.

    Example: topoloom expand jellyfish:n=30,degree=4 --to 36 -o plan --check
    """
)
@click.argument("topology", required=False)
@click.option("--to", type=Whole(1), help="Size to grow to: switches, hosts or links, as the method counts.")
@click.option("--method", default="auto", show_default=True, help="How; 'auto' is the family's own, or splice.")
@click.option("--methods", "list_methods", is_flag=True, help="List the methods.")
@click.option("--into", help="Become this topology, with most cables kept; in place of --to and --method.")
@placing_options(housed=False)
@click.option("--radix", type=Whole(1), help="Ports of a switch; the default is what the fullest one needs.")
@click.option("--degree", type=Whole(1), help="Links of a new switch (splice).")
@click.option("--new-hosts", "new_hosts", type=Whole(0), help="Hosts of a new switch (splice, copies).")
@click.option("--batch", type=Whole(1), help="New switches, or links, a step (splice, channels).")
@click.option("--host-cables/--no-host-cables", default=None, help="List the hosts' cables as well.")
@click.option("--check", is_flag=True, help="Carry the plan out on paper, and compare.")
@click.option("--seed", default=1, show_default=True, type=Whole(0, (1 << 63) - 1), help="Seed of all draws.")
@click.option("--jobs", type=Whole(1, 1024), help="Threads; the default is one for each core.")
@click.option("-o", "--output", "folder", type=click.Path(file_okay=False), help="Folder for the plan.")
@json_option
def command(
    topology: str | None,
    to: int | None,
    method: str,
    list_methods: bool,
    into: str | None,
    degree: int | None,
    new_hosts: int | None,
    batch: int | None,
    check: bool,
    seed: int,
    jobs: int | None,
    folder: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    from topoloom.cabling.expansion.check import check_plan
    from topoloom.cabling.expansion.expand import expand
    from topoloom.cli.folders import writable_folder
    from topoloom.cli.progress import working
    from topoloom.core.errors import InputError
    from topoloom.network.opening import open_network
    from topoloom.report.expansion_page import write_expansion

    if list_methods:
        _list(as_json)
        return
    if topology is None:
        raise InputError(
            "name a TOPOLOGY: a spec, a file, or the folder of a layout ('topoloom expand --methods' lists methods)"
        )
    if check and to is None and into is None:
        _check(topology, as_json)
        return
    if check and folder is None:
        raise InputError("--check reads the plan's files; give -o as well, or the folder of a plan and nothing else")
    goal = open_network(into).topology if into is not None else None
    out = None
    if folder is not None:
        _refuse_own(topology, folder)
        out = writable_folder(folder)
    network = open_network(topology)
    laid_out = _laid_out(network, options, seed, jobs)
    with working("expanding") as work:
        plan = expand(
            laid_out,
            to,
            method,
            into=goal,
            degree=degree,
            hosts=new_hosts,
            batch=batch,
            plugs=network.plugs,
            seed=seed,
            jobs=jobs,
            work=work,
        )
    if out is not None:
        write_expansion(plan, out)
        if check:
            check_plan(out)
    if as_json:
        print_record(plan)
        return
    _print_plan(plan)
    if out is not None:
        say(f"wrote {out}")


def _laid_out(network: "Network", options: dict[str, Any], seed: int, jobs: int | None) -> "Network":
    """The network on its floor, by its terms; a floor that is laid out can only get more rows."""
    from topoloom.cabling.expansion.growing_floor import with_rows
    from topoloom.placement.layout.layout import Layout

    priced = network.priced(**terms_of(options, [network]))
    if network.layout is None:
        return priced.placed(**placing_of(options), seed=seed, jobs=jobs)
    rows = options["rows"]
    placing_of(options | {"rows": None}, [network])
    return priced if rows is None else priced.standing(with_rows(priced.part(Layout), rows))


def _list(as_json: bool) -> None:
    from topoloom.cabling.expansion.registry import METHODS, methods_listed

    if as_json:
        print_record(methods_listed())
        return
    print_facts(None, [(name, f"{m.description}; --to counts {m.counts}") for name, m in METHODS.items()])


def _check(folder: str, as_json: bool) -> None:
    from topoloom.cabling.expansion.check import check_plan

    done = check_plan(Path(folder))
    if as_json:
        print_record(done)
        return
    say(f"{done.tasks} tasks in {done.steps} steps give the {done.cables} cables of after/cables.csv, exactly")


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
        between = f"{len(plan.steps) - _SHOWN} steps more; -o writes them, --json prints them"
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
            ("longest_new", f"{plan.longest_new_m:.1f} m"),
            ("cabinets", f"{len(plan.cabinets_touched)} of {plan.cabinets_before} touched, {plan.cabinets_new} new"),
            ("ports", _ports(plan)),
            ("cost", _cost(plan)),
            ("connected", plan.connectedness),
        ],
    )
    say()
    print_table([head, *rows])


def _planes(plan: "Expansion") -> list[tuple[str, str]]:
    """A row a plane, where there are several: its tasks, those of hosts' cables apart."""
    found = plan.tasks_by_plane()
    if len(found) < 2:
        return []
    rows = []
    for number, counts in enumerate(found):
        hosts = f", {counts['host']} of them of hosts" if counts["host"] else ""
        rows.append(
            (f"plane {number}", f"{counts['unplug']} unplug, {counts['move']} move, {counts['add']} add{hosts}")
        )
    return rows


def _size(topology: "Topology") -> str:
    hosts = f", {topology.hosts:,} hosts" if topology.hosts else ""
    return f"{topology.switches:,} switches, {len(topology.links):,} links{hosts}"


def _remark(step: "ExpansionStep") -> str:
    if not step.connected:
        return "not connected"
    if step.cut_off:
        return f"cuts off {step.cut_off} switches on the way"
    return f"{step.interrupted} moves cut something off while they last" if step.interrupted else ""


def _ports(plan: "Expansion") -> str:
    if plan.radix <= plan.radix_before:
        return f"{plan.radix} a switch"
    told = f"those that stand use {plan.radix_before} at most now, and must have them too (not in the cost)"
    return f"{plan.radix} a switch; {told}"


def _cost(plan: "Expansion") -> str:
    cost, parts = plan.cost, plan.after.bought.parts
    named = {"switches": cost.switches_usd, "cables": cost.cables_usd, "installation": cost.installation_usd}
    known = [f"{what} {usd:,.0f}" for what, usd in named.items() if usd and not math.isnan(usd)]
    unknown = [what for what, usd in named.items() if math.isnan(usd)]
    missing = f"; the catalogue {parts.name} has no price of {' and '.join(unknown)}" if unknown else ""
    if unknown and not known:
        return f"not known{missing}"
    return f"{cost.total_usd:,.0f} USD: {', '.join(known) or 'nothing is bought'}{missing}"


def _refuse_own(source: str, folder: str) -> None:
    """Refuse to write a plan over what it starts from."""
    from topoloom.core.errors import InputError

    place = Path(source)
    if not place.is_dir() and place.name != "cables.csv":
        return
    begin, end = place.resolve() if place.is_dir() else place.resolve().parent, Path(folder).resolve()
    # A plan's folder has its own folders before and after; those of another one are not to be written over either.
    if begin == end or begin in end.parents or end in begin.parents:
        raise InputError(f"-o {folder}: {source} lies there, which the plan starts from; take another folder")
