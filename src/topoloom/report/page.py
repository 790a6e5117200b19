"""Building blocks of a self-contained HTML page."""

from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from topoloom.core.pages.templating import framed, rendered
from topoloom.report.scripting import data_text, policy, script


def page(
    title: str,
    body: Iterable[Markup],
    data: Any = None,
    scripts: Sequence[str] = (),
    *,
    pictures: bool = False,
    style: str = "",
) -> str:
    """A complete page that fetches nothing. A piece of the body that is not `Markup` is shown as plain text.

    Parameters
    ----------
    title : str
        Any text.
    body : iterable of Markup
        The pieces.
    data : JSON value, optional
        Data for the scripts.
    scripts : sequence of str
        Files of ``report/scripts``, without their ending; empty: the page has no scripts.
    pictures : bool
        Whether the page shows pictures that are stored next to it.
    style : str
        CSS of this page, which follows the CSS of all pages.

    Returns
    -------
    str
        An HTML document.
    """
    style = (files("topoloom.report") / "style.css").read_text(encoding="utf-8") + style
    inside = Markup("\n").join(body)
    if not scripts:
        return framed(title, style, inside)
    # The template adds nothing around the code, so the digest of the policy matches what the browser runs.
    style += (files("topoloom.report") / "work.css").read_text(encoding="utf-8")
    code = script(scripts)
    return framed(title, style, inside, data_text(data), code, policy(code, pictures=pictures))


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, text: frozenset[int] = frozenset(), best: int = -1
) -> Markup:
    """A table of plain texts; columns in `text` are left-aligned, row `best` is highlighted, the column "spec" is monospaced.

    Parameters
    ----------
    head : sequence of str
        The columns' names.
    rows : iterable of sequence of str
        The cells, one per column; any text.
    text : frozenset of int
        The columns, from 0, that hold words and are left-aligned.
    best : int
        The row, from 0, that is highlighted; -1: none.

    Returns
    -------
    Markup
        A ``<table>`` element.
    """
    kinds = [
        Markup(' class="spec"' if name == "spec" else ' class="text"' if index in text else "")
        for index, name in enumerate(head)
    ]
    return rendered("table.html", head=head, rows=rows, text=text, best=best, kinds=kinds)


def cards(items: Iterable[tuple[str, str]]) -> Markup:
    """A row of cards, each with a value and its label."""
    return rendered("cards.html", items=items)


def figure(svg: str, caption: str) -> Markup:
    """A drawing in SVG, with its caption."""
    return rendered("figure.html", drawing=Markup(svg), caption=caption)


def curves_part(drawing: Markup) -> Markup:
    """A figure that a script replaces by the first interactive curves of the page's data."""
    return rendered("curves.html", drawing=drawing)
