"""Pieces of a self-contained HTML page."""

from collections.abc import Iterable, Sequence
from importlib.resources import files

from markupsafe import Markup

from topoloom.pages.templating import framed, rendered


def page(title: str, body: Iterable[Markup]) -> str:
    """A whole page of pieces of HTML: no script, nothing fetched. A piece that is no `Markup` is shown as text."""
    style = (files("topoloom.report") / "style.css").read_text(encoding="utf-8")
    return framed(title, style, Markup("\n").join(body))


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, text: frozenset[int] = frozenset(), best: int = -1
) -> Markup:
    """A table of plain texts; columns in `text` are set left, row `best` stands out, a column named spec is monospaced.

    Parameters
    ----------
    head : sequence of str
        The columns' names.
    rows : iterable of sequence of str
        The cells, as many as columns; any text.
    text : frozenset of int
        The columns, from 0, that hold words and are set left.
    best : int
        The row, from 0, that stands out; -1: none.

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
    """A row of (value, what it is)."""
    return rendered("cards.html", items=items)


def figure(svg: str, caption: str) -> Markup:
    """A drawing, as SVG text, with its caption."""
    return rendered("figure.html", drawing=Markup(svg), caption=caption)
