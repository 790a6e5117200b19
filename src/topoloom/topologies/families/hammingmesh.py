"""HammingMesh: boards of accelerators, whose rows and columns are connected by switches."""

from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import InputError
from topoloom.model.topology import Topology
from topoloom.topologies.families.fattree import planned_tree
from topoloom.topologies.families.tree_plan import plan_tree
from topoloom.topologies.spec import Facts, Integer, Integers, family


@dataclass(frozen=True)
class _Lines:
    """The networks of all board rows, or of all board columns.

    `boards`: number of board rows (or columns). `lines`: rows of accelerators in each. `ports`: ports of a line. `together`:
    lines per switch; 0 if a line has its own tree.
    """

    boards: int
    lines: int
    ports: int
    together: int

    @property
    def networks(self) -> int:
        """Number of switches, or trees, per board row."""
        return -(-self.lines // self.together) if self.together else self.lines


def _lines(board: tuple[int, ...], boards: tuple[int, ...], radix: int) -> tuple[_Lines, _Lines]:
    for name, pair in (("board", board), ("boards", boards)):
        if len(pair) != 2:
            raise InputError(f"{name}={'x'.join(map(str, pair))}: give rows and columns, as 2x2")
    rows, columns = boards
    return tuple(  # type: ignore[return-value]
        _Lines(count, lines, 2 * others, radix // (2 * others))
        for count, lines, others in ((rows, board[0], columns), (columns, board[1], rows))
    )


def _facts(board: tuple[int, ...], boards: tuple[int, ...], radix: int) -> Facts:
    both = _lines(board, boards, radix)
    (a, b), (x, y) = board, boards
    accelerators = a * b * x * y
    inside = x * y * (a * (b - 1) + b * (a - 1))
    switches = links = 0
    for direction in both:
        plan = None if direction.together else plan_tree(radix, direction.ports)
        switches += direction.boards * direction.networks * (plan.switches if plan else 1)
        links += (
            direction.boards * direction.lines * (direction.ports + (plan.leaf_links + plan.core_links if plan else 0))
        )
    return Facts(
        accelerators + switches,
        max([4, *(min(direction.together, direction.lines) * direction.ports or radix for direction in both)]),
        None,
        inside + links,
        hosts=accelerators,
        carriers=accelerators,
    )


@family(
    "hammingmesh",
    title="HammingMesh",
    board=Integers(1, 64, "rows and columns of accelerators on a board", default=(2, 2)),
    boards=Integers(1, 1024, "rows and columns of boards"),
    radix=Integer(2, 4096, "ports of a switch", default=64),
    facts=_facts,
    source="Hoefler et al., HammingMesh: a network topology for large-scale deep learning, SC 2022; one of its four planes."
    " Lines of a board row share a switch where its ports suffice; a line that needs more has a fat tree of its own",
    sizes=lambda hosts, radix: (
        {"board": (side, side), "boards": (boards, boards), "radix": radix}
        for side in (2, 4)
        for boards in [next(n for n in range(1, 1024) if n * n * side * side >= hosts)]
        if hosts <= 1 << 20
    ),
    aliases=("hxmesh",),
    labels={
        "level": "0 for accelerators, 1 and more for the switches of their lines",
        "group": "the board; switches form one group of their own",
    },
)
def hammingmesh(board: tuple[int, ...], boards: tuple[int, ...], radix: int) -> Topology:
    """Boards of accelerators in a mesh; both ends of each line of accelerators across a row or column of boards share a switch.

    Accelerators forward packets for others, so each is a switch of the topology with one host. Every row of accelerators has
    two ports per board, left and right, on one network for its whole row of boards.

    Returns
    -------
    Topology
        Accelerators board by board, then switches of rows, then of columns; labels ``level`` and ``group``.

    Raises
    ------
    InputError
        Not two numbers, or a line that is too long for three levels of switches.

    Examples
    --------
    >>> hammingmesh((2, 2), (16, 16), 64)  # Hx2Mesh: 1,024 accelerators and 32 switches
    Topology(topology: 1056 switches, 3072 links, 1024 hosts)
    """
    both = _lines(board, boards, radix)
    (a, b), (x, y) = board, boards
    number = np.arange(x * y * a * b).reshape(x, y, a, b)
    links = [
        np.stack([number[:, :, :, :-1].ravel(), number[:, :, :, 1:].ravel()], axis=1),
        np.stack([number[:, :, :-1].ravel(), number[:, :, 1:].ravel()], axis=1),
    ]
    begin, levels = number.size, [np.zeros(number.size, np.int64)]
    # The ends of lines, by board row, line, board and side: int64[board rows, lines, ports].
    rows = np.stack([number[:, :, :, 0], number[:, :, :, -1]], axis=-1).transpose(0, 2, 1, 3).reshape(x, a, 2 * y)
    columns = np.stack([number[:, :, 0], number[:, :, -1]], axis=-1).transpose(1, 2, 0, 3).reshape(y, b, 2 * x)
    for direction, ends in zip(both, (rows, columns), strict=True):
        plan = None if direction.together else plan_tree(radix, direction.ports)
        tree = planned_tree(plan) if plan else None
        each = tree.switches if tree else 1
        network = (
            np.arange(direction.boards)[:, None] * direction.networks
            + np.arange(direction.lines) // max(1, direction.together)
        ).ravel()
        leaf = tree.endpoints if tree else np.zeros(direction.ports, np.int64)
        joined = begin + network[:, None] * each + leaf
        links.append(np.stack([ends.ravel(), joined.ravel()], axis=1))
        count = direction.boards * direction.networks
        if tree:
            links += [begin + step * each + tree.links for step in range(count)]
        levels.append(np.tile(1 + tree.labels["level"] if tree else np.ones(1, np.int64), count))
        begin += count * each
    group = np.concatenate([np.arange(number.size) // (a * b), np.full(begin - number.size, x * y)])
    return Topology(
        links=np.concatenate(links),
        switches=begin,
        endpoints=np.arange(number.size),
        labels={"level": np.concatenate(levels), "group": group},
    )
