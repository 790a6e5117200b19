"""The operation lifetime: how long a network stays connected without repair."""

import math
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import SEED, Seed, Source

if TYPE_CHECKING:
    from topoloom.failures.lifetime import Lifetime

_MOST = 1e12


@operation
class LifetimeOperation(Operation, frozen=True, kw_only=True):
    """The mean time until TOPOLOGY (a spec, a file or a folder) is no longer connected, without repair.

    Links and switches fail independently, at constant rates. Give the rate of links, of switches or of both: as failures in 1e9
    hours (FIT), or as hours between failures (MTBF).
    """

    group: ClassVar[str] = "lifetime"
    doing: ClassVar[str] = "failures"
    functions: ClassVar[tuple[str, ...]] = ("lifetime",)

    topology: Source
    link_fit: Annotated[float, setting("failures of a link in 1e9 hours", least=0, most=_MOST)] | None = None
    switch_fit: Annotated[float, setting("failures of a switch in 1e9 hours", least=0, most=_MOST)] | None = None
    link_mtbf: Annotated[float, setting("time between failures of a link", unit="h", above=0, most=_MOST)] | None = None
    switch_mtbf: (
        Annotated[float, setting("time between failures of a switch", unit="h", above=0, most=_MOST)] | None
    ) = None
    of: Annotated[
        Literal["switches", "hosts"], setting("which switches count: all that survive, or those with hosts")
    ] = "switches"
    samples: Annotated[int, setting("random orders of failures", least=1, most=1_000_000)] = 1000
    seed: Seed = SEED

    def validate(self) -> None:
        self.rates()

    def rates(self) -> dict[str, float]:
        """The given failure rates of a link and of a switch, in failures per 1e9 hours."""
        rates = {}
        for what in ("link", "switch"):
            fit, mtbf = getattr(self, f"{what}_fit"), getattr(self, f"{what}_mtbf")
            if fit is not None and mtbf is not None:
                raise InputError(f"`{what}_fit` and `{what}_mtbf` are two forms of the same rate; give one of them")
            rate = fit if mtbf is None else 1e9 / mtbf
            if rate is not None:
                rates[f"{what}_fit"] = rate
        if not rates:
            raise InputError(
                "`link_fit` and `switch_fit` are missing: give the failures of a link or a switch in 1e9 hours"
            )
        if not any(rates.values()) or not all(map(math.isfinite, rates.values())):
            raise InputError("`link_fit` and `switch_fit`: at 0 nothing ever fails; give a rate above 0")
        return rates

    def run(self, context: RunContext) -> "Lifetime":
        from topoloom.failures.lifetime import lifetime
        from topoloom.network.opening import open_network

        topology = open_network(self.topology).topology
        return lifetime(
            topology,
            **self.rates(),
            of=self.of,
            samples=self.samples,
            seed=self.seed,
            jobs=context.jobs,
            work=context.work,
        )
