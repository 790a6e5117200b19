"""Write docs/papers/ from the claims and their kept runs: .venv/bin/python papers/tools/pages.py [PAPER ...]"""

import sys
from collections import Counter
from pathlib import Path

from topoloom_papers.page import ComputedClaim, by_place, figure_svg, figures_of, measured
from topoloom_papers.places import citation, place_name
from topoloom_papers.registry import claims, run

_FOLDER = Path(__file__).parents[2] / "docs" / "papers"
_PAPERS = tuple(dict.fromkeys(one.paper for one in claims()))


def main() -> None:
    """Write the pages of the named papers, or of all papers."""
    for paper in sys.argv[1:] or _PAPERS:
        computed_claims = [(claim, run(claim)) for claim in claims([paper])]
        (_FOLDER / "pictures").mkdir(parents=True, exist_ok=True)
        for name, figure in figures_of(computed_claims).items():
            (_FOLDER / "pictures" / f"{name}.svg").write_text(figure_svg(figure))
        (_FOLDER / f"{paper}.md").write_text(paper_page(paper, computed_claims))


def paper_page(paper: str, computed_claims: list[ComputedClaim]) -> str:
    """The page of one paper, as Markdown."""
    verdicts = Counter(computed.outcome.verdict.value for _, computed in computed_claims)
    counts = "; ".join(f"{verdict}: {count}" for verdict, count in verdicts.most_common())
    lines = [
        f"# {paper}",
        "",
        f"{_text(citation(paper))}. Its claims in the paper's order, compared with our values: `topoloom reproduce {paper}`.",
        "The meaning of the verdicts: [reproducing](../explanation/reproducing-papers.md). Made by `papers/tools/pages.py`.",
        "",
        f"{len(computed_claims)} claims: {counts}.",
        "",
    ]
    for place, group in by_place(computed_claims):
        lines += [f"## {place_name(place)}", ""]
        for name, figure in figures_of(group).items():
            title = getattr(figure, "title", place_name(place))
            lines += [f"![{_text(title)}](pictures/{name}.svg)", ""]
        lines += ["| claim | published | ours | verdict |", "|---|---|---|---|"]
        for claim, computed in group:
            outcome = computed.outcome
            cells = claim.what, claim.published, outcome.ours, f"**{outcome.verdict_text}**"
            lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
        lines.append("")
        for claim, computed in group:
            notes = [part for part in (computed.outcome.why, measured(computed)) if part]
            lines.append(f"* `{claim.id}`{': ' if notes else ''}{_text('; '.join(notes))}")
            if computed.outcome.details:
                lines.append(f"  * details: {_text(computed.outcome.details)}")
        lines.append("")
    return "\n".join(lines)


def _text(text: str) -> str:
    """Text with Markdown's special characters escaped."""
    for sign in "\\`*_<>[]{}|^~":
        text = text.replace(sign, f"\\{sign}")
    return text


def _cell(text: str) -> str:
    return f"**{_text(text[2:-2])}**" if text.startswith("**") else _text(text)


if __name__ == "__main__":
    main()
