"""The operation families: the catalogue, one family's page, and the parameter sets that serve a number of hosts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import Radix

if TYPE_CHECKING:
    from topoloom.topologies.spec import Family, Transform


@operation
class FamiliesOperation(Operation, frozen=True, kw_only=True):
    """The catalogue of families; with NAME, its parameters, defaults and source."""

    group: ClassVar[str] = "families"
    studied: ClassVar[bool] = False
    functions: ClassVar[tuple[str, ...]] = ("FAMILIES", "DIRECTED_FAMILIES", "TRANSFORMS")

    name: Annotated[str, setting("one family", positional=True)] | None = None
    hosts: (
        Annotated[
            int, setting("list the parameter sets that serve this many hosts, with radix", least=1, most=10_000_000)
        ]
        | None
    ) = None
    radix: Radix | None = None

    def validate(self) -> None:
        if (self.hosts is None) != (self.radix is None):
            raise InputError("`hosts` and `radix` go together: give the number of hosts and the ports of a switch")

    def chosen(self) -> "list[Family | Transform]":
        """The family, or all."""
        from topoloom.topologies.spec import DIRECTED_FAMILIES, FAMILIES, TRANSFORMS

        if self.name:
            registers: tuple[Mapping[str, Family | Transform], ...] = (TRANSFORMS, DIRECTED_FAMILIES)
            others = [each[self.name] for each in registers if self.name in each]
            return others or [FAMILIES.find(self.name)]
        return [*FAMILIES.values(), *DIRECTED_FAMILIES.values(), *TRANSFORMS.values()]

    def run(self, context: RunContext) -> dict[str, Any]:
        from topoloom.topologies.spec import listed, sizes_listed

        if self.hosts is not None and self.radix is not None:
            return sizes_listed(self.chosen(), self.hosts, self.radix)
        return listed(self.chosen())
