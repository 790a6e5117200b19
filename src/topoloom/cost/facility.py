"""What the machine room must supply: power, weight, air and liquid of every rack, every row and in total."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from topoloom.core.csv_files import csv_table, guarded
from topoloom.core.errors import InputError
from topoloom.cost.facility_limits import check_limits
from topoloom.cost.facility_sums import Sums, rack_sums
from topoloom.cost.parts import Parts
from topoloom.cost.placed import layout_and_terms
from topoloom.cost.terms import Terms
from topoloom.figures.style import COLOURS, Axes, drawn
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.sources import NetworkSource
from topoloom.placement.floors.rows import row_names
from topoloom.placement.floors.slots import Slots
from topoloom.placement.hosts.housing import RackRule
from topoloom.placement.hosts.rack_device import FacilityRule
from topoloom.placement.layout.layout import Layout

#: BTU/h per W (1 BTU = 1,055.06 J).
_BTU_H = 3.41214


@dataclass(frozen=True)
class Supply:
    """What a rack, a row of racks or the whole room takes.

    A sum counts what is known: None where nothing is, and the fields that end in `_unknown` count the devices that lack a
    figure.

    Attributes
    ----------
    name : str
        The rack, the row, or ``total``.
    racks, switches, hosts, devices : int
        Numbers; `devices` are the further devices of racks.
    units : float
        Rack units in use.
    max_w : float or None
        The maximum power: what the feeds must carry. A figure without a maximum counts with its typical power.
    hosts_w, switches_w, optics_w, devices_w : float
        The known parts of `max_w`; `optics_w` are the transceivers and cables, at the end where they are
        plugged in, except in switches whose maximum includes them.
    typical_w : float or None
        The typical power, as far as known.
    network_w : float
        The typical power of switches, transceivers and cables, as the bill has it.
    weight_kg : float or None
        The weight of all devices, without the empty rack.
    air_m3h : float or None
        The air: the stated airflow of a device, or by its heat and `air_k`.
    liquid_w : float
        The heat that goes into liquid; the rest of `max_w` goes into air.
    liquid_l_min : float or None
        The liquid for it, by `liquid_k`.
    inlets : int
        Power inlets of the hosts that have a figure.
    max_unknown, typical_unknown, weight_unknown, air_unknown, liquid_unknown : int
        The number of devices whose figure is not known.
    """

    name: str
    racks: int
    switches: int
    hosts: int
    devices: int
    units: float
    max_w: float | None
    hosts_w: float
    switches_w: float
    optics_w: float
    devices_w: float
    typical_w: float | None
    network_w: float
    weight_kg: float | None
    air_m3h: float | None
    liquid_w: float
    liquid_l_min: float | None
    inlets: int
    max_unknown: int
    typical_unknown: int
    weight_unknown: int
    air_unknown: int
    liquid_unknown: int


@dataclass(frozen=True)
class Facility(Result):
    """The supply of all racks, rows and the room.

    Attributes
    ----------
    racks : tuple of Supply
        In the order of the floor.
    rows : tuple of Supply
        The rows of the floor: racks with the same y.
    total : Supply
    feeds : int
        Power feeds of a rack; each carries `1 / (feeds - 1)` of it when one fails, all of it if there are two.
    pue : float or None
    air_k, liquid_k : float or None
        The temperature rises by which air and liquid were computed.
    """

    record_name = "facility"
    derived = ("facility_w", "heat_btu_h", "fullest_w")

    racks: tuple[Supply, ...]
    rows_of_floor: tuple[Supply, ...]
    total: Supply
    feeds: int = 2
    pue: float | None = None
    air_k: float | None = None
    liquid_k: float | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per rack, per row of the floor, and the total: the fields of `Supply`, and `level`."""
        levels = (("rack", self.racks), ("row", self.rows_of_floor), ("total", (self.total,)))
        return [{"level": level, **vars(supply)} for level, several in levels for supply in several]

    def csv(self) -> str:
        """The table as CSV: an empty cell where a value is not known."""
        rows = self.rows()
        cells = {key: ["" if row[key] is None else _written(row[key]) for row in rows] for key in rows[0]}
        return csv_table(cells)

    @property
    def facility_w(self) -> float | None:
        """The maximum power of the facility: all IT times `pue`; None where one of them is not known."""
        return None if self.pue is None or self.total.max_w is None else self.pue * self.total.max_w

    @property
    def heat_btu_h(self) -> float | None:
        """The maximum heat of all IT, BTU/h."""
        return None if self.total.max_w is None else _BTU_H * self.total.max_w

    @property
    def fullest_w(self) -> float | None:
        """The maximum power of the fullest rack, W."""
        return max((supply.max_w for supply in self.racks if supply.max_w is not None), default=None)

    @drawn(height_in=lambda facility: 1.2 + 0.25 * len(facility.racks))
    def plot(self, axes: "Axes") -> None:
        """One bar per rack: the maximum power of its hosts, switches, optics and further devices."""
        names = [supply.name for supply in self.racks]
        left = np.zeros(len(names))
        for colour, label, key in (
            (COLOURS[0], "hosts", "hosts_w"),
            (COLOURS[1], "switches", "switches_w"),
            (COLOURS[2], "optics", "optics_w"),
            (COLOURS[3], "further devices", "devices_w"),
        ):
            kilowatts = np.array([getattr(supply, key) for supply in self.racks]) / 1000
            axes.barh(names, kilowatts, left=left, label=label, color=colour)
            left = left + kilowatts
        axes.invert_yaxis()
        axes.set_xlabel("maximum power [kW]")
        axes.legend()


