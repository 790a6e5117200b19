"""Cable choice: a product, a length in stock, a price and watts for every link; and what to order."""

from dataclasses import dataclass

import numpy as np

from topoloom.cost.parts import Parts
from topoloom.layout.layout import Layout


@dataclass(frozen=True)
class Order:
    """So many cables of one product and one length; `cut` where the product is cut to length instead of kept in stock."""

    product: str
    medium: str
    stock_m: float
    cut: bool
    count: int
    cost_low_usd: float
    cost_high_usd: float
    power_w: float


@dataclass(frozen=True, eq=False)
class Cables:
    """The cables that are bought, one a link, as columns.

    product: int64[cables], the index in `parts.cable`; length_m: float64[cables], the length of the link; stock_m:
    float64[cables], the length that is bought, slack and all; usd_low, usd_high: float64[cables], the price without
    installation, NaN where the catalogue has none; power_w: float64[cables], both ends together.
    """

    parts: Parts
    product: np.ndarray
    length_m: np.ndarray
    stock_m: np.ndarray
    usd_low: np.ndarray
    usd_high: np.ndarray
    power_w: np.ndarray

    @property
    def medium(self) -> np.ndarray:
        """The medium of each cable, str[cables]."""
        return np.asarray(np.array([cable.medium for cable in self.parts.cable])[self.product])


def choose_cables(parts: Parts, length_m: np.ndarray, between: np.ndarray | bool, rate_gbps: float) -> Cables:
    """The cable of every link: the first product of the catalogue that fits, in its next length.

    What is bought is as long as the link and the catalogue's `slack_m`: the next of the product's `lengths_m`, or cut to
    that length where it has none.

    Parameters
    ----------
    parts : Parts
    length_m : float64[cables]
    between : bool[cables] or bool
        Whether the link runs between cabinets.
    rate_gbps : float

    Returns
    -------
    Cables
        Product, length to buy, price and watts of every cable, in the order given.

    Raises
    ------
    InputError
        No product serves one of the links.
    """
    length_m, beside = np.broadcast_arrays(np.asarray(length_m, float), between)
    product = parts.product_of(length_m, beside, rate_gbps)
    stock_m, usd = np.zeros(length_m.shape), np.zeros((2, *length_m.shape))
    for index, cable in enumerate(parts.cable):
        mine = product == index
        stock_m[mine] = cable.stock_m(length_m[mine] + parts.slack_m)
        usd[:, mine] = cable.usd(stock_m[mine], rate_gbps)
    power_w = np.array([cable.both_ends_w for cable in parts.cable])[product]
    return Cables(parts, product, length_m, stock_m, usd[0], usd[1], power_w)


def kept_cables(bought: Cables, product: np.ndarray, stock_m: np.ndarray, rate_gbps: float) -> Cables:
    """`bought`, but for the cables that are there already: their `product`, int64[cables], -1 where a new one is bought.

    `stock_m` is the length of those that are there; the floor may ask for less of it now.

    Parameters
    ----------
    bought : Cables
        The cables as they would be bought, all of them new.
    product : int64[cables]
        The product of the cable that is there already; -1 where a new one is bought.
    stock_m : float64[cables]
        The length of the cable that is there, metres; read only where there is one.
    rate_gbps : float
        The rate that prices are taken at, Gb/s.

    Returns
    -------
    Cables
        The cables that are there with their own product, length and price; the others as in `bought`.
    """
    parts, there = bought.parts, product >= 0
    product, stock_m = np.where(there, product, bought.product), np.where(there, stock_m, bought.stock_m)
    usd = np.stack([bought.usd_low, bought.usd_high])
    for index, cable in enumerate(parts.cable):
        mine = there & (product == index)
        usd[:, mine] = cable.usd(stock_m[mine], rate_gbps)
    power_w = np.array([cable.both_ends_w for cable in parts.cable])[product]
    return Cables(parts, product, bought.length_m, stock_m, usd[0], usd[1], power_w)


def link_cables(layout: Layout, parts: Parts, rate_gbps: float) -> Cables:
    """The cables of a layout's links, in their order.

    Parameters
    ----------
    layout : Layout
        The network on its floor, which gives the lengths.
    parts : Parts
        The catalogue.
    rate_gbps : float
        The rate of every link, Gb/s.

    Returns
    -------
    Cables
        In the order of the layout's links.

    Raises
    ------
    InputError
        No product serves one of the links.
    """
    return choose_cables(parts, layout.length_m, layout.between, rate_gbps)


def endpoint_cables(layout: Layout, parts: Parts, rate_gbps: float) -> Cables:
    """A cable inside the cabinet for every endpoint of a layout, in their order.

    Parameters
    ----------
    layout : Layout
        The network on its floor, which says how long a cable inside a cabinet is.
    parts : Parts
        The catalogue.
    rate_gbps : float
        The rate of every host's port, Gb/s.

    Returns
    -------
    Cables
        In the order of the topology's endpoints.

    Raises
    ------
    InputError
        No product serves inside a cabinet.
    """
    length_m = np.full(layout.topology.endpoints.size, layout.floor.inside_m)
    return choose_cables(parts, length_m, False, rate_gbps)


def order_list(*cables: Cables) -> tuple[Order, ...]:
    """How many cables of each product and length all these are, in the catalogue's order, the shortest first."""
    parts = cables[0].parts
    product = np.concatenate([some.product for some in cables])
    # Lengths that differ in the last digits only are one.
    stock_m = np.round(np.concatenate([some.stock_m for some in cables]), 6)
    kinds, member, counts = np.unique(
        np.stack([product, stock_m], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    low, high, watts = (
        np.bincount(member.ravel(), np.concatenate([getattr(some, column) for some in cables]), len(kinds))
        for column in ("usd_low", "usd_high", "power_w")
    )
    out = []
    for row, (index, length_m) in enumerate(kinds):
        cable = parts.cable[int(index)]
        sums = float(low[row]), float(high[row]), float(watts[row])
        out.append(Order(cable.title, cable.medium, float(length_m), not cable.lengths_m, int(counts[row]), *sums))
    return tuple(out)
