"""The operation info: the figures of a topology, on one page."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.directed import opened_for
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import (
    METIS_RUNS,
    HcaMapping,
    Management,
    MeasureNames,
    MetisRuns,
    SheetColumns,
    Source,
    SourceFormat,
)

if TYPE_CHECKING:
    from topoloom.graph.directed_info import DirectedInfo
    from topoloom.machine.overview import MachineOverview
    from topoloom.topologies.overview import Info


@operation
class InfoOperation(Operation, frozen=True, kw_only=True):
    """Size, degree, diameter, ASPL, bounds, bisection and more of TOPOLOGY (a spec, a file or a folder).

    Of a directed network: degrees, strong components, diameter, mean hops and bounds. Of the folder of a machine: its kinds of
    hosts, and its networks.
    """

    group: ClassVar[str] = "info"
    doing: ClassVar[str] = "measuring"
    functions: ClassVar[tuple[str, ...]] = ("info", "directed_info")
    directed: ClassVar[bool] = True

    topology: Source
    source_format: SourceFormat | None = None
    columns: SheetColumns | None = None
    hca_mapping: HcaMapping | None = None
    management: Management = False
    full: Annotated[bool, setting("measure everything, however long it takes")] = False
    load: Annotated[
        bool, setting("also the maximum channel load, with traffic split evenly over all shortest paths")
    ] = False
    seeds: MetisRuns = METIS_RUNS
    measures: MeasureNames = ()

    def run(self, context: RunContext) -> "Info | DirectedInfo | MachineOverview":
        from topoloom.machine.recognizing import names_machine
        from topoloom.network.opening import open_network

        if names_machine(self.topology):
            from topoloom.machine.opening import open_machine
            from topoloom.machine.overview import overview

            if self.measures:
                raise InputError("a machine has no `measures`; name one of its networks")
            return overview(open_machine(self.topology))
        from topoloom.model.directed import DirectedTopology
        from topoloom.topologies.overview import info

        network = opened_for(
            self,
            self.topology,
            lambda: open_network(
                self.topology,
                self.source_format,
                columns=self.columns,
                hca_mapping=self.hca_mapping,
                management=self.management,
            ),
        )
        if isinstance(network, DirectedTopology):
            from topoloom.graph.directed_info import directed_info

            self.refuse_changed(["load", "seeds", "measures"], "the network is directed")
            return directed_info(network, full=self.full, jobs=context.jobs, work=context.work)
        return info(
            network if self.measures else network.topology,
            full=self.full,
            load=self.load,
            seeds=self.seeds,
            measures=self.measures,
            jobs=context.jobs,
            work=context.work,
        )
