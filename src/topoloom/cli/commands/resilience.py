"""`topoloom resilience`: what survives when cables, switches or cabinets fail."""

from typing import TYPE_CHECKING

import click

from topoloom.cli.kept_study import end_of, run_kept, study_option
from topoloom.cli.output import json_option, print_record, say
from topoloom.cli.types import Number, Whole
from topoloom.errors import InputError, Stopped
from topoloom.layout.cabinets import CLUSTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from topoloom.failures.degradation import Degradation
    from topoloom.failures.lifetime import Lifetime
    from topoloom.failures.survival import Survival
    from topoloom.network import Network
    from topoloom.routing.routing import Routing
    from topoloom.topology import Topology
    from topoloom.work import Work

#: ``--reroute`` without the name of an engine: the tables that lie in the folder.
SAVED = ""


@click.command(
    help="""How much of TOPOLOGY (a spec or a file) can fail before it falls apart, or its paths get too long.

    Random orders of failures give the probability to survive each level, with its 95 % confidence interval, and the threshold:
    the last level up to which every level is survived. Several topologies are compared, level by level. Ctrl-C keeps the
    samples that are finished.

    With --lose nothing is random: a table tells how many hosts the worst loss of each kind cuts off, and what bandwidth is
    left.

    Example: topoloom resilience slimfly:q=5,hosts=4 hypercube:n=7 --samples 500"""
)
@click.argument("topologies", metavar="TOPOLOGY...", nargs=-1, required=True)
@click.option(
    "--metric",
    default="disconnection",
    show_default=True,
    type=click.Choice(["disconnection", "diameter", "aspl"]),
    help="What the rest has to keep: being in one piece; a diameter or mean hops close to those of the whole.",
)
@click.option(
    "--fail",
    default="links",
    show_default=True,
    type=click.Choice(["links", "switches", "cabinets"]),
    help="What fails.",
)
@click.option(
    "--order",
    default="random",
    show_default=True,
    type=click.Choice(["random", "load", "degree", "cables"]),
    help="What fails first: anything; the most loaded; the best connected; cabinets with the most cables out.",
)
@click.option("--levels", default="0.05:0.95:0.05", show_default=True, help="first:last:step, or a list 5%,10%.")
@click.option("--samples", type=Whole(1, 1_000_000), help="Random orders: 1000, or at most so many with --width.")
@click.option(
    "--width",
    type=Number(above=0, most=1),
    help="Take samples until the 95 % confidence interval of every level is no wider: 0.02.",
)
@click.option(
    "--criterion",
    type=Number(above=0, most=1),
    default=0.75,
    show_default=True,
    help="A level counts as survived when it is with this probability.",
)
@click.option("--tolerate", type=Number(0), help="Hops more: 2 for the diameter, 1 for aspl unless given.")
@click.option(
    "--of",
    default="switches",
    show_default=True,
    type=click.Choice(["switches", "hosts"]),
    help="Which switches count: all that survive, or those with hosts.",
)
@click.option("--values", is_flag=True, help="Measure diameter or aspl at every level: means and worst.")
@click.option(
    "--floor",
    default="slimfly-2014",
    show_default=True,
    help="Whose cabinets: a preset's name, or a .toml or .csv file.",
)
@click.option("--cabinet", type=Whole(1, 1 << 24), help="Most switches in a cabinet.")
@click.option(
    "--cluster", default="auto", show_default=True, type=click.Choice(CLUSTERS), help="Which switches share a cabinet."
)
@click.option("--link-fit", type=Number(0), help="Failures of a link in 1e9 hours: mean time to disconnection.")
@click.option("--switch-fit", type=Number(0), help="Failures of a switch in 1e9 hours.")
@click.option("--link-mtbf", type=Number(above=0, unit="hours"), help="The same as hours between failures of a link.")
@click.option("--switch-mtbf", type=Number(above=0, unit="hours"), help="And of a switch.")
@click.option("--throughput", is_flag=True, help="How much throughput is left at each --share.")
@click.option(
    "--reroute",
    metavar="[ENGINE]",
    is_flag=False,
    flag_value=SAVED,
    help="How many entries of this engine's tables change at each --share; without a name, of the tables in the folder that"
    " topoloom route wrote.",
)
@click.option(
    "--share",
    "shares",
    multiple=True,
    help="Of what fails, for --throughput, --reroute and --damaged; 10% unless given.",
)
@click.option(
    "--draws",
    "after_samples",
    type=Whole(1, 1000),
    default=5,
    show_default=True,
    help="Random orders for --throughput and --reroute.",
)
@click.option(
    "--lose",
    multiple=True,
    type=click.Choice(["port", "nic", "leaf", "spine", "plane", "all"]),
    help="In place of random failures: what dies with a port of a host, an interface of a host, a switch with hosts, a switch"
    " without, a plane; may be repeated.",
)
@click.option(
    "--nic-ports",
    type=Whole(1, 1024),
    default=1,
    show_default=True,
    help="Ports of each interface, for --lose: 2 for dual ToR, or as many as there are planes.",
)
@click.option("--damaged", help="Write what is left at --share, in the first random order, to this file.")
@click.option("--seed", type=Whole(0, (1 << 63) - 1), default=1, show_default=True, help="Of random orders.")
@click.option("--jobs", type=Whole(1, 1024), help="Threads; every core when left out.")
@study_option("a network")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False),
    help="Folder for survival.csv, the curves as survival.svg and .png, and resilience.html.",
)
@json_option
def command(
    topologies: tuple[str, ...],
    metric: str,
    fail: str,
    order: str,
    levels: str,
    samples: int | None,
    width: float | None,
    criterion: float,
    tolerate: float | None,
    of: str,
    values: bool,
    floor: str,
    cabinet: int | None,
    cluster: str,
    link_fit: float | None,
    switch_fit: float | None,
    link_mtbf: float | None,
    switch_mtbf: float | None,
    throughput: bool,
    reroute: str | None,
    shares: tuple[str, ...],
    after_samples: int,
    lose: tuple[str, ...],
    nic_ports: int,
    damaged: str | None,
    seed: int,
    jobs: int | None,
    study_folder: str | None,
    folder: str | None,
    as_json: bool,
) -> None:
    from topoloom.cli.placing import refuse_given
    from topoloom.cli.progress import working
    from topoloom.cli.resilience_options import check_damaged, check_shares, fit_of, refuse_never, shares_of
    from topoloom.failures.degradation import degradation
    from topoloom.failures.failure_orders import ORDERS
    from topoloom.failures.lifetime import lifetime
    from topoloom.failures.resilience import SAMPLES, resilience
    from topoloom.folders import check_folder
    from topoloom.opening import open_network

    if lose:
        _print_losses(topologies, lose, nic_ports, as_json)
        return
    if nic_ports > 1:
        raise InputError(f"--nic-ports {nic_ports}: only --lose asks for it; add --lose nic, or leave it out")
    if order not in ORDERS[fail]:
        raise InputError(f"--order {order}: {fail} fail in the order {', '.join(ORDERS[fail])}")
    at_levels = shares_of("--levels", levels)
    at_shares = [share for text in shares or ("0.1",) for share in shares_of("--share", text)]
    rates = {"link_fit": fit_of("link", link_fit, link_mtbf), "switch_fit": fit_of("switch", switch_fit, switch_mtbf)}
    rates_given = {name: rate for name, rate in rates.items() if rate is not None}
    refuse_never(rates_given)
    if metric == "disconnection" and (tolerate is not None or values):
        option = "--values" if tolerate is None else "--tolerate"
        raise InputError(f"{option}: disconnection has no hops; ask for --metric diameter or aspl, or leave it out")
    check_shares(shares, throughput or reroute is not None or damaged is not None)
    check_damaged(damaged, topologies, at_shares)
    if folder is not None:
        check_folder(folder)
    if study_folder is not None:
        from topoloom.studies.sweeps.survivals import resilience_study, survivals_of

        refuse_given(
            (
                "throughput",
                "reroute",
                "shares",
                "after_samples",
                "damaged",
                "link_fit",
                "switch_fit",
                "link_mtbf",
                "switch_mtbf",
            ),
            "a study has the survival curves alone",
        )
        if fail != "cabinets":
            refuse_given(("floor", "cabinet", "cluster"), f"only cabinets stand in one, and --fail is {fail}")
        study = resilience_study(
            topologies,
            metric=metric,
            fail=fail,
            order=order,
            levels=at_levels,
            samples=samples,
            width=width,
            criterion=criterion,
            tolerate=tolerate,
            of=of,
            values=values,
            floor=floor,
            cabinet=cabinet,
            cluster=cluster,
            seed=seed,
        )
        ended = run_kept(study, study_folder, jobs)
        found = survivals_of(study, study_folder).topologies
        _show(found, len(set(topologies)) > 1, folder, width, as_json)
        end_of(study, study_folder, ended)
        return
    opened = [open_network(name) for name in topologies]
    networks = [one.topology for one in opened]
    cabinets = [_cabinets(one, fail, floor, cabinet, cluster, jobs) for one in opened]
    with working("routing") as work:
        tables = [_tables(one, reroute, seed, jobs, work) for one in opened]
    if damaged is not None:
        _write_damaged(networks[0], damaged, fail, at_shares[0], order, seed, cabinets[0])
    curves = []
    lifetimes: list[Lifetime] = []
    costs: list[list[Degradation]] = []
    interrupted = False
    with working("failures") as work:
        try:
            for network, where in zip(networks, cabinets, strict=True):
                curve = resilience(
                    network,
                    fail,
                    metric,
                    order=order,
                    levels=at_levels,
                    samples=samples,
                    width=width,
                    criterion=criterion,
                    tolerate=tolerate,
                    of=of,
                    cabinets=where,
                    seed=seed,
                    jobs=jobs,
                    values=values,
                    work=work,
                )
                curves.append(curve)
                if curve.ended != "done":
                    raise Stopped
            if rates_given:
                lifetimes += [
                    lifetime(one, **rates_given, of=of, samples=samples or SAMPLES, seed=seed, jobs=jobs, work=work)
                    for one in networks
                ]
            if throughput or reroute is not None:
                costs += [
                    degradation(
                        one,
                        fail,
                        levels=at_shares,
                        order=order,
                        samples=after_samples,
                        cabinets=where,
                        seed=seed,
                        throughput=throughput,
                        jobs=jobs,
                        work=work,
                    )
                    for one, where in zip(tables, cabinets, strict=True)
                ]
        except (KeyboardInterrupt, Stopped):
            if not curves:
                raise
            interrupted = True
    curves = [
        curve.with_costs(
            lifetimes[at] if lifetimes else None, costs[at] if costs else (), getattr(tables[at], "engine", "")
        )
        for at, curve in enumerate(curves)
    ]
    _show(curves, len(topologies) > 1, folder, width, as_json)
    if interrupted:
        say(f"{curves[-1].name}: {curves[-1].samples} samples are finished", err=True)
        raise KeyboardInterrupt


