"""Cabling: every cable with both its ends, its product and its position in the order of work."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from topoloom.cabling.laid import LaidCables, OrderOfWork
from topoloom.cabling.plugs import Plugs
from topoloom.cabling.real_names import RealNames
from topoloom.cabling.ways import ways_through_panels
from topoloom.cost.choose import Cables, choose_cables, host_ends, joined_cables, kept_cables
from topoloom.cost.parts import Parts
from topoloom.cost.switch_kinds import cages_of_ends, kinds_if_sold
from topoloom.cost.terms import Terms
from topoloom.fabric.fabric import Fabric
from topoloom.formats.cables import host_ports
from topoloom.model.link_rates import own_rates
from topoloom.model.results import Filed, Provenance, provenance_of
from topoloom.model.sources import NetworkSource, network_of
from topoloom.placement.layout.layout import Layout


@dataclass(frozen=True, eq=False)
class Cabling(Filed):
    """The cables of a layout as columns, one row per link and host, in the order in which an installer pulls them.

    First the bundles, rack after rack in the order of the floor, each to the racks after it, the longest first: a crew
    finishes one rack before the next, and long cables lie below short ones in the tray. Then, rack after rack, the cables
    within it, links before host cables: earlier they would obstruct the bundles. Within a bundle or a rack, from the lowest
    port of the lowest switch upwards. Cables and bundles are numbered from 1 in this order.

    Links that pass through panels are no cables of their own: their rows come last, without a number. Their cords and trunks
    are in `laid`, which has every cable once: bundles with trunks come before those with cords only, these before all others,
    and within a bundle or a rack trunks come first, then cords.

    Attributes
    ----------
    layout : Layout
    bought : Cables
        Product, stock length, prices and power of each cable.
    rate_gbps : float or None
        The rate of all cables; None where they differ.
    link : int64[rows]
        The link of the topology; -1 for a host's cable.
    ends : int32[rows, 2]
        The switch at each end, a and b; for a host's cable b is the host. End a is in the rack that comes first on the
        floor, or lower in the rack.
    port : int32[rows, 2]
        The port at each end, from 1.
    bundle : int64[rows]
        The bundle, from 0; -1 for a cable within a rack, and for a link through panels.
    pairs : int64[bundles, 2]
        The two racks of each bundle.
    number : int64[rows]
        The numbers on the cables: 1, 2, .. in this order, unless they had numbers before; 0 for a link through panels.
    laid : LaidCables
        Every cable that is laid, cords and trunks included.
    terms : Terms
        The terms of the bill, stored in the folder.
    rates_gbps : float64[rows]
        The rate of each cable, Gb/s.
    fabric : Fabric or None
        The names of its devices and ports, where the network is cabled already; None: as topoloom counts them.
    """

    record_name = "cabling"
    record_version = 2
    written_by = "topoloom.cabling.files.save_cabling"
    read_by = "topoloom.cabling.files.load_cabling"
    unrecorded = (
        "layout",
        "bought",
        "link",
        "ends",
        "port",
        "bundle",
        "pairs",
        "number",
        "laid",
        "terms",
        "rates_gbps",
        "fabric",
    )
    derived = ("parts_name", "cables", "host_cables", "bundles", "total_m", "stock_m", "power_w")

    layout: Layout
    bought: Cables
    rate_gbps: float | None
    link: np.ndarray
    ends: np.ndarray
    port: np.ndarray
    bundle: np.ndarray
    pairs: np.ndarray
    number: np.ndarray
    laid: LaidCables
    provenance: Provenance = field(default_factory=Provenance, compare=False)
    terms: Terms = field(default_factory=Terms)
    rates_gbps: np.ndarray = field(default_factory=lambda: np.empty(0))
    fabric: Fabric | None = None

    def rows(self) -> list[dict[str, Any]]:
        """One row per link and host, in the order of work: its number, kind, bundle (from 1), both ends, lengths and product.

        A link through panels has no number; with panels, each row also has the ``way`` through them.
        """
        names = self.layout.rack_names
        titles = [product.title for product in self.bought.parts.cable]
        rack, standing = self.layout.rack, self.layout.host_slot is not None
        of_host = self.layout.host_rack if standing else rack
        columns = (
            self.number.tolist(),
            self.to_host.tolist(),
            self.bundle.tolist(),
            self.ends.tolist(),
            self.port.tolist(),
            self.length_m.tolist(),
            self.bought.stock_m.tolist(),
            self.bought.product.tolist(),
        )
        rows: list[dict[str, Any]] = [
            {
                "cable": number or None,
                "kind": "host" if to_host else "link",
                "bundle": bundle + 1 if bundle >= 0 else None,
                "a": a,
                "a_port": a_port,
                "a_rack": names[rack[a]],
                "b": b,
                "b_port": b_port,
                "b_rack": names[rack[b]] if not to_host else names[of_host[b]] if standing else None,
                "length_m": length_m,
                "stock_m": stock_m,
                "product": titles[product],
            }
            for number, to_host, bundle, (a, b), (a_port, b_port), length_m, stock_m, product in zip(
                *columns, strict=True
            )
        ]
        if self.layout.plant is not None:
            for row, way in zip(rows, self.ways, strict=True):
                row["way"] = way or None
        return rows

    @cached_property
    def ways(self) -> list[str]:
        """The panels on the way of each row: ``SP012:F05/R2 > SP340:R3/F17``; empty where it is a cable of its own."""
        return ways_through_panels(self)

    @cached_property
    def names(self) -> RealNames | None:
        """The real names of devices and ports; None: as topoloom counts them."""
        return None if self.fabric is None else RealNames(self.fabric)

    @property
    def parts_name(self) -> str:
        """The name of the catalogue."""
        return self.bought.parts.name

    @property
    def cables(self) -> int:
        """Number of cables, cords and trunks included."""
        return len(self.laid)

    @property
    def host_cables(self) -> int:
        """Number of cables to hosts."""
        return int(self.to_host.sum())

    @property
    def bundles(self) -> int:
        """Number of pairs of racks with cables between them."""
        return len(self.pairs)

    @property
    def total_m(self) -> float:
        """Total length of all cables on the floor, in m."""
        return float(self.laid.length_m.sum())

    @property
    def stock_m(self) -> float:
        """Total length of all cables as bought, in m."""
        return float(self.laid.stock_m.sum())

    @property
    def power_w(self) -> float:
        """Total power of all cables, both ends of each, in W."""
        return float(self.bought.power_w.sum())

    def __len__(self) -> int:
        return len(self.link)

    @property
    def length_m(self) -> np.ndarray:
        """The length of each row on the floor in m, float64[rows]; of a link through panels, of all cords and trunks on it."""
        return self.bought.length_m

    @property
    def to_host(self) -> np.ndarray:
        """Whether each row goes to a host, bool[rows]."""
        return np.asarray(self.link < 0)

    @cached_property
    def through(self) -> np.ndarray:
        """Whether each row is a link through panels, bool[rows]."""
        return np.asarray(np.append(~self.layout.cabled_alone, False)[self.link])

    @property
    def with_hosts(self) -> bool:
        """Whether the list includes the cables of hosts."""
        return bool(self.to_host.any())

    @cached_property
    def medium(self) -> np.ndarray:
        """The medium of each row, str[rows]."""
        return self.bought.medium

    @property
    def link_medium(self) -> np.ndarray:
        """The medium of each link, str[links], in the topology's order."""
        medium = np.empty(len(self.layout.topology.links), self.medium.dtype)
        medium[self.link[~self.to_host]] = self.medium[~self.to_host]
        return medium

    @cached_property
    def bundle_sizes(self) -> np.ndarray:
        """Number of cables of each bundle, int64[bundles]."""
        return np.bincount(self.laid.bundle[self.laid.bundle >= 0], minlength=len(self.pairs))


