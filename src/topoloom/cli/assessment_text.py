"""Networks that were fully assessed, on the terminal: a table, a sentence each, and what is missing."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from topoloom.cli.output import print_facts, print_table, say

if TYPE_CHECKING:
    from topoloom.designer.assessment.assessment import Assessment

#: What a table of several shows, and what it is called there.
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
    """A table with the figures that people look at first, a sentence a network, and what the budget had no time for.

    Parameters
    ----------
    networks : sequence of Assessment
        The best first.
    minutes : float or None
        The budget.
    reference : str, optional
        The name of the network that is marked as such.
    """
    shown = [key for key in _SHOWN if any(one.value(key) is not None for one in networks)]
    rows = [
        (
            str(number),
            one.name + (" (reference)" if one.name == reference else ""),
            one.provenance.engine or "-",
            *(_cell(one.value(key)) for key in shown),
        )
        for number, one in enumerate(networks, 1)
    ]
    print_table([("", "network", "engine", *(_SHOWN[key] for key in shown)), *rows])
    for number, one in enumerate(networks, 1):
        if one.why:
            say(f"{number}. {one.why}")
    _print_missing(networks, minutes)


def print_assessment(one: "Assessment", minutes: float | None) -> None:
    """Every figure of one network, with its interval."""
    print_facts(
        one.name,
        [(figure.label, figure_text(figure.value, figure.low, figure.high, figure.unit)) for figure in one.figures],
    )
    _print_missing([one], minutes)


def figure_text(value: float | None, low: float | None, high: float | None, unit: str) -> str:
    """A figure in words, with its interval where it has one.

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
    ends = [one for one in (low, high) if one is not None and one != value]
    between = (
        "" if not ends else f" ({_cell(low)} to {_cell(high)})" if len(ends) == 2 else f" (at worst {_cell(ends[0])})"
    )
    return f"{_cell(value)} {unit}".rstrip() + between


def _print_missing(networks: "Sequence[Assessment]", minutes: float | None) -> None:
    """What is not there, and why."""
    late = Counter(missing.words for one in networks for missing in one.missing if "budget" in missing.reason)
    if late:
        omitted = (
            words if count == len(networks) else f"{words} (for {count} of {len(networks)})"
            for words, count in late.items()
        )
        say(f"omitted, beyond the budget of {minutes or 0:g} min (--minutes): {', '.join(omitted)}", err=True)
    for one in networks:
        for missing in one.missing:
            if "budget" not in missing.reason:
                say(f"{one.name}: no {missing.words}: {missing.reason}", err=True)


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
