"""The verb `place`: switches into cabinets, cabinets onto the floor, and then every switch where its cables are shortest."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from topoloom.errors import InputError
from topoloom.layout.bound import length_bound_m
from topoloom.layout.cabinets import assign_cabinets, fill_slots, loads_of, uniform_limits
from topoloom.layout.floor import Floor
from topoloom.layout.floor_files import read_floor
from topoloom.layout.improve import fewer_links_between
from topoloom.layout.joint import Seating, joint
from topoloom.layout.layout import Layout
from topoloom.layout.longest import shorten_longest
from topoloom.layout.mapping import first_slots, map_cabinets
from topoloom.layout.prices import CablePrice, Prices, cable_prices, length_prices
from topoloom.layout.slots import Slots
from topoloom.topology import Topology

MAPS = ("joint", "tabu", "anneal", "serpentine", "rows")
OBJECTIVES = ("length", "longest")

#: Of the time for joint placement, the share that goes to the two-step answer it starts from.
_FIRST_SHARE = 0.12


def place(
    topology: Topology,
    floor: Floor | str = "slimfly-2014",
    cluster: str = "auto",
    map: str = "joint",
    objective: Literal["length", "longest"] | CablePrice = "length",
    improve: bool = False,
    seed: int = 1,
    seconds: float | None = None,
    switch_w: float | np.ndarray = 0.0,
    jobs: int | None = None,
) -> Layout:
    """Put the switches into cabinets and the cabinets on the floor.

    Parameters
    ----------
    topology : Topology
    floor : Floor or str
        A floor, the name of a preset, or the path of a .toml or .csv file.
    cluster : str
        Which switches share a cabinet: ``groups`` (the family's own), ``sequential``, ``walktrap``, ``metis``, or
        ``auto`` (groups where the family has them, else sequential).
    map : str
        Where the cabinets stand: ``rows`` (row by row), ``serpentine``, ``anneal`` or ``tabu`` (000 IV.D, as a quadratic
        assignment problem), or ``joint``: the better of these, then each switch moves by itself; never worse.
    objective : str or callable
        ``length`` (of all cables), ``longest`` (the longest cable, then the length), or the price of a cable as a
        function of its length and whether it runs between cabinets (`topoloom.cost.parts.Parts.link_usd`).
    improve : bool
        Whether switches change cabinets while fewer links run between cabinets, before the cabinets are mapped.
    seed : int
        The same seed gives the same layout on every machine, unless `seconds` is given.
    seconds : float, optional
        How long to search; the default is a number of tries that depends on the size alone.
    switch_w : float or array
        Watts of a switch, or of each, for floors that limit a cabinet's power.
    jobs : int, optional
        Threads; all cores by default.

    Raises
    ------
    InputError
        The cabinets do not fit the floor, a switch alone is more than a cabinet holds, or a word is not known.

    Examples
    --------
    >>> from topoloom import build
    >>> network = build("slimfly:q=19,hosts=15")
    >>> layout = place(network, map="rows")
    >>> layout.cabinets, int(layout.between.sum()), round(layout.mean_length_m, 3)
    (19, 6498, 3.436)
    >>> shortest = place(network)  # joint placement; here it proves that row by row is within 3 % of the best
    >>> round(shortest.mean_length_m, 3), round(shortest.length_bound_m / len(network.links), 3)
    (3.436, 3.341)
    """
    if map not in MAPS:
        raise InputError(f"map '{map}' is not known; it must be {', '.join(MAPS)}")
    if not callable(objective) and objective not in OBJECTIVES:
        raise InputError(
            f"objective '{objective}' is not known; it must be {' or '.join(OBJECTIVES)}, or a price of a cable"
        )
    if seconds is not None and not 0 < seconds < float("inf"):
        raise InputError(f"seconds={seconds:g}: give the search a number of seconds above 0")
    floor = read_floor(floor) if isinstance(floor, str) else floor
    loads = loads_of(topology, switch_w)
    search = _Search(seed, seconds, jobs)
    plan = _plan(topology, floor, cluster, loads, improve, search)
    prices = cable_prices(floor, plan.slots, objective) if callable(objective) else length_prices(floor, plan.slots)
    slot, stopped = _two_step(topology, plan, prices, map, search)
    if map == "joint" and not stopped:
        seating = seating_for(plan.slots, slot, loads)
        rest = None if seconds is None else seconds * (1 - _FIRST_SHARE)
        if objective == "longest":
            rest = None if rest is None else rest / 2
        slot = joint(topology, plan.slots, slot, seating, prices, seed, rest, jobs)
        if objective == "longest":
            slot = shorten_longest(topology, floor, plan.slots, slot, seating, seed, rest, jobs)
    made = f"cluster={cluster}, map={map}, seed={seed}" + (f", seconds={seconds:g}" if seconds is not None else "")
    layout = Layout(topology, floor, plan.slots, np.asarray(slot, np.int32), made)
    return replace(layout, length_bound_m=length_bound_m(layout)) if map == "joint" else layout


@dataclass(frozen=True)
class _Search:
    """How the searches run."""

    seed: int
    seconds: float | None
    jobs: int | None


@dataclass(frozen=True, eq=False)
class _Plan:
    """Cabinets before they stand anywhere; or, where the slots differ too much for that, the slot of every switch."""

    slots: Slots
    allowed: np.ndarray
    cabinet: np.ndarray | None = None
    slot: np.ndarray | None = None


def _plan(topology: Topology, floor: Floor, cluster: str, loads: np.ndarray, improve: bool, search: _Search) -> _Plan:
    """The cabinets, and the slots where they may stand."""
    if floor.fixed is None:
        cabinet = _cabinets(topology, floor, cluster, loads, improve, search)
        slots = floor.slots_for(int(cabinet.max()) + 1)
        return _Plan(slots, np.arange(len(slots)), cabinet)
    for limited, allowed in uniform_limits(floor, loads):
        cabinet = _cabinets(topology, limited, cluster, loads, improve, search)
        if cabinet.max() < len(allowed):
            return _Plan(floor.fixed, allowed, cabinet)
    order = np.argsort(topology.labels["group"], kind="stable") if "group" in topology.labels else np.arange(len(loads))
    return _Plan(floor.fixed, np.arange(len(floor.fixed)), slot=fill_slots(floor, order, loads))


def _cabinets(
    topology: Topology, floor: Floor, cluster: str, loads: np.ndarray, improve: bool, search: _Search
) -> np.ndarray:
    """The cabinet of every switch, with fewer links between them where that is wanted."""
    cabinet = assign_cabinets(topology, floor, cluster, loads, search.seed)
    return fewer_links_between(topology, cabinet, loads, search.seed, search.jobs) if improve else cabinet


def _two_step(topology: Topology, plan: _Plan, prices: Prices, map: str, search: _Search) -> tuple[np.ndarray, bool]:
    """The slot of every switch when whole cabinets are put on the floor, and whether Ctrl-C ended the search for it."""
    if plan.cabinet is None:
        return np.asarray(plan.slot), False
    if map in {"rows", "serpentine"}:
        slot = first_slots(plan.slots, plan.allowed, int(plan.cabinet.max()) + 1, map == "serpentine")
        return np.asarray(slot[plan.cabinet]), False
    seconds = search.seconds if map != "joint" or search.seconds is None else search.seconds * _FIRST_SHARE
    method = "anneal" if map == "joint" else map
    mapped = map_cabinets(
        topology, plan.cabinet, plan.slots, plan.allowed, prices, method, search.seed, seconds, search.jobs
    )
    return np.asarray(mapped.slot[plan.cabinet]), mapped.stopped


def seating_for(slots: Slots, slot: np.ndarray, loads: np.ndarray) -> Seating:
    """Who may sit where: the floor's limits, and where it has none what the fullest cabinet of a first layout holds."""
    held = np.zeros((len(slots), loads.shape[1]))
    np.add.at(held, slot, loads)
    limits = np.where(np.isinf(slots.limits), held.max(axis=0), slots.limits)
    seats = np.minimum(limits[:, 0], len(loads)).astype(np.int64)
    counted = []
    for what in range(1, loads.shape[1]):
        each = loads[:, what]
        if (each == each[0]).all():
            # All switches alike: the limit is one on their number.
            if each[0] > 0:
                seats = np.minimum(seats, np.floor(limits[:, what] / each[0] + 1e-9).astype(np.int64))
        else:
            counted.append(what)
    return Seating(seats, loads[:, counted], limits[:, counted])
