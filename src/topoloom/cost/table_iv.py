"""Table IV of Besta 2014, column by column: as published, recomputed with the paper's assumptions, and counted exactly.

Source: Besta 2014 Table IV and VI.B; `assumption` states what the errata (Besta 2014, 3-8, C) found behind a published number.
Assumptions marked "inferred" were found by trying alternatives until a number matched: plausible, not confirmed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from topoloom.cost.bill import AsPublished, Bill, price
from topoloom.cost.parts import Parts
from topoloom.cost.parts_files import load_parts
from topoloom.model.topology import Topology
from topoloom.placement.floors.floor import Floor, preset
from topoloom.placement.layout.layout import Layout
from topoloom.placement.layout.place import place_switches

_RATE_GBPS = 40.0
_OVERHEAD_M = 2.0


@dataclass(frozen=True)
class Printed:
    """A column of Table IV as published."""

    hosts: int
    switches: int
    radix: int
    electric: int
    fibre: int
    cost_usd: float
    power_w: float


@dataclass(frozen=True)
class Count:
    """The quantities behind a column's cost; `electric` and `fibre` as the paper labels its cables, whatever it charges."""

    hosts: float
    switches: float
    radix: int
    cables_usd: float
    electric: float
    fibre: float

    def cost_usd(self, parts: Parts) -> float:
        """USD per host."""
        return (self.switches * parts.switch_usd(self.radix) + self.cables_usd) / self.hosts

    def power_w(self, parts: Parts) -> float:
        """W per host."""
        return self.switches * parts.switch_w(self.radix) / self.hosts


@dataclass(frozen=True)
class TableColumn:
    """One column: the published values, the count that they follow (None: not found), and the spec for the exact count.

    `radix` is the switch that the exact count buys (the paper's, if it is large enough); `folded` keeps Besta 2014's
    assumption that a folded torus needs only electric cables of 1 m.
    """

    key: str
    title: str
    printed: Printed
    spec: str
    assumption: str
    as_published: Callable[[], Count] | None
    radix: int | None = None
    floor: Floor | None = None
    folded: bool = False
    note: str = ""

    def layout(self) -> Layout:
        """The layout of the exact count, on the floor of Besta 2014."""
        from topoloom.topologies.spec import build

        layout = place_switches(build(self.spec), self.floor or preset("slimfly-2014"), map="rows")
        return layout if not self.folded else in_one_rack(layout)

    def exact(self, orders: bool = False) -> Bill:
        """The bill of the exact count: the true graph, each cable at the price of its own medium, no host cables.

        The bill contains the published values, and the cables to order if `orders` is set.
        """
        bill = price(self.layout(), "slimfly-2014", _RATE_GBPS, self.radix, orders=orders)
        parts = load_parts("slimfly-2014")
        count = None if self.as_published is None else self.as_published()
        printed = AsPublished(
            column=self.title,
            published_cost_usd=self.printed.cost_usd,
            published_power_w=self.printed.power_w,
            cost_per_host_usd=None if count is None else count.cost_usd(parts),
            power_per_host_w=None if count is None else count.power_w(parts),
            assumption=self.assumption,
            note=self.note,
        )
        return replace(bill, as_published=printed)


def in_one_rack(layout: Layout) -> Layout:
    """Besta 2014 VI.B.3a: a folded torus has only short electric cables, priced like those inside a rack."""
    nowhere = np.zeros(layout.topology.switches, np.int32)
    return Layout(layout.topology, layout.floor, layout.floor.slots_for(1), nowhere)


def _usd(index: int, length_m: float) -> float:
    return float(load_parts("slimfly-2014").cable_usd(index, np.array([length_m]), _RATE_GBPS)[0])


def _electric(length_m: float) -> float:
    return _usd(0, length_m)


def _fibre(length_m: float) -> float:
    return _usd(1, length_m)


def _mean_apart_m(groups: int) -> float:
    """Mean Manhattan distance over all ordered pairs of `groups` racks, including each rack with itself, m."""
    place_m = preset("slimfly-2014").slots_for(groups).place_m[:groups]
    return float(np.abs(place_m[:, None, :] - place_m[None, :, :]).sum(axis=2).mean())


def _cube(radix: int, electric: int) -> Callable[[], Count]:
    """Three of the five dimensions between racks, 4,096 cables each, spanning 1, 2 and 4 m."""

    def count() -> Count:
        fibre = sum(4096 * _fibre(length_m + _OVERHEAD_M) for length_m in (1.0, 2.0, 4.0))
        return Count(8192, 8192, radix, electric * _electric(1.0) + fibre, electric, 3 * 4096)

    return count


