"""What the operations on forwarding tables share: the engine, and the tables of a network, after losses too."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation
from topoloom.operations.shared import SEED, Engine, Seed, Source, VirtualChannels

if TYPE_CHECKING:
    from topoloom.fabric.fabric import Fabric
    from topoloom.network import Network
    from topoloom.routing.reroute import Rerouted
    from topoloom.routing.routing import Routing

LOST = (
    "what is lost: 3-17,5 is a cable between switches 3 and 17, and switch 5; also names, GUIDs, labels (A01-U03, A01-U03-P12),"
    " racks, leaf1:12 (a port), cable:00123, @FILE"
)


@dataclass(frozen=True)
class TableChoice:
    """Tables of a network, and what they are of.

    Attributes
    ----------
    network : Network
    routing : Routing
        Of what is left, where something is lost.
    repaired : Rerouted or None
        Where something is lost.
    fabric : Fabric
        Of what is left.
    lengths : CableLengths or None
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
    """Say that the installed tables are taken, where the network has some."""
    if network.tables is not None:
        context.note(f"{network.source}: with the tables in this folder, of engine {network.tables.engine}")


class RoutedOperation(Operation, frozen=True, kw_only=True):
    """An operation that routes a network, or takes its installed tables."""

    topology: Source
    engine: Engine | None = None
    virtual_channels: VirtualChannels | None = None
    root: (
        Annotated[
            int, setting("the switch that engines updown and nue go up to; one of most links if omitted", least=0)
        ]
        | None
    ) = None
    seed: Seed = SEED

    def validate(self) -> None:
        check_engine(self.engine)

    def tables(self, context: RunContext, lost: str | None, *, by_pairs: bool = True) -> TableChoice:
        """The installed tables, unless other ones are asked for; else new ones; repaired after losses.

        Parameters
        ----------
        context : RunContext
        lost : str or None
            What is lost.
        by_pairs : bool
            Whether each pair must have one virtual channel, as other tools read it.

        Returns
        -------
        TableChoice
        """
        import numpy as np

        from topoloom.network.losses import losses
        from topoloom.network.opening import open_network
        from topoloom.routing.fitting import ANY
        from topoloom.routing.reroute import reroute
        from topoloom.routing.route import route

        network = open_network(self.topology)
        gone = None if lost is None else losses(network, lost)
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
        routed = saved or route(fabric.topology, self.engine, layout=network.layout, root=self.root, **common)
        if by_pairs and self.engine is None and routed.virtual_channel_rule != "pair":
            routed = route(fabric.topology, ANY, **common)
        if gone is None:
            return TableChoice(network, routed, None, fabric, lengths)
        repaired = reroute(
            routed,
            links=gone.links,
            switches=gone.switches,
            cables=gone.cables,
            virtual_channels=self.virtual_channels,
            jobs=context.jobs,
            work=context.work,
        )
        left = repaired.surviving
        if lengths is not None:
            ends = np.isin(fabric.topology.endpoints, repaired.surviving_switches)
            lengths = lengths.part(repaired.kept, ends)
        fabric = fabric.after_losses(left.topology, repaired.surviving_switches, repaired.kept)
        return TableChoice(network, left, repaired, fabric, lengths)
