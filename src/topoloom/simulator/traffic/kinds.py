"""What the simulator sends: packets at a load, packets of a trace, or requests that wait for replies."""

from dataclasses import dataclass

import numpy as np

from topoloom.errors import InputError

#: To any host but oneself; to one of a list of one's own; to all others in turn.
UNIFORM, LISTS, ROUND = 0, 1, 2
#: Places in all lists together.
MOST_PLACES = 1 << 26


@dataclass(frozen=True, eq=False)
class Traffic:
    """Who sends to whom, at any load. Arrays cannot be written to.

    Attributes
    ----------
    name : str
        As the user wrote it.
    kind : UNIFORM, LISTS or ROUND
        UNIFORM: each packet to any host but its own, drawn anew. LISTS: to one of its host's list, drawn anew. ROUND: the
        k-th packet of a host goes to the k-th host after it, round and round, itself left out.
    first : int64[hosts + 1]
        LISTS: where each host's list begins in `to`; a host with an empty list is silent. Else empty.
    to : int32[k]
        The hosts of the lists; one that stands twice is drawn twice as often. Else empty.
    share : float
        LISTS: the share of packets that go by the lists; the others go to any host but their own.
    hosts : int
        How many there are; known from `first` with LISTS.
    """

    name: str
    kind: int
    first: np.ndarray
    to: np.ndarray
    share: float = 1.0
    hosts: int = 0

    def __post_init__(self) -> None:
        if self.kind == LISTS:
            object.__setattr__(self, "hosts", self.first.size - 1)
        for array in (self.first, self.to):
            array.setflags(write=False)

    @property
    def senders(self) -> np.ndarray:
        """Hosts that send, bool[hosts]."""
        return np.diff(self.first) > 0 if self.kind == LISTS else np.ones(self.hosts, np.bool_)

    @property
    def receivers(self) -> np.ndarray:
        """Hosts that may be sent to, bool[hosts]."""
        if self.kind != LISTS or self.share < 1:
            return np.ones(self.hosts, np.bool_)
        found = np.zeros(self.hosts, np.bool_)
        found[self.to] = True
        return found


@dataclass(frozen=True, eq=False)
class Trace:
    """Packets, each with its cycle. Arrays cannot be written to.

    Attributes
    ----------
    name : str
    cycle : int64[k]
        When each is made, ascending; those of one cycle stand as they did in the file.
    source, destination : int32[k]
        Hosts.
    flits : int32[k]
        Of each packet.
    """

    name: str
    cycle: np.ndarray
    source: np.ndarray
    destination: np.ndarray
    flits: np.ndarray

    def __post_init__(self) -> None:
        for array in (self.cycle, self.source, self.destination, self.flits):
            array.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Loop:
    """Requests that wait for replies: a host that has `window` requests under way makes no other. Arrays cannot be written to.

    A request goes to a target drawn from its host's list, which answers `service_cycles` after the request's arrival. With
    probability `miss` the target first asks one of its own back-up hosts, drawn from the list of the target: a request and a
    reply of the same flits, and `miss_cycles` in between.

    Attributes
    ----------
    name : str
    first, to : int64[hosts + 1], int32[k]
        The targets of each host, as in `Traffic`; an empty list: no requests.
    back_first, back_to : int64[hosts + 1], int32[l]
        The back-up hosts of each target.
    window, requests : int
        Requests under way at a time, and in all, of each host that makes some.
    request_flits, reply_flits : int
    service_cycles, miss_cycles : int
    miss : float
    """

    name: str
    first: np.ndarray
    to: np.ndarray
    back_first: np.ndarray
    back_to: np.ndarray
    window: int
    requests: int
    request_flits: int
    reply_flits: int
    service_cycles: int
    miss_cycles: int
    miss: float

    def __post_init__(self) -> None:
        for array in (self.first, self.to, self.back_first, self.back_to):
            array.setflags(write=False)


def to_all(name: str, kind: int, hosts: int) -> Traffic:
    """Traffic without lists: UNIFORM or ROUND."""
    return Traffic(name, kind, np.empty(0, np.int64), np.empty(0, np.int32), hosts=hosts)


def to_one(name: str, partner: np.ndarray) -> Traffic:
    """Each host to partner[host], int64[hosts]; -1: silent.

    Examples
    --------
    >>> traffic = to_one("mine", np.array([1, -1, 0]))
    >>> traffic.first.tolist(), traffic.to.tolist(), traffic.senders.tolist()
    ([0, 1, 1, 2], [1, 0], [True, False, True])
    """
    chosen = np.asarray(partner)
    return to_some(name, np.flatnonzero(chosen >= 0), chosen[chosen >= 0], chosen.size)


def to_some(name: str, sender: np.ndarray, to: np.ndarray, hosts: int, share: float = 1.0) -> Traffic:
    """Pairs of a sender and one of those it may send to, int64[k] each, in any order, as lists."""
    first, listed = lists_of(sender, to, hosts)
    return Traffic(name, LISTS, first, listed, share)


def lists_of(sender: np.ndarray, to: np.ndarray, hosts: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs as lists: first int64[hosts + 1] and to int32[k]; each list keeps the order of its pairs."""
    first = np.zeros(hosts + 1, np.int64)
    np.cumsum(np.bincount(sender, minlength=hosts), out=first[1:])
    return first, np.asarray(to)[np.argsort(sender, kind="stable")].astype(np.int32)


def check_places(name: str, places: int) -> None:
    """Refuse lists that take too much memory, before they are made."""
    if places > MOST_PLACES:
        raise InputError(f"{name}: {places:,} pairs of hosts to list; {MOST_PLACES:,} is the most")
