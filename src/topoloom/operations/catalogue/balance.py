"""The operation balance: the well-balanced pairs of degree and length on a floor."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import MOST_ROWS, span_of

if TYPE_CHECKING:
    from topoloom.graph.geometry import Geometry
    from topoloom.graph.grid_bounds import BalancedPairs

_MOST = 9_999_999
#: Switches of the largest floor.
_MOST_SWITCHES = 1 << 24


@operation
class BalanceOperation(Operation, frozen=True, kw_only=True):
    """The well-balanced pairs of degree K and longest link L on a floor: both limit the hops about equally.

    The table also has the least ASPL that K alone, L alone and both allow (A_m-, A_d-, A-), and the least diameter (D-).
    """

    group: ClassVar[str] = "balance"
    doing: ClassVar[str] = "counting from every point"
    functions: ClassVar[tuple[str, ...]] = ("balanced_pairs",)

    rows: Annotated[int, setting("rows of switches", least=1, most=MOST_ROWS)]
    columns: Annotated[int, setting("switches per row", least=1, most=MOST_ROWS)]
    diagonal: Annotated[bool, setting("odd rows are shifted by half a step, and cables run along the diagonals")] = (
        False
    )
    degrees: Annotated[
        tuple[
            Annotated[int, setting("the least", least=1, most=_MOST)],
            Annotated[int, setting("the greatest", least=1, most=_MOST)],
        ],
        setting("links per switch", reads=span_of, metavar="FROM-TO"),
    ] = (3, 32)
    lengths: Annotated[
        tuple[
            Annotated[int, setting("the least", least=1, most=_MOST)],
            Annotated[int, setting("the greatest", least=1, most=_MOST)],
        ],
        setting("the longest link, in grid steps", reads=span_of, metavar="FROM-TO"),
    ] = (2, 16)

    def validate(self) -> None:
        if self.rows * self.columns > _MOST_SWITCHES:
            raise InputError(
                f"`rows` {self.rows:,} and `columns` {self.columns:,}: a floor has at most {_MOST_SWITCHES:,} switches"
            )
        for name in ("degrees", "lengths"):
            least, most = getattr(self, name)
            if least > most:
                raise InputError(f"`{name}` is from {least} to {most}; give the least first")
        self.ranges()

    def geometry(self) -> "Geometry":
        """The floor."""
        from topoloom.graph.geometry import Geometry

        return Geometry.diagrid(self.rows, self.columns) if self.diagonal else Geometry.grid(self.rows, self.columns)

    def ranges(self) -> tuple[range, range]:
        """The degrees and the lengths that are possible on this floor."""
        rows, columns = self.rows, self.columns
        farthest = max(rows - 1, 2 * columns - 2 + (rows > 1)) if self.diagonal else rows + columns - 2
        return (
            _upto(self.degrees, rows * columns - 1, "degrees", "links per switch"),
            _upto(self.lengths, farthest, "lengths", "steps from end to end"),
        )

    def run(self, context: RunContext) -> "BalancedPairs":
        from topoloom.graph.grid_bounds import balanced_pairs

        return balanced_pairs(self.geometry(), *self.ranges(), work=context.work)


def _upto(ends: tuple[int, int], most: int, name: str, what: str) -> range:
    """The numbers from `ends`, limited by `most`, the greatest number that is possible on the floor."""
    if ends[0] > most:
        raise InputError(f"`{name}` begins at {ends[0]}, and this floor has at most {most} {what}; take a larger floor")
    return range(ends[0], min(ends[1], most) + 1)
