"""What one candidate is worth: built, measured, placed and priced."""

from collections.abc import Mapping

import msgspec
import numpy as np

from topoloom.cost.bill import price
from topoloom.cost.parts import Parts
from topoloom.designer.need import Limits, Need
from topoloom.errors import InputError
from topoloom.graph.cuts import cuts
from topoloom.graph.latency import latencies
from topoloom.graph.load import channel_loads, full_bandwidth_hosts
from topoloom.graph.path_lengths import host_path_lengths, path_lengths
from topoloom.layout.layout import Layout
from topoloom.layout.place import DEFAULT_MAP, SCREENING_MAP, place
from topoloom.spec import build
from topoloom.topology import Topology
from topoloom.work import Work

#: METIS runs for a candidate's bisection.
CUT_SEEDS = 4


class Candidate(msgspec.Struct, frozen=True, tag="candidate"):
    """A candidate with all its measures; units are in the names.

    `diameter` and `host_aspl` are between hosts' switches. `oversubscription` is the hosts on a switch over those with
    full bandwidth by the mean channel load (Besta 2014 II.B.2: shortest paths, uniform traffic). `busiest_channel` is the load
    of the busiest channel when every host sends at full rate to all others, split evenly over all shortest paths, in
    units of a link's rate: at 1 or less nothing is over full; None where the need does not ask for it. The bisection is
    METIS's best, None where METIS is not installed. `map` is the placement that lengths, latencies, money and watts are of:
    ``rows`` for all, and the default of `place` for the best.
    """

    spec: str
    name: str
    family: str
    switches: int
    hosts: int
    links: int
    radix: int
    diameter: int
    host_aspl: float
    hop_histogram: tuple[int, ...]
    oversubscription: float
    busiest_channel: float | None
    bisection_links: int | None
    bisection_per_host: float | None
    cabinets: int
    mean_cable_m: float
    longest_cable_m: float
    mean_latency_ns: float
    worst_latency_ns: float
    cost_per_host_usd: float
    power_per_host_w: float
    cost_usd: float
    power_w: float
    map: str = SCREENING_MAP


#: The measures of a candidate that are single numbers.
MEASURES = tuple(f for f in Candidate.__struct_fields__ if f not in ("spec", "name", "family", "hop_histogram", "map"))


class Dropped(msgspec.Struct, frozen=True, tag="dropped"):
    """A candidate that is out: the limit that it is past (or what it lacks), why, and what of it is known by then."""

    spec: str
    family: str
    limit: str
    reason: str | None = None
    known: dict[str, float] = {}


Outcome = Candidate | Dropped


def measure(spec: str, need: Need, parts: Parts, flag: np.ndarray | None = None) -> Outcome:
    """Build, measure, place and price one candidate; a limit that it passes is named, not raised.

    Parameters
    ----------
    spec : str
    need : Need
    parts : Parts
        The need's catalogue.
    flag : uint8[1], optional
        As soon as it is not 0, the measuring ends.

    Returns
    -------
    Candidate or Dropped
        All its measures; or the limit that it passes, with what was measured until then.

    Raises
    ------
    Stopped
        It was ended.
    """
    work = Work()
    work.flag = work.flag if flag is None else flag
    family = spec.partition(":")[0]
    known: dict[str, float] = {}

    def out(limit: str, reason: object = None) -> Dropped:
        return Dropped(spec, family, limit, None if reason is None else str(reason), known)

    try:
        topology = build(spec)
    except InputError as error:
        return out("construction", error)
    known |= {
        "switches": topology.switches,
        "hosts": topology.hosts,
        "links": len(topology.links),
        "radix": topology.radix,
    }
    if topology.radix > need.switch.radix:
        return out("radix", f"a switch needs {topology.radix} ports")
    if topology.hosts < need.hosts:
        return out("hosts", f"it has room for {topology.hosts} hosts")
    try:
        layout = place_candidate(topology, need)
    except InputError as error:
        return out("floor", error)
    try:
        bill = price(layout, parts, need.rate_gbps, host_cables=need.cable.hosts)
    except InputError as error:
        return out("parts", error)
    distances = path_lengths(topology, jobs=1, work=work)
    host_aspl, host_diameter = host_path_lengths(topology, distances.histogram, jobs=1, work=work)
    known |= {
        "diameter": int(host_diameter or 0),
        "host_aspl": float(host_aspl or 0.0),
        "oversubscription": oversubscription(topology),
        "cabinets": layout.cabinets,
        "mean_cable_m": layout.mean_length_m,
        "longest_cable_m": layout.longest_m,
        "cost_per_host_usd": bill.cost_per_host_usd,
        "power_per_host_w": bill.power_per_host_w,
        "cost_usd": bill.cost_usd,
        "power_w": bill.power_w,
    }
    work.check()
    # What comes now takes the longest: a candidate that is out already is spared them.
    if (limit := passed_limit(known, need.limits)) is not None:
        return out(limit)
    delay = latencies(topology, layout.length_m, need.switch.delay_ns, need.cable.delay_ns_per_m, jobs=1)
    known |= {"mean_latency_ns": delay.mean_ns, "worst_latency_ns": delay.max_ns}
    if (limit := passed_limit(known, need.limits)) is not None:
        return out(limit)
    work.check()
    # The dearest measure of all: taken where the need asks for it.
    if need.limits.busiest_channel is not None or need.minimize == "busiest_channel":
        known["busiest_channel"] = busiest_channel(topology, jobs=1)
        if (limit := passed_limit(known, need.limits)) is not None:
            return out(limit)
    cut = _bisection(topology)
    found = {
        "busiest_channel": None,
        **known,
        "bisection_links": cut,
        "bisection_per_host": None if cut is None else cut / topology.hosts,
        "hop_histogram": tuple(distances.histogram.tolist()),
    }
    return msgspec.convert(
        {"spec": spec, "name": topology.name, "family": family, "type": "candidate", **found}, Candidate
    )


