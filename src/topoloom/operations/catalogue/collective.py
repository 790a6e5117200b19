"""The operation collective: the least time of a collective, and the time of a schedule."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from topoloom.core.settings import setting
from topoloom.operations.catalogue._programs import ProgramOperation
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import size_of

if TYPE_CHECKING:
    from topoloom.simulation.applications.collective_result import Collective
    from topoloom.simulation.collectives.bound import CollectiveBound

#: Fields that only schedules use, and fields that the schedule in a file replaces.
_OF_SCHEDULES = ("schedule", "algorithm", "accelerators", "paths_from", "pieces", "engine", "host_tables", "simulator")
#: A program of MSCCL leaves bytes, pieces and placement open.
_IN_PROGRAMS = ("operation", "ranks", "algorithm", "accelerators", "paths_from", "root_rank")
_IN_FILES = (*_IN_PROGRAMS, "bytes", "pieces", "placement")


def _operation_of(text: str) -> str:
    from topoloom.simulation.collectives.bound import collective_operation

    return collective_operation(text)


@operation
class CollectiveOperation(ProgramOperation, frozen=True, kw_only=True):
    """The least time of a collective on TOPOLOGY (a spec, a file or a folder), and the time of a schedule compared with it.

    The bound holds for every algorithm and all paths. The schedule is a set of trees, packed so that no channel carries more
    than the bound allows, or rings. It is simulated as flows, by SimGrid or flit by flit. -o writes it as JSON, as XML for
    MSCCL, or as GOAL.
    """

    group: ClassVar[str] = "collective"
    doing: ClassVar[str] = "collective"
    functions: ClassVar[tuple[str, ...]] = ("collective", "collective_bound", "read_schedule")

    operation: Annotated[
        Literal["allreduce", "allgather", "reduce-scatter", "broadcast", "alltoall"],
        setting("the collective; spellings such as all-reduce are accepted too", reads=_operation_of),
    ] = "allreduce"
    bytes: Annotated[
        int,
        setting(
            "the data size of the operation (below): 4096, 64MiB, 1.5GB",
            least=0,
            most=1 << 60,
            reads=size_of,
            metavar="SIZE",
        ),
    ] = 1 << 26
    schedule: (
        Annotated[
            str,
            setting(
                "simulate the schedule in this file, on this or another network: .json from -o, or .xml of MSCCL",
                names="file",
                metavar="FILE",
            ),
        ]
        | None
    ) = None
    bound: Annotated[bool, setting("only the least time, without a schedule; works for large networks too")] = False
    algorithm: (
        Annotated[
            Literal["forest", "ring", "rings", "rail-ring", "chains", "binomial", "direct"],
            setting(
                "the algorithm; if omitted, rings where they use all ports, forest where packing takes at most a minute, else a"
                " simpler one that fits"
            ),
        ]
        | None
    ) = None
    paths_from: (
        Annotated[
            Literal["own", "tables"],
            setting(
                "the paths of messages: the schedule's own (if omitted, of forests and rings) or those of the tables"
            ),
        ]
        | None
    ) = None
    pieces: (
        Annotated[
            int, setting("pieces per message; if omitted, enough to hide the depth of the trees", least=1, most=1 << 16)
        ]
        | None
    ) = None
    accelerators: (
        Annotated[
            int,
            setting(
                "of rail-ring: ranks per host, each with its own port; one per port if omitted. Ranks of a host exchange data"
                " at `--set loopback_gbps`, else at scale_up_gb_per_s of the hosts of a layout, whose rack-scale units are"
                " hosts",
                least=1,
                most=1 << 10,
            ),
        ]
        | None
    ) = None
    root_rank: Annotated[int, setting("the rank that broadcasts", least=0, most=1 << 20)] = 0
    gap: Annotated[
        float, setting("relative gap within which the flow of an all-to-all is bracketed", above=0, most=1)
    ] = 0.05

    def validate(self) -> None:
        from topoloom.simulation.collectives.making import chosen_of
        from topoloom.simulation.collectives.msccl_program import begins_as_xml

        super().validate()
        if self.bound:
            self.refuse_changed(_OF_SCHEDULES, "`bound` makes no schedule")
        if self.schedule is not None:
            fields = _IN_PROGRAMS if begins_as_xml(self.schedule) else _IN_FILES
            self.refuse_changed(fields, "the schedule in the file has its own")
        chosen_of(self.operation, self.algorithm, self.paths_from)

    def run(self, context: RunContext) -> "Collective | CollectiveBound":
        from topoloom.network.opening import open_network
        from topoloom.simulation.applications.collective_run import collective, collective_bound, inside_settings
        from topoloom.simulation.collectives.schedule import read_schedule

        schedule = None if self.schedule is None else read_schedule(self.schedule)
        network = open_network(self.topology)
        common: dict[str, Any] = {
            "placement": self.placement,
            "root_rank": self.root_rank,
            "settings": self.settings_on([network]),
            "layout": network.layout,
            "gap": self.gap,
            "seed": self.seed,
            "jobs": context.jobs,
            "work": context.work,
        }
        if self.bound:
            return collective_bound(network.topology, self.operation, self.bytes, self.ranks, **common)
        if "loopback_gbps" not in self.set and self.preset is None:
            common["settings"] = inside_settings(common["settings"], network.layout)
        case = self.cases(network.source, network, context)[0]
        return collective(
            case.routings,
            self.operation if schedule is None else schedule,
            self.bytes,
            self.ranks,
            algorithm=self.algorithm,
            paths_from=self.paths_from,
            pieces=self.pieces,
            accelerators=self.accelerators,
            simulator=self.simulator,
            **common,
        )
