"""Arguments and functions of the operations on failures: the failing parts, their order, and the racks."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.operation import Operation
from topoloom.operations.shared import SEED, Cluster, Floor, Seed, Source, SwitchesPerRack

if TYPE_CHECKING:
    from topoloom.network import Network

#: Fields that only failures of racks use.
_RACKS = ("floor", "switches_per_rack", "cluster")
Share = Annotated[float, setting("a share", least=0, most=1)]


class FailingOperation(Operation, frozen=True, kw_only=True):
    """An operation on a network whose links, switches or racks fail."""

    topology: Source
    fail: Annotated[Literal["links", "switches", "racks"], setting("what fails")] = "links"
    order: Annotated[
        Literal["random", "load", "degree", "cables"],
        setting(
            "what fails first: random; the highest load; the highest degree; the racks with the most outside cables"
        ),
    ] = "random"
    floor: Floor | None = None
    switches_per_rack: SwitchesPerRack | None = None
    cluster: Cluster | None = None
    seed: Seed = SEED

    def validate(self) -> None:
        from topoloom.failures.failure_orders import ORDERS

        if self.order not in ORDERS[self.fail]:
            raise InputError(
                f"`order` {self.order} does not exist for {self.fail}; give one of {', '.join(ORDERS[self.fail])}"
            )
        if self.fail != "racks":
            self.refuse_changed(_RACKS, f"they are for failing racks, and `fail` is {self.fail}")

    def racks(self, network: "Network", jobs: int | None) -> Any:
        """The rack of every switch if racks fail, else None."""
        from topoloom.placement.layout.layout import Layout

        if self.fail != "racks":
            return None
        if network.layout is not None:
            self.refuse_changed(_RACKS, f"the racks are those of {network.source}")
            return network.layout.rack
        placed = network.placed(
            self.floor, switches_per_rack=self.switches_per_rack, cluster=self.cluster, map="rows", jobs=jobs
        )
        return placed.part(Layout).rack
