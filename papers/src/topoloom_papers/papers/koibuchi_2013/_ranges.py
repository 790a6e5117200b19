"""Published ranges of Koibuchi 2013, as in "between 19 % and 20 %"."""

from topoloom_papers.curves import Curves
from topoloom_papers.verdicts import Outcome, Step, compare


def compare_range(
    least: float,
    most: float,
    ours: dict[str, float],
    *,
    assumption: str = "",
    reason: str = "",
    figure: Curves | None = None,
) -> Outcome:
    """Compare numbers with a published range of integers: inside is exact, up to half a unit outside is one step.

    Examples
    --------
    >>> compare_range(19, 20, {"%": 19.3}).verdict.value
    'exact'
    >>> compare_range(19, 20, {"%": 20.4}).verdict.value
    'within one step'
    """
    return compare(
        {name: min(max(value, least), most) for name, value in ours.items()},
        ours,
        step=Step(0.5, "half of the published unit, outside of the range"),
        digits=3,
        assumption=assumption,
        reason=reason,
        figure=figure,
    )
