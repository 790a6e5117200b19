"""What the operations share that compare what is cabled with a plan."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from topoloom.core.files import read_text
from topoloom.core.settings import setting
from topoloom.operations.operation import Operation
from topoloom.operations.shared import SEED, Seed

if TYPE_CHECKING:
    from topoloom.fabric.comparison import Comparison
    from topoloom.fabric.fabric import Fabric
    from topoloom.fabric.identify import Match
    from topoloom.fabric.port_counters import PortCounters
    from topoloom.network import Network

LONGEST_TEXT = 1 << 30


class ComparingOperation(Operation, frozen=True, kw_only=True):
    """An operation that compares discovered fabrics with a plan."""

    match: Annotated[
        Literal["auto", "name", "guid", "hosts", "shape"], setting("how switches of plan and discovery are matched")
    ] = "auto"
    guids: (
        Annotated[str, setting("a CSV of switch,guid: which planned switch is which", metavar="FILE", names="file")]
        | None
    ) = None
    ports: (
        Annotated[
            Literal["exact", "any"],
            setting(
                "whether cables must be in the planned ports; exact if omitted, but any where switches are matched by shape"
            ),
        ]
        | None
    ) = None
    skip_hosts: Annotated[bool, setting("compare the switches alone, without hosts and their cables")] = False
    machines: Annotated[
        Literal["auto", "joined", "apart"],
        setting(
            "whether the adapters of one machine (node7 mlx5_0, node7 mlx5_1) are one host; auto: where the plan has hosts with"
            " several ports"
        ),
    ] = "auto"
    cable_rate: (
        Annotated[str, setting("what every cable should run at: 4xNDR, or 400 (Gb/s)", metavar="RATE")] | None
    ) = None
    seed: Seed = SEED

    def validate(self) -> None:
        if self.cable_rate is not None:
            from topoloom.fabric.rates import parse_rate

            parse_rate(self.cable_rate)

    @property
    def planned_rate(self) -> "tuple[int, float] | None":
        """Virtual channels (0: any) and Gb/s that every cable should run at; None where nobody said it."""
        from topoloom.fabric.rates import parse_rate

        return None if self.cable_rate is None else parse_rate(self.cable_rate)

    def compared(self, plan: "Network", actual: str) -> "Comparison":
        """The comparison of a plan with a discovery.

        Parameters
        ----------
        plan : Network
        actual : str
            The name of the discovery.

        Returns
        -------
        Comparison
        """
        from topoloom.fabric.compare import compare_fabrics

        there = self.opened(plan, actual)
        match, exact = self.matched(plan, there)
        return compare_fabrics(
            *(plan.fabric, there, match),
            ports=exact,
            hosts=not self.skip_hosts,
            racks=plan.racks,
            cable_numbers=plan.cable_numbers,
            rate=self.planned_rate,
            counters=None,
        )

    def matched(self, plan: "Network", there: "Fabric") -> "tuple[Match, bool]":
        """Which switch is which, and whether cables must be in the planned ports."""
        from topoloom.fabric.identify import identify, read_map

        aliases = [[label] if label else [] for label in plan.labels]
        given = None
        if self.guids is not None:
            given = read_map(read_text(self.guids, LONGEST_TEXT), self.guids, plan.fabric, there, aliases)
        match = identify(plan.fabric, there, self.match, aliases=aliases, given=given, seed=self.seed)
        return match, match.by != "shape" if self.ports is None else self.ports == "exact"

    def opened(self, plan: "Network", actual: str, *, lenient: bool = False) -> "Fabric":
        """What is cabled.

        Parameters
        ----------
        plan : Network
        actual : str
            Its name.
        lenient : bool
            Whether what cannot be in its file is kept for rules to report, and not refused.

        Returns
        -------
        Fabric
        """
        from topoloom.fabric.machines import joined_for
        from topoloom.network.opening import open_network

        there = open_network(actual, lenient=lenient).fabric
        if there.planned:  # messages name it by its file
            there = replace(there, made=actual)
        return joined_for(plan.fabric, there, self.machines)


def counters_of(names: Sequence[str]) -> "PortCounters | None":
    """The counters in all these files; None where there are none to read."""
    from topoloom.fabric.port_counters import PortCounters, read_counters

    if not names:
        return None
    counters = PortCounters()
    for name in names:
        counters.add(read_counters(read_text(name, LONGEST_TEXT), name))
    return counters
