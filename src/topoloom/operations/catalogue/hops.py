"""The operation hops: how far the switches of a topology are from each other, in hops and in nanoseconds."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import CABLE_NS_PER_M, SEED, SWITCH_NS, CableDelay, Seed, Source, SwitchDelay

if TYPE_CHECKING:
    from topoloom.graph.hops import Hops
    from topoloom.model.topology import Topology

#: What takes longer is announced before it starts; smaller networks are not even estimated.
_LONG_SECONDS, _LARGE = 30.0, 50_000


@operation
class HopsOperation(Operation, frozen=True, kw_only=True):
    """Hop distances of TOPOLOGY (a spec, a file or a folder): histogram, diameter, ASPL; and what goes with them."""

    group: ClassVar[str] = "hops"
    doing: ClassVar[str] = "counting hops"
    functions: ClassVar[tuple[str, ...]] = ("hops",)

    topology: Source
    eccentricities: Annotated[bool, setting("how many switches see their farthest at each distance")] = False
    paths: Annotated[bool, setting("how many shortest, and how many link-disjoint, paths join two switches")] = False
    latency: Annotated[bool, setting("zero-load latency over the quickest paths")] = False
    switch_ns: SwitchDelay = SWITCH_NS
    cable_ns_per_m: CableDelay = CABLE_NS_PER_M
    length_m: Annotated[
        float,
        setting(
            "length of every cable; the cables of a folder that topoloom layout wrote have theirs", unit="m", least=0
        ),
    ] = 5.0
    samples: (
        Annotated[
            int,
            setting(
                "start from this many random switches: the ASPL is an estimate, the diameter a lower bound; paths and"
                " latency start from as many, from 1000 if omitted",
                least=1,
            ),
        ]
        | None
    ) = None
    seed: Seed = SEED
    device: Annotated[
        Literal["auto", "cpu", "cuda"],
        setting("what counts all pairs; auto takes an NVIDIA GPU, where there is one, from 100,000 switches on"),
    ] = "auto"

    def run(self, context: RunContext) -> "Hops":
        from topoloom.graph.hops import hops
        from topoloom.graph.latency import Delays
        from topoloom.network.opening import open_network

        network = open_network(self.topology)
        layout = network.layout if self.latency else None
        if layout is not None:
            self.refuse_changed(["length_m"], f"the cables of {self.topology} are as long as they lie")
            context.note(f"{self.topology}: with cables as long as they lie, {layout.mean_length_m:.3f} m on average")
        self._announce(network.topology, context)
        return hops(
            network.topology,
            context.jobs,
            samples=self.samples,
            seed=self.seed,
            eccentricities=self.eccentricities,
            paths=self.paths,
            latency=Delays(switch_ns=self.switch_ns, cable_ns_per_m=self.cable_ns_per_m) if self.latency else None,
            length_m=self.length_m if layout is None else layout.length_m,
            device=self.device,
            work=context.work,
        )

    def _announce(self, topology: "Topology", context: RunContext) -> None:
        """Say that all pairs take long, where they do."""
        from topoloom.core.work import time_words
        from topoloom.graph.hops import estimated_seconds

        if self.device == "cuda" or self.samples is not None or topology.switches < _LARGE:
            return
        seconds = estimated_seconds(topology)
        if seconds > _LONG_SECONDS:
            context.note(
                f"all pairs take about {time_words(seconds)} of one core; `samples` 1000 estimates them sooner"
            )
