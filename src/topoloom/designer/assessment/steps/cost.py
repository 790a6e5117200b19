"""The step of the bill: cost, power, racks and spares."""

import math

from topoloom.core.work import Work
from topoloom.cost.facility import rack_power
from topoloom.designer.assessment.figure import Figure
from topoloom.designer.assessment.step import AssessmentStep, StepResult
from topoloom.designer.assessment.subject import Subject


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
            unit=bill.currency,
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
            unit=bill.currency,
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
                unit=bill.currency,
                value=_finite(sum(line.cost_usd for line in spare)),
                how=f"{sum(line.count for line in spare):,} spare parts on the shelf, included in the bill",
                better="less",
            )
        )
    return StepResult(figures + _racks(subject), {"bill": bill})


def _racks(subject: Subject) -> list[Figure]:
    """Power of the fullest rack, with the least and the greatest rack as its interval."""
    power = rack_power(subject.layout, subject.network.terms)
    if power is None:
        return []
    fullest = int(power.max_w.argmax())
    how = (
        "hosts, switches, transceivers, cables and further devices at their maximum power, as topoloom facility has it"
    )
    if subject.layout.housing is None:
        how = "switches, transceivers and cables at their maximum power, as topoloom facility has it, without hosts"
    if power.unknown:
        how += f"; {power.unknown:,} devices whose power is not known are not included"
    least, most = float(power.max_w.min()), float(power.max_w[fullest])
    how += (
        f"; {subject.layout.rack_names[fullest]} takes most, and the interval is from the rack that takes least to it"
    )
    return [
        Figure(
            key="rack_w",
            label="maximum power of the fullest rack",
            unit="W",
            value=most,
            low=least,
            high=most,
            how=how,
            by_hand="topoloom facility FOLDER",
            better="less",
        )
    ]


COST = AssessmentStep("bill", "the bill by this placement", "Bill", _cost, cheap=True)