def _show(curves: "Sequence[Survival]", several: bool, folder: str | None, width: float | None, as_json: bool) -> None:
    """Write and print the curves that are finished."""
    from topoloom.cli.resilience_text import print_all
    from topoloom.failures.survival import Survivals
    from topoloom.report.survival_page import write_survival

    if folder is not None and curves:
        written = write_survival(curves, folder)
        say(f"wrote to {folder}: {', '.join(path.name for path in written)}", err=True)
    if as_json:
        print_record(Survivals(tuple(curves)) if several or not curves else curves[0])
    elif curves:
        print_all(curves, width)


def _print_losses(topologies: tuple[str, ...], lose: tuple[str, ...], nic_ports: int, as_json: bool) -> None:
    """What dies with one loss of each kind, in the worst case.

    Parameters
    ----------
    topologies, lose : tuple of str
        As the user names them.
    nic_ports : int
        Ports of an interface.
    as_json : bool
    """
    from topoloom.cli.placing import refuse_given
    from topoloom.cli.progress import working
    from topoloom.cli.resilience_text import print_losses
    from topoloom.failures.blast_radius import blast_radius
    from topoloom.opening import open_network

    others = {option.name for option in click.get_current_context().command.params if option.name}
    refuse_given(
        others - {"topologies", "lose", "nic_ports", "jobs", "as_json"},
        "--lose looks at every single loss, none at random",
    )
    if as_json and len(topologies) > 1:
        raise InputError(
            f"--json --lose: one record is of one network, and {len(topologies)} are named; name one TOPOLOGY"
        )
    with working("losses") as work:
        kinds = None if "all" in lose else lose
        found = [blast_radius(open_network(one).topology, kinds, nic_ports=nic_ports, work=work) for one in topologies]
    if as_json:
        print_record(found[0])
    else:
        print_losses(found)


