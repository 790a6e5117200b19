"""The places of claims in a paper (sections, figures, tables): their display names and order, and the paper's citation."""

import re
from functools import cache
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


def order_of(claim: str) -> tuple[str, int, str, str]:
    """The sort key of a claim's id: papers by year, claims by the place that their paper gives them in `PLACES`.

    Places that a paper does not list come last, by name.
    """
    paper, place = claim.partition("/")[0], place_of(claim)
    listed = places_of(paper)
    rank = listed.index(place) if place in listed else len(listed)
    return paper[-4:] + paper, rank, place, claim


@cache
def places_of(paper: str) -> tuple[str, ...]:
    """The places of a paper in its order; none for a paper without a folder."""
    name = _module(paper)
    return () if find_spec(name) is None else tuple(getattr(import_module(name), "PLACES", "").split())


def citation(paper: str) -> str:
    """Authors, title, venue and year, from the docstring of the paper's folder; the paper's id if it has no folder.

    Examples
    --------
    >>> citation("besta-2014")
    'Besta and Hoefler, Slim Fly: a cost effective low-diameter network topology, SC 2014'
    """
    name = _module(paper)
    if find_spec(name) is None:
        return paper
    text = " ".join((import_module(name).__doc__ or paper).split())
    return text.removeprefix("Claims of ").removesuffix(".")


def _module(paper: str) -> str:
    """The module of a paper's folder."""
    return f"topoloom_papers.papers.{paper.replace('-', '_')}"
