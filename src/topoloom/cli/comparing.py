"""Options of commands that set what is cabled beside a plan, and the comparison itself: what `verify` and `watch` share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from topoloom.cli.types import Whole
from topoloom.fabrics.compare import compare_fabrics
from topoloom.fabrics.comparison import Comparison
from topoloom.fabrics.fabric import Fabric
from topoloom.fabrics.identify import METHODS, Match, identify, read_map
from topoloom.fabrics.machines import CHOICES, joined_for
from topoloom.fabrics.port_counters import PortCounters, read_counters
from topoloom.fabrics.rates import parse_rate
from topoloom.files import read_text
from topoloom.network import Network
from topoloom.opening import open_network

_LONGEST_TEXT = 1 << 30

_OPTIONS = (
    click.option("--by", default="auto", show_default=True, type=click.Choice(METHODS), help="How switches are known."),
    click.option("--map", "map_file", type=click.Path(), help="A CSV of switch,guid: which planned switch is which."),
    click.option(
        "--ports",
        type=click.Choice(["exact", "any"]),
        help="Whether cables must be in the planned ports; exact when left out, but any where switches are known by shape.",
    ),
    click.option("--hosts/--no-hosts", default=True, show_default=True, help="Whether hosts and their cables count."),
    click.option(
        "--machines",
        default="auto",
        show_default=True,
        type=click.Choice(CHOICES),
        help="Whether the adapters of one machine (node7 mlx5_0, node7 mlx5_1) are one host; auto: where the plan has hosts"
        " with several ports.",
    ),
    click.option("--rate", metavar="RATE", help="What every cable should run at: 4xNDR, or 400 (Gb/s)."),
    click.option("--seed", type=Whole(0, (1 << 31) - 1), default=1, show_default=True, help="Of guesses by shape."),
)


def comparing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a comparison, in the order in which help lists them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Comparing:
    """How a plan and what is there are compared, as the options say it."""

    by: str
    map_file: str | None
    ports: str | None
    hosts: bool
    machines: str
    rate: str | None
    seed: int

    def compared(self, plan: Network, actual: str, counters: PortCounters | None = None) -> tuple[Comparison, Match]:
        """The comparison of a plan with a network that is opened by its name, and who is who.

        Parameters
        ----------
        plan : Network
        actual : str
            The name of what is there.
        counters : PortCounters, optional
            Errors that ports counted.

        Returns
        -------
        (Comparison, Match)
        """
        there = self.opened(plan, actual)
        match, exact = self.matched(plan, there)
        found = compare_fabrics(
            *(plan.fabric, there, match),
            ports=exact,
            hosts=self.hosts,
            cabinets=plan.cabinets,
            cable_numbers=plan.cable_numbers,
            rate=self.planned_rate,
            counters=counters,
        )
        return found, match

    @property
    def planned_rate(self) -> tuple[int, float] | None:
        """Lanes (0: any) and Gb/s that every cable should run at; None where nobody said it."""
        return None if self.rate is None else parse_rate(self.rate)

    def matched(self, plan: Network, there: Fabric) -> tuple[Match, bool]:
        """Who is who, and whether cables must be in the planned ports."""
        aliases = [[label] if label else [] for label in plan.labels]
        given = None
        if self.map_file is not None:
            text = read_text(self.map_file, _LONGEST_TEXT)
            given = read_map(text, self.map_file, plan.fabric, there, aliases)
        match = identify(plan.fabric, there, self.by, aliases=aliases, given=given, seed=self.seed)
        return match, match.by != "shape" if self.ports is None else self.ports == "exact"

    def opened(self, plan: Network, actual: str, *, borne: bool = False) -> Fabric:
        """What is there.

        Parameters
        ----------
        plan : Network
        actual : str
            Its name.
        borne : bool
            Whether what cannot be in its file is kept for rules to tell, and not refused.

        Returns
        -------
        Fabric
        """
        there = open_network(actual, borne=borne).fabric
        if there.planned:  # messages name it by its file
            there = replace(there, made=actual)
        return joined_for(plan.fabric, there, self.machines)


def counters_of(names: Sequence[str]) -> PortCounters | None:
    """The counters in all these files; None where there are none to read."""
    if not names:
        return None
    found = PortCounters()
    for name in names:
        found.add(read_counters(read_text(name, _LONGEST_TEXT), name))
    return found