def cable(
    network: NetworkSource,
    parts: Parts | str | Path | None = None,
    rate_gbps: float | None = None,
    host_cables: bool | None = None,
    plugs: Plugs | None = None,
    fabric: Fabric | None = None,
) -> Cabling:
    """The cabling of a network on its floor: for every cable its ends, its product, its position in the order of work.

    Parameters
    ----------
    network : NetworkSource
        A network without a layout is placed with the default settings. Parameters omitted below are taken from the network.
    parts : Parts, str or path, optional
        The catalogue of products, stock lengths, prices and power; the network's own, otherwise ``slimfly-2014``.
    rate_gbps : float, optional
        The rate of every link, Gb/s; the network's own, otherwise 40, or the nearest rate in the catalogue's prices. In a
        network of several rates, each cable has its own.
    host_cables : bool, optional
        Whether to list a cable for every endpoint; they are always listed if hosts have separate racks.
    plugs : Plugs, optional
        Ports, numbers and products of installed cables; those of the network's cable list, if it has one.
    fabric : Fabric, optional
        The names of devices and ports of a layout; those of a cabled network, if a network is given.

    Returns
    -------
    Cabling

    Raises
    ------
    InputError
        The rate is not valid, no product serves a link, or only some cables have numbers.

    Examples
    --------
    >>> from topoloom import build, place
    >>> cables = cable(place(build("slimfly:q=5,hosts=4"), map="rows"))
    >>> len(cables), len(cables.pairs), int(cables.bundle_sizes[0])
    (175, 10, 10)
    >>> cables.ends[0].tolist(), cables.port[0].tolist(), str(cables.medium[0])
    ([0, 40], [10, 5], 'fibre')
    """
    if isinstance(network, Layout):
        layout, terms = network, Terms()
    else:
        placed = network_of(network, "cable").with_layout(parts=parts, rate_gbps=rate_gbps)
        layout, terms, plugs = placed.part(Layout), placed.terms, placed.plugs if plugs is None else plugs
        fabric = placed.cabled if fabric is None else fabric
    terms = terms.changed(parts=parts, rate_gbps=rate_gbps, host_cables=host_cables).on(layout.topology, "cable")
    parts, rate_gbps, topology = terms.catalogue, terms.rate_on(layout.topology), layout.topology
    host_cables = terms.host_cables or layout.housing is not None
    m, k = len(topology.links), topology.endpoints.size if host_cables else 0
    link = np.concatenate([np.arange(m), np.full(k, -1)])
    ends = np.concatenate([topology.links, np.stack([topology.endpoints[:k], topology.host[:k]], axis=1)])
    at = np.concatenate(
        [
            layout.rack[topology.links],
            np.stack([layout.rack[topology.endpoints], layout.host_rack[topology.host]], axis=1)[:k],
        ]
    )
    plugs = Plugs.of(layout) if plugs is None else plugs
    through = ~layout.cabled_alone
    plug = np.stack([plugs.endpoint[:k], host_ports(topology.host)[:k]], axis=1)
    # Panels are planned for ports: those of the plan are the ports of the links through them.
    port = np.concatenate([np.where(through[:, None], layout.link_ports, plugs.link), plug]).astype(np.int32)
    turned = np.zeros(m + k, bool)
    turned[:m] = at[:m, 0] > at[:m, 1]
    # A cable that carries several links begins at the lower switch, whichever end is a.
    trunk = ends
    ends, port, at = (np.where(turned[:, None], pair[:, ::-1], pair) for pair in (ends, port, at))

    length_m = np.concatenate([layout.length_m, layout.host_length_m[:k]])
    between = np.concatenate([layout.between, layout.host_between[:k]])
    own = np.concatenate([~through, np.ones(k, bool)])
    numbers = np.concatenate([plugs.number, plugs.endpoint_number[:k]])
    work = OrderOfWork(layout, ends, port, at.astype(np.int64), own, between, link < 0)
    order = work.rows
    to_hosts = host_ends(layout)
    of_links, of_hosts = own_rates(topology, rate_gbps)
    rates = np.concatenate([np.broadcast_to(of_links, m), np.broadcast_to(of_hosts, topology.endpoints.size)[:k]])
    at_links, at_hosts = cages_of_ends(topology, parts, rate_gbps, kinds_if_sold(topology, terms)) or (None, None)
    chosen = [choose_cables(parts, length_m[:m], layout.between, rates[:m], trunk[:m], cages=at_links, through=through)]
    if k:
        boxes = to_hosts.boxes
        chosen.append(choose_cables(parts, length_m[m:], between[m:], rates[m:], boxes, "host", to_hosts, at_hosts))
    bought = joined_cables(*chosen).at(order)
    product = np.concatenate([plugs.product_in(parts), np.full(k, -1)])[order]
    if (product >= 0).any():
        bought = kept_cables(bought, product, np.concatenate([plugs.stock_m, np.zeros(k)])[order], rates[order])
    laid = work.laid(length_m, bought.stock_m, numbers)
    rate = None if topology.mixed else rate_gbps
    settings = {"parts": parts.name, "rate_gbps": rate, "host_cables": host_cables}
    provenance = provenance_of(topology, settings=settings)
    return Cabling(
        *(layout, bought, rate, link[order], ends[order], port[order], work.bundle[order], work.pairs),
        *(laid.number_of_rows(m + k), laid, provenance),
        terms.changed(parts=parts),
        rates[order],
        fabric,
    )
