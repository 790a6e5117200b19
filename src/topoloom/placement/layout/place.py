"""The placement: switches into racks, racks onto the floor, then each switch to the slot with the shortest cables."""

import time
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.searches import Effort
from topoloom.core.work import Work
from topoloom.model.results import provenance_of
from topoloom.model.sources import NetworkSource, taken
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor
from topoloom.placement.floors.floor_files import read_floor
from topoloom.placement.floors.slots import Slots
from topoloom.placement.hosts.housing import Housing
from topoloom.placement.layout.bound import length_bound_m
from topoloom.placement.layout.housed import MOST_SEARCHED, planned_racks, searched
from topoloom.placement.layout.joint import joint, seating_for
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.longest import shorten_longest
from topoloom.placement.layout.mapping import first_slots, map_racks
from topoloom.placement.layout.plan import LayoutPlan, plan_racks, search_area
from topoloom.placement.layout.prices import CablePrice, Prices, cable_prices, length_prices
from topoloom.placement.layout.racks import switch_demands

MAPS = ("joint", "tabu", "anneal", "serpentine", "rows")
#: The default map; and the map by which `design` compares hundreds of networks before it places the best by the default,
#: because joint placement takes seconds per network (docs/how-to/lay-out-a-network.md).
DEFAULT_MAP, SCREENING_MAP = "joint", "rows"
OBJECTIVES = ("length", "longest")

#: Share of the time that `improve` takes to reduce the links between racks.
_IMPROVING = 0.2
#: Shares of the time for joint placement: for the two-step layout that it starts from, and for a pilot run that shows whether
#: moving single switches helps. If not, the share `_AGAIN` of the rest goes to the two-step layout.
_FIRST, _PILOT, _AGAIN = 0.12, 0.15, 0.7
_FEW_SLOTS = 128


