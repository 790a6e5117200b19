"""What `topoloom resilience` prints and writes."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from topoloom.cli.output import print_facts, print_table, say
from topoloom.failures.degradation import Degradation
from topoloom.failures.lifetime import Lifetime
from topoloom.failures.survival import Survival
from topoloom.topology import Topology

_HOURS_A_YEAR = 8766
_COSTS = (
    "topology",
    "failed",
    "connected",
    "uniform",
    "worst permutation",
    "broken",
    "changed",
    "lanes changed",
    "anew",
)


def json_of(
    networks: Sequence[Topology],
    curves: Sequence[Survival],
    lifetimes: Sequence[Lifetime],
    after: Sequence[Sequence[Degradation]],
) -> list[dict[str, Any]]:
    """A value for every curve."""
    found = []
    for number, curve in enumerate(curves):
        network = networks[number]
        values: dict[str, Any] = {
            "name": curve.topology,
            "spec": network.spec,
            "switches": network.switches,
            "links": len(network.links),
            "hosts": network.hosts,
            **asdict(curve),
            "survives": curve.words,
            "widest": curve.widest,
        }
        del values["topology"]
        if lifetimes:
            values["time_to_disconnection"] = {**asdict(lifetimes[number]), "repair": False}
        if after:
            values["degradation"] = [asdict(one) for one in after[number]]
        found.append(values)
    return found


def print_all(
    curves: Sequence[Survival],
    lifetimes: Sequence[Lifetime],
    after: Sequence[Sequence[Degradation]],
    width: float | None = None,
) -> None:
    """One curve with all that is known of each level, or several beside each other."""
    from topoloom.figures.survival import title_of

    say(f"{curves[0].topology}: {title_of(curves)}" if len(curves) == 1 else title_of(curves))
    for words in dict.fromkeys(curve.words for curve in curves):
        say(f"survived: {words}")
    for curve in curves:
        if width is not None and curve.widest > width:
            say(
                f"{curve.topology}: intervals are not yet {width:g} wide after {curve.samples:,} orders; --samples allows more"
            )
    if len(curves) == 1:
        _print_one(curves[0])
    else:
        _print_several(curves)
    if lifetimes:
        say("\nmean time to disconnection, without repair")
        print_facts(None, [(one.topology, _time(two)) for one, two in zip(curves, lifetimes, strict=True)])
    if any(after):
        _print_after(curves, after)


def _print_one(curve: Survival) -> None:
    orders = f"{curve.samples}, seed {curve.seed}; no interval is wider than {curve.widest:.4f}"
    facts = [("orders", orders), ("threshold", _threshold(curve))]
    if curve.whole is not None:
        facts.append((curve.metric, f"{curve.whole:.6g} when whole, at most {curve.most:.6g}"))
    print_facts(None, facts)
    wide = any(level.mean is not None for level in curve.levels)
    rows: list[tuple[str, ...]] = [
        ("failed", curve.fail, "survived", "low", "high", *(("mean", "worst") if wide else ()))
    ]
    for level in curve.levels:
        lengths = ["-" if value is None else f"{value:.4g}" for value in (level.mean, level.worst)] if wide else []
        numbers = (f"{value:.4f}" for value in (level.probability, level.low, level.high))
        rows.append((f"{100 * level.share:g} %", str(level.failures), *numbers, *lengths))
    print_table(rows)


def _print_several(curves: Sequence[Survival]) -> None:
    shares = sorted({level.share for curve in curves for level in curve.levels})
    rows = [("failed", *(curve.topology for curve in curves))]
    for share in shares:
        found = [next((level for level in curve.levels if level.share == share), None) for curve in curves]
        rows.append((f"{100 * share:g} %", *("-" if one is None else f"{one.probability:.4f}" for one in found)))
    rows.append(("threshold", *(f"{100 * curve.threshold:g} %" for curve in curves)))
    rows.append(("exactly", *("-" if curve.exact is None else f"{100 * curve.exact:.2f} %" for curve in curves)))
    rows.append(("can fail", *(f"{curve.units} {curve.fail}" for curve in curves)))
    rows.append(("orders", *(str(curve.samples) for curve in curves)))
    print_table(rows)


def _print_after(curves: Sequence[Survival], after: Sequence[Sequence[Degradation]]) -> None:
    say("\nwhat is left of the bounds on throughput, and of the tables' entries how many change")
    rows: list[tuple[str, ...]] = [_COSTS]
    for curve, found in zip(curves, after, strict=True):
        for one in found:
            numbers = (one.uniform, one.tub, one.broken, one.changed, one.lanes_changed)
            rows.append(
                (
                    curve.topology,
                    f"{100 * one.share:g} %",
                    f"{one.connected} of {one.samples}",
                    *("-" if value is None else f"{value:.4f}" for value in numbers),
                    f"{one.anew} of {one.rerouted}" if one.rerouted else "-",
                )
            )
    print_table(rows)


def _threshold(curve: Survival) -> str:
    steps = f"{100 * curve.threshold:g} % in these steps"
    if curve.exact is None:
        return steps
    return (
        f"{steps}; exactly {100 * curve.exact:.2f} %, {round(curve.exact * curve.units)} of {curve.units} {curve.fail}"
    )


def _time(one: Lifetime) -> str:
    years = f"{one.hours / _HOURS_A_YEAR:.3g} years"
    return f"{one.hours:.0f} h ({one.low:.0f} to {one.high:.0f}), {years}, after {one.failures:.1f} failures"


def write_all(
    folder: Path, curves: Sequence[Survival], lifetimes: Sequence[Lifetime], after: Sequence[Sequence[Degradation]]
) -> None:
    """The files of ``-o``."""
    from topoloom.figures.survival import survival_curves
    from topoloom.files import write_atomically
    from topoloom.report.pictures import write_picture
    from topoloom.report.survival_page import resilience_page, survival_csv

    write_atomically(folder / "survival.csv", survival_csv(curves))
    drawn = survival_curves(curves)
    for ending in ("svg", "png"):
        write_picture(drawn, folder / f"survival.{ending}", "Survival")
    write_atomically(folder / "resilience.html", resilience_page(curves, lifetimes, after))
    say(f"wrote to {folder}: survival.csv, resilience.html, survival.svg, survival.png", err=True)
