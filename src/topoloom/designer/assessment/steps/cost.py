"""The bill, the racks and the spares."""

import math

from topoloom.core.work import Work
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject
from topoloom.placement.layout.rack_table import rack_rows


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _money(subject: Subject, work: Work) -> StepResult:
    work.check()
    bill, layout = subject.bill, subject.layout
    how = f"every line of the catalogue '{bill.parts}'"
    ranged = bill.cost_low_usd != bill.cost_high_usd
    if ranged:
        how += ", the middle of its range of prices; the interval has every part at its lowest and at its highest"
    if bill.unpriced:
        how += f"; without {', '.join(bill.unpriced)}, which have no public price"
    figures = [
        Figure(
            key="cost_usd",
            label="cost",
            unit="USD",
            value=_known(bill.cost_usd),
            low=_known(bill.cost_low_usd) if ranged else None,
            high=_known(bill.cost_high_usd) if ranged else None,
            how=how,
            by_hand="topoloom cost FOLDER",
            better="less",
        ),
        Figure(
            key="cost_per_host_usd",
            label="cost per host",
            unit="USD",
            value=_known(bill.cost_per_host_usd),
            low=_known(bill.per_host(bill.cost_low_usd)) if ranged else None,
            high=_known(bill.per_host(bill.cost_high_usd)) if ranged else None,
            how="the bill over the hosts that there is room for",
            better="less",
        ),
        Figure(
            key="power_w",
            label="power",
            unit="W",
            value=_known(bill.power_w),
            how="of all parts in the bill" + (f"; without {', '.join(bill.unmetered)}" if bill.unmetered else ""),
            better="less",
        ),
        Figure(key="switches", label="switches", value=bill.switches, how="counted", better="less"),
        Figure(key="racks", label="racks", value=layout.racks, how="of the layout", better="less"),
        Figure(
            key="total_m",
            label="cable between switches",
            unit="m",
            value=layout.total_m,
            how=f"every cable measured, switches and racks placed by {layout.made}",
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
                value=_known(sum(line.cost_usd for line in spare)),
                how=f"{sum(line.count for line in spare):,} pieces on the shelf, in the bill",
                better="less",
            )
        )
    return StepResult(figures + _racks(subject), {"bill": bill})


def _racks(subject: Subject) -> list[Figure]:
    """Watts of the fullest rack and of the mean."""
    layout, topology = subject.layout, subject.topology
    watts = subject.parts.switch_feed_w(topology.radix, subject.rate_gbps)
    rows = rack_rows(layout, watts)
    if rows:
        loads = [row["power_w"] for row in rows]
        what = "switches at their most, and hosts"
    else:
        import numpy as np

        loads = (np.bincount(layout.rack, minlength=layout.racks) * watts).tolist()
        what = "switches at their most; no hosts, whose watts the need does not say"
    known = [load for load in loads if load is not None and not math.isnan(load)]
    if len(known) < len(loads) or not known:
        return []
    return [
        Figure(
            key="rack_w",
            label="watts of the fullest rack",
            unit="W",
            value=float(max(known)),
            low=float(min(known)),
            high=float(max(known)),
            how=f"{what}; the interval is from the emptiest rack to the fullest",
            better="less",
        )
    ]


COST = AssessmentStep("bill", "the bill by this placement", "Bill", _money, cheap=True)
