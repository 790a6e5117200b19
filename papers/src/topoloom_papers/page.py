"""One page per paper: its claims in the paper's order, published values next to ours, and its figures, drawn again."""

from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from itertools import groupby

from markupsafe import Markup

from topoloom._version import __version__
from topoloom.core.pages.templating import rendered
from topoloom.report.graph_picture import steps_svg
from topoloom.report.page import cards, page
from topoloom.report.page import figure as figure_of
from topoloom_papers.curves import Curves, Steps, curves_svg
from topoloom_papers.places import citation, order_of, place_name, place_of
from topoloom_papers.registry import Claim, Computed

ComputedClaim = tuple[Claim, Computed]


def by_place(computed: Sequence[ComputedClaim]) -> list[tuple[str, list[ComputedClaim]]]:
    """Claims of one paper grouped by their places, in the paper's order."""

    def place(claim: ComputedClaim) -> str:
        return place_of(claim[0].id)

    ordered = sorted(computed, key=lambda claim: order_of(claim[0].id))
    return [(name, list(group)) for name, group in groupby(ordered, place)]


def figure_svg(figure: Curves | Steps) -> str:
    """A figure of a paper as SVG text."""
    return curves_svg(figure) if isinstance(figure, Curves) else steps_svg(figure.panels)


def figures_of(computed: Sequence[ComputedClaim]) -> dict[str, Curves | Steps]:
    """The figures of claims by name, without repetition."""
    figures = (result.outcome.figure for _, result in computed)
    return {figure.name: figure for figure in figures if figure is not None}


def measured(computed: Computed) -> str:
    """Date and commit of the oldest long run; empty if nothing was read from long runs."""
    oldest = computed.oldest
    return f"measured {oldest.date} at {oldest.commit or oldest.version}" if oldest else ""


def paper_page(paper: str, computed_claims: Sequence[ComputedClaim]) -> str:
    """The HTML page of one paper.

    Parameters
    ----------
    paper : str
        Its id: ``besta-2014``.
    computed_claims : sequence of (Claim, Computed)
        Its claims with their outcomes.

    Returns
    -------
    str
        One self-contained HTML document.
    """
    verdicts = Counter(computed.outcome.verdict.value for _, computed in computed_claims)
    places = []
    for place, group in by_place(computed_claims):
        rows = [
            {
                "id": claim.id,
                "what": claim.what,
                "published": claim.published,
                "ours": computed.outcome.ours,
                "verdict": computed.outcome.verdict_text,
                "kind": computed.outcome.verdict.name.lower(),
                "why": computed.outcome.why,
                "details": computed.outcome.details,
                "measured": measured(computed),
                "command": claim.command,
            }
            for claim, computed in group
        ]
        drawn = [figure_of(figure_svg(figure), _caption(figure)) for figure in figures_of(group).values()]
        places.append({"name": place_name(place), "rows": rows, "figures": drawn})
    body = rendered(
        "claims.html",
        "topoloom_papers",
        title=citation(paper),
        about=f"topoloom {__version__}; {len(computed_claims)} claims",
        cards=cards([(str(count), verdict) for verdict, count in verdicts.most_common()]),
        places=places,
    )
    style = (files("topoloom_papers") / "templates" / "claims.css").read_text(encoding="utf-8")
    return page(f"{paper}, computed again", [Markup(body)], style=style)


def _caption(figure: Curves | Steps) -> str:
    return figure.title if isinstance(figure, Curves) else ", ".join(title for title, _ in figure.panels)
