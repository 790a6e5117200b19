"""The operation resilience: the probability that a network survives each share of failures."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.catalogue._failing import FailingOperation, Share
from topoloom.operations.context import RunContext
from topoloom.operations.operation import operation
from topoloom.operations.shared import shares_of

if TYPE_CHECKING:
    from topoloom.failures.survival import Survival


@operation
class ResilienceOperation(FailingOperation, frozen=True, kw_only=True):
    """The share of TOPOLOGY (a spec, a file or a folder) that can fail before it is disconnected, or its paths are too long.

    Random orders of failures give the probability to survive each level, with its 95 % confidence interval, and the threshold:
    the last level up to which the network survives every level. Several topologies are compared, level by level. Ctrl-C keeps
    the finished samples.
    """

    group: ClassVar[str] = "resilience"
    doing: ClassVar[str] = "failures"
    functions: ClassVar[tuple[str, ...]] = ("resilience",)

    metric: Annotated[
        Literal["disconnection", "diameter", "aspl"],
        setting(
            "what the rest must keep: connectivity, or a diameter or mean hops close to those of the whole network"
        ),
    ] = "disconnection"
    levels: (
        Annotated[
            tuple[Share, ...],
            setting("shares that fail: first:last:step, or a list 5%,10%; 0.05:0.95:0.05 if omitted", reads=shares_of),
        ]
        | None
    ) = None
    samples: (
        Annotated[
            int, setting("random orders: 1000, or at most this many with an interval width", least=1, most=1_000_000)
        ]
        | None
    ) = None
    interval_width: (
        Annotated[
            float,
            setting(
                "take samples until the 95 % confidence interval of every level is no wider: 0.02", above=0, most=1
            ),
        ]
        | None
    ) = None
    criterion: Annotated[float, setting("a level counts as survived at this probability or more", above=0, most=1)] = (
        0.75
    )
    tolerate: (
        Annotated[float, setting("extra hops that are tolerated; 2 for diameter, 1 for aspl if omitted", least=0)]
        | None
    ) = None
    of: Annotated[
        Literal["switches", "hosts"], setting("which switches count: all that survive, or those with hosts")
    ] = "switches"
    values: Annotated[bool, setting("measure the mean and the worst diameter or aspl at every level")] = False

    def validate(self) -> None:
        super().validate()
        if self.metric == "disconnection" and (self.tolerate is not None or self.values):
            name = "values" if self.tolerate is None else "tolerate"
            raise InputError(
                f"`{name}` is for `metric` diameter or aspl, not for disconnection; change the metric, or omit it"
            )

    def run(self, context: RunContext) -> "Survival":
        from topoloom.failures.resilience import resilience
        from topoloom.network.opening import open_network

        network = open_network(self.topology)
        levels: dict[str, Any] = {} if self.levels is None else {"levels": self.levels}
        return resilience(
            network.topology,
            self.fail,
            self.metric,
            order=self.order,
            samples=self.samples,
            interval_width=self.interval_width,
            criterion=self.criterion,
            tolerate=self.tolerate,
            of=self.of,
            racks=self.racks(network, context.jobs),
            seed=self.seed,
            jobs=context.jobs,
            values=self.values,
            work=context.work,
            **levels,
        )
