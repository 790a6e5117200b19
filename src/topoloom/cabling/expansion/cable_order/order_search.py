"""The order in which links of a network with few ports are exchanged for others, such that it stays connected."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

#: Kinds of work on a cable.
UNPLUG, MOVE, ADD = "unplug", "move", "add"
Pair = tuple[int, int]
#: Number of states that a search visits before it gives up.
_MOST_STATES = 4_000
_FREE = -1


@dataclass(frozen=True)
class Action:
    """One exchange: the link that goes (by its row), the link that comes, the switch at which a moved cable stays.

    -1 where there is none. `cut_off`, `interrupted`: active switches disconnected from the largest part after it, and while a
    cable is moved.
    """

    work: str
    row: int = -1
    link: int = -1
    stays: int = -1
    cut_off: int = 0
    interrupted: int = 0


@dataclass(frozen=True, eq=False)
class Exchange:
    """The links to exchange.

    Attributes
    ----------
    far : int32[switches, ports]
        The switch at the other end of each port; -1: free; -2: a host.
    removed, added : lists of pairs of switches
    fits : callable
        The excess length of the cable of a removed link on an added one, in m; below 0 if it is too short.
    serving : int64[k]
        The active switches; with several planes those of the plane concerned.
    """

    far: np.ndarray
    removed: list[Pair]
    added: list[Pair]
    fits: Callable[[int, int], float]
    serving: np.ndarray


def order_of(exchange: Exchange) -> list[Action]:
    """An order of actions that exchanges all links.

    First a greedy order: it adds cables where both ports are free, then moves, then unplugs, and never disconnects anything,
    not even while a cable is moved. If it gets stuck, a search with backtracking looks for an order that disconnects nothing
    after any action; without success within its limit, the greedy order is used, which removes the cable that disconnects
    the fewest switches when it is stuck.
    """
    actions, forced = _greedy(exchange)
    measured = _with_disconnections(exchange, actions)
    if forced and any(action.cut_off for action in measured):
        searched = _searched(exchange)
        if searched is not None:
            return _with_disconnections(exchange, searched)
    return measured


class _Net:
    """A copy of the links, port by port, for trying actions."""

    def __init__(self, exchange: Exchange) -> None:
        self.far = exchange.far.copy()
        self._stamp = np.zeros(len(self.far), np.int64)
        self._queue = np.empty((2, len(self.far)), np.int32)
        self._mark = 1

    def room(self, switch: int) -> bool:
        return bool((self.far[switch] == _FREE).any())

    def plug(self, u: int, v: int) -> None:
        for near, other in ((u, v), (v, u)):
            self.far[near, int(np.argmax(self.far[near] == _FREE))] = other

    def unplug(self, u: int, v: int) -> None:
        for near, other in ((u, v), (v, u)):
            self.far[near, int(np.argmax(self.far[near] == other))] = _FREE

    def joined(self, u: int, v: int) -> bool:
        """Whether two switches reach each other."""
        from topoloom.cabling.expansion.cable_order.kernels.wiring import cut_off

        self._mark += 2
        return not cut_off(self.far, u, v, self._stamp, self._mark, self._queue)

    def apart(self, serving: np.ndarray) -> int:
        """The number of active switches outside the part that has the most of them."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        u, port = np.nonzero(self.far >= 0)
        n = len(self.far)
        _, piece = connected_components(
            coo_array((np.ones(u.size, np.int8), (u, self.far[u, port])), (n, n)), directed=False
        )
        return int(serving.size) - int(np.bincount(piece[serving]).max())


def _moves(exchange: Exchange, rows: set[int], links: set[int]) -> list[tuple[float, int, int, int]]:
    """All moves of cables that are long enough, least excess first: (excess, row, link, the switch at which it stays)."""
    at: dict[int, list[int]] = {}
    for link in links:
        for end in exchange.added[link]:
            at.setdefault(end, []).append(link)
    moves = []
    for row in rows:
        for end in exchange.removed[row]:
            for link in at.get(end, ()):
                left = exchange.fits(row, link)
                if left > -1e-9:
                    moves.append((round(left, 6), row, link, end))
    return sorted(moves)


def _other(pair: Pair, end: int) -> int:
    return pair[1] if pair[0] == end else pair[0]


def _greedy(exchange: Exchange) -> tuple[list[Action], bool]:
    """The greedy order, and whether it had to disconnect something or to interrupt."""
    net = _Net(exchange)
    rows, links = set(range(len(exchange.removed))), set(range(len(exchange.added)))
    matched: list[Action] = []
    for _, row, link, stays in _moves(exchange, rows, links):
        if row in rows and link in links:
            rows.discard(row)
            links.discard(link)
            matched.append(Action(MOVE, row, link, stays))
    adds, unplugs = sorted(links), sorted(rows)
    actions: list[Action] = []
    forced = False

    def try_add(link: int) -> bool:
        u, v = exchange.added[link]
        if not (net.room(u) and net.room(v)):
            return False
        net.plug(u, v)
        actions.append(Action(ADD, link=link))
        return True

    def try_move(move: Action) -> bool:
        to = _other(exchange.added[move.link], move.stays)
        left = _other(exchange.removed[move.row], move.stays)
        if not net.room(to):
            return False
        net.unplug(move.stays, left)
        if not net.joined(move.stays, left):
            net.plug(move.stays, left)
            return False
        net.plug(move.stays, to)
        actions.append(move)
        return True

    def try_unplug(row: int) -> bool:
        u, v = exchange.removed[row]
        net.unplug(u, v)
        if not net.joined(u, v):
            net.plug(u, v)
            return False
        actions.append(Action(UNPLUG, row))
        return True

    while adds or matched or unplugs:
        count = len(actions)
        adds = [link for link in adds if not try_add(link)]
        matched = [move for move in matched if not try_move(move)]
        if len(actions) > count:
            continue
        # If a cable must not go before another has come, a new cable is plugged in its place, if both ports are free.
        done = [move for move in matched if try_add(move.link)]
        if done:
            matched = [move for move in matched if move not in done]
            unplugs += [move.row for move in done]
            continue
        unplugs = [row for row in unplugs if not try_unplug(row)]
        if len(actions) > count:
            continue
        split = next((move for move in matched if try_unplug(move.row)), None)
        if split is not None:
            matched.remove(split)
            adds.append(split.link)
            continue
        forced = True
        _force(exchange, net, actions, matched, adds, unplugs)
    return actions, forced


