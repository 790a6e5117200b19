"""The operation new requirement: a requirement from six answers."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec

from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import Columns, Floor, Prices, Rows

if TYPE_CHECKING:
    from topoloom.start.draft import Draft


@operation
class NewRequirementOperation(Operation, frozen=True, kw_only=True):
    """Write a requirement for topoloom design: six questions, or their answers as options."""

    group: ClassVar[str] = "new requirement"
    functions: ClassVar[tuple[str, ...]] = ("new_requirement",)
    studied: ClassVar[bool] = False

    hosts: Annotated[int, setting("hosts that must be served", least=2, most=1_000_000)] = 1000
    switch: Annotated[
        str,
        setting(
            "the switch: a product of a parts catalogue, or ports by rate in Gb/s, such as 64x400",
            metavar="PRODUCT|PORTSxGBPS",
        ),
    ] = "QM9700"
    floor: Floor | None = None
    limits: Annotated[
        dict[str, Any],
        setting("a limit of the table [limits]: cost_usd=2e6, power_w=5e4; may be repeated", option="--limit"),
    ] = msgspec.field(default_factory=dict)
    matters: Annotated[
        Literal["cost", "latency", "power", "growth"],
        setting("the objective of the ranking; growth also requires idle ports for a quarter more hosts"),
    ] = "cost"
    families: Annotated[
        tuple[str, ...],
        setting("a family to try; all if omitted; may be repeated", option="--family", metavar="FAMILY"),
    ] = ()
    rows: Rows | None = None
    columns: Columns | None = None
    prices: Prices | None = None
    title: Annotated[str, setting("the title; made of the answers if omitted")] | None = None
    purpose: (
        Annotated[
            Literal["ai-training", "hpc", "general"],
            setting("what it is for; this sets the kind of host, its racks, and the limit of the bandwidth"),
        ]
        | None
    ) = None

    def validate(self) -> None:
        from topoloom.designer.new_requirement import check_answers

        check_answers(self.switch, self.floor, self.limits, self.families, self.rows, self.columns)

    def drafted(self, folder: str = ".") -> "Draft":
        """The requirement, whose paths start from `folder`."""
        from topoloom.designer.new_requirement import new_requirement

        return new_requirement(**self.arguments(), folder=folder)

    def run(self, context: RunContext) -> "Draft":
        return self.drafted()
