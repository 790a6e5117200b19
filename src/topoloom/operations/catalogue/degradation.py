"""The operation degradation: the throughput that failures leave, and the table entries that they change."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue._failing import FailingOperation, Share
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import shares_of

if TYPE_CHECKING:
    from topoloom.failures.degradation import Degradations
    from topoloom.network import Network
    from topoloom.routing.routing import Routing


@operation
class DegradationOperation(FailingOperation, frozen=True, kw_only=True):
    """The throughput that failures leave TOPOLOGY (a spec, a file or a folder), and the table entries that they change.

    With --reroute, the tables in the folder, or those of an engine, are repaired after each draw of failures.
    """

    group: ClassVar[str] = "degradation"
    doing: ClassVar[str] = "failures"
    functions: ClassVar[tuple[str, ...]] = ("degradation",)

    shares: Annotated[
        tuple[Share, ...], setting("shares that fail: first:last:step, or a list 5%,10%", reads=shares_of)
    ] = (0.05, 0.1, 0.2)
    draws: Annotated[int, setting("random orders of failures", least=1, most=1000)] = 5
    throughput: Annotated[bool, setting("bound the throughput that is left")] = True
    reroute: Annotated[bool, setting("count the table entries that change: in the folder's tables or an engine's")] = (
        False
    )
    engine: Annotated[str, setting("repair the tables of this engine; with reroute")] | None = None

    def validate(self) -> None:
        super().validate()
        if self.engine is not None and not self.reroute:
            raise InputError("`engine`: tables are repaired only with `reroute`; add it, or omit the engine")

    def run(self, context: RunContext) -> "Degradations":
        from topoloom.failures.degradation import Degradations, degradation
        from topoloom.model.results import provenance_of
        from topoloom.network.opening import open_network

        network = open_network(self.topology)
        racks = self.racks(network, context.jobs)
        subject: Any = self._tables(network, context) if self.reroute else network.topology
        levels = degradation(
            subject,
            self.fail,
            levels=self.shares,
            order=self.order,
            samples=self.draws,
            racks=racks,
            seed=self.seed,
            throughput=self.throughput,
            jobs=context.jobs,
            work=context.work,
        )
        engine = getattr(subject, "engine", "")
        provenance = provenance_of(network.topology, seed=self.seed, engine=engine)
        return Degradations(network.topology.name, self.fail, self.order, tuple(levels), provenance)

    def _tables(self, network: "Network", context: RunContext) -> "Routing":
        """The tables to repair; tables that cannot be repaired are refused before any work."""
        from topoloom.routing.route import route
        from topoloom.routing.routing import SWITCH

        if self.engine is None:
            routing: Routing = network.needs("tables", "`reroute` without an `engine`")
            context.note(f"{network.source}: with the tables in this folder, of engine {routing.engine}")
        else:
            routing = route(
                network.topology,
                self.engine,
                seed=self.seed,
                jobs=context.jobs,
                layout=network.layout,
                work=context.work,
            )
        if routing.choice is not None or routing.virtual_channel_rule == SWITCH:
            why = "lets packets choose" if routing.choice is not None else "changes virtual channels on the path"
            raise InputError(
                f"`engine` {routing.engine}: it {why}, so its tables cannot be repaired; take another engine, such as orders"
            )
        return routing
