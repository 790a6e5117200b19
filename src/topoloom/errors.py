"""The one error that a user's mistake raises, and the one that ends work which somebody stopped."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

#: Characters of the longest sentence.
_LONGEST = 999


class InputError(ValueError):
    """Bad input: one sentence that says what was wrong, where, and what would do.

    The command line prints it as ``error: ...`` and exits with code 2. What a file holds may be quoted in it as it stands:
    characters that would end the line, or that a terminal obeys, are shown as escapes.

    Examples
    --------
    >>> str(InputError("net.csv:3: 'a\\rb' is no switch"))
    "net.csv:3: 'a\\\\rb' is no switch"
    """

    def __init__(self, sentence: str = "") -> None:
        shown = sentence if sentence.isprintable() else "".join(map(_visible, sentence))
        # What is quoted has no end of its own: a key of a million letters. The beginning says where, the end what would do.
        super().__init__(shown if len(shown) <= _LONGEST else f"{shown[:600]} ... {shown[-300:]}")


class Stopped(Exception):  # noqa: N818 (nothing went wrong)
    """A verb was stopped, by its deadline or by somebody, before it had anything to show.

    The command line says so and exits with code 130.
    """


def _visible(letter: str) -> str:
    return letter if letter.isprintable() else ascii(letter)[1:-1]


def check_type(value: object, kind: type | tuple[type, ...], taker: str, remedy: str = "") -> None:
    """Refuse a value of a wrong type, in one sentence; public verbs begin with it.

    Parameters
    ----------
    value : object
        What was given.
    kind : type or tuple of types
        What is wanted.
    taker : str
        Who wants it: "simulate".
    remedy : str
        How to get one: "route(topology) makes one".

    Raises
    ------
    InputError
        It is of another type.

    Examples
    --------
    >>> check_type("8", int, "boil", "int(text) makes one")
    Traceback (most recent call last):
        ...
    topoloom.errors.InputError: boil takes an int, not '8', a str; int(text) makes one
    """
    if not isinstance(value, kind):
        raise wrong_type(value, kind, taker, remedy)


def wrong_type(value: object, kind: type | tuple[type, ...], taker: str, remedy: str = "") -> InputError:
    """What `check_type` raises.

    Parameters
    ----------
    value : object
        What was given.
    kind : type or tuple of types
        What is taken.
    taker : str
        The verb that was called, as users write it.
    remedy : str
        How to get the right thing; "" for nothing to say.

    Returns
    -------
    InputError
        Ready to be raised.
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    wanted = " or ".join(f"{_article(one)} {one.__name__}" for one in kinds)
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
        The file's name, or what stands for it.
    line : int or None
        From 1; None where the whole file is meant.
    reason : str
        What is wrong, and what would do.

    Returns
    -------
    InputError
        Ready to be raised.
    """
    place = source if line is None else f"{source}:{line}"
    return InputError(f"{place}: {reason}")


@contextmanager
def naming(source: str) -> Iterator[None]:
    """Inside, an `InputError` that does not name `source` itself does: for what is worked out from a file's content."""
    try:
        yield
    except InputError as error:
        if source in str(error):
            raise
        raise at(source, None, str(error)) from None


def hint(name: str, known: Iterable[str]) -> str:
    """What to say of a name that is not known: the one that was meant, if one is near, else all there are.

    Examples
    --------
    >>> hint("updwn", ["orders", "updown"]), hint("x", ["orders", "updown"])
    ('did you mean updown?', 'there are orders, updown')
    """
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(name, names, 1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
