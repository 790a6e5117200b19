"""The layout of a network by its terms: combines the floor, the racks, and the power that the racks must supply."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.searches import Effort
from topoloom.core.work import Work
from topoloom.cost.panelled import panelled
from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import PARTS
from topoloom.cost.rack_limits import within_power
from topoloom.cost.servers import housing_of, with_ports, with_switches
from topoloom.cost.switch_kinds import SwitchKind, switch_feeds_w, switch_kinds
from topoloom.cost.switch_products import SwitchProduct
from topoloom.cost.terms import Terms
from topoloom.model.link_rates import own_rates, shown_rate
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, network_of, taken
from topoloom.model.topology import Topology
from topoloom.placement.floors.chosen import chosen_floor
from topoloom.placement.floors.floor import Floor
from topoloom.placement.hosts.housing import HostType, Housing, read_housing
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.place import DEFAULT_MAP, place_switches
from topoloom.placement.layout.prices import CablePrice
from topoloom.placement.layout.stated_racks import in_stated_racks

#: The floor where none is given.
DEFAULT_ROOM = "slimfly-2014"


def place(
    topology: NetworkSource,
    floor: Floor | str | Path = DEFAULT_ROOM,
    cluster: str = "auto",
    map: str = DEFAULT_MAP,
    objective: Literal["length", "longest", "cost", "power"] | CablePrice = "length",
    improve: bool = False,
    seed: int = 1,
    seconds: float | None = None,
    switch_w: float | np.ndarray | None = None,
    jobs: int | None = None,
    *,
    moves: int | None = None,
    runs: int | None = None,
    housing: Housing | str | Path | None = None,
    parts: Parts | str | Path | None = None,
    rate_gbps: float | None = None,
    panels: str | None = None,
    work: Work | None = None,
) -> Layout:
    """Place the switches of a network in racks, and the racks on a floor.

    Parameters
    ----------
    topology : NetworkSource
    floor, cluster, map, improve, seed, seconds, jobs, moves, runs, work
        As in `topoloom.placement.layout.place.place_switches`.
    objective : str or callable
        As there; with `parts` also ``cost`` and ``power`` of the cables.
    switch_w : float or array, optional
        Power of a switch, or of each switch, W, for racks and floors that limit it; if omitted, that of `parts`.
    housing : Housing, str or path, optional
        Hosts in racks of their own: their description, the name of a server of `parts`, or a file with the tables [host] and
        [rack]. What it omits comes from the server of its name in `parts`.
    parts : Parts, str or path, optional
        A catalogue. It gives servers, heights and power, so that `price(layout, parts)` is the bill of `topoloom cost`.
    rate_gbps : float, optional
        The rate of every link, Gb/s, which selects products of `parts`; else the network's own.
    panels : str, optional
        Passive panels of `parts` that links pass through: ``shuffle`` (shuffle panels, for the family `shuffled`), ``racks``
        or ``rows`` (trunks between racks, or between rows), ``field`` (trunks to a central patch field).

    Returns
    -------
    Layout

    Raises
    ------
    InputError
        The racks do not fit on the floor, a single switch overfills a rack, a keyword is unknown, or `housing` names a server
        and `parts` are missing.
    Stopped
        `work` was stopped before the switches had racks.

    Examples
    --------
    >>> from topoloom import build, price
    >>> network = build("fat-tree:k=64,hosts=1024+rails:nics=8+populated:hosts=127")
    >>> layout = place(network, housing="DGX H100", parts="infiniband-2026", rate_gbps=400, map="rows")
    >>> bill = price(layout, "infiniband-2026", rate_gbps=400)
    >>> [line.count for line in bill.lines if line.item == "transceiver, MMA4Z00-NS-FLT"]
    [508]
    """
    topology = taken(topology, Topology, "place")
    search: dict[str, Any] = {"improve": improve, "seed": seed, "seconds": seconds, "jobs": jobs}
    search |= {"moves": moves, "runs": runs, "work": work}
    if parts is not None:
        if switch_w is not None:
            raise InputError("switch_w and parts both give the power of a switch; give one of them")
        terms = Terms().changed(parts=parts, rate_gbps=rate_gbps)
        return placed_layout(
            topology,
            terms,
            floor,
            hosts=housing,
            cluster=cluster,
            map=map,
            objective=objective,
            panels=panels,
            **search,
        )
    if panels is not None:
        raise InputError("panels are products of a catalogue; give `parts`, as parts='ethernet-2026'")
    if isinstance(housing, (str, Path)) and Path(housing).suffix == ".toml":
        housing = read_housing(housing)
    name = (
        housing.host.name if isinstance(housing, Housing) and housing.host == HostType(housing.host.name) else housing
    )
    if isinstance(name, (str, Path)) and housing != Housing():
        selling = [sold for sold in PARTS if any(server.name == str(name) for server in PARTS[sold].server)]
        remedy = f"parts='{selling[0]}'" if selling else "the parts that sell it, or its nics, u and power_w"
        raise InputError(f"housing: '{name}' is described by a catalogue only; give {remedy}")
    return place_switches(
        topology,
        floor if isinstance(floor, Floor) else str(floor),
        cluster,
        map,
        objective,  # type: ignore[arg-type]  # cost and power are refused there
        switch_w=0.0 if switch_w is None else switch_w,
        housing=housing,  # type: ignore[arg-type]  # texts are read or refused above
        **search,
    )


def placed_layout(
    topology: Topology,
    terms: Terms,
    room: Floor | str | Path | None = None,
    *,
    hosts: Housing | str | Path | None = None,
    rows: int | None = None,
    columns: int | None = None,
    switches_per_rack: int | None = None,
    cluster: str | None = None,
    map: str | None = None,
    objective: Any = None,
    racks: Sequence[str] = (),
    panels: str | None = None,
    **search: Any,
) -> Layout:
    """Place a network in a machine room by its terms: the racks supply the power of its switches.

    Parameters
    ----------
    topology : Topology
    terms : Terms
        Give the catalogue and the rate, and with them the power of a switch and the prices of cables.
    room : Floor, str or path, optional
        A floor, the name of a preset, or the path of a .toml or .csv file.
    hosts : Housing, str or path, optional
        Hosts in racks: a server of the catalogue, or a file with the tables [host] and [rack].
    rows, columns, switches_per_rack : int, optional
        Changes of the floor: its sides in places, and the most switches in a rack.
    cluster, map : str, optional
        As in `topoloom.place`.
    objective : str or callable, optional
        As in `topoloom.place`; also ``cost`` and ``power`` of the catalogue's cables; in a network of several rates, the mean
        of a cable over the rates of all links.
    racks : sequence of str
        The rack of each switch, if a source states all: the switches stay there, unless `hosts` have racks of their own, or a
        cluster or map is given.
    panels : str, optional
        Passive panels that links pass through, as in `place`.
    **search
        Further arguments of `topoloom.place`.

    Raises
    ------
    InputError
        A floor, host or keyword is unknown; the catalogue lacks power or prices that are needed; the switches do not
        fit; a rack takes more than its limit with transceivers and cables.
    """
    terms = terms.on(topology, "place")
    parts, rate = terms.catalogue, terms.rate_on(topology)
    if isinstance(room, Floor):
        if rows is not None or columns is not None or switches_per_rack is not None:
            raise InputError(
                "rows, columns and switches_per_rack change a named room; give a Floor that already has them"
            )
        floor = room
    else:
        floor = chosen_floor(DEFAULT_ROOM if room is None else str(room), rows, columns, switches_per_rack)
    housing = None if hosts is None else with_ports(housing_of(hosts, parts), topology, parts, rate)
    if housing is not None:
        _check_rate(topology, housing.host, rate)
    # Only where a floor or a rack limits the power: otherwise the catalogue need not have a switch of this size.
    power_limited = floor.limits_power or housing is not None
    watts = switch_feeds_w(topology, parts, rate) if power_limited else 0.0
    if floor.limits_power and not np.any(watts):
        raise InputError(
            f"floor '{floor.name}' limits the power of a rack, but the catalogue '{parts.name}' has no power of a switch"
            f" with {topology.radix} ports; choose other parts, give a quote with power_w, or remove the limit"
        )
    sold = _switches(parts, topology, rate)
    if housing is not None:
        housing = with_switches(housing, sold.values())
    switch_u = _heights(sold, topology.switches, 1.0 if housing is None else housing.rack.switch_u)
    by_parts = {"cost": parts.link_usd, "power": parts.link_w}
    if isinstance(objective, str) and objective in by_parts:
        objective = _by_rates(by_parts[objective], topology, rate)

    if racks and housing is None and cluster is None and map is None:
        named = any(given is not None for given in (room, rows, columns, switches_per_rack))
        if (stated := in_stated_racks(topology, floor, racks, named=named)) is not None:
            return replace(
                stated, switch_u=switch_u, provenance=provenance_of(topology, settings={"floor": stated.floor.name})
            )

    # Racks that serve panels of their own change places with them, not by the links, which have no cables.
    map = DEFAULT_MAP if map is None else map
    alone = map if panels not in ("shuffle", "field") else "rows"
    effort = Effort(
        **{name: search[name] for name in ("seed", "seconds", "jobs", "work", "moves", "runs") if search.get(name)}
    )

    def with_power(switch_w: float | np.ndarray, housing: Housing | None) -> Layout:
        layout = place_switches(
            topology,
            floor,
            "auto" if cluster is None else cluster,
            alone,
            "length" if objective is None else objective,
            switch_w=switch_w,
            housing=housing,
            switch_u=switch_u,
            **search,
        )
        if panels is None:
            return layout
        layout = panelled(layout, panels, terms, effort, search=map not in ("rows", "serpentine"))
        settings = layout.provenance.settings | {"map": map, "panels": panels}
        provenance = msgspec.structs.replace(layout.provenance, settings=settings)
        made = layout.made.replace("map=rows", f"map={map}", 1)
        return replace(layout, made=f"{made}, panels={panels}", provenance=provenance)

    return within_power(with_power, watts, housing, terms)


def layout_and_terms(
    network: NetworkSource, taker: str, parts: Parts | str | Path | None, rate_gbps: float | None
) -> tuple[Layout, Terms]:
    """A network's layout and the terms that it remembers; a network without a layout is placed by the default.

    Parameters
    ----------
    network : NetworkSource
    taker : str
        The function that takes it, for messages.
    parts : Parts, str or path, optional
        The catalogue to place it with; the network's own if omitted.
    rate_gbps : float, optional
        Likewise, the rate of every link, Gb/s.

    Returns
    -------
    (Layout, Terms)
        A bare layout remembers no terms.
    """
    if isinstance(network, Layout):
        return network, Terms()
    placed = network_of(network, taker).with_layout(parts=parts, rate_gbps=rate_gbps)
    return placed.part(Layout), placed.terms


def _check_rate(topology: Topology, host: HostType, rate_gbps: float) -> None:
    """Refuse hosts of another rate than the network's host ports, which decide cables, loads and times."""
    if host.rate_gbps is None or not topology.endpoints.size:
        return
    _, own = own_rates(topology, rate_gbps)
    if not np.allclose(own, host.rate_gbps, rtol=1e-9, atol=0):
        raise InputError(
            f"rate_gbps = {host.rate_gbps:g} in [host], but host ports of {topology.name} have {shown_rate(np.unique(own))};"
            f" give the spec the rates of both: '+rates:links={rate_gbps:g},hosts={host.rate_gbps:g}'"
        )