def _tables(network: "Network", engine: str | None, seed: int, jobs: int | None, work: "Work") -> "Topology | Routing":
    """The network with tables that can be mended, where these are asked for: what cannot be done is refused before any work."""
    from topoloom.cli.tables import say_saved
    from topoloom.routing.route import route
    from topoloom.routing.routing import SWITCH

    if engine is None:
        return network.topology
    if engine == SAVED:
        made: Routing = network.needs("tables", "--reroute without the name of an engine")
        say_saved(network, made)
    else:
        made = route(network.topology, engine, seed=seed & 0x7FFFFFFF, jobs=jobs, layout=network.layout, work=work)
    if made.choice is not None or made.lane_rule == SWITCH:
        why = "lets packets choose" if made.choice is not None else "changes lanes on the path"
        raise InputError(
            f"--reroute {made.engine}: the engine {why}, so its tables cannot be mended; take another, as orders"
        )
    return made


def _write_damaged(
    network: "Topology", path: str, fail: str, share: float, order: str, seed: int, cabinets: "np.ndarray | None"
) -> None:
    """What is left after the first of the orders, as a file."""
    from topoloom.cli.delivery import checked, deliver
    from topoloom.failures.surviving_network import surviving_network

    record = checked(path, None, False)
    left = surviving_network(network, fail, share, order=order, seed=seed, cabinets=cabinets)
    deliver(left, path, record, False)


def _cabinets(
    network: "Network", fail: str, floor: str, cabinet: int | None, cluster: str, jobs: int | None
) -> "np.ndarray | None":
    """The cabinet of every switch, where cabinets fail."""
    from topoloom.cli.placing import refuse_given
    from topoloom.floors.chosen import chosen_floor
    from topoloom.layout.cabinets import assign_cabinets

    if fail != "cabinets":
        refuse_given(("floor", "cabinet", "cluster"), f"only cabinets stand in one, and --fail is {fail}")
        return None
    if network.layout is not None:
        refuse_given(("floor", "cabinet", "cluster"), f"the cabinets are those of {network.source}")
        return network.layout.cabinet
    return assign_cabinets(network.topology, chosen_floor(floor, None, None, cabinet), cluster, jobs=jobs)
