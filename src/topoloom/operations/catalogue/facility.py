"""The operation facility: what the machine room supplies to racks, rows and in total."""

from typing import ClassVar

from topoloom.cost.facility import Facility, facility
from topoloom.machine.recognizing import names_machine
from topoloom.operations.catalogue._placing import PLACING, PanelledPlacing
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import HostCables
from topoloom.placement.hosts.rack_device import AirRise, LiquidRise, Pue


@operation
class FacilityOperation(PanelledPlacing, frozen=True, kw_only=True):
    """Power, weight, air and liquid of every rack of TOPOLOGY, of every row and in total.

    A rack that exceeds a limit of `[rack]`, `[facility]` or the floor is an error. Figures that are not known are reported with
    the number of devices that lack them. The PUE and the temperature rises that are omitted are those of `[facility]`.
    """

    group: ClassVar[str] = "facility"
    functions: ClassVar[tuple[str, ...]] = ("facility",)

    host_cables: HostCables | None = None
    pue: Pue | None = None
    air_k: AirRise | None = None
    liquid_k: LiquidRise | None = None

    def run(self, context: RunContext) -> Facility:
        if names_machine(self.topology):
            from topoloom.machine.facility import machine_facility
            from topoloom.machine.opening import open_machine

            self.refuse_changed(
                (*PLACING, "parts", "prices", "rate_gbps", "host_cables"),
                "a machine has its own parts, rates and racks, in its folder",
            )
            return machine_facility(open_machine(self.topology), pue=self.pue, air_k=self.air_k, liquid_k=self.liquid_k)
        return facility(self.laid_out(context), pue=self.pue, air_k=self.air_k, liquid_k=self.liquid_k)
