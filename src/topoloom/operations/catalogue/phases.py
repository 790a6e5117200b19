"""The operation phases: a network that grows in phases, each of which is a part of the next."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue._placing import HousedPlacing
from topoloom.operations.context import RunContext
from topoloom.operations.operation import flat, operation
from topoloom.operations.shared import HostCables, Spares

if TYPE_CHECKING:
    from topoloom.cabling.expansion.phases.phase import Phases


@operation
class PhasesOperation(HousedPlacing, frozen=True, kw_only=True):
    """TOPOLOGY in phases: it is sized for the last one, and what each phase needs is a part of the next.

    For each phase: its switches, cables, racks and power, what is bought for it, the cables that move, and the ports that are
    kept free for later phases.
    """

    group: ClassVar[str] = "phases"
    doing: ClassVar[str] = "growing in phases"
    functions: ClassVar[tuple[str, ...]] = ("phases", "save_phases")

    hosts: Annotated[
        str, setting("the hosts after each phase, with commas; the last are those of TOPOLOGY", metavar="N,N,..")
    ]
    dates: Annotated[
        str, setting("the date of each phase, with commas: 2027, 2027-01 or 2027-01-15", metavar="DATE,DATE,..")
    ] = ""
    verify: Annotated[
        bool, setting("make the forwarding tables of each phase, verify them, and measure their throughput")
    ] = False
    host_cables: HostCables | None = None
    spares: Spares | None = None

    def run(self, context: RunContext) -> "Phases":
        from topoloom.cabling.expansion.phases.dates import check_phases
        from topoloom.cabling.expansion.phases.growing import phases

        hosts, dates = self._counts(), [date.strip() for date in self.dates.split(",")] if self.dates else []
        check_phases(hosts, dates)
        network = self.laid_out(context)
        if network.cabled is not None:
            context.note(
                f"{network.source}: phases number devices and ports in the order of their arrival; names are not kept"
            )
        return phases(network, hosts, dates, verify=self.verify, jobs=context.jobs, work=context.work)

    def _counts(self) -> list[int]:
        """The hosts after each phase."""
        counts = []
        for text in self.hosts.split(","):
            if not (text.strip().isascii() and text.strip().isdigit()) or len(text) > 9:
                raise InputError(f"`hosts` has {text.strip()[:20]!r}, which is no number of hosts; write 1024,2048")
            counts.append(int(text))
        return counts

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        return flat({key: value for key, value in result.record().items() if not isinstance(value, dict)})
