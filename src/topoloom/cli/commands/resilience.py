"""`topoloom resilience`: what survives when cables, switches or cabinets fail."""

from typing import TYPE_CHECKING, Any

import click

from topoloom.cli.output import json_option, print_json, say
from topoloom.errors import InputError, Stopped
from topoloom.layout.cabinets import CLUSTERS

if TYPE_CHECKING:
    import numpy as np

    from topoloom.failures.degradation import Degradation
    from topoloom.failures.lifetime import Lifetime
    from topoloom.failures.survival import Survival
    from topoloom.network import Network
    from topoloom.routing.routing import Routing
    from topoloom.topology import Topology
    from topoloom.work import Work

#: What `resilience` takes as it is.
_CURVE = ("fail", "metric", "order", "samples", "width", "criterion", "tolerate", "of", "seed", "jobs", "values")


@click.command(
    help="""How much of TOPOLOGY (a spec or a file) can fail before it falls apart, or its paths get too long.

    Random orders of failures give the probability to survive each level, with its 95 % confidence interval, and the threshold:
    the last level up to which every level is survived. Several topologies are compared, level by level. Ctrl-C keeps the
    samples that are finished."""
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
@click.option(
    "--samples", type=click.IntRange(1, 1_000_000), help="Random orders: 1000, or at most so many with --width."
)
@click.option(
    "--width",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Take samples until the 95 % confidence interval of every level is no wider: 0.02.",
)
@click.option(
    "--criterion",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.75,
    show_default=True,
    help="A level counts as survived when it is with this probability.",
)
@click.option("--tolerate", type=click.FloatRange(0), help="Hops more: 2 for the diameter, 1 for aspl unless given.")
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
@click.option("--cabinet", type=click.IntRange(1, 1 << 24), help="Most switches in a cabinet.")
@click.option(
    "--cluster", default="auto", show_default=True, type=click.Choice(CLUSTERS), help="Which switches share a cabinet."
)
@click.option(
    "--link-fit", type=click.FloatRange(0), help="Failures of a link in 1e9 hours: mean time to disconnection."
)
@click.option("--switch-fit", type=click.FloatRange(0), help="Failures of a switch in 1e9 hours.")
@click.option(
    "--link-mtbf", type=click.FloatRange(0, min_open=True), help="The same as hours between failures of a link."
)
@click.option("--switch-mtbf", type=click.FloatRange(0, min_open=True), help="And of a switch.")
@click.option("--throughput", is_flag=True, help="How much throughput is left at each --share.")
@click.option("--reroute", metavar="ENGINE", help="How many entries of this engine's tables change at each --share.")
@click.option(
    "--share",
    "shares",
    multiple=True,
    help="Of what fails, for --throughput, --reroute and --damaged; 10% unless given.",
)
@click.option(
    "--draws",
    "after_samples",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="Random orders for --throughput and --reroute.",
)
@click.option("--damaged", help="Write what is left at --share, in the first random order, to this file.")
@click.option("--seed", type=click.IntRange(0, (1 << 63) - 1), default=1, show_default=True, help="Of random orders.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="Threads; every core when left out.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False),
    help="Folder for survival.csv, the curves as survival.svg and .png, and resilience.html.",
)
@json_option
def command(topologies: tuple[str, ...], folder: str | None, as_json: bool, **given: Any) -> None:
    from topoloom.cli.folders import writable_folder
    from topoloom.cli.progress import working
    from topoloom.cli.resilience_options import check, rates_of, shares_of
    from topoloom.cli.resilience_text import json_of, print_all, write_all
    from topoloom.failures.failure_orders import ORDERS
    from topoloom.failures.resilience import resilience
    from topoloom.opening import open_network

    if given["order"] not in ORDERS[given["fail"]]:
        raise InputError(
            f"--order {given['order']}: {given['fail']} fail in the order {', '.join(ORDERS[given['fail']])}"
        )
    levels = shares_of("--levels", given["levels"])
    shares = [share for text in given["shares"] or ("0.1",) for share in shares_of("--share", text)]
    rates = rates_of(given)
    check(topologies, given)
    out = writable_folder(folder) if folder is not None else None
    opened = [open_network(name) for name in topologies]
    networks = [one.topology for one in opened]
    cabinets = [_cabinets(one, given) for one in opened]
    tables = [_tables(one, given) for one in networks]
    if given["damaged"] is not None:
        if len(shares) > 1:
            raise InputError(f"--share names {len(shares)} shares, but --damaged writes one network; give one share")
        _write_damaged(networks[0], cabinets[0], shares, given)
    curves: list[Survival] = []
    lifetimes: list[Lifetime] = []
    after: list[list[Degradation]] = []
    interrupted = False
    with working("failures") as work:
        try:
            for network, where in zip(networks, cabinets, strict=True):
                same = {key: given[key] for key in _CURVE}
                curves.append(resilience(network, levels=levels, cabinets=where, work=work, **same))
                if curves[-1].ended != "done":
                    raise Stopped
            if rates:
                lifetimes += [_lifetime(network, rates, given, work) for network in networks]
            if given["throughput"] or given["reroute"] is not None:
                after += [
                    _degradation(one, where, shares, given, work) for one, where in zip(tables, cabinets, strict=True)
                ]
        except (KeyboardInterrupt, Stopped):
            if not curves:
                raise
            interrupted = True
    if out is not None:
        write_all(out, curves, lifetimes, after)
    if as_json:
        found = json_of(networks, curves, lifetimes, after)
        print_json(found[0] if len(topologies) == 1 else {"topologies": found})
    else:
        print_all(curves, lifetimes, after, given["width"])
    if interrupted:
        say(f"{curves[-1].topology}: {curves[-1].samples} samples are finished", err=True)
        raise KeyboardInterrupt


