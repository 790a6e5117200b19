"""Figures for print: the widths and type sizes of publishers, and the format in which figures are drawn now."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

import msgspec

from topoloom.core.errors import InputError, hint

StyleName = Literal["ieee", "acm"]
WidthName = Literal["column", "page"]


class Publisher(msgspec.Struct, frozen=True):
    """The widths of a publisher's figures in inches, their type size in points, and where both are stated."""

    column_in: float
    page_in: float
    size_pt: float
    source: str


PUBLISHERS: dict[str, Publisher] = {
    "ieee": Publisher(
        3.5,
        7.16,
        8.0,
        "IEEE Author Center, Size Requirements for Graphics: one column 3.5 in, two columns 7.16 in; IEEE, Guidelines for"
        " Author Supplied Electronic Text and Graphics: callouts of 8 points, fonts embedded",
    ),
    "acm": Publisher(
        3.33,
        7.0,
        8.0,
        "acmart.cls, format sigconf: columns of 241.15 pt, text of 506.295 pt; body of 9 points, \\small of 8",
    ),
}


class PrintFormat(msgspec.Struct, frozen=True):
    """The width of a printed figure in inches, its type size in points, and whether it is one column of two."""

    width_in: float
    size_pt: float
    column: bool

    @property
    def height_share(self) -> float:
        """The height of a figure relative to that on a screen; its type is smaller, and its legend is added below."""
        return 0.5 if self.column else 0.66


_CURRENT: ContextVar[PrintFormat | None] = ContextVar("print_format", default=None)


def print_format(style: str | None, width: str | None) -> PrintFormat | None:
    """The format of a style and a width; None without a style.

    Parameters
    ----------
    style : "ieee" or "acm", optional
    width : "column" or "page", optional
        One column if omitted.

    Raises
    ------
    InputError
        An unknown style or width, or a width without a style.

    Examples
    --------
    >>> print_format("ieee", "page").width_in
    7.16
    """
    if style is None:
        if width is not None:
            raise InputError(
                f"width {str(width)[:40]!r} needs a style, whose columns it means; give {' or '.join(PUBLISHERS)}"
            )
        return None
    if style not in PUBLISHERS:
        raise InputError(f"unknown style '{str(style)[:40]}'; {hint(str(style), PUBLISHERS)}")
    if width not in (None, "column", "page"):
        raise InputError(f"unknown width '{str(width)[:40]}'; give column or page")
    publisher, column = PUBLISHERS[style], width != "page"
    return PrintFormat(publisher.column_in if column else publisher.page_in, publisher.size_pt, column)


def refuse_print(style: str | None, width: str | None) -> None:
    """Refuse a style and a width for a picture with a scale of its own."""
    if style is not None or width is not None:
        raise InputError(
            "this picture has its own scale; omit style and width, save it as .pdf, and scale it in the paper"
        )


def current_format() -> PrintFormat | None:
    """The format in which figures are drawn now; None: for a screen."""
    return _CURRENT.get()


@contextmanager
def drawing_in(form: PrintFormat | None) -> Iterator[None]:
    """While the context is open, figures are drawn in this format."""
    token = _CURRENT.set(form)
    try:
        yield
    finally:
        _CURRENT.reset(token)
