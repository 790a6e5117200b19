"""The operation bounds: bounds on diameter and ASPL for an order, a degree and a longest link."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation

if TYPE_CHECKING:
    from topoloom.graph.bounds import Bounds
    from topoloom.graph.grid_bounds import BalancedPairs

#: Switches of the largest grid.
_MOST = 1 << 20


@operation
class BoundsOperation(Operation, frozen=True, kw_only=True):
    """Lower bounds on diameter and ASPL, for TOPOLOGY (a spec or a file), or for --switches or --grid with --degree."""

    group: ClassVar[str] = "bounds"
    doing: ClassVar[str] = "counting from every point"
    functions: ClassVar[tuple[str, ...]] = ("bounds",)

    topology: Annotated[str, setting("a spec, a file or a folder", positional=True, names="file")] | None = None
    switches: Annotated[int, setting("the number of switches, instead of a topology", least=1, most=1 << 24)] | None = (
        None
    )
    grid: Annotated[str, setting("a grid of switches, instead of a topology", metavar="ROWSxCOLUMNS")] | None = None
    diagrid: Annotated[str, setting("a diagonal grid, instead of a topology", metavar="ROWSxCOLUMNS")] | None = None
    degree: Annotated[int, setting("links per switch; not with a topology, which has its own", least=0)] | None = None
    length: Annotated[int, setting("the longest link, in steps of the grid", least=1, most=100_000)] | None = None
    point: (
        Annotated[int, setting("the functions m, d and md of Nakano 2016 for this switch of the grid", least=0)] | None
    ) = None
    balanced: Annotated[bool, setting("the well-balanced pairs of degree and length of the grid")] = False

    def validate(self) -> None:
        sources = [value for value in (self.topology, self.switches, self.grid, self.diagrid) if value is not None]
        if len(sources) != 1:
            raise InputError("name one of `topology`, `switches`, `grid` and `diagrid`")
        if self.topology is not None:
            if self.degree is not None or self.length is not None:
                raise InputError("a topology has its own degree and lengths; omit `degree` and `length`")
        elif self.degree is None and not self.balanced:
            raise InputError("`degree` is missing: give the links per switch")
        elif self.switches is not None:
            if self.length is not None or self.point is not None or self.balanced:
                raise InputError("`length`, `point` and `balanced` are for `grid` and `diagrid`")
        else:
            self._size()
            if self.degree is not None and self.length is None and not self.balanced:
                raise InputError("`length` is missing: give the longest link, in steps of the grid")

    def _size(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        from topoloom.core.text_parts import whole_in

        text = self.grid or self.diagrid or ""
        rows, columns = (whole_in(number, _MOST) for number in text.partition("x")[::2])
        if not rows or not columns or rows * columns > _MOST:
            raise InputError(f"{text[:40]!a} is not a grid; write ROWSxCOLUMNS, 30x30")
        return rows, columns

    def run(self, context: RunContext) -> "Bounds | BalancedPairs":
        from topoloom.graph.bounds import bounds, bounds_of_order, bounds_on_grid
        from topoloom.graph.connectivity import without_links
        from topoloom.graph.geometry import Geometry
        from topoloom.graph.grid_bounds import balanced_pairs
        from topoloom.network.opening import open_network

        if self.topology is not None:
            topology = open_network(self.topology).topology
            if reason := without_links(topology):
                context.note(reason)
            return bounds(topology, measured=True, point=self.point, balanced=self.balanced, work=context.work)
        if self.switches is not None:
            return bounds_of_order(self.switches, self.degree or 0)
        size = self._size()
        geometry = Geometry.grid(*size) if self.diagrid is None else Geometry.diagrid(*size)
        if self.degree is None:
            return balanced_pairs(geometry, work=context.work)
        return bounds_on_grid(geometry, self.degree, self.length, self.point, self.balanced, work=context.work)
