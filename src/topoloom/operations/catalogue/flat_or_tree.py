"""The operation flat-or-tree: a flat random network and a fat tree of equal hosts and equal switches, measured alike."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from topoloom.core.settings import setting
from topoloom.designer.flat_verdicts import PATTERNS
from topoloom.operations.catalogue._placing import PanelMethod
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation, operation
from topoloom.operations.shared import (
    CABLE_NS_PER_M,
    SEED,
    SWITCH_NS,
    CableDelay,
    Floor,
    Parts,
    Prices,
    Radix,
    RateOfTerms,
    Seed,
    SwitchDelay,
)

if TYPE_CHECKING:
    from topoloom.designer.flat_sides import FlatOrTree


@operation
class FlatOrTreeOperation(Operation, frozen=True, kw_only=True):
    """Size a flat random network and a fat tree for equal hosts, of equal switches, and compare them measure by measure.

    The tree has leaves of the given oversubscription. The flat network is sized until its routing is measured to carry uniform
    traffic at the same ratio, or as many switches as the tree. What is better by more than 5 % wins.
    With panels, the tree has those that are named; a flat network has shuffle panels where its family is shuffled, and else a
    patch field.
    """

    group: ClassVar[str] = "flat-or-tree"
    doing: ClassVar[str] = "comparing"
    functions: ClassVar[tuple[str, ...]] = ("flat_or_tree",)

    least_hosts: Annotated[int, setting("hosts of both networks, at least", positional=True, least=8, most=1 << 20)]
    radix: Radix
    oversubscription: Annotated[
        float, setting("ports down to ports up of the tree's leaves: 1 for full bandwidth", least=1, most=64)
    ] = 1.0
    equal: Annotated[
        Literal["oversubscription", "switches"],
        setting("what is equal, with hosts and ports: the measured oversubscription, or the number of switches"),
    ] = "oversubscription"
    family: Annotated[
        Literal["jellyfish", "shuffled", "xpander", "dring"], setting("the family of the flat network")
    ] = "jellyfish"
    flat_engine: Annotated[str, setting("the routing of the flat network; the tree has equal-cost groups")] = "ecmp"
    traffic: Annotated[
        tuple[str, ...], setting("a pattern in addition to uniform traffic; may be repeated", metavar="PATTERN")
    ] = PATTERNS
    growth: Annotated[bool, setting("also plan 10 % more hosts, with a cable per link")] = True
    panels: PanelMethod | None = None
    floor: Floor | None = None
    parts: Parts | None = None
    prices: Prices | None = None
    rate_gbps: RateOfTerms | None = None
    switch_ns: SwitchDelay = SWITCH_NS
    cable_ns_per_m: CableDelay = CABLE_NS_PER_M
    seed: Seed = SEED

    def run(self, context: RunContext) -> "FlatOrTree":
        from topoloom.designer.flat_or_tree import flat_or_tree

        return flat_or_tree(**self.arguments(), jobs=context.jobs, work=context.work)

    @classmethod
    def row(cls, result: Any) -> dict[str, Any]:
        from topoloom.designer.flat_sides import row_of

        return dict(row_of(result))
