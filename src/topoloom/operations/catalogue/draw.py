"""The operation draw: a network as blocks in blocks, so that its structure is seen."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import Floor, Source

if TYPE_CHECKING:
    from topoloom.drawing.drawing import Drawing


@operation
class DrawOperation(Operation, frozen=True, kw_only=True):
    """Draw TOPOLOGY (a spec, a file or a folder) so that its structure is seen: tiers, pods, groups, planes, rings, lattices.

    Links between two blocks are one line with its count. -o writes the picture; --json prints all blocks,
    switches and links with their places, which the explorer shows at every scale.
    """

    group: ClassVar[str] = "draw"
    doing: ClassVar[str] = "drawing"
    functions: ClassVar[tuple[str, ...]] = ("draw_network",)

    topology: Source
    arrangement: Annotated[
        Literal["structure", "racks"],
        setting("structure: by tiers, pods, groups, planes, rings and lattices; racks: by the racks on the floor"),
    ] = "structure"
    floor: Floor | None = None
    engine: Annotated[str, setting("colour links by their loads by the tables of this routing engine")] | None = None

    def run(self, context: RunContext) -> "Drawing":
        from topoloom.drawing.draw import draw_network
        from topoloom.machine.recognizing import names_machine

        if names_machine(self.topology):
            raise InputError(
                f"{self.topology} is a machine, which has several networks; draw the folder of one, in {self.topology}/networks"
            )
        return draw_network(
            self.topology, self.arrangement, floor=self.floor, engine=self.engine, jobs=context.jobs, work=context.work
        )