def _switches(parts: Parts, topology: Topology, rate_gbps: float) -> dict[SwitchKind, SwitchProduct | None]:
    """The product of each kind of switches; empty where the catalogue has none of a size, which the bill refuses."""
    terms = Terms().changed(parts=parts, rate_gbps=None if topology.mixed else rate_gbps)
    try:
        kinds = switch_kinds(topology, terms)
        return {kind: kind.product(parts) for kind in kinds}
    except InputError:
        return {}


def _heights(sold: dict[SwitchKind, SwitchProduct | None], switches: int, usual_u: float) -> float | np.ndarray:
    """The height of a switch, or of each, where they differ; a switch whose height is not known has the usual one."""
    switch_u = np.full(switches, usual_u)
    for kind, product in sold.items():
        if product is not None and product.u is not None:
            switch_u[kind.switches] = product.u
    return float(switch_u[0]) if (switch_u == switch_u[0]).all() else switch_u


def _by_rates(price: Callable[..., np.ndarray], topology: Topology, rate_gbps: float) -> CablePrice:
    """The price of a link by its length: at its rate, or in a network of several rates the mean over all links' rates.

    A search moves switches, and knows links by their lengths only.
    """
    links, _ = own_rates(topology, rate_gbps)
    rates, counts = np.unique(links, return_counts=True)
    if rates.size < 2:
        return partial(price, rate_gbps=float(rates[0]) if rates.size else rate_gbps)
    shares = list(zip(rates.tolist(), (counts / counts.sum()).tolist(), strict=True))

    def mean(length_m: np.ndarray, between: np.ndarray | bool) -> np.ndarray:
        return np.asarray(sum(share * price(length_m, between, rate_gbps=rate) for rate, share in shares))

    return mean
