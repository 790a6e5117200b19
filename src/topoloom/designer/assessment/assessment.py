"""What is known of a network that was fully assessed."""

from dataclasses import dataclass, field
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
    """A step that has no figures: its name, what it works out, and why there are none."""

    step: str
    words: str
    reason: str


@dataclass(frozen=True)
class Assessment(Result):
    """A network taken through bill, tables, throughput, load, collectives, failures and growth.

    Attributes
    ----------
    name : str
    spec : str or None
        Rebuilds it exactly; None where it came from a file.
    hosts : int
    figures : tuple of Figure
        In the order of the steps: each with its interval and how it was got.
    missing : tuple of Missing
        The steps that did not fit into the budget, or that the network has no figures of, with the reason: nothing is guessed.
    why : str
        Why it stands where it stands among those that it was compared with, and what would change that.
    bill : Bill or None
    quality : Quality or None
        Of its tables.
    load_30, load_60, load_90 : LoadCurve or None
        The simulations at these loads, in percent.
    network : Network or None
        With its layout, its tables and its terms; not in the record: a network folder keeps them.
    """

    record_name = "assessment"
    record_version = 2
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
    # Not as a Network: records of a union of dataclasses cannot be read, and this is in none.
    network: Any = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def layout(self) -> Layout | None:
        """Where its switches stand; None where it was read from a record."""
        return None if self.network is None else self.network.layout

    @property
    def routing(self) -> Routing | None:
        """Its tables; None where it has none, or was read from a record."""
        return None if self.network is None else self.network.tables

    def figure(self, key: str) -> Figure | None:
        """The figure of that key; None where there is none."""
        return next((one for one in self.figures if one.key == key), None)

    def value(self, key: str) -> float | None:
        """The value of the figure of that key; None where it has none."""
        found = self.figure(key)
        return None if found is None else found.value

    def rows(self) -> list[dict[str, Any]]:
        """One row per figure."""
        return [json_value(one) for one in self.figures]


@dataclass(frozen=True)
class Assessments(Result):
    """Several networks taken the same way, best first.

    Attributes
    ----------
    networks : tuple of Assessment
    objective : str
        The key of the figure that they are ranked by.
    reference : str or None
        The name of the network that the others are set beside.
    ended : "done", "deadline" or "interrupted"
        "deadline": what did not fit into the budget is missing, and named.
    """

    record_name = "assessments"
    record_version = 2

    networks: tuple[Assessment, ...]
    objective: str
    reference: str | None = None
    ended: Ended = "done"
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    def rows(self) -> list[dict[str, Any]]:
        """One row per network: its name, and the value of every figure."""
        keys = figure_keys(self.networks)
        return [
            {"rank": rank, "name": one.name, "spec": one.spec, **{key: one.value(key) for key in keys}}
            for rank, one in enumerate(self.networks, 1)
        ]

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """A bar a network: the figure that they are ranked by, with its interval."""
        found = [(one.name, one.figure(self.objective)) for one in self.networks]
        known = [(name, one) for name, one in found if one is not None and one.value is not None]
        values = [one.value or 0.0 for _, one in known]
        sides = [
            (max(0.0, value - (one.low or value)), max(0.0, (one.high or value) - value))
            for value, (_, one) in zip(values, known, strict=True)
        ]
        below, above = [side[0] for side in sides], [side[1] for side in sides]
        axes.barh([name for name, _ in known], values, xerr=[below, above])
        axes.invert_yaxis()
        if known:
            axes.set_xlabel(f"{known[0][1].label} [{known[0][1].unit}]" if known[0][1].unit else known[0][1].label)


def figure_keys(networks: tuple[Assessment, ...]) -> list[str]:
    """The keys of all figures of some networks, in the order of the steps."""
    order: dict[str, None] = {}
    for one in networks:
        keys = [figure.key for figure in one.figures]
        known = list(order)
        # A key that only a later network has stands behind the key that it follows there.
        for number, key in enumerate(keys):
            if key not in order:
                after = next(
                    (known.index(before) for before in reversed(keys[:number]) if before in known), len(known) - 1
                )
                known.insert(after + 1, key)
                order = dict.fromkeys(known)
    return list(order)
