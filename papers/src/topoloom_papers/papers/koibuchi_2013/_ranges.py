"""What Koibuchi 2013 prints as a range, as in "between 19 % and 20 %"."""

from topoloom_papers.curves import Curves
from topoloom_papers.verdicts import Outcome, Step, judge


def judged_range(
    least: float,
    most: float,
    ours: dict[str, float],
    *,
    assumption: str = "",
    reason: str = "",
    figure: Curves | None = None,
) -> Outcome:
    """Numbers that lie between whole ones: inside is exact, and half a unit outside is a step.

    Examples
    --------
    >>> judged_range(19, 20, {"%": 19.3}).verdict.value
    'exact'
    >>> judged_range(19, 20, {"%": 20.4}).verdict.value
    'within one step'
    """
    return judge(
        {name: min(max(value, least), most) for name, value in ours.items()},
        ours,
        step=Step(0.5, "half of the printed unit, outside of the range"),
        digits=3,
        assumption=assumption,
        reason=reason,
        figure=figure,
    )