def place_switches(
    topology: NetworkSource,
    floor: Floor | str = "slimfly-2014",
    cluster: str = "auto",
    map: str = DEFAULT_MAP,
    objective: Literal["length", "longest"] | CablePrice = "length",
    improve: bool = False,
    seed: int = 1,
    seconds: float | None = None,
    switch_w: float | np.ndarray = 0.0,
    jobs: int | None = None,
    *,
    moves: int | None = None,
    runs: int | None = None,
    housing: Housing | None = None,
    switch_u: float | np.ndarray = 1.0,
    work: Work | None = None,
) -> Layout:
    """Place the switches in racks, and the racks on the floor.

    Parameters
    ----------
    topology : NetworkSource
    floor : Floor or str
        A floor, the name of a preset, or the path of a .toml or .csv file.
    cluster : str
        How switches are grouped into racks: ``groups`` (the family's own), ``sequential``, ``walktrap``, ``metis``, or
        ``auto`` (groups where the family has them, else sequential).
    map : str
        How racks are placed: ``rows`` (row by row), ``serpentine``, ``anneal`` or ``tabu`` (Koibuchi 2013 IV.D, as a quadratic
        assignment problem), or ``joint``: each switch moves separately, starting from the annealed map; never worse than that.
    objective : str or callable
        The objective of the searching maps: ``length`` (of all cables), ``longest`` (the longest cable, then the length; only
        for joint placement), or the price of a cable as a function of its length and of whether it runs between racks
        (`topoloom.cost.parts.Parts.link_usd`).
    improve : bool
        Whether switches first change racks to reduce the links between racks.
    seed : int
        The same seed gives the same layout on every machine, unless `seconds` is given.
    seconds : float, optional
        Time limit of the search; by default a number of tries that depends only on the size.
    switch_w : float or array
        Power of a switch, or of each switch, for floors that limit a rack's power.
    jobs : int, optional
        Number of threads; all cores by default.
    moves, runs : int, optional
        For the maps ``anneal`` and ``tabu``: exchanges that each run tries, and runs, of which the best counts; Koibuchi 2013
        uses 100,000,000 and 5.
    housing : Housing, optional
        Hosts that stand in racks, and these racks: then whole racks of hosts and switches are placed (leaves in the middle of
        their hosts), and host cables count in the objective.
    switch_u : float or float64[switches]
        Height of a switch in units, where hosts have no racks; else `housing.rack` has it. Or that of each switch, where they
        differ.
    work : Work, optional
        Reports the searches; when it is stopped, the best layout so far is returned.

    Returns
    -------
    Layout

    Raises
    ------
    InputError
        The racks do not fit on the floor, a single switch overfills a rack, or a keyword is unknown.
    Stopped
        `work` was stopped before the switches had racks.

    Examples
    --------
    >>> from topoloom import build
    >>> network = build("slimfly:q=19,hosts=15")
    >>> layout = place_switches(network, map="rows")
    >>> layout.racks, int(layout.between.sum()), round(layout.mean_length_m, 3)
    (19, 6498, 3.436)
    >>> shortest = place_switches(network)  # joint placement; here it shows that row by row is within 3 % of the best
    >>> round(shortest.mean_length_m, 3), round(shortest.length_bound_m / len(network.links), 3)
    (3.436, 3.341)
    """
    topology = taken(topology, Topology, "place")
    if map not in MAPS:
        raise InputError(f"map '{map}' is not known; it must be {', '.join(MAPS)}")
    if not callable(objective) and objective not in OBJECTIVES:
        raise InputError(
            f"objective '{objective}' is not known; it must be {' or '.join(OBJECTIVES)}, or a price of a cable"
        )
    if seconds is not None and not 0 < seconds < float("inf"):
        raise InputError(f"seconds={seconds:g}: give a number of seconds above 0")
    if (moves is not None or runs is not None) and map not in {"anneal", "tabu"}:
        raise InputError(f"the map '{map}' does not use moves and runs; give them with the maps anneal and tabu")
    if seconds is not None and (moves is not None or runs is not None):
        raise InputError("give seconds, or moves and runs, not both")
    floor = read_floor(floor) if isinstance(floor, str) else floor
    loads = switch_demands(topology, switch_w)
    work = Work() if work is None else work
    began = time.monotonic()
    effort = Effort(seed, seconds, jobs, work, moves, runs)
    if housing is not None:
        if cluster != "auto" or improve:
            raise InputError("racks with hosts are planned unit by unit; omit cluster and improve")
        own_u = switch_u if isinstance(switch_u, np.ndarray) else None
        layout = _housed(topology, floor, housing, map, objective, float(np.max(switch_w)), own_u, effort)
        layout = layout if own_u is None else replace(layout, switch_u=own_u)
        map = "rows" if layout.racks > MOST_SEARCHED else map  # with more racks the search was skipped
    else:
        _check_power(floor, loads)
        layout = _with_switches(topology, floor, cluster, map, objective, improve, loads, effort)
        layout = replace(layout, switch_u=switch_u)
    settings = {
        "floor": floor.name,
        "cluster": cluster,
        "map": map,
        "objective": "price" if callable(objective) else objective,
        "improve": improve,
        "seconds": seconds,
        "moves": moves,
        "runs": runs,
    }
    if housing is not None:
        settings["hosts"] = housing.host.name
    timings = {"seconds": time.monotonic() - began}
    provenance = provenance_of(topology, seed=seed, settings=settings, timings=timings)
    return replace(layout, made=_made(settings, seed, work.ended), ended=work.ended, provenance=provenance)


def _made(settings: dict[str, Any], seed: int, ended: str) -> str:
    """A description of how a layout was made."""
    made = f"cluster={settings['cluster']}, map={settings['map']}"
    if settings["map"] not in {"rows", "serpentine"}:
        made += f", objective={settings['objective']}, seed={seed}"
    for name in ("seconds", "moves", "runs"):
        value = settings[name]
        made += f", {name}={value:g}" if isinstance(value, float) else f", {name}={value}" if value is not None else ""
    return made + (f", {'interrupted' if ended == 'interrupted' else 'ended by a deadline'}" if ended != "done" else "")


def _with_switches(
    topology: Topology,
    floor: Floor,
    cluster: str,
    map: str,
    objective: str | CablePrice,
    improve: bool,
    loads: np.ndarray,
    effort: Effort,
) -> Layout:
    """The layout where every host stands with its switch."""
    share = _IMPROVING if improve else 0.0
    plan = plan_racks(topology, floor, cluster, loads, improve, effort.part(share))
    effort = effort.part(1 - share)
    if map in {"rows", "serpentine"}:
        slot = _in_order(plan, serpentine=map == "serpentine")
        return Layout(topology, floor, plan.slots, slot)
    area = search_area(plan)
    slots = plan.slots.only(area)
    filled = None if plan.slot is None else np.searchsorted(area, plan.slot)
    prices = _prices(floor, slots, objective)
    search = _Search(topology, slots, plan.rack, filled, prices)
    slot = search.jointly(floor, loads, effort, objective) if map == "joint" else search.two_step(map, effort)
    layout = Layout(topology, floor, plan.slots, area[slot])
    if map == "joint" and effort.work.ended == "done":
        layout = replace(layout, length_bound_m=length_bound_m(layout))
    return layout


