"""The operation optimize: exchange the ends of links for fewer hops, more throughput, or less latency, power or cost."""

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import CABLE_NS_PER_M, SEED, SWITCH_NS, CableDelay, Rate, Seed, Source, SwitchDelay

if TYPE_CHECKING:
    from topoloom.cost.parts import Parts
    from topoloom.model.topology import Topology
    from topoloom.optimizer.goals import Goal
    from topoloom.optimizer.link_lengths import LinkLengths
    from topoloom.optimizer.result import Optimized

log = logging.getLogger("topoloom")


@dataclass(frozen=True)
class SearchArguments:
    """The arguments of a search.

    Attributes
    ----------
    topology : Topology
    goal : str or Goal
    lengths : LinkLengths or None
        Lengths of links between any two of its switches.
    racks : int[n] or None
        The rack of every switch, if the topology is laid out.
    """

    topology: "Topology"
    goal: "str | Goal"
    lengths: "LinkLengths | None"
    racks: Any


def _pitch(text: str) -> tuple[float, ...]:
    try:
        numbers = tuple(map(float, text.split(",")))
    except ValueError:
        numbers = ()
    if len(numbers) not in (1, 2):
        raise ValueError("one number of metres, or two: 0.6,2.1")
    return numbers


@operation
class OptimizeOperation(Operation, frozen=True, kw_only=True):
    """Exchange the links of TOPOLOGY for others: the same degrees, fewer hops.

    TOPOLOGY is a spec, a file, or a folder of `topoloom layout -o`. On a grid or diagrid no link gets longer than the longest
    one now. The file of -o always has the best graph so far; Ctrl-C ends the search and keeps it.
    """

    group: ClassVar[str] = "optimize"
    doing: ClassVar[str] = "optimising"
    functions: ClassVar[tuple[str, ...]] = ("optimize",)

    topology: Source
    seconds: Annotated[float, setting("how long to search", unit="s", above=0)] | None = None
    moves: (
        Annotated[int, setting("moves per chain; repeatable with one chain, and in a study", least=1, most=10**12)]
        | None
    ) = None
    chains: (
        Annotated[
            int,
            setting(
                "chains, one thread each; the best one counts; one per core if omitted, 1 in a study",
                least=1,
                most=1024,
            ),
        ]
        | None
    ) = None
    seed: Seed = SEED
    target: Annotated[int, setting("diameter to aim at; chosen if omitted", least=1)] | None = None
    start: Annotated[
        Literal["given", "structured"], setting("structured: look for Cayley graphs, lifts and algebraic graphs first")
    ] = "given"
    symmetric: (
        Annotated[
            bool,
            setting(
                "start with a graph that is symmetric under the turns of the grid; if omitted, yes for the random grids of"
                " the catalogue"
            ),
        ]
        | None
    ) = None
    tempering: Annotated[bool, setting("use replicas that exchange temperatures instead of independent chains")] = False
    length: (
        Annotated[
            int, setting("longest link of a grid, in steps; as in the topology if omitted", least=1, most=100_000)
        ]
        | None
    ) = None
    keep: (
        Annotated[
            str,
            setting(
                "keep the number of links between any two racks: the label that marks racks, or 'racks' of a layout",
                metavar="LABEL",
            ),
        ]
        | None
    ) = None
    fix: (
        Annotated[
            str,
            setting(
                "do not change links whose two ends share this label; 'racks' of a layout: the cables inside racks",
                metavar="LABEL",
            ),
        ]
        | None
    ) = None
    cap_m: Annotated[float, setting("longest cable of a layout", unit="m", above=0)] | None = None
    cap_usd: (
        Annotated[
            float,
            setting(
                "most cost of all cables together, in the currency of the parts catalogue",
                unit="USD",
                metavar="AMOUNT",
                above=0,
            ),
        ]
        | None
    ) = None
    objective: Annotated[
        str,
        setting(
            "hops, all-to-all, permutation, worst-case (throughput); latency, worst, power, cost, or weights:"
            " mean=1,worst=0.2; or a registered function: betweenness-max, algebraic-connectivity, or one of a plug-in",
            option="--objective --for",
        ),
    ] = "hops"
    cap_ns: Annotated[float, setting("latency that no pair may exceed", unit="ns", above=0)] | None = None
    switch_ns: SwitchDelay = SWITCH_NS
    cable_ns_per_m: CableDelay = CABLE_NS_PER_M
    pitch_m: Annotated[
        tuple[Annotated[float, setting("a distance")], ...],
        setting("between neighbours on a grid: one number, or x,y", unit="m", reads=_pitch, metavar="X[,Y]"),
    ] = (1.0,)
    overhead_m: Annotated[float, setting("cable at each end, on a grid", unit="m", least=0)] = 0.0
    parts: (
        Annotated[
            str,
            setting("parts catalogue for power and cost: a name, a TOML file, or NetBox device types", names="file"),
        ]
        | None
    ) = None
    rate_gbps: Rate | None = None

    def validate(self) -> None:
        if len(self.pitch_m) not in (1, 2):
            raise InputError("`pitch_m` is one number of metres, or two")

    def repeatable(self) -> "OptimizeOperation":
        if self.moves is None:
            raise InputError("optimize: `moves` is missing; the graph of a search by time depends on the machine")
        return self if self.chains is not None else msgspec.structs.replace(self, chains=1)

    def prepared(self) -> SearchArguments:
        """The arguments of the search; a topology that cannot be searched is refused."""
        from topoloom.graph.geometry import geometry_of
        from topoloom.network.opening import open_network
        from topoloom.optimizer.link_lengths import LinkLengths

        network = open_network(self.topology)
        topology, layout = network.topology, network.layout
        if network.cabled is not None:
            log.warning(
                "%s: the links of the result are new ones; it keeps no names of hosts and ports", network.source
            )
        if layout is not None:
            self.refuse_changed(("pitch_m", "overhead_m"), "a layout has its own cable lengths")
            return SearchArguments(layout.topology, self._goal(), LinkLengths.of_layout(layout), layout.rack)
        goal, geometry = self._goal(), geometry_of(topology)
        if geometry is None or (isinstance(goal, str) and self.cap_m is None and self.cap_usd is None):
            return SearchArguments(topology, goal, None, None)
        pitch = self.pitch_m[0], self.pitch_m[-1]
        return SearchArguments(topology, goal, LinkLengths.of_geometry(geometry, pitch, self.overhead_m), None)

    def search(
        self,
        given: SearchArguments,
        context: RunContext,
        start: "Topology | None" = None,
        spent: tuple[int, float] = (0, 0.0),
    ) -> "Optimized":
        """Run the search.

        Parameters
        ----------
        given : SearchArguments
            The return value of `prepared`.
        context : RunContext
        start : Topology, optional
            The graph of an earlier session, from which the search continues.
        spent : (int, float)
            The moves and seconds of that session.

        Returns
        -------
        Optimized
        """
        from topoloom.optimizer.optimize import optimize

        keep, fix = (
            given.racks if label == "racks" and given.racks is not None else label for label in (self.keep, self.fix)
        )
        return optimize(
            given.topology if start is None else start,
            given.goal,
            length=self.length,
            lengths=given.lengths,
            cap_m=self.cap_m,
            cap_usd=self.cap_usd,
            parts=self._catalogue() if self.cap_usd else None,
            rate_gbps=self.rate_gbps,
            keep=keep,
            fix=fix,
            start=self.start,
            target=self.target,
            symmetric=self.symmetric,
            tempering=self.tempering,
            moves=self.moves,
            seconds=self.seconds,
            seed=self.seed,
            jobs=self.chains,
            spent=spent,
            work=context.work,
        )

    def run(self, context: RunContext) -> "Optimized":
        return self.search(self.prepared(), context)

    def _goal(self) -> "str | Goal":
        """ "hops", a goal of traffic or a function by its name, or the goal with its delays, cap and parts."""
        from topoloom.graph.latency import Delays
        from topoloom.optimizer.goals import parse_goal
        from topoloom.optimizer.objective_register import own_objective
        from topoloom.optimizer.traffic_goals import NAMES

        if self.objective == "hops" or self.objective in NAMES or own_objective(self.objective) is not None:
            names = ["cap_ns", "switch_ns", "cable_ns_per_m"]
            names += ["parts", "rate_gbps"] if self.cap_usd is None else []
            names += ["overhead_m", "pitch_m"] if self.cap_m is None and self.cap_usd is None else []
            self.refuse_changed(names, f"the objective is {self.objective}")
            return self.objective
        delays = Delays(switch_ns=self.switch_ns, cable_ns_per_m=self.cable_ns_per_m)
        return parse_goal(
            self.objective, cap_ns=self.cap_ns, delays=delays, parts=self._catalogue(), rate_gbps=self.rate_gbps
        )

    def _catalogue(self) -> "Parts | None":
        from topoloom.cost.parts_files import load_parts

        return load_parts(self.parts) if self.parts else None
