"""The full assessment of a network: its figures, and what is missing."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from topoloom.core.work import Ended
from topoloom.cost.bill import Bill
from topoloom.designer.assessment.figure import Figure
from topoloom.figures.style import Axes, drawn
from topoloom.model.results import Provenance, Result, json_value
from topoloom.placement.layout.layout import Layout
from topoloom.routing.routing import Routing
from topoloom.simulation.flits.load_curve import LoadCurve
from topoloom.throughput.result import Quality


class Missing(msgspec.Struct, frozen=True):
    """A step without figures: its name, its description, and the reason."""

    step: str
    words: str
    reason: str


@dataclass(frozen=True)
class Assessment(Result):
    """The full assessment of a network: bill, tables, throughput, load, collectives, failures and growth.

    Attributes
    ----------
    name : str
    spec : str or None
        Rebuilds the network exactly; None where it came from a file.
    hosts : int
    figures : tuple of Figure
        In the order of the steps; each with its interval and its method.
    missing : tuple of Missing
        The steps without figures, each with the reason: the budget was too short, or the network has no such figures.
    why : str
        Why the network has its rank among those that it was compared with, and what would change that.
    bill : Bill or None
    quality : Quality or None
        Of its tables.
    load_30, load_60, load_90 : LoadCurve or None
        The simulations at these loads, in percent of a host's rate.
    network : Network or None
        With its layout, tables and terms; not in the record, since a network folder keeps them.
    """

    record_name = "assessment"
    record_version = 3
    unrecorded = ("network",)

    name: str
    spec: str | None
    hosts: int
    figures: tuple[Figure, ...]
    missing: tuple[Missing, ...] = ()
    why: str = ""
    bill: Bill | None = None
    quality: Quality | None = None
    load_30: LoadCurve | None = None
    load_60: LoadCurve | None = None
    load_90: LoadCurve | None = None
    # Any, not Network: a record cannot hold a union of dataclasses; this field is not recorded.
    network: Any = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def layout(self) -> Layout | None:
        """The layout; None where the assessment was read from a record."""
        return None if self.network is None else self.network.layout

    @property
    def routing(self) -> Routing | None:
        """The tables; None where there are none, or where the assessment was read from a record."""
        return None if self.network is None else self.network.tables

    def figure(self, key: str) -> Figure | None:
        """The figure with this key; None where there is none."""
        return next((each for each in self.figures if each.key == key), None)

    def value(self, key: str) -> float | None:
        """The value of the figure with this key; None where there is none."""
        figure = self.figure(key)
        return None if figure is None else figure.value

    def rows(self) -> list[dict[str, Any]]:
        """One row per figure."""
        return [json_value(figure) for figure in self.figures]


@dataclass(frozen=True)
class Assessments(Result):
    """Several networks assessed in the same way, best first.

    Attributes
    ----------
    networks : tuple of Assessment
    objective : str
        The key of the figure that they are ranked by.
    reference : str or None
        The name of the network that the others are compared with.
    ended : "done", "deadline" or "interrupted"
        "deadline": some steps did not fit into the budget, and are listed as missing.
    """

    record_name = "assessments"
    record_version = 3

    networks: tuple[Assessment, ...]
    objective: str
    reference: str | None = None
    ended: Ended = "done"
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per network: its name, and the value of every figure."""
        keys = figure_keys(self.networks)
        return [
            {"rank": rank, "name": network.name, "spec": network.spec, **{key: network.value(key) for key in keys}}
            for rank, network in enumerate(self.networks, 1)
        ]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """One bar per network: the figure that they are ranked by, with its interval."""
        figures = [(network.name, network.figure(self.objective)) for network in self.networks]
        shown = [(name, figure) for name, figure in figures if figure is not None and figure.value is not None]
        values = [figure.value or 0.0 for _, figure in shown]
        sides = [
            (max(0.0, value - (figure.low or value)), max(0.0, (figure.high or value) - value))
            for value, (_, figure) in zip(values, shown, strict=True)
        ]
        below, above = [side[0] for side in sides], [side[1] for side in sides]
        axes.barh([name for name, _ in shown], values, xerr=[below, above])
        axes.invert_yaxis()
        if shown:
            axes.set_xlabel(f"{shown[0][1].label} [{shown[0][1].unit}]" if shown[0][1].unit else shown[0][1].label)


def distinct_assessments(networks: Sequence[Assessment]) -> tuple[Assessment, ...]:
    """The same assessments; those that share a name are numbered: "Jellyfish, 114 QM9700 (2)".

    Parameters
    ----------
    networks : sequence of Assessment

    Returns
    -------
    tuple of Assessment
    """
    shared = {name for name, count in Counter(network.name for network in networks).items() if count > 1}
    numbers: Counter[str] = Counter()
    distinct = []
    for network in networks:
        name = network.name
        if name in shared:
            numbers[name] += 1
            network = replace(network, name=f"{name} ({numbers[name]})")
        distinct.append(network)
    return tuple(distinct)


def figure_keys(networks: tuple[Assessment, ...]) -> list[str]:
    """The keys of all figures of several networks, in the order of the steps."""
    order: dict[str, None] = {}
    for network in networks:
        keys = [figure.key for figure in network.figures]
        keys_so_far = list(order)
        # A key that only a later network has is placed behind its predecessor there.
        for number, key in enumerate(keys):
            if key not in order:
                after = next(
                    (keys_so_far.index(before) for before in reversed(keys[:number]) if before in keys_so_far),
                    len(keys_so_far) - 1,
                )
                keys_so_far.insert(after + 1, key)
                order = dict.fromkeys(keys_so_far)
    return list(order)
