"""Arguments and functions of the operations on forwarding tables: the engine, and a network's tables, also after losses."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation
from topoloom.operations.shared import SEED, Engine, Seed, Source, TablesFile, VirtualChannels

if TYPE_CHECKING:
    from topoloom.fabric.fabric import Fabric
    from topoloom.model.directed import DirectedTopology
    from topoloom.network import Network
    from topoloom.routing.compared import TablesCompared
    from topoloom.routing.directed_routing import DirectedRouting
    from topoloom.routing.reroute import Rerouted
    from topoloom.routing.routing import Routing

LOST = (
    "what is lost: 3-17,5 is a cable between switches 3 and 17, and switch 5; also names, GUIDs, labels (A01-U03, A01-U03-P12),"
    " racks, leaf1:12 or 'leaf1 port 12' (a port), cable:00123, cables as verify prints them, @FILE"
)


#: What a record calls the tables that OpenSM would make.
COMPUTED = "minhop, computed"


@dataclass(frozen=True)
class TableChoice:
    """Tables of a network, with the network and the losses that they are for.

    Attributes
    ----------
    network : Network
    routing : Routing
        The tables; after losses, those of the remaining network.
    repaired : Rerouted or None
        The repair of the tables, after losses.
    fabric : Fabric
        The fabric; after losses, the remaining one.
    lengths : CableLengths or None
        The lengths of the fabric's cables, if they are known.
    """

    network: "Network"
    routing: "Routing"
    repaired: "Rerouted | None"
    fabric: "Fabric"
    lengths: Any


def check_engine(engine: str | None) -> None:
    """Refuse an engine that does not exist."""
    from topoloom.routing.registry import engines

    if engine is not None:
        engines.find(engine)


def note_installed(network: "Network", context: RunContext) -> None:
    """Note that the installed tables are used, if the network has some."""
    if network.tables is not None:
        tables = network.tables
        kind = f"installed {tables.engine}" if tables.installed else f"tables in this folder, of engine {tables.engine}"
        context.note(f"{network.source}: with the {kind}")


def check_installed(operation: Any) -> None:
    """Refuse service levels without installed tables, and arguments that make new tables next to installed ones.

    Raises
    ------
    InputError
    """
    if operation.tables is None and operation.qos is not None:
        raise InputError("`qos` has the service levels of installed tables; give them with `tables`")
    for name in ("engine", "virtual_channels", "host_tables"):
        if operation.tables is not None and getattr(operation, name, None) is not None:
            raise InputError(f"`tables` are installed and `{name}` makes new ones; omit one of them")


def opened_with(source: str, tables: str | None, qos: str | None) -> "Network":
    """The network, with the installed tables in a file if one is given.

    Raises
    ------
    InputError
        The network or the tables cannot be read, or the tables do not connect all hosts.
    """
    from topoloom.fabric.installed import read_installed
    from topoloom.network.opening import open_network

    network = open_network(source)
    if tables is None:
        return network
    return network.with_installed(read_installed(network.fabric, tables, qos).routing(network.fabric))


def directed_tables(operation: Any, network: "DirectedTopology", context: RunContext) -> "DirectedRouting":
    """New tables of a directed network, for an operation with an engine, virtual channels and a seed."""
    from topoloom.routing.directed_route import directed_route

    return directed_route(
        network,
        operation.engine,
        virtual_channels=operation.virtual_channels,
        seed=operation.seed,
        jobs=context.jobs,
        work=context.work,
    )


class RoutedOperation(Operation, frozen=True, kw_only=True):
    """An operation that routes a network, or uses its installed tables."""

    topology: Source
    engine: Engine | None = None
    virtual_channels: VirtualChannels | None = None
    root: (
        Annotated[int, setting("the root switch of engines updown and nue; a switch of most links if omitted", least=0)]
        | None
    ) = None
    seed: Seed = SEED
    tables: TablesFile | None = None

    def validate(self) -> None:
        check_engine(self.engine)

    def chosen_tables(self, context: RunContext, lost: str | None, *, by_host: bool = False) -> TableChoice:
        """The installed tables, or new ones if an argument asks for them; repaired after losses.

        Each pair has a single virtual channel, as other tools require.

        Parameters
        ----------
        context : RunContext
        lost : str or None
            What is lost.
        by_host : bool
            Whether new tables may differ between the hosts of a switch.

        Returns
        -------
        TableChoice
        """
        import numpy as np

        from topoloom.network.losses import losses
        from topoloom.network.opening import open_network
        from topoloom.routing.fitted_tables import installable_tables
        from topoloom.routing.fitting import ANY
        from topoloom.routing.reroute import reroute
        from topoloom.routing.route import route

        network = open_network(self.topology)
        lost_parts = None if lost is None else losses(network, lost)
        lengths, fabric = network.lengths, network.fabric
        asked = self.given().keys() & {"engine", "virtual_channels", "root", "seed"}
        saved = None if asked else network.tables
        if saved is not None:
            note_installed(network, context)
        common: dict[str, Any] = {
            "virtual_channels": self.virtual_channels,
            "seed": self.seed,
            "jobs": context.jobs,
            "work": context.work,
        }
        if saved is None and not asked and by_host:
            routed = installable_tables(fabric.topology, network.layout, jobs=context.jobs, work=context.work)
            if lost_parts is not None and any(table.virtual_channels is not None for table in routed.host_tables[1:]):
                # Tables per host with virtual channels are not repaired.
                routed = route(fabric.topology, ANY, **common)
        else:
            routed = saved or route(fabric.topology, self.engine, layout=network.layout, root=self.root, **common)
        if self.engine is None and routed.virtual_channel_rule != "pair":
            routed = route(fabric.topology, ANY, **common)
        if lost_parts is None:
            routed = replace(routed, compared=self.compared(network.fabric.planned, fabric, routed, context))
            return TableChoice(network, routed, None, fabric, lengths)
        repaired = reroute(
            routed,
            links=lost_parts.links,
            switches=lost_parts.switches,
            cables=lost_parts.cables,
            virtual_channels=self.virtual_channels,
            jobs=context.jobs,
            work=context.work,
        )
        left = repaired.surviving
        if lengths is not None:
            ends = np.isin(fabric.topology.endpoints, repaired.surviving_switches)
            lengths = lengths.part(repaired.kept, ends)
        fabric = fabric.after_losses(left.topology, repaired.surviving_switches, repaired.kept)
        compared = self.compared(network.fabric.planned, fabric, left, context)
        repaired = replace(repaired, compared=compared)
        return TableChoice(network, replace(left, compared=compared), repaired, fabric, lengths)

    def compared(
        self, planned: bool, fabric: "Fabric", routed: "Routing", context: RunContext
    ) -> "TablesCompared | None":
        """The tables compared with the installed ones (`tables`), or, on a discovered fabric, with those of a computed minhop.

        Parameters
        ----------
        planned : bool
            Whether the fabric is only planned.
        fabric : Fabric
            It, or what is left of it.
        routed : Routing
            Its new tables.
        context : RunContext
            Notes that installed tables lose pairs.

        Returns
        -------
        TablesCompared or None
            None on a planned network without installed tables, on several planes, and where packets choose their paths.
        """
        from topoloom.graph.planes import plane_count

        if self.tables is None and (planned or not fabric.topology.endpoints.size):
            return None
        by_tables = routed.choice is None or routed.by_host
        if not by_tables or plane_count(fabric.topology) != 1:
            if self.tables is not None:
                raise InputError(
                    f"{fabric.topology.name}: installed tables are compared with fixed paths of one plane; omit them, or name"
                    " another engine"
                )
            return None
        from topoloom.fabric.installed import lost_words, read_installed
        from topoloom.fabric.minhop import minhop_tables
        from topoloom.fabric.table_verifier import verify_tables
        from topoloom.fabric.tables_compared import compare_tables

        if self.tables is None:
            return compare_tables(minhop_tables(fabric), routed, fabric, (COMPUTED, ""))
        installed = read_installed(fabric, self.tables, one_port="the comparison").tables
        compared = compare_tables(installed, routed, fabric)
        if compared.before.lost_pairs:
            context.note(f"warning: {lost_words(verify_tables(installed, fabric))}")
        return compared

    def refuse_worse(self, routed: "Routing") -> None:
        """Refuse to write tables that are worse than the installed ones (`tables`).

        Raises
        ------
        InputError
        """
        from topoloom.routing.compared import refuse_worse

        compared = routed.compared
        if self.tables is not None and compared is not None:
            refuse_worse(routed.topology.name, f"tables of {compared.after_tables}", compared.before, compared.after)
