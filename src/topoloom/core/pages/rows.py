"""The rows of long tables, escaped column by column, which is many times faster than cell by cell."""

from collections.abc import Iterable, Sequence

from markupsafe import escape


def table_rows(columns: Sequence[Iterable[object]], kinds: Sequence[str]) -> list[str]:
    """One ``<tr>`` per row of a table given by columns, as HTML; wrap it in `Markup` for a template.

    Parameters
    ----------
    columns : sequence of iterable
        The cells of each column; any text.
    kinds : sequence of str
        The class of each column's cells; "" for none.

    Returns
    -------
    list of str
        HTML with escaped cells.

    Examples
    --------
    >>> table_rows([["a", "b"], [1, "<2>"]], ["left", ""])
    ['<tr><td class="left">a</td><td>1</td></tr>', '<tr><td class="left">b</td><td>&lt;2&gt;</td></tr>']
    """
    cells = "".join(f'<td class="{kind}">%s</td>' if kind else "<td>%s</td>" for kind in kinds)
    row = f"<tr>{cells}</tr>"
    return [row % cells for cells in zip(*map(_escaped, columns), strict=True)]


def _escaped(column: Iterable[object]) -> list[str]:
    texts = list(map(str, column))
    if any("\0" in text for text in texts):
        return [str(escape(text)) for text in texts]
    return str(escape("\0".join(texts))).split("\0") if texts else []
