"""The order of work on trunks: the rounds of a step, each with few enough links down at a time."""

from dataclasses import dataclass

import numpy as np

from topoloom.cabling.expansion.panels.pieces import Piece, pieces_of
from topoloom.cabling.expansion.panels.tasks import LinkPorts, PanelTask
from topoloom.core.errors import InputError
from topoloom.graph.connectivity import components
from topoloom.model.topology import Topology
from topoloom.placement.fibre.plant import Plant

_CLOSE_M = 1e-9


@dataclass(frozen=True)
class Owned:
    """An installed cord or trunk: the number on it, and the length in which it was bought (0: that of its way)."""

    number: int
    owned_m: float


@dataclass(frozen=True, eq=False)
class StepWork:
    """The work of a step on pieces.

    Attributes
    ----------
    tasks : tuple of PanelTask
    rounds : int
    most_drained : int
        Most links that are down at a time.
    cut_off : int
        The largest number of existing switches that are disconnected from the largest part meanwhile.
    """

    tasks: tuple[PanelTask, ...]
    rounds: int
    most_drained: int
    cut_off: int


class Rounds:
    """The installed pieces of a plant, and the work from step to step.

    Parameters
    ----------
    plant : Plant
        With its lengths.
    installed : dict of Piece to Owned
        Every piece of it.
    highest : int
        The highest number of a cable.
    most_down : int or None
        Most links that may be drained at a time; None: those of one trunk.
    """

    def __init__(self, plant: Plant, installed: dict[Piece, Owned], highest: int, most_down: int | None) -> None:
        self.plant, self.installed, self._most_down = plant, dict(installed), most_down
        #: Trunks that are not in use: their numbers and the lengths in which they were bought.
        self.shelf: list[Owned] = []
        self._next = highest + 1

    def next_number(self) -> int:
        """A number that no cable has."""
        self._next += 1
        return self._next - 1

    def step(self, after: Plant) -> StepWork:
        """Bring the pieces to `after`, a plant with lengths whose existing cords stay; returns the work.

        Raises
        ------
        InputError
            A trunk carries more links than may be down.
        """
        before = self.plant
        had, has = pieces_of(before), pieces_of(after)
        row_of = {piece: row for row, piece in enumerate(has)}
        at_port = {end: piece for piece in has for end in piece}
        gone = [row for row, piece in enumerate(had) if piece not in row_of]
        fresh = [piece for piece in has if piece not in self.installed]
        waiting = {at_port[end] for row in gone for end in had[row]} - self.installed.keys()
        stock_m = after.stock_m
        tasks: list[PanelTask] = []
        for trunk in (True, False):
            first = [each for each in fresh if each not in waiting and bool(after.is_trunk[row_of[each]]) == trunk]
            tasks.extend(self._plug(piece, row_of[piece], after, stock_m, 0) for piece in first)
        links = _Links(before, after)
        come_first = links.connect_all_but([row_of[piece] for piece in waiting])
        if come_first.size:
            tasks.append(PanelTask("verify", "links", 0, links=links.after(come_first)))
        most = cut_off = 0
        groups = self._groups(before, gone, links)
        for number, group in enumerate(groups, 1):
            down = np.concatenate([links.carried(row) for row in group])
            tasks.append(PanelTask("drain", "links", number, links=links.before(down)))
            links.drain(down)
            most, cut_off = max(most, down.size), max(cut_off, links.cut_off())
            come = []
            for row in group:
                old = had[row]
                new = [at_port[end] for end in old if at_port[end] not in self.installed]
                # The same new trunk may stand in for two that go.
                new = list(dict.fromkeys(new))
                tasks += self._exchange(row, old, new, row_of, after, stock_m, number)
                come += [row_of[piece] for piece in new]
            tasks.append(PanelTask("verify", "links", number, links=links.after(links.connect(come))))
        self.plant = after
        return StepWork(tuple(tasks), len(groups), most, cut_off)

    def _groups(self, before: Plant, gone: list[int], links: "_Links") -> list[list[int]]:
        """The trunks that go, in groups whose links may be down together."""
        groups: list[list[int]] = []
        down = 0
        for row in gone:
            count = links.carried(row).size
            if self._most_down is not None and count > self._most_down:
                raise InputError(
                    f"a trunk carries {count} links, which are down while it is exchanged; allow at least as many (most_down)"
                )
            if self._most_down is not None and groups and down + count <= self._most_down:
                groups[-1].append(row)
                down += count
            else:
                groups.append([row])
                down = count
        return groups

    def _plug(self, piece: Piece, row: int, plant: Plant, stock_m: np.ndarray, number: int) -> PanelTask:
        """Plug a piece in at both ends: the shortest trunk that is left over and long enough, or a new one."""
        use, length_m = plant.fibres[plant.fibre[row]].use, float(plant.length_m[row])
        slack_m = plant.fibres[plant.fibre[row]].slack_m
        fits = [left for left in self.shelf if use == "trunk" and left.owned_m >= length_m + slack_m - _CLOSE_M]
        if fits:
            owned = min(fits, key=lambda left: (left.owned_m, left.number))
            self.shelf.remove(owned)
        else:
            owned = Owned(self.next_number(), 0.0)
        self.installed[piece] = owned
        bought_m = owned.owned_m or float(stock_m[row])
        source = "shelf" if fits else "new"
        return PanelTask("plug", use, number, owned.number, source, piece, (), (), length_m, bought_m)  # type: ignore[arg-type]

    def _exchange(
        self,
        row: int,
        old: Piece,
        new: list[Piece],
        row_of: dict[Piece, int],
        after: Plant,
        stock_m: np.ndarray,
        number: int,
    ) -> list[PanelTask]:
        """Cut a trunk: it serves as one of the new trunks at its ends, the longest that it spans; else it is left over.

        A loop plug is pulled out.
        """
        owned = self.installed.pop(old)
        if self.plant.is_loop[row]:
            pulled = PanelTask("unplug", "loop plug", number, owned.number, "", None, old[:1])
            return [pulled, *(self._plug(piece, row_of[piece], after, stock_m, number) for piece in new)]
        bought_m = owned.owned_m or float(self.plant.stock_m[row])
        slack_m = self.plant.fibres[self.plant.fibre[row]].slack_m
        spans = [piece for piece in new if bought_m >= float(after.length_m[row_of[piece]]) + slack_m - _CLOSE_M]
        tasks: list[PanelTask] = []
        if spans:
            serves = max(spans, key=lambda piece: float(after.length_m[row_of[piece]]))
            stays = next(end for end in old if end in serves)
            taken = tuple(end for end in old if end != stays)
            tasks.append(PanelTask("unplug", "trunk", number, owned.number, "", (stays, stays), taken))
            self.installed[serves] = Owned(owned.number, bought_m)
            length_m = float(after.length_m[row_of[serves]])
            tasks.append(PanelTask("connect", "trunk", number, owned.number, "", serves, (), (), length_m, bought_m))
            new = [piece for piece in new if piece != serves]
        else:
            tasks.append(PanelTask("unplug", "trunk", number, owned.number, "", None, old))
            self.shelf.append(Owned(owned.number, bought_m))
        return tasks + [self._plug(piece, row_of[piece], after, stock_m, number) for piece in new]


