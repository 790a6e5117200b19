"""Fully assessed networks on the terminal: a table, one sentence per network, and the figures that are missing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from topoloom.cli.output import print_facts, print_table, say
from topoloom.core.amounts import amount, in_currency

if TYPE_CHECKING:
    from topoloom.designer.assessment.assessment import Assessment

#: Figures in the table of several networks, with their headings.
_SHOWN = {
    "cost_per_host_usd": "USD per host",
    "uniform_throughput": "uniform",
    "worst_throughput": "worst",
    "saturation": "saturates",
    "latency_30_cycles": "cycles at 30 %",
    "all_to_all_ms": "all to all [ms]",
    "left_after_5": "left after 5 %",
    "moved_10": "moved for 10 %",
}


def print_assessments(networks: "Sequence[Assessment]", minutes: float | None, reference: str | None = None) -> None:
    """Print a table of the main figures, one sentence per network, and the figures that did not fit into the budget.

    Parameters
    ----------
    networks : sequence of Assessment
        The best first.
    minutes : float or None
        The budget.
    reference : str, optional
        The name of the network that is marked as the reference.
    """
    from topoloom.designer.assessment.measures import MEASURE_GROUP

    measures = {
        figure.key: figure.label
        for network in networks
        for figure in network.figures
        if figure.group == MEASURE_GROUP and figure.key not in _SHOWN
    }
    headings = _SHOWN | measures
    shown = [key for key in headings if key in measures or any(network.value(key) is not None for network in networks)]
    rows = [
        (
            str(number),
            network.name + (" (reference)" if network.name == reference else ""),
            network.provenance.engine or "-",
            *(_cell(network.value(key)) for key in shown),
        )
        for number, network in enumerate(networks, 1)
    ]
    print_table([("", "network", "engine", *(_head(networks, key, headings[key]) for key in shown)), *rows])
    for number, network in enumerate(networks, 1):
        if network.why:
            say(f"{number}. {network.why}")
        if network.spec not in (None, network.name):
            say(f"   {network.spec}")
    _print_unpriced(networks)
    _print_missing(networks, minutes)


def _head(networks: "Sequence[Assessment]", key: str, heading: str) -> str:
    """The heading of a figure, in the currency of the networks' prices."""
    figures = (network.figure(key) for network in networks)
    unit = next((figure.unit for figure in figures if figure is not None), "USD")
    return in_currency(heading, unit) if key.endswith("usd") else heading


def print_assessment(network: "Assessment", minutes: float | None) -> None:
    """Print every figure of one network, with its interval."""
    print_facts(
        network.name,
        [
            *([] if network.spec is None else [("spec", network.spec)]),
            *(
                (figure.label, figure_text(figure.value, figure.low, figure.high, figure.unit))
                for figure in network.figures
            ),
        ],
    )
    _print_unpriced([network])
    _print_missing([network], minutes)


def figure_text(value: float | None, low: float | None, high: float | None, unit: str) -> str:
    """A figure as text, with its interval if it has one.

    Parameters
    ----------
    value, low, high : float or None
    unit : str

    Returns
    -------
    str

    Examples
    --------
    >>> figure_text(11.25, 11.2, 11.3, "cycles"), figure_text(None, None, None, "ms"), figure_text(2.0, None, None, "")
    ('11.25 cycles (11.2 to 11.3)', 'none', '2')
    """
    if value is None:
        return "none"
    ends = [end for end in (low, high) if end is not None and end != value]
    between = (
        "" if not ends else f" ({_cell(low)} to {_cell(high)})" if len(ends) == 2 else f" (at worst {_cell(ends[0])})"
    )
    return f"{_cell(value)} {unit}".rstrip() + between


def _print_unpriced(networks: "Sequence[Assessment]") -> None:
    """Print which items of the bills have no price."""
    from topoloom.cli.cost_text import print_unpriced

    bills = [network.bill for network in networks if network.bill is not None]
    for catalogue in dict.fromkeys(bill.parts for bill in bills):
        print_unpriced(catalogue, [bill for bill in bills if bill.parts == catalogue], err=True)


def _print_missing(networks: "Sequence[Assessment]", minutes: float | None) -> None:
    """Print for each network which figures are missing and why; one line for networks that lack the same."""
    lines: dict[tuple[str, str], list[str]] = {}
    for network in networks:
        steps_by_reason: dict[str, list[str]] = {}
        for missing in network.missing:
            steps_by_reason.setdefault(missing.reason, []).append(missing.words)
        for reason, steps in steps_by_reason.items():
            lines.setdefault((reason, ", ".join(steps)), []).append(network.name)
    for (reason, missing_steps), names in lines.items():
        which = "all networks" if len(names) == len(networks) > 1 else ", ".join(names)
        late = "budget" in reason
        why = f"beyond the budget of {minutes or 0:g} min (--minutes)" if late else reason
        say(f"{which}: not assessed: {missing_steps} ({why})", err=True)


def _cell(value: float | None) -> str:
    return "-" if value is None else amount(value)
