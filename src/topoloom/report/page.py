"""Pieces of a self-contained HTML page."""

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
:root { color-scheme: light; --ink: #1c2733; --quiet: #5b6775; --line: #d9dfe6; --accent: #2563a8; --wash: #f4f7fa; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1320px; padding: 28px 32px 60px; color: var(--ink); background: #fff;
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 27px; margin: 0 0 4px; } h2 { font-size: 20px; margin: 40px 0 10px; padding-bottom: 4px;
  border-bottom: 2px solid var(--line); } h3 { font-size: 16px; margin: 24px 0 6px; }
p { max-width: 80ch; } .quiet { color: var(--quiet); } small { color: var(--quiet); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 12px; margin: 14px 0; }
.card { background: var(--wash); border-radius: 8px; padding: 10px 14px; }
.card b { display: block; font-size: 19px; white-space: nowrap; line-height: 1.3; } .card span { color: var(--quiet); font-size: 13px; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 12.5px; margin: 8px 0; }
th { text-align: right; vertical-align: bottom; color: var(--quiet); font-weight: 600; border-bottom: 2px solid var(--line);
  padding: 4px 6px; } td { text-align: right; border-bottom: 1px solid var(--line); padding: 4px 6px;
  font-variant-numeric: tabular-nums; vertical-align: top; }
th.text, td.text { text-align: left; } td.spec { text-align: left; font: 12px/1.5 ui-monospace, "DejaVu Sans Mono", monospace;
  overflow-wrap: anywhere; min-width: 230px; } tr.best td { background: #eaf2fb; font-weight: 600; }
figure { margin: 14px 0 26px; } figure svg { width: 100%; height: auto; max-height: 760px; }
figcaption { color: var(--quiet); font-size: 13px; max-width: 90ch; } code { font-size: 13px; }
@media print { body { padding: 0; } h2 { break-after: avoid; } figure, table { break-inside: avoid; } }
"""


def page(title: str, body: Iterable[str]) -> str:
    """A whole page: no script, nothing fetched."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"
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