def _lifetime(network: "Topology", rates: dict[str, float], given: dict[str, Any], work: "Work") -> "Lifetime":
    from topoloom.failures.lifetime import lifetime
    from topoloom.failures.resilience import SAMPLES

    samples = given["samples"] or SAMPLES
    return lifetime(
        network, **rates, of=given["of"], samples=samples, seed=given["seed"], jobs=given["jobs"], work=work
    )


def _tables(network: "Topology", given: dict[str, Any]) -> "Topology | Routing":
    """The network with tables that can be mended, where these are asked for: what cannot be done is refused before any work."""
    from topoloom.routing.route import route
    from topoloom.routing.routing import SWITCH

    engine = given["reroute"]
    if engine is None:
        return network
    made = route(network, engine, seed=given["seed"] & 0x7FFFFFFF, jobs=given["jobs"])
    if made.choice is not None or made.lane_rule == SWITCH:
        why = "lets packets choose" if made.choice is not None else "changes lanes on the way"
        raise InputError(
            f"--reroute {engine}: the engine {why}, so its tables cannot be mended; take another, as orders"
        )
    return made


def _degradation(
    network: "Topology | Routing",
    cabinets: "np.ndarray | None",
    shares: list[float],
    given: dict[str, Any],
    work: "Work",
) -> "list[Degradation]":
    from topoloom.failures.degradation import degradation

    return degradation(
        network,
        given["fail"],
        levels=shares,
        order=given["order"],
        samples=given["after_samples"],
        cabinets=cabinets,
        seed=given["seed"],
        throughput=given["throughput"],
        jobs=given["jobs"],
        work=work,
    )


def _write_damaged(
    network: "Topology", cabinets: "np.ndarray | None", shares: list[float], given: dict[str, Any]
) -> None:
    """What is left after the first of the orders, as a file."""
    from topoloom.cli.delivery import checked, deliver
    from topoloom.failures.surviving_network import surviving_network

    record = checked(given["damaged"], None, False)
    left = surviving_network(
        network, given["fail"], shares[0], order=given["order"], seed=given["seed"], cabinets=cabinets
    )
    deliver(left, given["damaged"], record, False)


def _cabinets(network: "Network", given: dict[str, Any]) -> "np.ndarray | None":
    """The cabinet of every switch, where cabinets fail."""
    from topoloom.cli.placing import chosen_floor, refuse_given
    from topoloom.layout.cabinets import assign_cabinets

    if given["fail"] != "cabinets":
        refuse_given(("floor", "cabinet", "cluster"), f"only cabinets stand in one, and --fail is {given['fail']}")
        return None
    if network.layout is not None:
        refuse_given(("floor", "cabinet", "cluster"), f"the cabinets are those of {network.source}")
        return network.layout.cabinet
    floor = chosen_floor(given["floor"], None, None, given["cabinet"])
    return assign_cabinets(network.topology, floor, given["cluster"], jobs=given["jobs"])
