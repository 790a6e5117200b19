"""The order of work of one step: which cable is moved, unplugged or added next, so that no switch is cut off on the way."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from topoloom.cabling.expansion.cable_order.order_search import ADD, MOVE, UNPLUG, Action, Exchange, order_of
from topoloom.cabling.expansion.cable_order.wiring import CableWork
from topoloom.cabling.expansion.stages import difference
from topoloom.model.topology import Topology

End = tuple[int, int]
#: Gets a new cable: given how long it is, whether it runs between racks, and whether to a host; its place in
#: `Wiring.cables`.
Buy = Callable[[float, bool, bool], int]


@dataclass(frozen=True)
class CableTask:
    """One thing that an installer does.

    Attributes
    ----------
    work : str
        ``unplug`` (both ends), ``move`` (one end) or ``add`` (both ends).
    cable : int
        The cable, by its place in `CableWork.cables`.
    ends : pairs of (switch, port)
        Where the cable is plugged afterwards; of an unplugged one, where it was. Of a moved one the first end stays.
    taken_from : (switch, port) or None
        Where the moved end was.
    length_m : float
        What the cable spans; 0 when it is unplugged.
    new : bool
        Whether the cable is bought for this.
    cut_off : int
        How many switches in service are apart from the largest piece of the network after this; 0 when all are in it.
    interrupted : int
        The same while a cable is being moved, when it is out at one end.
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
    """Bring the wiring from one network to the next; the tasks in their order.

    Parameters
    ----------
    wiring : CableWork
    before, after : Topology
        Of as many switches.
    serving : int64[k]
        The switches in service, of one plane where there are several; new ones come with this step.
    slot : int64[switches]
        Where the switches stand.
    length_m : callable
        The length of cables between slots.
    slack_m : float
        How much longer than that a cable must be.
    buy : callable

    Returns
    -------
    list of CableTask
        In the order in which they are done.
    """
    removed, added, _ = difference(before, after)
    cables = _cables_of(wiring, removed)
    between = (slot[added[:, 0]] != slot[added[:, 1]]).tolist()
    spans_m = length_m(slot[added[:, 0]], slot[added[:, 1]]).tolist()

    def fits(row: int, link: int) -> float:
        """How much of a cable is left over on a new link; below 0 where it is too short."""
        return float(wiring.cables[cables[row]].stock_m - spans_m[link] - slack_m)

    exchange = Exchange(
        wiring.far, [(int(u), int(v)) for u, v in removed], [(int(u), int(v)) for u, v in added], fits, serving
    )
    return [_done(wiring, action, exchange, cables, spans_m, between, slack_m, buy) for action in order_of(exchange)]


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
    """Carry one action out on the wiring."""
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
    found = []
    for u, v in links.tolist():
        number = taken.get((u, v), 0)
        found.append(wiring.between(u, v)[number])
        taken[u, v] = number + 1
    return found


def plug_hosts(
    wiring: CableWork,
    before: Topology,
    after: Topology,
    new_switches: bool,
    buy: Buy | None,
    length_m: float,
    port_of: Mapping[End, int] = MappingProxyType({}),
) -> list[CableTask]:
    """Give the new ports of hosts on new switches, or on those that stood, their cables; with `buy`, listed ones.

    Returns the tasks: none where the cables of hosts are not listed.

    Parameters
    ----------
    wiring : CableWork
        What is plugged in where; changed in place.
    before, after : Topology
        The network before this stage, and after it.
    new_switches : bool
        Whether it is the turn of new switches' hosts, or of new hosts of switches that stood.
    buy : Buy or None
        Takes a new cable from stock: length in metres, between racks, to a host. None where the cables of hosts
        are not listed.
    length_m : float
        The length of a host's cable, metres.
    port_of : mapping of (switch, host) to int
        The port of the host that hangs on the switch; 1 where it is not among them.

    Returns
    -------
    list of CableTask
        One for each new port's cable; none where they are not listed.
    """
    hosts = after.hosts
    known = np.isin(
        after.endpoints.astype(np.int64) * hosts + after.host, before.endpoints.astype(np.int64) * hosts + before.host
    )
    tasks = []
    for switch, host in zip(after.endpoints[~known].tolist(), after.host[~known].tolist(), strict=True):
        if (switch >= before.switches) != new_switches:
            continue
        cable = buy(length_m, False, True) if buy else -1
        ends = (switch, wiring.plug_host(switch, cable)), (host, port_of.get((switch, host), 1))
        if buy:
            wiring.cables[cable].ends, wiring.cables[cable].plugged = ends, True
            tasks.append(CableTask(ADD, cable, ends, None, length_m, True))
    return tasks