def _force(
    exchange: Exchange, net: _Net, actions: list[Action], matched: list[Action], adds: list[int], unplugs: list[int]
) -> None:
    """Remove a cable although that disconnects something: first a move that leaves nothing apart, else the least harmful."""
    waiting = [*matched, *(Action(UNPLUG, row) for row in unplugs)]
    costs: list[int] = []
    movable: list[bool] = []
    for action in waiting:
        u, v = exchange.removed[action.row]
        to = _other(exchange.added[action.link], action.stays) if action.work == MOVE else -1
        movable.append(to >= 0 and net.room(to))
        net.unplug(u, v)
        if movable[-1]:
            net.plug(action.stays, to)
        costs.append(net.apart(exchange.serving))
        if movable[-1]:
            net.unplug(action.stays, to)
        net.plug(u, v)
        if not costs[-1]:
            break
    number = int(np.argmin(costs))
    action = waiting[number]
    if number < len(matched):
        del matched[number]
    else:
        del unplugs[number - len(matched)]
    net.unplug(*exchange.removed[action.row])
    if movable[number]:
        net.plug(action.stays, _other(exchange.added[action.link], action.stays))
        actions.append(action)
        return
    actions.append(Action(UNPLUG, action.row))
    if action.work == MOVE:
        adds.append(action.link)


def _searched(exchange: Exchange) -> list[Action] | None:
    """An order that leaves everything connected after every action, by depth-first search; None if none was found."""
    net = _Net(exchange)
    rows, links = frozenset(range(len(exchange.removed))), frozenset(range(len(exchange.added)))
    if len(rows) * len(links) > _MOST_STATES:
        return None
    seen = {(rows, links)}
    path: list[tuple[Action, Iterator[Action], frozenset[int], frozenset[int]]] = []
    choices = _choices(exchange, rows, links)
    while rows or links:
        action = next(choices, None)
        if action is None:
            if not path or len(seen) > _MOST_STATES:
                return None
            last, choices, rows, links = path.pop()
            _apply(exchange, net, last, undo=True)
            continue
        after = rows - {action.row}, links - {action.link}
        if after in seen or len(seen) > _MOST_STATES or not _possible(exchange, net, action):
            continue
        seen.add(after)
        path.append((action, choices, rows, links))
        rows, links = after
        choices = _choices(exchange, rows, links)
    return [action for action, *_ in path]


def _choices(exchange: Exchange, rows: frozenset[int], links: frozenset[int]) -> Iterator[Action]:
    """The possible next actions, best first."""
    yield from (Action(ADD, link=link) for link in sorted(links))
    yield from (Action(MOVE, row, link, stays) for _, row, link, stays in _moves(exchange, set(rows), set(links)))
    yield from (Action(UNPLUG, row) for row in sorted(rows))


def _possible(exchange: Exchange, net: _Net, action: Action) -> bool:
    """Carry out an action, if ports are free and everything is connected afterwards."""
    if action.work != UNPLUG:
        needed = exchange.added[action.link]
        ends = [_other(needed, action.stays)] if action.work == MOVE else list(needed)
        if not all(net.room(end) for end in ends):
            return False
    _apply(exchange, net, action)
    if action.work == ADD or net.joined(*exchange.removed[action.row]):
        return True
    _apply(exchange, net, action, undo=True)
    return False


def _apply(exchange: Exchange, net: _Net, action: Action, *, undo: bool = False) -> None:
    """Remove one link and add another, or undo this."""
    out = exchange.removed[action.row] if action.row >= 0 else None
    into = exchange.added[action.link] if action.link >= 0 else None
    if undo:
        out, into = into, out
    if out is not None:
        net.unplug(*out)
    if into is not None:
        net.plug(*into)


def _with_disconnections(exchange: Exchange, actions: list[Action]) -> list[Action]:
    """The actions with the number of switches disconnected after each, and while a cable is moved."""
    net = _Net(exchange)
    apart = net.apart(exchange.serving) if exchange.serving.size else 0
    out = []
    for action in actions:
        interrupted = 0
        if action.row >= 0:
            u, v = exchange.removed[action.row]
            net.unplug(u, v)
            joined = net.joined(u, v)
            if action.work == MOVE and not (joined and apart == 0):
                interrupted = net.apart(exchange.serving)
        else:
            joined = True
        if action.link >= 0:
            net.plug(*exchange.added[action.link])
        if apart or not joined:
            apart = net.apart(exchange.serving)
        out.append(replace(action, cut_off=apart, interrupted=max(interrupted, apart) if interrupted else 0))
    return out
