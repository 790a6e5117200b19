"""Rules of moves: which switches may be linked, and which links may exchange their ends."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.amounts import with_currency
from topoloom.core.errors import InputError
from topoloom.cost.parts import Parts
from topoloom.graph.geometry import Geometry, longest_link
from topoloom.model.topology import Topology
from topoloom.optimizer.kernels.moves import Moves
from topoloom.optimizer.link_lengths import LinkLengths

#: The unit of prices and budgets, per unit of the catalogue's currency.
MILLIONTHS = 1_000_000
#: The price of a link that is too long for every cable, and the largest budget: sums fit into int64.
_NEVER, _MOST_USD = 1e12, 1e12


@dataclass(frozen=True, eq=False)
class Spending:
    """Prices of links and their budget, in millionths of the currency's unit: whole numbers, whose sums are exact.

    Attributes
    ----------
    kind : uint16[n, n]
        The kind of a link between any two switches (`LinkLengths.kind`).
    price : int64[kinds]
        The price of a link of each kind.
    most : int
    """

    kind: np.ndarray
    price: np.ndarray
    most: int

    def cost(self, links: np.ndarray) -> int:
        """The total price of links.

        Parameters
        ----------
        links : int[m, 2]
        """
        return int(self.price[self.kind[links[:, 0], links[:, 1]]].sum())

    def usd(self, links: np.ndarray) -> float:
        """The same in the catalogue's currency."""
        return self.cost(links) / MILLIONTHS


