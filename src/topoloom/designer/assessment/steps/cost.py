"""The step of the bill: cost, power, racks and spares."""

import math

import numpy as np

from topoloom.core.work import Work
from topoloom.cost.switch_kinds import switch_feeds_w
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.placement.layout.rack_table import rack_rows


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _cost(subject: Subject, work: Work) -> StepResult:
    work.check()
    bill, layout = subject.bill, subject.layout
    how = f"all parts at the prices of the catalogue '{bill.parts}'"
    ranged = bill.cost_low_usd != bill.cost_high_usd
    if ranged:
        how += ", in the middle of their ranges; the interval takes all prices at their lowest and at their highest"
    if bill.unpriced:
        how += f"; without {', '.join(bill.unpriced)}, which have no public price"
    figures = [
        Figure(
            key="cost_usd",
            label="cost",
            unit="USD",
            value=_finite(bill.cost_usd),
            low=_finite(bill.cost_low_usd) if ranged else None,
            high=_finite(bill.cost_high_usd) if ranged else None,
            how=how,
            by_hand="topoloom cost FOLDER",
            better="less",
        ),
        Figure(
            key="cost_per_host_usd",
            label="cost per host",
            unit="USD",
            value=_finite(bill.cost_per_host_usd),
            low=_finite(bill.per_host(bill.cost_low_usd)) if ranged else None,
            high=_finite(bill.per_host(bill.cost_high_usd)) if ranged else None,
            how="the bill divided by the hosts of the network",
            better="less",
        ),
        Figure(
            key="power_w",
            label="power",
            unit="W",
            value=_finite(bill.power_w),
            how="the power of all parts in the bill"
            + (f"; without {', '.join(bill.unmetered)}" if bill.unmetered else ""),
            better="less",
        ),
        Figure(key="switches", label="switches", value=bill.switches, how="counted", better="less"),
        Figure(key="racks", label="racks", value=layout.racks, how="counted in the layout", better="less"),
        Figure(
            key="total_m",
            label="cable between switches",
            unit="m",
            value=layout.total_m,
            how=f"the length of every cable, with switches and racks placed by {layout.made}",
            better="less",
        ),
        Figure(key="longest_m", label="longest cable", unit="m", value=layout.longest_m, how="as above", better="less"),
    ]
    spare = [line for line in bill.lines if line.item.startswith("spare") and not line.item.startswith("spare ports")]
    if spare:
        figures.append(
            Figure(
                key="spares_usd",
                label="spares",
                unit="USD",
                value=_finite(sum(line.cost_usd for line in spare)),
                how=f"{sum(line.count for line in spare):,} spare parts on the shelf, included in the bill",
                better="less",
            )
        )
    return StepResult(figures + _racks(subject), {"bill": bill})


def _racks(subject: Subject) -> list[Figure]:
    """Power of the fullest rack, with the least and the greatest rack as its interval."""
    layout, topology = subject.layout, subject.topology
    watts = switch_feeds_w(topology, subject.parts, subject.rate_gbps)
    rows = rack_rows(layout, watts)
    if rows:
        loads = [row["power_w"] for row in rows]
        counted = "switches at their maximum power, and hosts"
    else:
        loads = np.bincount(layout.rack, np.broadcast_to(watts, layout.rack.shape), layout.racks).tolist()
        counted = "switches at their maximum power; without hosts, whose power the requirement does not give"
    finite = [load for load in loads if load is not None and not math.isnan(load)]
    if len(finite) < len(loads) or not finite:
        return []
    return [
        Figure(
            key="rack_w",
            label="power of the fullest rack",
            unit="W",
            value=float(max(finite)),
            low=float(min(finite)),
            high=float(max(finite)),
            how=f"{counted}; the interval is from the rack with the least power to the one with the most",
            better="less",
        )
    ]


COST = AssessmentStep("bill", "the bill by this placement", "Bill", _cost, cheap=True)