def _fat_tree(radix: int, electric_pods: int) -> Callable[[], Count]:
    """p = k/2, fractional; all cables between switches fibre of 1 m; hosts' cables electric, to the floor's centre."""

    def count() -> Count:
        p = radix / 2
        side = int(np.ceil(np.sqrt(radix)))
        place_m = np.stack(np.divmod(np.arange(radix), side), axis=1)
        to_centre_m = float(np.abs(place_m - (side - 1) / 2).sum(axis=1).mean())
        cables = 4 * p**3 * _fibre(1.0) + 2 * p**3 * _electric(to_centre_m + _OVERHEAD_M)
        # All pods but those next to the centre have electric host cables: 42 of 43, and 24 of 35.
        electric = 2 * p**3 * electric_pods / radix
        return Count(2 * p**3, 5 * p**2, radix, cables, electric, 6 * p**3 - electric)

    return count


def _butterfly(p: int) -> Callable[[], Count]:
    """k = 4p - 3 rather than the printed radix; p^4 fibre cables: every group is paired with itself too."""

    def count() -> Count:
        along_m = float(np.abs(np.subtract.outer(np.arange(p), np.arange(p))).mean())
        local = p**3 * (p - 1) / 2
        cables = local * _electric(1.0) + p**4 * _fibre(along_m + _OVERHEAD_M)
        return Count(p**4, p**3, 4 * p - 3, cables, local, p**4)

    return count


def _dragonfly(a: int, p: int, groups: int, radix: int, members: int, host_cables: bool = False) -> Callable[[], Count]:
    """g^2/2 global cables, charged at the electric tariff; `members`: the group size that the local cables follow."""

    def count() -> Count:
        hosts = a * p * groups
        local, across = groups * members * (members - 1) / 2, groups**2 / 2
        cables = local * _electric(1.0) + across * _electric(_mean_apart_m(groups) + _OVERHEAD_M)
        return Count(hosts, a * groups, radix, cables + (hosts * _electric(1.0) if host_cables else 0.0), local, across)

    return count


