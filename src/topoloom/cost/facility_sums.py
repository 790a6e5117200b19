"""The sums of each rack: devices, power, weight, air and liquid, and the number of devices whose figures are not known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from topoloom.cost.choose import Cables, endpoint_cables, host_ends, link_cables
from topoloom.cost.modules import plugged_modules
from topoloom.cost.parts import Parts
from topoloom.cost.switch_kinds import SwitchKind, switch_kinds
from topoloom.cost.terms import Terms
from topoloom.placement.hosts.housing import HostType
from topoloom.placement.hosts.rack_device import FacilityRule, RackDevice
from topoloom.placement.layout.layout import Layout

#: m³/h of air per W and K: 3,600 s / (1.2 kg/m³ * 1,005 J/(kg K)); 1.76 CFM.
AIR_M3H = 3600 / (1.2 * 1005)
#: L/min of water per W and K: 60 s / 4,190 J/(L K); 14.3 L/min per kW and K.
LIQUID_L_MIN = 60 / 4190

_AMOUNTS = (
    *("units", "max_w", "hosts_w", "switches_w", "optics_w", "devices_w", "typical_w", "network_w"),
    *("weight_kg", "air_m3h", "liquid_w", "liquid_l_min"),
)
_UNKNOWN = ("max", "typical", "weight", "air", "liquid")
#: Modules or ends of cables: side, rack, pieces, the typical and maximum power of one, and where they count in the maximum.
_End = tuple[str, np.ndarray, np.ndarray, "np.ndarray | float | None", "np.ndarray | float | None", "np.ndarray | bool"]


@dataclass
class Sums:
    """The sums by rack: counts int64[racks], amounts float64[racks], and how many devices lack a figure, int64[racks]."""

    racks: int
    counts: dict[str, np.ndarray] = field(default_factory=dict)
    amounts: dict[str, np.ndarray] = field(default_factory=dict)
    unknown: dict[str, np.ndarray] = field(default_factory=dict)
    #: The power of transceivers and cables that are plugged into hosts, float64[racks].
    host_optics_w: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        self.amounts = {key: np.zeros(self.racks) for key in _AMOUNTS}
        self.unknown = {key: np.zeros(self.racks, np.int64) for key in _UNKNOWN}


@dataclass(frozen=True)
class Figures:
    """The figures of one kind of device; None where one is not known."""

    max_w: float | None
    typical_w: float | None
    weight_kg: float | None
    air_m3h: float | None
    liquid_share: float


def rack_sums(layout: Layout, terms: Terms, rule: FacilityRule) -> Sums:
    """The sums of all racks.

    Parameters
    ----------
    layout : Layout
    terms : Terms
        The catalogue and the rate.
    rule : FacilityRule
        The temperature rises of air and liquid.

    Returns
    -------
    Sums
    """
    sums = Sums(layout.racks)
    switches, hosts = layout.switches_in_rack, layout.hosts_in_rack
    sums.amounts["units"] += layout.rack_u
    kinds = switch_kinds(layout.topology, terms)
    optics = _optics(layout, terms, kinds, sums)
    sums.host_optics_w = optics["host"]
    figures_of = _with_rack_figures([switch_figures(kind, terms.catalogue) for kind in kinds], layout)
    counts = [np.bincount(layout.rack[kind.switches], minlength=layout.racks) for kind in kinds]
    apart = [not _includes_optics(kind, terms.catalogue) for kind in kinds]
    bare = sum((count for count, bears in zip(counts, apart, strict=True) if bears), np.zeros(layout.racks))
    for figures, count, bears in zip(figures_of, counts, apart, strict=True):
        # Where a rack has several kinds, the optics' heat goes by their numbers.
        _add(sums, "switches_w", count, figures, rule, optics["switch"] * bears * count / np.maximum(1, bare))
        sums.amounts["network_w"] += count * (figures.typical_w or 0.0)
    devices, inlets = np.zeros(layout.racks, np.int64), np.zeros(layout.racks, np.int64)
    # Hosts and devices of shared racks are in the sums of their machine.
    if layout.housing is not None and not layout.housing.shared:
        for host, numbers in layout.housing.kinds(layout.topology.hosts):
            of_kind = np.bincount(layout.host_rack[numbers], minlength=layout.racks)
            # Where a rack has several kinds, the optics' heat goes by their numbers.
            add_hosts(sums, of_kind, host, rule, optics["host"] * of_kind / np.maximum(1, hosts))
            inlets = inlets + of_kind * (host.inlets or 0)
        for device in layout.housing.rack.device:
            has = np.full(layout.racks, True) if device.racks == "all" else (hosts > 0) == (device.racks == "hosts")
            devices += has * device.count
            add_devices(sums, has * device.count, device, rule)
    _add_panels(sums, layout, rule)
    sums.counts = {"switches": switches, "hosts": hosts, "devices": devices, "inlets": inlets}
    return sums


def add_hosts(sums: Sums, count: np.ndarray, host: HostType, rule: FacilityRule, optics_w: np.ndarray) -> None:
    """Add hosts of one kind.

    Parameters
    ----------
    sums : Sums
    count : int64[racks]
    host : HostType
    rule : FacilityRule
    optics_w : float64[racks]
        The power of what is plugged into them, W.
    """
    # A power of 0 is the default of a host whose power is not given.
    figures = Figures(host.power_w or None, host.typical_w, host.weight_kg, host.air_m3h, host.liquid_share)
    _add(sums, "hosts_w", count, figures, rule, optics_w)


def add_devices(sums: Sums, count: np.ndarray, device: RackDevice, rule: FacilityRule) -> None:
    """Add further devices of one kind.

    Parameters
    ----------
    sums : Sums
    count : int64[racks]
    device : RackDevice
    rule : FacilityRule
    """
    typical = device.typical_w if device.typical_w is not None or device.power_w else device.power_w
    # A device whose power its hosts include gives its heat through them.
    air = 0.0 if device.air_m3h is None and device.power_w == 0 else device.air_m3h
    own = Figures(device.power_w, typical, device.weight_kg, air, device.liquid_share)
    _add(sums, "devices_w", count, own, rule)


def _add_panels(sums: Sums, layout: Layout, rule: FacilityRule) -> None:
    """Add the panels of a layout, which weigh, and take no power."""
    plant = layout.plant
    if plant is None:
        return
    rack = np.searchsorted(layout.used, plant.slot)
    for number, panel in enumerate(plant.panels):
        count = np.bincount(rack[plant.panel == number], minlength=layout.racks)
        _add(sums, "devices_w", count, Figures(0.0, 0.0, panel.weight_kg, 0.0, 0.0), rule)


def _add(
    sums: Sums, part: str, count: np.ndarray, figures: Figures, rule: FacilityRule, optics_w: np.ndarray | float = 0.0
) -> None:
    """Add devices of one kind, `count` in each rack, with the heat of the optics that are plugged into them."""
    amounts, unknown = sums.amounts, sums.unknown
    for key, total, value in (
        ("max", "max_w", figures.max_w),
        ("typical", "typical_w", figures.typical_w),
        ("weight", "weight_kg", figures.weight_kg),
    ):
        if value is None:
            unknown[key] += count
        else:
            amounts[total] += count * value
    watts = count * (figures.max_w or 0.0)
    amounts[part] += watts
    liquid_w = watts * figures.liquid_share
    amounts["liquid_w"] += liquid_w
    if figures.air_m3h is not None:
        amounts["air_m3h"] += count * figures.air_m3h
    elif rule.air_k is not None and figures.max_w is not None:
        amounts["air_m3h"] += AIR_M3H * (watts - liquid_w + optics_w * (count > 0)) / rule.air_k
    else:
        unknown["air"] += count
    if figures.liquid_share and (rule.liquid_k is None or figures.max_w is None):
        unknown["liquid"] += count
    elif rule.liquid_k is not None:
        amounts["liquid_l_min"] += LIQUID_L_MIN * liquid_w / rule.liquid_k


def switch_figures(kind: SwitchKind, parts: Parts) -> Figures:
    """The figures of a switch.

    Parameters
    ----------
    kind : SwitchKind
    parts : Parts
    """
    product = kind.product(parts)
    typical = _known(parts.switch_w(kind.bought, kind.rate_gbps, kind.in_use))
    if product is None:
        return Figures(typical, typical, None, None, 0.0)
    most = typical if product.power_max_w is None else product.power_max_w
    return Figures(most, typical, product.weight_kg, product.air_m3h, product.liquid_share)


def _includes_optics(kind: SwitchKind, parts: Parts) -> bool:
    """Whether the maximum power of a switch includes what is plugged in: a maker's does, and so does a power supply's."""
    product = kind.product(parts)
    return product is not None and product.power_max_w is not None


def _with_rack_figures(figures: list[Figures], layout: Layout) -> list[Figures]:
    """The figures with the weight and the airflow of `[rack]`, where no product of the network gives them."""
    if layout.housing is None:
        return figures
    rack = layout.housing.rack
    if all(each.weight_kg is None for each in figures):
        figures = [replace(each, weight_kg=rack.switch_kg) for each in figures]
    if all(each.air_m3h is None for each in figures):
        figures = [replace(each, air_m3h=rack.switch_air_m3h) for each in figures]
    return figures


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def optics_of_racks(layout: Layout, terms: Terms) -> dict[str, np.ndarray]:
    """The known maximum power of transceivers and cables at switches and at hosts, float64[racks] each.

    Those at a switch whose own maximum includes them are not counted.
    """
    return _optics(layout, terms, switch_kinds(layout.topology, terms), Sums(layout.racks))


def _optics(layout: Layout, terms: Terms, kinds: Sequence[SwitchKind], sums: Sums) -> dict[str, np.ndarray]:
    """The known maximum power of transceivers and cables, as `optics_of_racks`; added to the sums, with the typical power."""
    watts_of = {side: np.zeros(layout.racks) for side in ("switch", "host")}
    typical = np.zeros(layout.racks)
    for side, rack, pieces, watts, most, counted in _ends(layout, terms, kinds):
        if watts is None:
            sums.unknown["typical"] += np.bincount(rack, pieces, layout.racks).astype(np.int64)
        else:
            typical += np.bincount(rack, pieces * watts, layout.racks)
        if most is None:
            sums.unknown["max"] += np.bincount(rack, pieces * counted, layout.racks).astype(np.int64)
        else:
            watts_of[side] += np.bincount(rack, pieces * most * counted, layout.racks)
    for key in ("typical_w", "network_w"):
        sums.amounts[key] += typical
    for key in ("optics_w", "max_w"):
        sums.amounts[key] += watts_of["switch"] + watts_of["host"]
    return watts_of


def _ends(layout: Layout, terms: Terms, kinds: Sequence[SwitchKind]) -> Iterator[_End]:
    """All modules and all ends of cables; the power of a cable with both ends built in is shared evenly by its ends."""
    parts, rate = terms.catalogue, terms.rate_on(layout.topology)
    cables = [link_cables(layout, parts, rate, kinds)]
    if terms.host_cables or layout.housing is not None:
        cables.append(endpoint_cables(layout, parts, rate, kinds))
    counted = np.full(layout.topology.switches, True)
    for kind in kinds:
        counted[kind.switches] = not _includes_optics(kind, parts)
    yield from _modules(layout, cables, rate, kinds, counted)
    yield from _cable_ends(layout, cables, counted)


def _modules(
    layout: Layout, cables: list[Cables], rate_gbps: float, kinds: Sequence[SwitchKind], counted: np.ndarray
) -> Iterator[_End]:
    """The modules of each box."""
    host_of_box = host_ends(layout).host
    for some in plugged_modules(layout, cables, rate_gbps, kinds):
        module, side = some.module, some.side
        box = np.flatnonzero(some.pieces)
        pieces = some.pieces[box]
        rack = layout.rack[box] if side == "switch" else layout.host_rack[host_of_box[box]]
        most = module.power_w if module.power_max_w is None else module.power_max_w
        yield side, rack, pieces, module.power_w, most, counted[box] if side == "switch" else True


def _cable_ends(layout: Layout, cables: list[Cables], counted: np.ndarray) -> Iterator[_End]:
    """Both ends of all cables, each with half of its power."""
    topology = layout.topology
    ends = [
        (("switch", topology.links[:, 0]), ("switch", topology.links[:, 1])),
        (("switch", topology.endpoints), ("host", topology.host)),
    ]
    for bought, sides in zip(cables, ends, strict=False):
        for side, at in sides:
            half, switch = bought.power_w / 2, side == "switch"
            rack = (layout.rack if switch else layout.host_rack)[at]
            yield side, rack, np.ones(rack.size), half, half, counted[at] if switch else True