def _housed(
    topology: Topology,
    floor: Floor,
    housing: Housing,
    map: str,
    objective: str | CablePrice,
    switch_w: float,
    switch_u: np.ndarray | None,
    effort: Effort,
) -> Layout:
    """The layout where hosts stand in racks."""
    racks, slots, slot = planned_racks(topology, floor, housing, switch_w, switch_u)
    if map not in {"rows", "serpentine"} and len(racks) <= MOST_SEARCHED:
        method = ("both" if len(slots) <= _FEW_SLOTS else "anneal") if map == "joint" else map
        slot = searched(topology, racks, slots, slot, _prices(floor, slots, objective), method, effort)
    return Layout(topology, floor, slots, slot[racks.switch], housing=housing, host_slot=slot[racks.host])


def _prices(floor: Floor, slots: Slots, objective: str | CablePrice) -> Prices:
    """The price of a cable between two slots, by the objective."""
    return cable_prices(floor, slots, objective) if callable(objective) else length_prices(floor, slots)


def _check_power(floor: Floor, loads: np.ndarray) -> None:
    """Raise an error for limits of power without the power of a switch."""
    if floor.limits_power and not loads[:, 2].any():
        raise InputError(
            f"floor '{floor.name}' limits the power of a rack, but the power of a switch is not known; give switch_w (or"
            " `parts`: a catalogue with power), or remove the limit"
        )


def _in_order(plan: LayoutPlan, *, serpentine: bool) -> np.ndarray:
    """The slot of every switch with racks placed row by row, or in a serpentine."""
    if plan.rack is None:
        return np.asarray(plan.slot)
    return np.asarray(first_slots(plan.slots, plan.allowed, int(plan.rack.max()) + 1, serpentine)[plan.rack])


@dataclass(frozen=True, eq=False)
class _Search:
    """The searches for one plan on a set of slots, by one price.

    `rack` and `filled` are the plan's rack, or slot, of every switch; one of the two is None.
    """

    topology: Topology
    slots: Slots
    rack: np.ndarray | None
    filled: np.ndarray | None
    prices: Prices

    def two_step(self, map: str, effort: Effort) -> np.ndarray:
        """The slot of every switch when whole racks are mapped to slots."""
        if self.rack is None:
            return np.asarray(self.filled)
        slot = map_racks(self.topology, self.rack, self.slots, self.prices, map, effort)
        return np.asarray(slot[self.rack])

    def jointly(self, floor: Floor, loads: np.ndarray, effort: Effort, objective: str | CablePrice) -> np.ndarray:
        """The slot of every switch by joint placement, which starts from the two-step layout and is never worse."""
        if objective != "longest":
            return self._shortest(loads, effort)
        slot = self._shortest(loads, effort.part(0.5))
        seating = seating_for(self.slots, slot, loads)
        return shorten_longest(self.topology, floor, self.slots, slot, seating, effort.part(0.5, 1))

    def _shortest(self, loads: np.ndarray, effort: Effort) -> np.ndarray:
        # For few racks on many slots annealing alone is weak, and tabu search is fast.
        method = "both" if len(self.slots) <= _FEW_SLOTS else "anneal"
        slot = self.two_step(method, effort.part(_FIRST))
        seating = seating_for(self.slots, slot, loads)

        def moved(share: float, number: int) -> np.ndarray:
            part = effort.part(share, number)
            return joint(self.topology, self.slots, slot, seating, self.prices, part)

        if effort.seconds is None:
            return moved(1.0, 1)
        pilot = moved(_PILOT, 1)
        rest = 1 - _FIRST - _PILOT
        if self._price(pilot) >= self._price(slot):
            # Moving single switches does not help, as in regular families: spend the time on mapping whole racks.
            slot = min(slot, self.two_step(method, effort.part(rest * _AGAIN, 2)), key=self._price)
            rest *= 1 - _AGAIN
        return min(pilot, moved(rest, 3), key=self._price)

    def _price(self, slot: np.ndarray) -> float:
        return self.prices.total(self.topology, slot)
