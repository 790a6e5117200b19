"""The text that the commands on failures print."""

from collections.abc import Sequence

from topoloom.cli.output import print_facts, print_table, say
from topoloom.core.amounts import amount
from topoloom.failures.blast_radius import BlastRadius
from topoloom.failures.degradation import Degradations
from topoloom.failures.lifetime import Lifetime
from topoloom.failures.survival import Survival

_HOURS_A_YEAR = 8766
_COSTS = (
    "topology",
    "failed",
    "connected",
    "uniform",
    "worst permutation",
    "broken",
    "changed",
    "virtual channels changed",
    "rebuilt",
)


def print_all(curves: Sequence[Survival], interval_width: float | None = None) -> None:
    """Print one curve with every figure of each level, or several curves side by side."""
    from topoloom.figures.survival import title_of

    say(f"{curves[0].name}: {title_of(curves)}" if len(curves) == 1 else title_of(curves))
    for words in dict.fromkeys(curve.survives for curve in curves):
        say(f"survived: {words}")
    for curve in curves:
        if interval_width is not None and curve.widest > interval_width:
            say(
                f"{curve.name}: intervals are not yet {interval_width:g} wide after {curve.samples:,} orders;"
                " --samples allows more"
            )
    if len(curves) == 1:
        _print_one(curves[0])
    else:
        _print_several(curves)


def print_lifetimes(lifetimes: Sequence[Lifetime]) -> None:
    """Print the mean time until each network is disconnected."""
    say("mean time to disconnection, without repair")
    print_facts(None, [(lifetime.provenance.name, _time(lifetime)) for lifetime in lifetimes])


def print_losses(results: Sequence[BlastRadius]) -> None:
    """Print the effect of the worst loss of each kind, network by network."""
    for number, result in enumerate(results):
        ports = f"{result.ports / result.hosts:g} ports" if result.ports > result.hosts else "1 port"
        planes = f", {result.planes} planes" if result.planes > 1 else ""
        if number:
            say("")
        several = _several(result)
        worst = "losses" if several else "loss"
        say(f"{result.provenance.name}: {result.hosts:,} hosts of {ports}{planes}; the worst {worst} of each kind")
        rows: list[tuple[str, ...]] = [
            ("lost", "of", "worst", "cut off", "ports: mean", "least", "uplinks: mean", "least")
        ]
        for loss in result.losses:
            unit = loss.name if several and loss.name else str(loss.worst)
            shares = (loss.ports_mean, loss.ports_least, loss.uplinks_mean, loss.uplinks_least)
            rows.append((loss.lose, str(loss.units), unit, str(loss.cut_off), *(f"{share:.4f}" for share in shares)))
        print_table(rows)
    say("cut off: hosts; ports, uplinks: share of a host's ports, and of their switches' links, that is left")


def _several(result: BlastRadius) -> bool:
    """Whether a kind of losses has several rows."""
    return len({loss.lose for loss in result.losses}) < len(result.losses)


def _print_one(curve: Survival) -> None:
    orders = f"{curve.samples}, seed {curve.seed}; no interval is wider than {curve.widest:.4f}"
    facts = [("orders", orders), ("threshold", _threshold(curve))]
    if curve.whole is not None and curve.most is not None:
        facts.append((curve.metric, f"{amount(curve.whole, 6)} when whole, at most {amount(curve.most, 6)}"))
    print_facts(None, facts)
    wide = any(level.mean is not None for level in curve.levels)
    rows: list[tuple[str, ...]] = [
        ("failed", curve.fail, "survived", "low", "high", *(("mean", "worst") if wide else ()))
    ]
    for level in curve.levels:
        lengths = ["-" if value is None else amount(value) for value in (level.mean, level.worst)] if wide else []
        numbers = (f"{value:.4f}" for value in (level.probability, level.low, level.high))
        rows.append((f"{100 * level.share:g} %", str(level.failures), *numbers, *lengths))
    print_table(rows)


def _print_several(curves: Sequence[Survival]) -> None:
    shares = sorted({level.share for curve in curves for level in curve.levels})
    rows = [("failed", *(curve.name for curve in curves))]
    for share in shares:
        levels = [next((level for level in curve.levels if level.share == share), None) for curve in curves]
        rows.append((f"{100 * share:g} %", *("-" if point is None else f"{point.probability:.4f}" for point in levels)))
    rows.append(("threshold", *(f"{100 * curve.threshold:g} %" for curve in curves)))
    rows.append(("exactly", *("-" if curve.exact is None else f"{100 * curve.exact:.2f} %" for curve in curves)))
    rows.append(("can fail", *(f"{curve.units} {curve.fail}" for curve in curves)))
    rows.append(("orders", *(str(curve.samples) for curve in curves)))
    print_table(rows)


def print_degradations(networks: Sequence[Degradations]) -> None:
    """Print, per share of failures, the bounds on the throughput that is left and the share of table entries that change."""
    say("bounds on the throughput that is left, and the share of table entries that change")
    rows: list[tuple[str, ...]] = [_COSTS]
    for network in networks:
        for level in network.levels:
            numbers = (level.uniform, level.tub, level.broken, level.changed, level.virtual_channels_changed)
            rows.append(
                (
                    network.name,
                    f"{100 * level.share:g} %",
                    f"{level.connected} of {level.samples}",
                    *("-" if value is None else f"{value:.4f}" for value in numbers),
                    f"{level.rebuilt} of {level.rerouted}" if level.rerouted else "-",
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


def _time(lifetime: Lifetime) -> str:
    years = f"{amount(lifetime.hours / _HOURS_A_YEAR, 3)} years"
    interval = f"({lifetime.low:.0f} to {lifetime.high:.0f})"
    return f"{lifetime.hours:.0f} h {interval}, {years}, after {lifetime.failures:.1f} failures"
