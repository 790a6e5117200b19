"""The operation `flat_or_tree`: a flat random network and a fat tree of equal hosts and equal switches, measured alike."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from topoloom.core.errors import InputError, check_type, hint
from topoloom.core.work import Work
from topoloom.designer.flat_families import FLAT_FAMILIES
from topoloom.designer.flat_measuring import ECMP, FlatMeasuring
from topoloom.designer.flat_plan import measured_plan, plan_of_switches, ratio_text
from topoloom.designer.flat_sides import ComparedSide, FlatOrTree, verdicts_of
from topoloom.designer.flat_verdicts import OVERSUBSCRIPTION, PATTERNS, SWITCHES
from topoloom.graph.latency import Delays
from topoloom.model.results import Provenance, json_value
from topoloom.model.sources import network_of
from topoloom.model.topology import Topology
from topoloom.network import Network
from topoloom.placement.fibre.methods import METHODS
from topoloom.placement.floors.floor import Floor
from topoloom.placement.hosts.housing import HostType, Housing, RackRule
from topoloom.placement.layout.layout import Layout
from topoloom.throughput.traffic import PATTERNS as TRAFFIC_PATTERNS

#: Units of a rack for its switch.
_SWITCH_UNITS = 4
#: Panels of trees: those that do not move racks, so that the layout without panels is the same one, and the patch field.
_IN_PLACE, _TREE_PANELS = ("racks", "rows"), tuple(method for method in METHODS if method != "shuffle")


def flat_or_tree(
    least_hosts: int,
    radix: int,
    oversubscription: float = 1.0,
    *,
    equal: str = OVERSUBSCRIPTION,
    family: str = "jellyfish",
    flat_engine: str = ECMP,
    traffic: Sequence[str] = PATTERNS,
    growth: bool = True,
    panels: str | None = None,
    floor: Floor | str | None = None,
    parts: Any = None,
    prices: str | Path | None = None,
    rate_gbps: float | None = None,
    switch_ns: float = Delays().switch_ns,
    cable_ns_per_m: float = Delays().cable_ns_per_m,
    seed: int = 1,
    jobs: int | None = None,
    work: Work | None = None,
) -> FlatOrTree:
    """Size a flat random network and a fat tree for equal hosts, of equal switches, and compare them measure by measure.

    Parameters
    ----------
    least_hosts, radix : int
        Hosts, at least, and ports of every switch, of both networks; all ports have the same rate.
    oversubscription : float
        At least 1: ports down to ports up of the tree's leaves.
    equal : "oversubscription" or "switches"
        The flat network is sized until its routing is measured to carry uniform traffic at this oversubscription, or it has as
        many switches as the tree.
    family : str
        The family of the flat network: jellyfish, shuffled, xpander or dring.
    flat_engine : str
        The routing of the flat network, whose expected loads are known; the tree has equal-cost groups (``ecmp``).
    traffic : sequence of str
        Patterns in addition to uniform traffic.
    growth : bool
        Whether plans for 10 % more hosts are made, for both networks with a cable per link.
    panels : "racks", "rows" or "field", optional
        Passive panels, in both networks: these in the tree; shuffle panels in a flat network of family shuffled, and a patch
        field in one of another family. All measures are with panels, and cables and runs also without.
    floor : Floor or str, optional
        As in `Network.placed`, for both networks.
    parts, prices, rate_gbps : optional
        As in `Network.priced`, for both networks.
    switch_ns, cable_ns_per_m : float
        Delays without load.
    seed : int
        The seed of the flat network, of the traffic and of the layouts.
    jobs : int, optional
        Threads; all cores when omitted.
    work : Work, optional

    Returns
    -------
    FlatOrTree

    Raises
    ------
    InputError
        A number is out of range, no network of either kind is possible, a pattern or an engine is unknown, or the loads of the
        engine are not known.

    Examples
    --------
    >>> result = flat_or_tree(128, 16, 2, traffic=["matching"], growth=False)
    >>> result.flat.switches, result.tree.switches
    (19, 18)
    """
    check_type(least_hosts, int, "flat_or_tree", "give the number of hosts, such as 8192")
    for text in traffic:
        TRAFFIC_PATTERNS.find(text.partition(":")[0])
    _check(least_hosts, radix, oversubscription, equal, family, panels)
    work = Work() if work is None else work
    ratio = ratio_text(oversubscription)
    tree_spec = f"fat-tree:k={radix},hosts={least_hosts},taper={ratio}"
    delays = Delays(switch_ns=switch_ns, cable_ns_per_m=cable_ns_per_m)
    measuring = FlatMeasuring(tuple(traffic), flat_engine, seed, delays, jobs, work)
    tree, _, _ = measuring.uniform(tree_spec, ECMP)
    if equal == SWITCHES:
        plan = plan_of_switches(least_hosts, radix, tree.switches, family)
        if plan is None:
            raise InputError(
                f"{tree.name}: a flat network of as many switches has no ports left for links; allow more hosts"
            )
        rule = f"as many switches as the tree, at most {tree.switches:,}"
    else:
        plan, _ = measured_plan(least_hosts, radix, oversubscription, family, seed, measuring.carried)
        rule = f"sized until its routing ({flat_engine}) is measured to carry uniform traffic at {ratio}"
    # All switches are alike; the bill of a network with racks of hosts has their cables, which are equal in both.
    terms = {"parts": parts, "prices": prices, "rate_gbps": rate_gbps, "radix": radix}
    terms = {key: value for key, value in terms.items() if value is not None}

    def side(name: str, spec: str, by: str, words: str, method: str | None) -> ComparedSide:
        work.begin(None, f"{name} network")
        topology, _, _ = measuring.uniform(spec, by)
        network = network_of(topology, "flat_or_tree").priced(**terms)
        networks = _built(network, floor, method, seed, jobs, work)
        return measuring.side(name, spec, by, words, networks, radix if growth else None)

    flat_panels = None if panels is None else FLAT_FAMILIES[family].panels
    sides = (
        side("flat", plan.spec(family, seed), flat_engine, rule, flat_panels),
        side("tree", tree_spec, ECMP, f"the fewest levels and switches with leaves of {ratio}", panels),
    )
    settings = {
        "equal": equal,
        "family": family,
        "flat_engine": flat_engine,
        "traffic": list(traffic),
        "growth": growth,
        "panels": panels,
        "floor": floor if isinstance(floor, str) else None if floor is None else floor.name,
        "rate_gbps": rate_gbps,
        "switch_ns": switch_ns,
        "cable_ns_per_m": cable_ns_per_m,
    }
    provenance = Provenance.of_run(
        name=f"{least_hosts:,} hosts, {radix}-port switches, {ratio}",
        engine=flat_engine,
        seed=seed,
        settings=json_value(settings),
    )
    return FlatOrTree(least_hosts, radix, oversubscription, equal, *sides, verdicts_of(*sides), provenance)


def _built(
    network: Network, floor: Floor | str | None, panels: str | None, seed: int, jobs: int | None, work: Work
) -> tuple[Network, Network]:
    """A network on its floor as it is built, and with a cable per link."""
    placing: dict[str, Any] = {"hosts": _housing(network.topology), "seed": seed, "jobs": jobs}
    built = network.placed(floor, panels=panels, **placing, work=work.step())
    if panels is None:
        return built, built
    if panels in _IN_PLACE:
        return built, built.standing(replace(built.part(Layout), plant=None))
    return built, network.placed(floor, **placing, work=work.step())


def _housing(topology: Topology) -> Housing:
    """The racks of both networks: each switch with hosts in a rack with them, and switches without hosts in the middle."""
    units = int(topology.endpoints_at.max()) + _SWITCH_UNITS
    return Housing(host=HostType(name="server", u=1.0), rack=RackRule(u=units, leaf="tor"))


def _check(hosts: int, ports: int, oversubscription: float, equal: str, family: str, panels: str | None) -> None:
    """Refuse numbers out of range and unknown words."""
    if hosts < 8 or ports < 4:
        raise InputError(f"least_hosts={hosts}, radix={ports}: give at least 8 hosts, and switches of at least 4 ports")
    if not 1 <= oversubscription <= 64:
        raise InputError(f"oversubscription={oversubscription:g}: it must be 1 to 64")
    for name, word, words in (
        ("equal", equal, (OVERSUBSCRIPTION, SWITCHES)),
        ("family", family, tuple(FLAT_FAMILIES)),
        ("panels", panels, _TREE_PANELS),
    ):
        if word is not None and word not in words:
            raise InputError(f"{name}='{word}': it is {' or '.join(words)} ({hint(word, words)})")
