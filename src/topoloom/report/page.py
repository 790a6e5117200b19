"""Pieces of a self-contained HTML page."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files


def page(title: str, body: Iterable[str]) -> str:
    """A whole page: no script, nothing fetched."""
    style = (files("topoloom.report") / "style.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>{style}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, text: frozenset[int] = frozenset(), best: int = -1
) -> str:
    """A table of plain texts; columns in `text` are set left, row `best` stands out, a column named spec is monospaced."""

    def kind(index: int) -> str:
        if head[index] == "spec":
            return ' class="spec"'
        return ' class="text"' if index in text else ""

    out = ['<div class="wide"><table><thead><tr>']
    out += [
        f"<th{' class=text' if i in text or name == 'spec' else ''}>{escape(name)}</th>" for i, name in enumerate(head)
    ]
    out.append("</tr></thead><tbody>")
    for number, row in enumerate(rows):
        cells = "".join(f"<td{kind(i)}>{escape(cell)}</td>" for i, cell in enumerate(row))
        out.append(f"<tr{' class=best' if number == best else ''}>{cells}</tr>")
    out.append("</tbody></table></div>")
    return "\n".join(out)


def cards(items: Iterable[tuple[str, str]]) -> str:
    """A row of (value, what it is)."""
    return (
        '<div class="cards">'
        + "".join(f'<div class="card"><b>{escape(value)}</b><span>{escape(what)}</span></div>' for value, what in items)
        + "</div>"
    )


def figure(svg: str, caption: str) -> str:
    """A drawing with its caption."""
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"
