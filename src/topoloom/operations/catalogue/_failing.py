"""What the operations on failures share: what fails, in which order, and whose cabinets."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.operation import Operation
from topoloom.operations.shared import SEED, Cabinet, Cluster, Floor, Seed, Source

if TYPE_CHECKING:
    from topoloom.network import Network

#: What only failing cabinets ask for.
_CABINETS = ("floor", "cabinet", "cluster")
Share = Annotated[float, setting("a share", least=0, most=1)]


class FailingOperation(Operation, frozen=True, kw_only=True):
    """An operation on a network of which something fails."""

    topology: Source
    fail: Annotated[Literal["links", "switches", "cabinets"], setting("what fails")] = "links"
    order: Annotated[
        Literal["random", "load", "degree", "cables"],
        setting("what fails first: anything; the most loaded; the best connected; cabinets with the most cables out"),
    ] = "random"
    floor: Floor | None = None
    cabinet: Cabinet | None = None
    cluster: Cluster | None = None
    seed: Seed = SEED

    def validate(self) -> None:
        from topoloom.failures.failure_orders import ORDERS

        if self.order not in ORDERS[self.fail]:
            raise InputError(f"`order` {self.order}: {self.fail} fail in the order {', '.join(ORDERS[self.fail])}")
        if self.fail != "cabinets":
            self.refuse_changed(_CABINETS, f"only cabinets stand in one, and `fail` is {self.fail}")

    def cabinets(self, network: "Network", jobs: int | None) -> Any:
        """The cabinet of every switch, where cabinets fail; else None."""
        from topoloom.placement.layout.layout import Layout

        if self.fail != "cabinets":
            return None
        if network.layout is not None:
            self.refuse_changed(_CABINETS, f"the cabinets are those of {network.source}")
            return network.layout.cabinet
        placed = network.placed(self.floor, cabinet=self.cabinet, cluster=self.cluster, map="rows", jobs=jobs)
        return placed.part(Layout).cabinet