def facility(
    network: NetworkSource,
    parts: Parts | str | Path | None = None,
    rate_gbps: float | None = None,
    *,
    pue: float | None = None,
    air_k: float | None = None,
    liquid_k: float | None = None,
) -> Facility:
    """The power, weight, air and liquid of every rack, every row and in total, tested against the limits.

    Parameters
    ----------
    network : NetworkSource
        Its layout is used; a network without a layout is placed by the default. Parameters that are omitted are those that
        the network remembers.
    parts : Parts, str or path, optional
        A catalogue, the name of a built-in one, or a TOML file.
    rate_gbps : float, optional
        The rate of every link, Gb/s.
    pue : float, optional
        Total power of the facility per power of its IT; as `[facility]` if omitted. So are the next two.
    air_k : float, optional
        How much warmer air leaves a device, K: gives the air of devices whose airflow is not known.
    liquid_k : float, optional
        How much warmer liquid leaves a rack, K.

    Returns
    -------
    Facility

    Raises
    ------
    InputError
        A rack exceeds a limit of `[rack]`, `[facility]` or the floor; no product suits a switch or a link.

    Examples
    --------
    >>> from topoloom import facility
    >>> from topoloom.network.opening import open_network
    >>> pod = open_network("fat-tree:hosts=1016,k=64+rails:nics=8+populated:hosts=127")
    >>> pod = pod.placed(hosts="DGX H100", map="rows", parts="infiniband-2026", rate_gbps=400)
    >>> room = facility(pod)
    >>> room.total.hosts_w, room.total.max_unknown
    (1295400.0, 48)
    """
    layout, terms = layout_and_terms(network, "facility", parts, rate_gbps)
    terms = terms.changed(parts=parts, rate_gbps=rate_gbps).on(layout.topology, "facility")
    own = FacilityRule() if layout.housing is None else layout.housing.facility
    rule = with_rises(own, pue, air_k, liquid_k)
    rack_rule = RackRule() if layout.housing is None else layout.housing.rack
    settings = {
        "parts": terms.catalogue.name,
        "rate_gbps": None if layout.topology.mixed else terms.link_rate_gbps,
        "layout": layout.made,
    }
    provenance = provenance_of(layout.topology, settings=settings)
    return facility_of(rack_sums(layout, terms, rule), layout.slots, layout.used, rack_rule, rule, provenance)


def with_rises(rule: FacilityRule, pue: float | None, air_k: float | None, liquid_k: float | None) -> FacilityRule:
    """`[facility]` with other temperature rises and another PUE, as far as given.

    Parameters
    ----------
    rule : FacilityRule
    pue, air_k, liquid_k : float or None
    """
    given = {"pue": pue, "air_k": air_k, "liquid_k": liquid_k}
    return msgspec.structs.replace(rule, **{key: value for key, value in given.items() if value is not None})


def facility_of(
    sums: Sums,
    slots: Slots,
    used: np.ndarray,
    rack_rule: RackRule,
    rule: FacilityRule,
    provenance: Provenance,
    *,
    tested: bool = True,
) -> Facility:
    """The supply of all racks, rows and the room, tested against the limits.

    Parameters
    ----------
    sums : Sums
        Of the racks.
    slots : Slots
    used : int64[racks]
        The slot of each rack.
    rack_rule : RackRule
    rule : FacilityRule
    provenance : Provenance
    tested : bool
        Whether a limit that is exceeded is an error.

    Raises
    ------
    InputError
        A rack exceeds a limit of `[rack]`, `[facility]` or the floor.
    """
    racks = supplies_of([slots.names[slot] for slot in used.tolist()], sums)
    row, racks_of = row_names(slots), dict[str, list[int]]()
    for rack, slot in enumerate(used.tolist()):
        racks_of.setdefault(row[slot], []).append(rack)
    rows = tuple(supply_of(name, sums, own) for name, own in racks_of.items())
    total = supply_of("total", sums, range(len(racks)))
    if tested:
        check_limits(rack_rule, slots.limits[used, 2], racks, rows, total, rule)
    return Facility(
        racks,
        rows,
        total,
        feeds=rack_rule.feeds,
        pue=rule.pue,
        air_k=rule.air_k,
        liquid_k=rule.liquid_k,
        provenance=provenance,
    )


