"""The order of work of one step: the cable to move, unplug or add next, such that no switch is disconnected meanwhile."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from topoloom.cabling.expansion.cable_order.order_search import ADD, MOVE, UNPLUG, Action, Exchange, order_of
from topoloom.cabling.expansion.cable_order.wiring import CableWork
from topoloom.cabling.expansion.stages import difference
from topoloom.model.topology import Topology

End = tuple[int, int]
#: Gets a new cable, given its length in m, whether it runs between racks, and whether it goes to a host; returns its index
#: in `Wiring.cables`.
Buy = Callable[[float, bool, bool], int]


@dataclass(frozen=True)
class CableTask:
    """One task of an installer.

    Attributes
    ----------
    work : str
        ``unplug`` (both ends), ``move`` (one end) or ``add`` (both ends).
    cable : int
        The cable, by its index in `CableWork.cables`.
    ends : pairs of (switch, port)
        Its ends afterwards; for an unplugged cable, its ends before. For a moved cable the first end stays.
    taken_from : (switch, port) or None
        The former place of the moved end.
    length_m : float
        The length that the cable spans, in m; 0 if it is unplugged.
    new : bool
        Whether the cable is bought for this task.
    cut_off : int
        Number of active switches that are disconnected from the largest part of the network after this task.
    interrupted : int
        The same while a cable is moved, that is, out at one end.
    """

    work: str
    cable: int
    ends: tuple[End, End]
    taken_from: End | None
    length_m: float
    new: bool
    cut_off: int = 0
    interrupted: int = 0


def work_off(
    wiring: CableWork,
    before: Topology,
    after: Topology,
    serving: np.ndarray,
    slot: np.ndarray,
    length_m: Callable[[np.ndarray, np.ndarray], np.ndarray],
    slack_m: float,
    buy: Buy,
) -> list[CableTask]:
    """Change the wiring from one network to the next; returns the tasks in their order.

    Parameters
    ----------
    wiring : CableWork
    before, after : Topology
        With the same number of switches.
    serving : int64[k]
        The active switches, of one plane if there are several; new ones arrive with this step.
    slot : int64[switches]
        The slots of the switches.
    length_m : callable
        Returns the length of cables between slots, in m.
    slack_m : float
        The excess length that a cable needs, in m.
    buy : callable

    Returns
    -------
    list of CableTask
        In the order in which they are executed.
    """
    removed, added, _ = difference(before, after)
    cables = _cables_of(wiring, removed)
    between_racks = (slot[added[:, 0]] != slot[added[:, 1]]).tolist()
    spans_m = length_m(slot[added[:, 0]], slot[added[:, 1]]).tolist()

    def fits(row: int, link: int) -> float:
        """The excess length of a cable on a new link, in m; below 0 if it is too short."""
        return float(wiring.cables[cables[row]].stock_m - spans_m[link] - slack_m)

    exchange = Exchange(
        wiring.far, [(int(u), int(v)) for u, v in removed], [(int(u), int(v)) for u, v in added], fits, serving
    )
    return [
        _done(wiring, action, exchange, cables, spans_m, between_racks, slack_m, buy) for action in order_of(exchange)
    ]


def _done(
    wiring: CableWork,
    action: Action,
    exchange: Exchange,
    cables: list[int],
    spans_m: list[float],
    between: list[bool],
    slack_m: float,
    buy: Buy,
) -> CableTask:
    """Carry out one action on the wiring."""
    span_m = spans_m[action.link] if action.link >= 0 else 0.0
    apart = {"cut_off": action.cut_off, "interrupted": action.interrupted}
    if action.work == UNPLUG:
        cable = cables[action.row]
        ends = wiring.cables[cable].ends
        wiring.unplug(cable)
        return CableTask(UNPLUG, cable, ends, None, 0.0, False, **apart)
    u, v = exchange.added[action.link]
    if action.work == MOVE:
        cable = cables[action.row]
        taken_from = next(end for end in wiring.cables[cable].ends if end[0] != action.stays)
        wiring.move(cable, action.stays, v if u == action.stays else u)
        return CableTask(MOVE, cable, wiring.cables[cable].ends, taken_from, span_m, False, **apart)
    cable = wiring.from_shelf(span_m + slack_m)
    new = cable < 0
    if new:
        cable = buy(span_m, between[action.link], False)
    wiring.plug(cable, u, v)
    return CableTask(ADD, cable, wiring.cables[cable].ends, None, span_m, new, **apart)


def _cables_of(wiring: CableWork, links: np.ndarray) -> list[int]:
    """A cable for each link that goes; of parallel ones those in the lowest ports."""
    taken: dict[tuple[int, int], int] = {}
    cables = []
    for u, v in links.tolist():
        number = taken.get((u, v), 0)
        cables.append(wiring.between(u, v)[number])
        taken[u, v] = number + 1
    return cables


def plug_hosts(
    wiring: CableWork,
    before: Topology,
    after: Topology,
    new_switches: bool,
    buy: Buy | None,
    span: Callable[[int, int], tuple[float, bool]],
    ports_of: Mapping[End, Sequence[int]] = MappingProxyType({}),
) -> list[CableTask]:
    """Give the new ports of hosts their cables, on new or on existing switches; with `buy`, cables are listed.

    Returns the tasks: none if the cables of hosts are not listed.

    Parameters
    ----------
    wiring : CableWork
        The current wiring; changed in place.
    before, after : Topology
        The network before this stage, and after it.
    new_switches : bool
        Whether to connect the hosts of new switches, or the new hosts of existing switches.
    buy : Buy or None
        Takes a new cable from stock: given its length in m, whether it runs between racks, whether it goes to a host. None if
        the cables of hosts are not listed.
    span : callable
        Returns the length in m of the cable between a switch and a host, and whether it runs between racks.
    ports_of : mapping of (switch, host) to sequence of int
        The ports of the host whose cables go to that switch; port 1 if it is not listed.

    Returns
    -------
    list of CableTask
        One per new port; none if cables of hosts are not listed.
    """
    hosts = after.hosts
    existing = np.isin(
        after.endpoints.astype(np.int64) * hosts + after.host, before.endpoints.astype(np.int64) * hosts + before.host
    )
    tasks = []
    plugged: Counter[End] = Counter()
    for switch, host in zip(after.endpoints[~existing].tolist(), after.host[~existing].tolist(), strict=True):
        if (switch >= before.switches) != new_switches:
            continue
        length_m, between = span(switch, host)
        cable = buy(length_m, between, True) if buy else -1
        port = ports_of.get((switch, host), (1,))[plugged[switch, host]]
        plugged[switch, host] += 1
        ends = (switch, wiring.plug_host(switch, cable)), (host, port)
        if buy:
            wiring.cables[cable].ends, wiring.cables[cable].plugged = ends, True
            tasks.append(CableTask(ADD, cable, ends, None, length_m, True))
    return tasks
