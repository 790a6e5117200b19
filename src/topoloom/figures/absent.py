"""Pictures where matplotlib is not installed: reports have a sentence in their place; a command that only draws is refused."""

import logging
from collections.abc import Callable
from functools import cache

from topoloom.core.errors import InputError
from topoloom.core.surroundings import import_library

#: What is missing, and the remedy.
_SENTENCE = "pictures need matplotlib: pip install 'topoloom[pictures]'"

log = logging.getLogger("topoloom")


class NoMatplotlibError(InputError):
    """matplotlib is not installed."""


def import_matplotlib() -> None:
    """Import matplotlib, which reads settings in the current folder, from elsewhere.

    Raises
    ------
    InputError
        It is not installed; the message names the extra.
    """
    try:
        import_library("matplotlib")
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise NoMatplotlibError(_SENTENCE) from None


def svg_or_sentence(make: Callable[[], str]) -> str:
    """The SVG text that `make` returns; without matplotlib, an SVG text with the sentence that names the extra.

    For pictures that accompany other results. The sentence is also logged, once per process.

    Examples
    --------
    >>> svg_or_sentence(lambda: "<svg></svg>")
    '<svg></svg>'
    """
    try:
        return make()
    except NoMatplotlibError:
        _warn()
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 40">'
        f'<text x="8" y="25" font-family="sans-serif" font-size="14">{_SENTENCE}</text></svg>'
    )


def file_if_drawn(name: str, make: Callable[[], bytes]) -> dict[str, bytes]:
    """One picture's file by its name; no file without matplotlib, for pictures of which a report has an SVG too.

    Examples
    --------
    >>> file_if_drawn("a.png", lambda: b"PNG")
    {'a.png': b'PNG'}
    """
    try:
        return {name: make()}
    except NoMatplotlibError:
        _warn()
        return {}


@cache
def _warn() -> None:
    log.warning("%s; the reports have this sentence in place of each picture", _SENTENCE)
