"""The operation hops: the distances between the switches of a topology, in hops and in nanoseconds."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.directed import opened_for
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import (
    CABLE_NS_PER_M,
    SEED,
    SWITCH_NS,
    CableDelay,
    FlitBytes,
    PacketBytes,
    Seed,
    Source,
    SwitchDelay,
)

if TYPE_CHECKING:
    from topoloom.fabric.fabric import Fabric
    from topoloom.graph.hops import Hops
    from topoloom.model.directed import DirectedTopology
    from topoloom.model.topology import Topology

#: Longer work is announced before it starts; networks with fewer switches are not estimated.
_LONG_SECONDS, _LARGE = 30.0, 50_000


@operation
class HopsOperation(Operation, frozen=True, kw_only=True):
    """Hop distances of TOPOLOGY (a spec, a file or a folder): histogram, diameter, ASPL; also paths and latency."""

    group: ClassVar[str] = "hops"
    doing: ClassVar[str] = "counting hops"
    functions: ClassVar[tuple[str, ...]] = ("hops", "directed_hops")
    directed: ClassVar[bool] = True

    topology: Source
    eccentricities: Annotated[bool, setting("how many switches have their farthest switch at each distance")] = False
    paths: Annotated[bool, setting("the number of shortest, and of link-disjoint, paths between two switches")] = False
    latency: Annotated[bool, setting("zero-load latency over the quickest paths")] = False
    switch_ns: SwitchDelay = SWITCH_NS
    cable_ns_per_m: CableDelay = CABLE_NS_PER_M
    length_m: Annotated[
        float, setting("length of every cable; cables in a folder of topoloom layout have their own", unit="m", least=0)
    ] = 5.0
    packet_bytes: PacketBytes = 0.0
    flit_bytes: FlitBytes = 0.0
    rate_gbps: (
        Annotated[
            float,
            setting(
                "rate of every link, for packet_bytes, where the network has no rates",
                unit="Gb/s",
                above=0,
                most=1e9,
                option="--rate",
            ),
        ]
        | None
    ) = None
    samples: (
        Annotated[
            int,
            setting(
                "start from this many random switches: the ASPL is then an estimate, the diameter a lower bound; paths and"
                " latency start from as many, from 1000 if omitted",
                least=1,
            ),
        ]
        | None
    ) = None
    seed: Seed = SEED
    device: Annotated[
        Literal["auto", "cpu", "cuda"],
        setting("the device that counts all pairs; auto uses an NVIDIA GPU, if there is one, from 100,000 switches on"),
    ] = "auto"

    def run(self, context: RunContext) -> "Hops":
        from topoloom.graph.connectivity import without_links
        from topoloom.graph.hops import hops
        from topoloom.graph.latency import Delays
        from topoloom.graph.serialization import Serialization
        from topoloom.model.directed import DirectedTopology
        from topoloom.network.opening import open_network

        sizes = ["packet_bytes", "flit_bytes", "rate_gbps"]
        if not self.latency:
            self.refuse_changed(sizes, "only the latency (`latency`) depends on packets")
        elif not self.packet_bytes:
            self.refuse_changed(sizes, "it counts only for a packet of a given size (`packet_bytes`)")
        network = opened_for(self, self.topology, lambda: open_network(self.topology))
        if isinstance(network, DirectedTopology):
            return self._directed(network, context)
        layout = network.layout if self.latency else None
        if layout is not None:
            self.refuse_changed(["length_m"], f"the cables of {self.topology} have the lengths of its layout")
            context.note(
                f"{self.topology}: with the cable lengths of its layout, {layout.mean_length_m:.3f} m on average"
            )
        length_m = self.length_m if layout is None else layout.length_m
        if layout is None and self.latency and network.cabled is not None:
            length_m = self._stated_m(network.cabled, context)
        if reason := without_links(network.topology):
            context.note(reason)
        self._announce(network.topology, context)
        return hops(
            network.topology,
            context.jobs,
            samples=self.samples,
            seed=self.seed,
            eccentricities=self.eccentricities,
            paths=self.paths,
            latency=Delays(switch_ns=self.switch_ns, cable_ns_per_m=self.cable_ns_per_m) if self.latency else None,
            length_m=length_m,
            packet=Serialization(packet_bytes=self.packet_bytes, flit_bytes=self.flit_bytes, rate_gbps=self.rate_gbps)
            if self.packet_bytes
            else None,
            device=self.device,
            work=context.work,
        )

    def _directed(self, network: "DirectedTopology", context: RunContext) -> "Hops":
        """The hops of a directed network."""
        from topoloom.graph.directed_hops import directed_hops

        self.refuse_changed(["paths", "latency", "device"], "the network is directed")
        return directed_hops(
            network,
            context.jobs,
            samples=self.samples,
            seed=self.seed,
            eccentricities=self.eccentricities,
            work=context.work,
        )

    def _stated_m(self, fabric: "Fabric", context: RunContext) -> Any:
        """The length of each link's cable as the source states it, else `length_m`."""
        import numpy as np

        stated_m = fabric.link_length_m
        count = int((stated_m > 0).sum())
        if not count:
            return self.length_m
        others = "" if count == stated_m.size else f"; the others have {self.length_m:g} m (`length_m`)"
        context.note(
            f"{self.topology}: with the stated lengths of {count} of {stated_m.size} cables between switches{others}"
        )
        return np.where(stated_m > 0, stated_m, self.length_m)

    def _announce(self, topology: "Topology", context: RunContext) -> None:
        """Note that all pairs take long, if they do."""
        from topoloom.core.work import time_words
        from topoloom.graph.hops import estimated_seconds

        if self.device == "cuda" or self.samples is not None or topology.switches < _LARGE:
            return
        seconds = estimated_seconds(topology)
        if seconds > _LONG_SECONDS:
            context.note(
                f"all pairs take about {time_words(seconds)} of one core; `samples` 1000 gives a faster estimate"
            )
