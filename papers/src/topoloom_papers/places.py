"""The places of claims in a paper (sections, figures, tables): their display names and order, and the paper's citation."""

import re
from importlib import import_module
from importlib.util import find_spec

_KINDS = {"fig": "Figure", "table": "Table", "section": "Section", "theorem": "Theorem", "proposition": "Proposition"}
_ROMAN = re.compile(r"[ivx]+")


def place_of(claim: str) -> str:
    """The place in a claim's id: ``fig-6a`` in ``besta-2014/fig-6a/val``."""
    return claim.split("/")[1] if "/" in claim else ""


def place_name(place: str) -> str:
    """The display name of a place.

    Examples
    --------
    >>> place_name("fig-6a"), place_name("table-iv"), place_name("iii-d-1"), place_name("section-5.2"), place_name("abstract")
    ('Figure 6a', 'Table IV', 'III.D.1', 'Section 5.2', 'Abstract')
    """
    kind, _, rest = place.partition("-")
    if kind in _KINDS:
        name = ".".join(
            part.upper() if _ROMAN.fullmatch(part) or kind == "section" else part for part in rest.split("-")
        )
        return f"{_KINDS[kind]} {name}"
    if _ROMAN.fullmatch(kind):
        return ".".join(part.upper() for part in place.split("-"))
    return place.replace("-", " ").capitalize()


def in_order(place: str) -> tuple[int, str, list[tuple[int, int]]]:
    """The sort key of a place: abstract, sections, figures and tables by their numbers, conclusion."""
    kind = place.partition("-")[0]
    groups = {"abstract": 0, "fig": 2, "table": 3, "conclusion": 4}
    parts: list[tuple[int, int]] = []
    for part in re.split(r"[-.]|(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)", place):
        if part.isdigit():
            parts.append((0, int(part)))
        elif _ROMAN.fullmatch(part):
            parts.append((1, _arabic(part)))
        else:
            parts.append((2, ord(part) if len(part) == 1 else 0))
    return groups.get(kind, 1), kind if kind in groups else "", parts


def _arabic(roman: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10}[letter] for letter in roman]
    return sum(
        -value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def citation(paper: str) -> str:
    """Authors, title, venue and year, from the docstring of the paper's folder; the paper's id if it has no folder.

    Examples
    --------
    >>> citation("besta-2014")
    'Besta and Hoefler, Slim Fly: a cost effective low-diameter network topology, SC 2014'
    """
    name = f"topoloom_papers.papers.{paper.replace('-', '_')}"
    if find_spec(name) is None:
        return paper
    text = " ".join((import_module(name).__doc__ or paper).split())
    return text.removeprefix("Claims of ").removesuffix(".")
