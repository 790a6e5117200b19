"""The operation convert: a network from a file of one format, for writing in another format."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.directed import opened_for
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import HcaMapping, Management, SheetColumns, SourceFormat

if TYPE_CHECKING:
    from topoloom.model.directed import DirectedTopology
    from topoloom.network import Network


@operation
class ConvertOperation(Operation, frozen=True, kw_only=True):
    """Read a topology from IN and write it to OUT; '-' is standard input or output (topoloom's JSON)."""

    group: ClassVar[str] = "convert"
    doing: ClassVar[str] = "converting"
    functions: ClassVar[tuple[str, ...]] = ("load", "save", "write_export", "open_directed", "save_directed")
    studied: ClassVar[bool] = False
    directed: ClassVar[bool] = True

    source: Annotated[str, setting("a spec, a file or a folder", positional=True, metavar="IN", names="file")]
    source_format: SourceFormat | None = None
    columns: SheetColumns | None = None
    hca_mapping: HcaMapping | None = None
    management: Management = False
    join_machines: Annotated[
        bool,
        setting(
            "make one host of the adapters of one machine (node7 mlx5_0, node7 mlx5_1); a .net file then keeps names and GUIDs"
        ),
    ] = False
    adopt: Annotated[
        bool,
        setting(
            "write what is cabled (LLDP files, ibnetdiscover's output, a plan with ports) as the network folder OUT, with names"
            ", ports, rates and racks"
        ),
    ] = False
    drop_rates: Annotated[bool, setting("drop the rates of links, so that all links are alike")] = False
    undirected: Annotated[
        bool, setting("give the links of a directed network both directions; two opposite ones become one link")
    ] = False

    def run(self, context: RunContext) -> "Network | DirectedTopology":
        from dataclasses import replace

        from topoloom.fabric.machines import joined
        from topoloom.model.directed import DirectedTopology
        from topoloom.model.link_rates import tell_dropped
        from topoloom.network.opening import as_network, open_network

        network = opened_for(
            self,
            self.source,
            lambda: open_network(
                self.source,
                self.source_format,
                columns=self.columns,
                hca_mapping=self.hca_mapping,
                management=self.management,
                lenient=self.adopt,
            ),
        )
        if isinstance(network, DirectedTopology):
            self.refuse_changed(["join_machines", "adopt", "drop_rates"], "the network is directed")
            if not self.undirected:
                return network
            network = as_network(network.undirected())
        elif self.undirected:
            raise InputError(
                f"{self.source}: `undirected` is for directed networks, and this one is undirected; omit it"
            )
        if self.drop_rates and network.topology.rated:
            tell_dropped(self.source, "all links are alike (--drop-rates)")
            network = unrated(network)
        if not self.join_machines:
            return network
        fabric = joined(network.fabric)
        # The network's other parts have the adapters as hosts, so they are dropped.
        return replace(network, topology=fabric.topology, known={"fabric": lambda: fabric})


def unrated(network: "Network") -> "Network":
    """The network without the rates of its links; it keeps only names, ports and lengths."""
    from dataclasses import replace

    from topoloom.fabric.fabric import without_rates

    fabric = without_rates(network.fabric)
    parts = {name: read for name, read in network.known.items() if name == "cables"}
    return replace(network, topology=fabric.topology, known=parts | {"fabric": lambda: fabric})
