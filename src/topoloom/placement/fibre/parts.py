"""Passive parts: panels with the pairs that they join inside, and fibre cables (cords and trunks)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

#: The kinds of panels: a patch panel joins each front port to one of the rear, or to a part of one; a cassette does so with
#: fibres of its own; a shuffle panel spreads the pairs of each front port over all rear ports; a loop plug closes a port.
PanelKind = Literal["patch panel", "cassette", "shuffle panel", "loop plug"]
#: Cords join a port and a panel, or two panels side by side; trunks join panels. A loop plug has both its ends in one port.
FibreUse = Literal["cord", "trunk", "loop plug"]
#: How the fibres of a cable are ordered at its ends (TIA-568.3): A straight, B reversed, C pairs crossed.
Polarity = Literal["A", "B", "C"]


@dataclass(frozen=True, eq=False)
class Panel:
    """A kind of panel: its ports, and which pair of fibres inside leads to which.

    The positions of a panel are the pairs of all its ports: those of port 0, then those of port 1, .. Front ports come first.

    Attributes
    ----------
    name : str
        The product's name.
    kind : "patch panel", "cassette", "shuffle panel" or "loop plug"
    front : int
        Number of front ports, which face the switches.
    pairs : int64[ports]
        Pairs of fibres of each port.
    inside : int64[positions]
        The position that each position is joined to; itself where it is joined to none.
    u : float
        Its height in rack units; below 1 where several stand side by side.
    connectors : int
        Mated connector pairs that a link passes in it: 1 in an adapter, 2 where it has fibres of its own.
    connector_db : float
        Loss of one mated pair.
    loss_db : float
        Loss of its own fibres and splices.
    reversals : int
        Adapters that a link passes in it which reverse the order of fibres (aligned keys, Type B).
    weight_kg : float or None
        None: not known.
    """

    name: str
    kind: PanelKind
    front: int
    pairs: np.ndarray
    inside: np.ndarray
    u: float = 1.0
    connectors: int = 2
    connector_db: float = 0.35
    loss_db: float = 0.0
    reversals: int = 0
    weight_kg: float | None = None

    def __eq__(self, other: object) -> bool:
        """Equal by content."""
        if not isinstance(other, Panel):
            return NotImplemented
        plain = ("name", "kind", "front", "u", "connectors", "connector_db", "loss_db", "reversals", "weight_kg")
        return all(getattr(self, name) == getattr(other, name) for name in plain) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in ("pairs", "inside")
        )

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def first(self) -> np.ndarray:
        """The first position of each port, int64[ports]."""
        return np.asarray(np.cumsum(self.pairs) - self.pairs)

    @cached_property
    def port_of(self) -> np.ndarray:
        """The port of each position, int64[positions]."""
        return np.repeat(np.arange(self.pairs.size), self.pairs)

    @property
    def ports(self) -> int:
        """Number of ports, front and rear."""
        return int(self.pairs.size)

    @property
    def pass_db(self) -> float:
        """The loss of one pass."""
        return self.connectors * self.connector_db + self.loss_db

    def port_name(self, port: int) -> str:
        """The name of a port: ``F05`` or ``R2``, from 1."""
        rear = self.ports - self.front
        if port < self.front:
            return f"F{port + 1:0{len(str(self.front))}d}"
        return f"R{port - self.front + 1:0{len(str(rear))}d}"

    def port_number(self, name: str) -> int | None:
        """The port of this name; None if it has none of it."""
        digits = name[1:]
        if name[:1] not in "FR" or not digits.isdecimal() or len(digits) > 6:
            return None
        port = int(digits) - 1 + (self.front if name[0] == "R" else 0)
        return port if int(digits) > 0 and port < self.ports and (name[0] == "R" or port < self.front) else None


def shuffling(front: int, rear: int, each: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of each port and the inside of a shuffle panel, which joins every front port with every rear port.

    Parameters
    ----------
    front, rear : int
        Numbers of ports.
    each : int
        Pairs that join a front and a rear port.

    Returns
    -------
    (int64[front + rear], int64[2 * front * rear * each])

    Examples
    --------
    >>> pairs, inside = shuffling(32, 4)
    >>> int(pairs.sum()), inside[:4].tolist()
    (256, [128, 160, 192, 224])
    """
    half = front * rear * each
    port, lane, pair = np.unravel_index(np.arange(half), (front, rear, each))
    at_rear = half + (lane * front + port) * each + pair
    inside = np.empty(2 * half, np.int64)
    inside[:half], inside[at_rear] = at_rear, np.arange(half)
    return np.repeat([rear * each, front * each], [front, rear]).astype(np.int64), inside


def fanning(front: int, pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """The pairs of each port and the inside of a patch panel or cassette: one rear port, shared by all front ports in order.

    Parameters
    ----------
    front : int
        Number of front ports.
    pairs : int
        Pairs of each front port.

    Returns
    -------
    (int64[front + 1], int64[2 * front * pairs])
    """
    half = front * pairs
    inside = np.concatenate([np.arange(half) + half, np.arange(half)])
    return np.append(np.full(front, pairs), half).astype(np.int64), inside


def looping(pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """The pairs and the inside of a loop plug, which joins the first pair of a port with the last, the second with the last but
    one, and so on; the middle pair of an odd number stays free.

    Parameters
    ----------
    pairs : int

    Returns
    -------
    (int64[1], int64[pairs])
    """
    return np.array([pairs], np.int64), np.arange(pairs)[::-1].copy()


@dataclass(frozen=True)
class Fibre:
    """A kind of fibre cable with connectors at both ends: a cord or a trunk.

    Attributes
    ----------
    name : str
        The product's name.
    use : "cord", "trunk" or "loop plug"
    pairs : int
        Pairs of fibres; of one leg, where it has several.
    polarity : "A", "B" or "C"
    loss_db_per_km : float
    connector : str
        ``MPO-12/APC``; empty if not known.
    lengths_m : tuple of float
        The lengths in which it is sold, shortest first; empty: made to length, in whole metres.
    slack_m : float
        How much longer it must be than its way.
    legs : int
        Plugs at its far end: one piece serves as many links of a switch that need the same length.
    joins : tuple of int
        The pair of its port that each pair is joined to, of a loop plug; else empty: pair i is pair i at the other end.
    """

    name: str
    use: FibreUse
    pairs: int
    polarity: Polarity = "B"
    loss_db_per_km: float = 0.5
    connector: str = ""
    lengths_m: tuple[float, ...] = ()
    slack_m: float = 0.0
    legs: int = 1
    joins: tuple[int, ...] = ()

    def stock_m(self, length_m: np.ndarray) -> np.ndarray:
        """The length to buy for each way, float64, shaped like `length_m`; NaN where it is not sold that long."""
        if self.use == "loop plug":
            return np.zeros(np.shape(length_m))
        needed_m = np.asarray(length_m, float) + self.slack_m
        if not self.lengths_m:
            return np.ceil(needed_m - 1e-9)
        sold = np.append(np.array(self.lengths_m), np.nan)
        return np.asarray(sold[np.searchsorted(sold[:-1], needed_m - 1e-9)])
