"""The operation route: verified forwarding tables for a network."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.catalogue._routed import RoutedOperation, directed_tables
from topoloom.operations.context import RunContext
from topoloom.operations.directed import opened_for
from topoloom.operations.operation import flat, operation

if TYPE_CHECKING:
    from topoloom.model.directed import DirectedTopology
    from topoloom.network import Network
    from topoloom.routing.directed_routing import DirectedRouting
    from topoloom.routing.routing import Routing


@operation
class RouteOperation(RoutedOperation, frozen=True, kw_only=True):
    """Route TOPOLOGY (a spec, a file or a folder): an output port per switch and destination, a virtual channel per pair.

    Before anything is printed, all paths are followed, and the channel dependencies are searched for cycles.
    """

    group: ClassVar[str] = "route"
    doing: ClassVar[str] = "routing"
    functions: ClassVar[tuple[str, ...]] = (
        *("route", "verify_routing", "host_routings", "balance_routing", "product_routing", "layered_routing"),
        *("directed_route", "verify_directed"),
    )
    directed: ClassVar[bool] = True

    engine: (
        Annotated[
            str,
            setting("the routing engine; if omitted, the one that fits the network; tables in its folder are not used"),
        ]
        | None
    ) = None
    check: (
        Annotated[
            int, setting("follow only the paths to this many destinations: a sample, not a verification", least=1)
        ]
        | None
    ) = None

    def opened(self) -> "Network | DirectedTopology":
        """The network.

        Returns
        -------
        Network or DirectedTopology
        """
        from topoloom.network.opening import open_network

        return opened_for(self, self.topology, lambda: open_network(self.topology))

    def run(self, context: RunContext) -> "Routing | DirectedRouting":
        from topoloom.model.directed import DirectedTopology

        network = self.opened()
        if isinstance(network, DirectedTopology):
            return self.directed_tables(network, context)
        return self.routed(network, context)

    def directed_tables(self, network: "DirectedTopology", context: RunContext) -> "DirectedRouting":
        """Tables of a directed network.

        Parameters
        ----------
        network : DirectedTopology
        context : RunContext

        Returns
        -------
        DirectedRouting
        """
        self.refuse_changed(["check", "root", "tables"], "the network is directed")
        return directed_tables(self, network, context)

    def routed(self, network: "Network", context: RunContext, folder: str | None = None) -> "Routing":
        """New tables, even if the network has some.

        Parameters
        ----------
        network : Network
        context : RunContext
        folder : str, optional
            Store the tables in files of this folder instead of in memory.

        Returns
        -------
        Routing
        """
        from topoloom.routing.fitted_tables import installable_tables
        from topoloom.routing.route import route

        own = self.given().keys() & {"engine", "virtual_channels", "root", "check"}
        if not own and folder is None and not network.fabric.planned:
            routed = installable_tables(
                network.fabric.topology, network.layout, seed=self.seed, jobs=context.jobs, work=context.work
            )
            return replace(routed, compared=self.compared(False, network.fabric, routed, context))
        routed = route(
            network.fabric.topology,
            self.engine,
            virtual_channels=self.virtual_channels,
            seed=self.seed,
            jobs=context.jobs,
            layout=network.layout,
            folder=folder,
            check=self.check,
            root=self.root,
            work=context.work,
        )
        if folder is not None or self.check is not None:
            return routed
        return replace(routed, compared=self.compared(network.fabric.planned, network.fabric, routed, context))

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        return {"engine": result.engine} | flat({} if result.verification is None else result.verification.record())