def _slim_fly() -> Count:
    """k = 43; q floor(a(a-1)/4) electric cables with a = 2q, q^3 global ones at the electric tariff."""
    q, a = 19, 38
    local = q * (a * (a - 1) // 4)
    cables = local * _electric(1.0) + q**3 * _electric(_mean_apart_m(q) + _OVERHEAD_M)
    return Count(15 * 2 * q * q, 2 * q * q, 43, cables, local, q**3)


_TREE_NOTE = "exact: k must be even (the nearest below), whole pods, and no host cables, which no other column has"
_TARIFF = "inferred: global cables at the electric tariff, which is cheaper below 21.19 m"

COLUMNS: tuple[TableColumn, ...] = (
    TableColumn(
        "t3d",
        "T3D",
        Printed(10648, 10648, 7, 31900, 0, 1682, 19.6),
        "torus:dims=22x22x22,hosts=1",
        "3N = 31,944 links, not 31,900; the cost would need a mean cable of 1.067 m",
        None,
        folded=True,
    ),
    TableColumn(
        "t5d",
        "T5D",
        Printed(10368, 10368, 11, 50688, 0, 3176, 30.8),
        "torus:dims=8x6x6x6x6,hosts=1",
        "5N = 51,840 links, not 50,688; the cost would need a mean cable of 1.207 m",
        None,
        folded=True,
    ),
    TableColumn(
        "hc",
        "HC",
        Printed(8192, 8192, 14, 32768, 12288, 4631, 39.2),
        "hypercube:n=13,hosts=1",
        "inferred: two of the five dimensions between racks (8,192 cables) dropped",
        _cube(14, 32768),
        floor=replace(preset("slimfly-2014"), rows=8, columns=4),
    ),
    TableColumn(
        "lh-hc",
        "LH-HC",
        Printed(8192, 8192, 19, 53248, 12288, 6481, 53.2),
        "longhop:n=13,extra=5,hosts=1",
        "inferred: as HC, and all long hops electric inside the rack",
        _cube(19, 53248),
        radix=19,
        floor=replace(preset("slimfly-2014"), rows=8, columns=4),
        note="exact: long hops that leave the rack are fibre; with all of them electric, 53,248 and 20,480 cables, it would be"
        " 6,785.6 USD",
    ),
    TableColumn(
        "ft3-43",
        "FT-3, k = 43",
        Printed(19876, 2311, 43, 19414, 40215, 2346, 14.0),
        "fat-tree:k=42",
        "inferred: p = 21.5, electric host cables to the floor's centre in 42 of 43 pods",
        _fat_tree(43, 42),
        note=_TREE_NOTE,
    ),
    TableColumn(
        "dln-43",
        "DLN, k = 43",
        Printed(40200, 4020, 43, 32488, 33842, 1743, 12.04),
        "dln:n=4020,x=2,random=31,hosts=10",
        "the 66,330 links come out; how 49 % of them are electric is not known",
        None,
        radix=43,
        floor=replace(preset("slimfly-2014"), sequence_rack=22),
        note="exact: racks of 22 switches in ring order, cables between racks fibre",
    ),
    TableColumn(
        "fbf3-43",
        'FBF-3, "k = 43"',
        Printed(20736, 1728, 43, 9504, 20736, 1570, 10.8),
        "flattened-butterfly:dims=12x12x12,hosts=12",
        "k = 4p - 3 = 45, not 43; p^4 fibre cables count every group with itself",
        _butterfly(12),
    ),
    TableColumn(
        "df-43",
        "DF, k = 43",
        Printed(58806, 5346, 43, 56133, 29524, 1438, 10.9),
        "dragonfly:h=11",
        f"g^2/2 global cables for g(g-1)/2; {_TARIFF}",
        _dragonfly(22, 11, 243, 43, 22),
        radix=43,
    ),
    TableColumn(
        "ft3-35",
        "FT-3, k = 35",
        Printed(10718, 1531, 35, 7350, 24806, 2315, 14.0),
        "fat-tree:k=34",
        "inferred: p = 17.5, electric host cables to the floor's centre in 24 of 35 pods; the cost stays 2 USD off",
        _fat_tree(35, 24),
        note=_TREE_NOTE,
    ),
    TableColumn(
        "dln-28",
        "DLN, k = 28",
        Printed(9702, 1386, 28, 6837, 7716, 1566, 11.2),
        "dln:n=1386,x=2,random=19,hosts=7",
        "the 14,553 links come out; how 47 % of them are electric is not known",
        None,
        radix=28,
        floor=replace(preset("slimfly-2014"), sequence_rack=14),
        note="exact: racks of 14 switches in ring order, cables between racks fibre",
    ),
    TableColumn(
        "fbf3-33",
        'FBF-3, "k = 33"',
        Printed(10000, 1000, 33, 4500, 10000, 1535, 10.8),
        "flattened-butterfly:dims=10x10x10,hosts=10",
        "k = 4p - 3 = 37, not 33; p^4 fibre cables count every group with itself",
        _butterfly(10),
    ),
    TableColumn(
        "df-27",
        "DF, k = 27",
        Printed(9702, 1386, 27, 9009, 4900, 1342, 10.8),
        "dragonfly:h=7",
        f"g^2/2 global cables for g(g-1)/2; {_TARIFF}",
        _dragonfly(14, 7, 99, 27, 14),
    ),
    TableColumn(
        "df-43-small",
        "DF, k = 43, N = 10,890",
        Printed(10890, 990, 43, 6885, 1012, 1365, 10.9),
        "dragonfly:a=22,h=2,p=11,g=45",
        f"g^2/2 global cables for g(g-1)/2; local cables of groups of 18, not 22; host cables added; {_TARIFF}",
        _dragonfly(22, 11, 45, 43, 18, host_cables=True),
        radix=43,
    ),
    TableColumn(
        "sf",
        "SF, q = 19",
        Printed(10830, 722, 43, 6669, 6869, 1033, 8.02),
        "slimfly:q=19,hosts=15",
        f"k = 43 for 44; 6,669 electric cables for 3,971 and q^3 = 6,859 global for 6,498; {_TARIFF}",
        _slim_fly,
    ),
)


def column(key: str) -> TableColumn:
    """The column with this key."""
    return next(each for each in COLUMNS if each.key == key)


def column_of(topology: Topology) -> TableColumn | None:
    """The column of Table IV that a topology corresponds to, by its spec and size; None if there is none."""
    from topoloom.topologies.spec import build

    for candidate in COLUMNS:
        if (
            candidate.spec.partition(":")[0] == (topology.spec or "").partition(":")[0]
            and build(candidate.spec) == topology.without_rates()
        ):
            return candidate
    return None
