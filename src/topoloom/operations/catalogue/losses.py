"""The operation losses: the effect of one loss of each kind, in the worst case."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import Source

if TYPE_CHECKING:
    from topoloom.failures.blast_radius import BlastRadius


@operation
class LossesOperation(Operation, frozen=True, kw_only=True):
    """The effect of one loss on the hosts of TOPOLOGY (a spec, a file or a folder), in the worst case.

    Nothing is random: the table has the hosts that the worst loss of each kind cuts off, and the bandwidth that is left.
    """

    group: ClassVar[str] = "losses"
    doing: ClassVar[str] = "losses"
    functions: ClassVar[tuple[str, ...]] = ("blast_radius",)

    topology: Source
    lose: (
        Annotated[
            tuple[
                Literal["port", "nic", "leaf", "spine", "plane", "cable", "rack", "group", "cord", "trunk", "panel"],
                ...,
            ],
            setting(
                "what is lost: a port of a host, an interface of a host, a switch with hosts, a switch without, a plane, a"
                " cable between switches, a rack, a group, a cord, trunk or panel of the layout; may be repeated; the first"
                " five that the network has if omitted"
            ),
        ]
        | None
    ) = None
    nic_ports: Annotated[
        int, setting("ports of an interface: 2 for dual ToR, or as many as there are planes", least=1, most=1024)
    ] = 1
    most: Annotated[int, setting("how many of the worst losses of each kind are listed", least=1, most=1000)] = 1

    def run(self, context: RunContext) -> "BlastRadius":
        from topoloom.failures.blast_radius import blast_radius
        from topoloom.network.opening import open_network

        network = open_network(self.topology)
        return blast_radius(network, self.lose, nic_ports=self.nic_ports, most=self.most, work=context.work)
