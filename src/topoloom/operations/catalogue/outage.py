"""The operation outage: what chosen losses do to hosts, paths, tables and throughput."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from topoloom.core.settings import setting
from topoloom.operations.catalogue._routed import check_engine
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import Engine, Source

if TYPE_CHECKING:
    from topoloom.failures.outage import Outage


@operation
class OutageOperation(Operation, frozen=True, kw_only=True):
    """What is left of TOPOLOGY (a spec, a file or a folder) when chosen parts are lost: hosts, paths, tables, throughput.

    LOST is what is lost, separated by commas: link:12-40, switch:7, switch:8..15, rack:A03, plane:0, a label of the switches
    such as group:3, panel:SP012, trunk:SP012:R1, cord:SP012:F05 (all links through it), feed:A (a power feed of all racks) or
    feed:A03/A (of one rack); and everything that `topoloom reroute` takes: names, GUIDs, ports, cable:00123, @FILE. The largest
    part of each plane is what is left.
    """

    group: ClassVar[str] = "outage"
    doing: ClassVar[str] = "outage"
    functions: ClassVar[tuple[str, ...]] = ("outage",)

    topology: Source
    lost: Annotated[
        str,
        setting(
            "what is lost: link:12-40, switch:7, rack:A03, feed:A, plane:0, group:3, or as in reroute", positional=True
        ),
    ]
    pair: (
        Annotated[str, setting("trace the path between these two switches or hosts: 3,17", metavar="FROM,TO")] | None
    ) = None
    engine: Engine | None = None
    measure_throughput: Annotated[bool, setting("also measure the throughput before and after, as quality does")] = (
        False
    )
    traffic: (
        Annotated[
            str,
            setting(
                "the traffic whose share next-hop groups lose, in place of uniform traffic: permutation, hotspot:hosts=2",
                metavar="NAME[:KEY=VALUE,...]",
            ),
        ]
        | None
    ) = None

    def validate(self) -> None:
        check_engine(self.engine)

    def run(self, context: RunContext) -> "Outage":
        from topoloom.failures.outage import outage
        from topoloom.network.losses import losses, switch_pair
        from topoloom.network.opening import open_network

        network = open_network(self.topology)
        lost = losses(network, self.lost)
        return outage(
            network,
            links=lost.links,
            switches=lost.switches,
            cables=lost.cables,
            hosts=lost.hosts,
            pair=None if self.pair is None else switch_pair(network, self.pair),
            engine=self.engine,
            measure_throughput=self.measure_throughput,
            traffic=self.traffic,
            notes=lost.notes,
            jobs=context.jobs,
            work=context.work,
        )
