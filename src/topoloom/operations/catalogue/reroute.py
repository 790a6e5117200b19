"""The operation reroute: the tables of a network repaired after losses, with as few changed entries as possible."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.catalogue._routed import LOST, RoutedOperation
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation

if TYPE_CHECKING:
    from topoloom.routing.reroute import Rerouted


@operation
class RerouteOperation(RoutedOperation, frozen=True, kw_only=True):
    """Repair the tables of TOPOLOGY (a spec, a file or a folder) after losses, with as few changed entries as possible.

    LOST is what is lost: 3-17,5 is a cable between switches 3 and 17, and switch 5. Also names, GUIDs, labels (A01-U03,
    A01-U03-P12), racks, leaf1:12 (a port), cable:00123, cables as verify prints them, @FILE. The tables are the installed
    ones; --engine, --virtual-channels, --root or --seed make new ones.
    """

    group: ClassVar[str] = "reroute"
    doing: ClassVar[str] = "routing"
    functions: ClassVar[tuple[str, ...]] = ("reroute",)

    lost: Annotated[str, setting(LOST, positional=True)]

    def run(self, context: RunContext) -> "Rerouted":
        repaired = self.chosen_tables(context, self.lost).repaired
        if repaired is None:
            raise ValueError("nothing is lost")
        return repaired
