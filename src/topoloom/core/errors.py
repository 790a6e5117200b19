"""The one error that a user's mistake raises, and the one that ends stopped work."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

#: Most bytes of a file name and of a path (with its final zero byte) on Linux; and the same in words.
_LONGEST_NAME, _LONGEST_PATH = 255, 4096
TOO_LONG = "a file's name has at most 255 bytes, and its path 4,095"
#: Most characters of a sentence.
_LONGEST = 999


class InputError(ValueError):
    """Bad input: one sentence with what is wrong, where, and the remedy.

    The command line prints it as ``error: ...`` and exits with code 2. The sentence may quote the content of a file: line ends
    and control characters are shown as escapes.

    Examples
    --------
    >>> str(InputError("net.csv:3: 'a\\rb' is not a switch"))
    "net.csv:3: 'a\\\\rb' is not a switch"
    """

    def __init__(self, sentence: str = "") -> None:
        shown = sentence if sentence.isprintable() else "".join(map(_visible, sentence))
        # A quote may be very long, such as a key of a million letters. The beginning has the place, the end the remedy.
        super().__init__(shown if len(shown) <= _LONGEST else f"{shown[:600]} ... {shown[-300:]}")


class Stopped(Exception):  # noqa: N818 (nothing went wrong)
    """An operation was stopped, by its deadline or by a user, before it had a result.

    The command line reports it and exits with code 130.
    """


def _visible(letter: str) -> str:
    return letter if letter.isprintable() else ascii(letter)[1:-1]


def check_type(value: object, kind: type | tuple[type, ...], taker: str, remedy: str = "") -> None:
    """Refuse a value of a wrong type with one sentence; public operations call it first.

    Parameters
    ----------
    value : object
        What was given.
    kind : type or tuple of types
        The accepted types.
    taker : str
        The operation that takes it: "simulate".
    remedy : str
        The way to get such a value: "route(topology) makes one".

    Raises
    ------
    InputError
        The value is of another type.

    Examples
    --------
    >>> check_type("8", int, "boil", "int(text) makes one")
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: boil takes an int, not '8', a str; int(text) makes one
    """
    if not isinstance(value, kind):
        raise wrong_type(value, kind, taker, remedy)


def check_made(value: object, kind: type | tuple[type, ...], maker: str, wanted: str) -> None:
    """Refuse what a registered function returns, if it is of a wrong type, with one sentence.

    Parameters
    ----------
    value : object
        What it returned.
    kind : type or tuple of types
        The accepted types.
    maker : str
        What was asked: "family wheel".
    wanted : str
        What it must return: "a Topology".

    Raises
    ------
    InputError
        The value is of another type.

    Examples
    --------
    >>> check_made(None, dict, "export wheel", "a dict")
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: export wheel returns a NoneType; it must return a dict
    """
    if not isinstance(value, kind):
        raise InputError(f"{maker} returns a {type(value).__name__}; it must return {wanted}")


def check_path(value: object, taker: str, remedy: str = "") -> None:
    """Refuse a value that is not a path, or a path that no file system takes.

    A number is refused too: the system would take it for an open file, and close it.

    Parameters
    ----------
    value : object
        What was given.
    taker : str
        The operation that takes it: "load".
    remedy : str
        The remedy: "name a file".

    Raises
    ------
    InputError
        The value is neither a text nor a path, or a name in it is too long.

    Examples
    --------
    >>> check_path(1, "load", "name a file")
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: load takes a str or a PathLike, not 1, an int; name a file
    """
    if not isinstance(value, (str, os.PathLike)):
        raise wrong_type(value, (str, os.PathLike), taker, remedy)
    path = os.fspath(value)
    names = path.encode("utf-8", "surrogatepass").split(b"/") if isinstance(path, str) else path.split(b"/")
    if max(map(len, names)) > _LONGEST_NAME or sum(map(len, names)) + len(names) > _LONGEST_PATH:
        raise InputError(f"{taker}: {path[:60]!r}... is too long: {TOO_LONG}")


def check_all(values: object, kind: type | tuple[type, ...], taker: str, remedy: str = "") -> None:
    """Refuse a value that is not a sequence, and a sequence with a value of a wrong type.

    Parameters
    ----------
    values : object
        What was given.
    kind : type or tuple of types
        The accepted types of each value.
    taker : str
        The operation that takes them: "progress".
    remedy : str
        The way to get such values.

    Raises
    ------
    InputError
        The value is not a sequence of such values.

    Examples
    --------
    >>> check_all([1, "2"], int, "boil", "int(text) makes one")
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: boil takes an int, not '2', a str; int(text) makes one
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        raise wrong_type(values, Sequence, taker, remedy)
    for value in values:
        check_type(value, kind, taker, remedy)


def wrong_type(value: object, kind: type | tuple[type, ...] | str, taker: str, remedy: str = "") -> InputError:
    """The error that `check_type` raises.

    Parameters
    ----------
    value : object
        What was given.
    kind : type, tuple of types or str
        The accepted types, or a description in words.
    taker : str
        The called operation, as users write it.
    remedy : str
        The way to get an accepted value; "" for none.

    Returns
    -------
    InputError
        Ready to be raised.
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    wanted = " or ".join(
        accepted if isinstance(accepted, str) else f"{_article(accepted)} {accepted.__name__}" for accepted in kinds
    )
    given = "None"
    if value is not None:
        given = f"{_article(type(value))} {type(value).__name__}"
        if isinstance(value, (str, int, float)):
            text = ascii(value)
            given = f"{text if len(text) <= 60 else text[:57] + '...'}, {given}"
    return InputError(f"{taker} takes {wanted}, not {given}" + (f"; {remedy}" if remedy else ""))


def _article(kind: type) -> str:
    return "an" if kind.__name__[:1].lower() in "aeiou" else "a"


def at(source: str, line: int | None, reason: str) -> InputError:
    """An `InputError` that names its place: ``file:line: reason``.

    Parameters
    ----------
    source : str
        The file's name, or another name of the input.
    line : int or None
        From 1; None for the whole file.
    reason : str
        What is wrong, and the remedy.

    Returns
    -------
    InputError
        Ready to be raised.
    """
    place = source if line is None else f"{source}:{line}"
    return InputError(f"{place}: {reason}")


@contextmanager
def naming(source: str) -> Iterator[None]:
    """A context that adds `source` to an `InputError` that does not name it: for work on the content of a file."""
    try:
        yield
    except InputError as error:
        if source in str(error):
            raise
        raise at(source, None, str(error)) from None


#: Names that a hint lists.
_MOST_NAMES = 80


def hint(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: the most similar known name, or else all names.

    Examples
    --------
    >>> hint("updwn", ["orders", "updown"]), hint("x", ["orders", "updown"])
    ('did you mean updown?', 'there are orders, updown')
    """
    from difflib import get_close_matches

    names = list(dict.fromkeys(known))
    near = get_close_matches(name, names, 1)
    if near:
        return f"did you mean {near[0]}?"
    more = f", and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return f"there are {', '.join(names[:_MOST_NAMES])}{more}"