def oversubscription(topology: Topology) -> float:
    """Hosts on a switch that carries hosts, in the mean, over the number with full bandwidth; 0 for a single switch."""
    if not len(topology.links):
        return 0.0
    carrying = topology.endpoints_at[topology.endpoints_at > 0]
    return float(carrying.mean() / full_bandwidth_hosts(topology, jobs=1))


def busiest_channel(topology: Topology, jobs: int | None = None) -> float:
    """The load of the busiest channel, in link rates, under uniform traffic at full rate on all shortest paths evenly."""
    loads = channel_loads(topology, jobs)
    return loads.greatest / loads.hosts


def place_candidate(
    topology: Topology, need: Need, map: str = SCREENING_MAP, jobs: int | None = None, work: Work | None = None
) -> Layout:
    """The layout of a candidate of a need.

    Parameters
    ----------
    topology : Topology
    need : Need
        Its floor is used.
    map : str
        How to place, as `place` has it.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        May stop the search.

    Returns
    -------
    Layout

    Raises
    ------
    InputError
        The switches do not fit onto the floor.
    """
    return place(topology, need.floor.floor(), map=map, jobs=jobs, work=work)


def measured_by_default_placement(
    candidate: Candidate, need: Need, parts: Parts, jobs: int | None = None, work: Work | None = None
) -> tuple[Candidate, Layout] | None:
    """A candidate with the lengths, latencies, money and watts that it has by the default placement, and its layout.

    Parameters
    ----------
    candidate : Candidate
        Measured row by row.
    need : Need
    parts : Parts
        The need's catalogue.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        May stop the search.

    Returns
    -------
    (Candidate, Layout) or None
        None where the search was stopped, or where the shortest cables in sum pass a limit that the rows keep, as the
        longest cable may do.

    Raises
    ------
    InputError
        No product of the catalogue serves one of the cables.
    """
    work = Work() if work is None else work
    topology = build(candidate.spec)
    layout = place_candidate(topology, need, DEFAULT_MAP, jobs, work)
    if layout.ended != "done":
        return None
    bill = price(layout, parts, need.rate_gbps, host_cables=need.cable.hosts)
    delay = latencies(topology, layout.length_m, need.switch.delay_ns, need.cable.delay_ns_per_m, jobs=jobs)
    found = msgspec.structs.replace(
        candidate,
        cabinets=layout.cabinets,
        mean_cable_m=layout.mean_length_m,
        longest_cable_m=layout.longest_m,
        mean_latency_ns=delay.mean_ns,
        worst_latency_ns=delay.max_ns,
        cost_per_host_usd=bill.cost_per_host_usd,
        power_per_host_w=bill.power_per_host_w,
        cost_usd=bill.cost_usd,
        power_w=bill.power_w,
        map=DEFAULT_MAP,
    )
    return None if passed_limit(numbers(found), need.limits) is not None else (found, layout)


def passed_limit(known: Mapping[str, float], limits: Limits) -> str | None:
    """The first limit that what is known of a candidate is past, or None."""
    for limit in limits.__struct_fields__:
        if limit == "cost_over_best":  # a limit among candidates, not of one
            continue
        most = getattr(limits, limit)
        # A value that equals its limit but for the last digit is not past it.
        if most is not None and limit in known and known[limit] > most * (1 + 1e-9):
            return limit
    return None


def numbers(candidate: Candidate) -> dict[str, float]:
    """The measures of a candidate that are single numbers; what is None is left out."""
    return {key: value for key in MEASURES if (value := getattr(candidate, key)) is not None}


def _bisection(topology: Topology) -> int | None:
    """METIS's best of a few seeds; None where pymetis is not installed, or for a single switch."""
    from importlib.util import find_spec

    if topology.switches < 2 or find_spec("pymetis") is None:
        return None
    return int(cuts(topology, parts=2, seeds=CUT_SEEDS).links)