@dataclass(frozen=True, eq=False)
class GraphRules:
    """The rules that moves must keep, in addition to every switch's degree.

    Attributes
    ----------
    near : (int64[n + 1], int32[...]) or None
        The switches that each may be linked to, as CSR, ascending; None: any.
    rack : int64[n] or None
        The rack of each switch, if the number of links between any two racks, and inside each, must not change.
    geometry : Geometry or None
        The places of the switches, if they give the distances of `near`: far switches are proposed more often.
    spending : Spending or None
        The budget of all links; None: no limit.
    fixed : int[k, 2] or None
        Links that do not change.
    """

    near: tuple[np.ndarray, np.ndarray] | None = None
    rack: np.ndarray | None = None
    geometry: Geometry | None = None
    spending: Spending | None = None
    fixed: np.ndarray | None = None

    def stay(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Whether each link, given by its ends, is fixed; bool in the shape of the arguments."""
        if self.fixed is None:
            return np.zeros(np.shape(u), bool)
        return np.isin(_keys(u, v), _keys(*np.asarray(self.fixed).T))

    def spending_on(self, links: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The budget in the form of kernels, with the cost of `links`: `kind`, `price` and `spent` of `kernels.moves.Moves`."""
        budget = self.spending
        if budget is None:
            return np.zeros((0, 0), np.uint16), np.zeros(0, np.int64), np.zeros(2, np.int64)
        return budget.kind, budget.price, np.array([budget.cost(links), budget.most], np.int64)


def _keys(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A number for each link, independent of the order of its ends."""
    low, high = np.minimum(u, v).astype(np.int64), np.maximum(u, v).astype(np.int64)
    return np.asarray(low << 32 | high)


def within_length(topology: Topology, geometry: Geometry, length: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The switches within `length` of each on a grid or diagrid, as CSR; within the longest link of the topology if None.

    Parameters
    ----------
    topology : Topology
        The network.
    geometry : Geometry
        The grid of its switches.
    length : int or None
        The longest allowed link, in steps; None: the longest link of the topology.

    Returns
    -------
    offsets : int64[n + 1]
        The start of each switch's list.
    near : int[...]
        The switches that each may be linked to.

    Raises
    ------
    InputError
        A link of the topology is longer than `length`.
    """
    longest = longest_link(topology, geometry)
    if length is not None and longest > length:
        raise InputError(
            f"{topology.name} has a link of length {longest}; raise length={length}, or give a network with shorter links"
        )
    return geometry.near(length or longest or 1)


def spending_within(
    topology: Topology, lengths: LinkLengths | None, cap_usd: float, parts: Parts | None, rate_gbps: float | None
) -> Spending:
    """Make the budget of all cables, which the topology itself must keep.

    Parameters
    ----------
    topology : Topology
    lengths : LinkLengths or None
        The length of a link between any two switches.
    cap_usd : float
        The largest cost of all cables together, in the currency of `parts`.
    parts : Parts or None
        The catalogue with the prices.
    rate_gbps : float or None
        The rate of every link; None: the nearest to 40 Gb/s with prices.

    Raises
    ------
    InputError
        Missing lengths or prices, an invalid cap, or cables of the topology that cost more than the cap.
    """
    if not 0 < cap_usd < np.inf:
        raise InputError(f"cap_usd={cap_usd:g}: the budget must be a number above 0, in the currency of the catalogue")
    if lengths is None:
        raise InputError(
            f"{topology.name}: cap_usd needs the lengths between switches; give a folder of topoloom layout"
        )
    if parts is None:
        raise InputError(f"{topology.name}: cap_usd needs the prices of cables; give a catalogue of `parts`")
    usd = parts.link_usd(lengths.length_m, lengths.between, parts.link_rate(rate_gbps))
    # Links that are too long for every cable get a price above every budget.
    price = np.where(np.isfinite(usd), np.rint(MILLIONTHS * usd), _NEVER).astype(np.int64)
    spending = Spending(lengths.kind, price, round(MILLIONTHS * min(cap_usd, _MOST_USD)))
    if spending.cost(topology.links) > spending.most:
        raise InputError(
            f"{topology.name}: its cables cost {with_currency(spending.usd(topology.links), parts.currency, 2)}, more"
            f" than cap_usd={cap_usd:,.10g}; raise cap_usd, or change the layout"
        )
    return spending


def racks_of(topology: Topology, label: str | np.ndarray) -> np.ndarray:
    """The rack of each switch, int64[n]; `label` is the name of a label, or the racks themselves.

    Raises
    ------
    InputError
        No such label, or an array of a wrong size.
    """
    if isinstance(label, str):
        if label not in topology.labels:
            names = ", ".join(sorted(topology.labels)) or "none"
            raise InputError(f"{topology.name}: no label '{label}' for the racks of switches; its labels: {names}")
        label = np.unique(topology.labels[label], return_inverse=True)[1]
    rack = np.asarray(label)
    if rack.shape != (topology.switches,) or rack.dtype.kind not in "iu":
        raise InputError(f"{topology.name}: racks must be whole numbers, one for each of {topology.switches} switches")
    return rack.astype(np.int64)


def links_inside(topology: Topology, group: str | np.ndarray) -> np.ndarray:
    """The fixed links: those whose ends share a group, int[k, 2].

    Parameters
    ----------
    topology : Topology
    group : str, int[n] or bool[m]
        The label of a switch's group, the groups, or a mask of the fixed links.

    Returns
    -------
    int[k, 2]

    Raises
    ------
    InputError
        No such label, an array of a wrong size, or fewer than two links that may change.
    """
    mask = np.asarray(group)
    if not (mask.dtype == np.bool_ and mask.shape == (len(topology.links),)):
        of = racks_of(topology, group)[topology.links]
        mask = of[:, 0] == of[:, 1]
    if mask.sum() > len(topology.links) - 2:
        raise InputError(
            f"{topology.name}: fix leaves {len(topology.links) - int(mask.sum())} links that may change;"
            " at least two are needed"
        )
    return np.asarray(topology.links[mask])


def moves_of(topology: Topology, rules: GraphRules) -> Moves:
    """The topology as a table for a search, with the moves that the rules allow."""
    n = topology.switches
    offsets, neighbours, _ = topology.csr
    degree = topology.degrees.astype(np.int32)
    # An even number of slots, because kernels take two at a time.
    most = max(2, int(degree.max()) + int(degree.max()) % 2)
    table = np.repeat(np.arange(n, dtype=np.int32)[:, None], most, axis=1)
    row = np.repeat(np.arange(n), degree)
    table[row, np.arange(row.size) - offsets[row]] = neighbours
    near_offsets, near = rules.near or (np.zeros(1, np.int64), np.zeros(0, np.int32))
    apart: np.ndarray = np.zeros(0, np.uint16)
    if rules.geometry is not None:
        apart = rules.geometry.distance(np.repeat(np.arange(n), np.diff(near_offsets)), near).astype(np.uint16)
    links: np.ndarray = np.zeros((0, 2), np.int32)
    group: np.ndarray = np.zeros(0, np.int32)
    classes, turns = np.zeros(1, np.int64), np.zeros(0, np.bool_)
    if rules.rack is not None and len(topology.links):
        of = rules.rack[topology.links]
        both = np.where((of[:, 0] > of[:, 1])[:, None], topology.links[:, ::-1], topology.links)
        pairs, numbers = np.unique(np.sort(of, axis=1), axis=0, return_inverse=True)
        order = np.argsort(numbers.ravel(), kind="stable")
        links, group = np.ascontiguousarray(both[order], np.int32), numbers.ravel()[order].astype(np.int32)
        classes = np.append(0, np.cumsum(np.bincount(group)))
        turns = pairs[:, 0] == pairs[:, 1]
    return Moves(
        table,
        degree,
        near_offsets.astype(np.int64),
        near.astype(np.int32),
        apart,
        links,
        classes.astype(np.int64),
        group,
        turns,
        *rules.spending_on(topology.links),
        np.zeros((0, 0), np.bool_) if rules.fixed is None else rules.stay(np.arange(n)[:, None], table),
    )


def links_of(table: np.ndarray, degree: np.ndarray) -> np.ndarray:
    """The links of a table, int32[m, 2] with u < v."""
    u = np.repeat(np.arange(degree.size, dtype=np.int32), degree)
    v = table[np.arange(table.shape[1]) < degree[:, None]]
    return np.stack([u[u < v], v[u < v]], axis=1).astype(np.int32)