def _written(value: Any) -> str:
    """A cell of the CSV file."""
    return guarded(value) if isinstance(value, str) else f"{value:.10g}"


def supplies(layout: Layout, terms: Terms) -> tuple[Supply, ...]:
    """What each rack takes, by the layout's own `[facility]`, without a test of its limits.

    Parameters
    ----------
    layout : Layout
    terms : Terms
        The catalogue and the rate.

    Returns
    -------
    tuple of Supply
        One per rack.
    """
    rule = FacilityRule() if layout.housing is None else layout.housing.facility
    sums = rack_sums(layout, terms.on(layout.topology, "facility"), rule)
    return supplies_of(layout.rack_names, sums)


@dataclass(frozen=True, eq=False)
class RackPower:
    """The maximum power of every rack, as `Supply` has it.

    Attributes
    ----------
    max_w : float64[racks]
        The sum of hosts, switches, transceivers, cables and further devices whose maximum power is known.
    words : tuple of str
        For readers: ``41.1 kW``, ``at least 3.2 kW`` where some devices have no known power, ``power unknown`` where all have
        none.
    unknown : int
        The number of devices in all racks whose maximum power is not known.
    """

    max_w: np.ndarray
    words: tuple[str, ...]
    unknown: int


def rack_power(layout: Layout, terms: Terms) -> RackPower | None:
    """The maximum power of every rack, for pictures and tables of a floor.

    Parameters
    ----------
    layout : Layout
    terms : Terms
        The catalogue and the rate.

    Returns
    -------
    RackPower or None
        None where nothing is known, or the catalogue sells no suitable switch or cable.
    """
    try:
        racks = supplies(layout, terms)
    except InputError:
        return None
    return power_of(racks)


def power_of(racks: Sequence[Supply]) -> RackPower | None:
    """The maximum power of racks.

    Parameters
    ----------
    racks : sequence of Supply

    Returns
    -------
    RackPower or None
        None where nothing is known.
    """
    if not any(supply.max_w for supply in racks):
        return None
    return RackPower(
        np.array([supply.max_w or 0.0 for supply in racks]),
        tuple(power_words(supply) for supply in racks),
        sum(supply.max_unknown for supply in racks),
    )


def power_words(supply: Supply) -> str:
    """The maximum power in words: ``41.1 kW``, with "at least" where some devices lack it; ``power unknown``."""
    if supply.max_w is None:
        return "power unknown"
    return f"{'at least ' * (supply.max_unknown > 0)}{supply.max_w / 1000:,.1f} kW"


def supplies_of(names: Sequence[str], sums: Sums) -> tuple[Supply, ...]:
    """What each rack takes.

    Parameters
    ----------
    names : sequence of str
        Of all racks of the sums.
    sums : Sums
    """
    columns = [{key: values.tolist() for key, values in of.items()} for of in (sums.counts, sums.amounts, sums.unknown)]
    rows = [[dict(zip(of, row, strict=True)) for row in zip(*of.values(), strict=True)] for of in columns]
    return tuple(_supply(name, 1, *row) for name, *row in zip(names, *rows, strict=True))


def supply_of(name: str, sums: Sums, racks: Iterable[int]) -> Supply:
    """The sum of some racks.

    Parameters
    ----------
    name : str
        Of the rack, the row, or ``total``.
    sums : Sums
    racks : iterable of int
        Which of them.
    """
    rows = np.fromiter(racks, np.int64)
    count = {key: int(values[rows].sum()) for key, values in sums.counts.items()}
    total = {key: float(values[rows].sum()) for key, values in sums.amounts.items()}
    lacking = {key: int(values[rows].sum()) for key, values in sums.unknown.items()}
    return _supply(name, rows.size, count, total, lacking)


def _supply(name: str, racks: int, count: dict[str, int], total: dict[str, float], lacking: dict[str, int]) -> Supply:
    """A supply by its sums: numbers of devices, amounts, and how many devices lack a figure."""
    limited: dict[str, Any] = {
        key: None if lacking[short] and not total[key] else total[key]
        for key, short in (
            ("max_w", "max"),
            ("typical_w", "typical"),
            ("weight_kg", "weight"),
            ("air_m3h", "air"),
            ("liquid_l_min", "liquid"),
        )
    }
    unknown: dict[str, Any] = {f"{key}_unknown": value for key, value in lacking.items()}
    return Supply(name=name, racks=racks, **{**count, **total, **limited, **unknown})
