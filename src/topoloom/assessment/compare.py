"""The verb `compare`: networks that somebody names, taken the whole way side by side."""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from topoloom.assessment.assess import assess
from topoloom.assessment.assessment import Assessment, Assessments, figure_keys
from topoloom.assessment.reasons import Ranking, reasons
from topoloom.assessment.subject import LANES, MOST_REPEATS, Subject
from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts
from topoloom.cost.spares import Spares
from topoloom.errors import InputError, hint, wrong_type
from topoloom.floors.floor import Floor
from topoloom.floors.floor_files import read_floor
from topoloom.hosts.housing import Housing
from topoloom.layout.layout import Layout
from topoloom.layout.place import place
from topoloom.link_rates import rate_for
from topoloom.opening import open_network
from topoloom.routing.routing import Routing, tables_for
from topoloom.topology import Topology
from topoloom.work import Work


def compare(
    networks: Iterable[Any],
    *,
    reference: int | None = None,
    minimize: str = "cost_usd",
    hosts: int | None = None,
    minutes: float | None = None,
    repeats: int = MOST_REPEATS,
    floor: Floor | str = "slimfly-2014",
    housing: Housing | None = None,
    parts: Parts | str | Path = "slimfly-2014",
    rate_gbps: float | None = None,
    host_cables: bool = False,
    spares: Spares | None = None,
    radix: int | None = None,
    lanes: int = LANES,
    seed: int = 1,
    store: str | Path | None = None,
    jobs: int | None = None,
    work: Work | None = None,
) -> Assessments:
    """Take networks through bill, tables, throughput, load, collectives, failures and growth, and rank them.

    Parameters
    ----------
    networks : sequence of str, path, Topology, Layout, Routing or networkx.Graph
        Each the name of a network (a spec, a file, a folder), a topology, a layout, tables, or a graph of NetworkX. A layout,
        and the tables of a folder, are taken as they are; what has none is placed on `floor` and routed by the engine that
        fits.
    reference : int, optional
        Which of them, from 0, the others are set beside.
    minimize : str
        The key of the figure that they are ranked by, less first unless more of it is better, as ``saturation``.
    hosts : int, optional
        That are needed: then what 10 % more of them cost is worked out for the sentences.
    minutes : float, optional
        The budget; what does not fit is named. Without it everything is worked out.
    repeats : int
        How many times the usual draws are made at the most where time is left over, as `assess` has it.
    floor : Floor or str
        For those that have no layout.
    housing : Housing, optional
        Hosts in racks of their own, for the same.
    parts : Parts, str or path
    rate_gbps : float, optional
        Of every link, Gb/s; 40, or the nearest that the catalogue's prices hold for.
    host_cables : bool
        Whether the bill has the hosts' cables.
    spares : Spares, optional
    radix : int, optional
        Ports of the switches that can be had, for growth.
    lanes : int
        Virtual lanes of a switch.
    seed : int
    store : path, optional
        A folder where steps are kept and found again.
    jobs : int, optional
        Threads; every core when left out.
    work : Work, optional

    Returns
    -------
    Assessments
        The best first, each with a sentence why.

    Raises
    ------
    InputError
        No network, one that cannot be opened or placed, or no figure of that key.

    Examples
    --------
    >>> found = compare(["petersen", "ring:n=10"], minimize="worst_throughput", minutes=1)
    >>> [one.name for one in found.networks]
    ['petersen', 'ring(n=10)']
    """
    if isinstance(networks, (str, bytes)) or not isinstance(networks, Iterable):
        raise wrong_type(networks, Iterable, "compare", "name networks, as in ['petersen', 'hypercube:n=4']")
    given = list(networks)
    if not given:
        raise InputError("compare: name one network or more")
    if reference is not None and not 0 <= reference < len(given):
        raise InputError(f"reference={reference}: there are {len(given)} networks, numbered from 0")
    work = Work() if work is None else work
    catalogue = parts if isinstance(parts, Parts) else load_parts(parts)
    if rate_gbps is not None:
        catalogue.link_rate(rate_gbps)
    room = floor if isinstance(floor, Floor) else read_floor(floor)
    subjects = []
    for one in given:
        layout, tables = _opened(one, room, housing, catalogue, rate_gbps, seed, jobs, work)
        rate = catalogue.link_rate(rate_for(layout.topology, rate_gbps, "compare"))
        subjects.append(
            Subject(
                layout,
                catalogue,
                rate,
                host_cables=host_cables,
                spares=spares,
                lanes=lanes,
                radix=radix,
                seed=seed,
                tables=tables,
            )
        )
    seconds = None if minutes is None else minutes * 60
    found = assess(subjects, objective=minimize, seconds=seconds, repeats=repeats, store=store, jobs=jobs, work=work)
    named = subjects[reference].topology.name if reference is not None else None
    return _explained(found, minimize, hosts, named)


def _opened(
    one: Any,
    floor: Floor,
    housing: Housing | None,
    parts: Parts,
    rate_gbps: float | None,
    seed: int,
    jobs: int | None,
    work: Work,
) -> tuple[Layout, Routing | None]:
    """A network on its floor, and its tables if it has some.

    Parameters
    ----------
    one : what `compare` takes
    floor : Floor
        For what has no layout.
    housing : Housing or None
    parts : Parts
    rate_gbps : float or None
    seed : int
    jobs : int or None
    work : Work

    Returns
    -------
    (Layout, Routing or None)
    """
    tables: Routing | None = None
    layout: Layout | None = None
    if isinstance(one, Layout):
        return one, None
    if isinstance(one, Routing):
        topology, tables = one.topology, one
    elif isinstance(one, Topology):
        topology = one
    elif isinstance(one, str | os.PathLike):
        network = open_network(one)
        topology, layout, tables = network.topology, network.layout, network.tables
    elif hasattr(one, "nodes") and hasattr(one, "edges"):
        topology = Topology.from_networkx(one)
    else:
        raise InputError(
            f"compare takes names, topologies, layouts, tables or graphs of NetworkX, not a {type(one).__name__}"
        )
    if layout is None:
        fed = floor.limits_power or housing is not None
        rate = parts.link_rate(rate_for(topology, rate_gbps, "compare"))
        watts = parts.switch_feed_w(topology.radix, rate) if fed else 0.0
        layout = place(topology, floor, seed=seed, switch_w=watts, jobs=jobs, housing=housing, work=work.step())
    return layout, None if tables is None else tables_for(layout.topology, tables)


def _explained(found: Assessments, minimize: str, hosts: int | None, reference: str | None) -> Assessments:
    """The comparison with its sentences."""
    known = figure_keys(found.networks)
    if minimize not in known and found.ended == "done":
        raise InputError(f"minimize='{minimize}': no network has such a figure ({hint(minimize, known)})")
    figure = next((one.figure(minimize) for one in found.networks if one.figure(minimize) is not None), None)
    label, unit = (minimize, "") if figure is None else (figure.label, figure.unit)
    scores = tuple(one.value(minimize) for one in found.networks)
    more = figure is not None and figure.better == "more"
    told = reasons(found.networks, Ranking(minimize, label, unit, scores, hosts, more_is_better=more))
    networks: list[Assessment] = [replace(one, why=why) for one, why in zip(found.networks, told, strict=True)]
    return replace(found, networks=tuple(networks), reference=reference)