class _Links:
    """The links that are up between two plants, by the pieces that carry them."""

    def __init__(self, before: Plant, after: Plant) -> None:
        self._before, self._after = before, after
        self._old, self._new = before.carried, after.carried
        self._up_before = np.ones(len(before.links), bool)
        stays = _same(before, after)
        #: The links that come, and which pieces they still wait for.
        self._up_after = stays.copy()
        self._counted = stays

    def carried(self, row: int) -> np.ndarray:
        """The links of the plant before on a cord or trunk, int64[...]."""
        links, first = self._old
        return np.asarray(links[first[row] : first[row + 1]])

    def drain(self, links: np.ndarray) -> None:
        """Take links of the plant before down for good: their trunk leads elsewhere afterwards."""
        self._up_before[links] = False

    def connect(self, rows: list[int]) -> np.ndarray:
        """Take up the links of the plant after on these trunks, int64[...], as far as they were not up."""
        return self._take_up(self._on(rows))

    def connect_all_but(self, rows: list[int]) -> np.ndarray:
        """Take up all links of the plant after that are on none of these trunks, int64[...], as far as they were not up."""
        return self._take_up(np.setdiff1d(np.arange(len(self._after.links)), self._on(rows)))

    def _on(self, rows: list[int]) -> np.ndarray:
        links, first = self._new
        return np.unique(np.concatenate([np.zeros(0, np.int64), *(links[first[row] : first[row + 1]] for row in rows)]))

    def _take_up(self, links: np.ndarray) -> np.ndarray:
        come = links[~self._up_after[links]]
        self._up_after[come] = True
        return np.asarray(come)

    def cut_off(self) -> int:
        """The existing switches outside the largest connected part."""
        n = self._before.switches
        links = np.concatenate(
            [self._before.links[self._up_before], self._after.links[self._up_after & ~self._counted]]
        )
        part = components(Topology(links=links, switches=self._after.switches))[:n]
        return n - int(np.bincount(part).max())

    def before(self, links: np.ndarray) -> tuple[LinkPorts, ...]:
        """Links of the plant before by their ports."""
        return _with_ports(self._before, links)

    def after(self, links: np.ndarray) -> tuple[LinkPorts, ...]:
        """Links of the plant after by their ports."""
        return _with_ports(self._after, links)


def _same(before: Plant, after: Plant) -> np.ndarray:
    """Whether each link of the plant after was there before, with the same ports, bool[links after]."""
    had = {tuple(row) for row in np.concatenate([before.links, before.ports], axis=1).tolist()}
    return np.array([tuple(row) in had for row in np.concatenate([after.links, after.ports], axis=1).tolist()], bool)


def _with_ports(plant: Plant, links: np.ndarray) -> tuple[LinkPorts, ...]:
    rows = zip(plant.links[links].tolist(), plant.ports[links].tolist(), strict=True)
    return tuple(((a, at_a), (b, at_b)) for (a, b), (at_a, at_b) in rows)
