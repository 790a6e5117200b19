"""The operation facility: what the machine room supplies to racks, rows and in total."""

from typing import Annotated, ClassVar

from topoloom.core.settings import setting
from topoloom.cost.facility import Facility, facility
from topoloom.operations.catalogue._placing import HousedPlacing
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import HostCables


@operation
class FacilityOperation(HousedPlacing, frozen=True, kw_only=True):
    """Power, weight, air and liquid of every rack of TOPOLOGY, of every row and in total.

    A rack that exceeds a limit of `[rack]`, `[facility]` or the floor is an error. Figures that are not known are reported with
    the number of devices that lack them.
    """

    group: ClassVar[str] = "facility"
    functions: ClassVar[tuple[str, ...]] = ("facility",)

    host_cables: HostCables | None = None
    pue: (
        Annotated[
            float,
            setting("total power of the facility per power of its IT; as [facility] if omitted", least=1, most=10),
        ]
        | None
    ) = None
    air_k: (
        Annotated[
            float,
            setting(
                "how much warmer air leaves a device, for devices whose airflow is not known",
                unit="K",
                above=0,
                most=100,
            ),
        ]
        | None
    ) = None
    liquid_k: (
        Annotated[float, setting("how much warmer liquid leaves a rack than it enters", unit="K", above=0, most=100)]
        | None
    ) = None

    def run(self, context: RunContext) -> Facility:
        return facility(self.laid_out(context), pue=self.pue, air_k=self.air_k, liquid_k=self.liquid_k)
