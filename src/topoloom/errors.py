"""The one error that a user's mistake raises, and the one that ends work which somebody stopped."""

from collections.abc import Iterable


class InputError(ValueError):
    """Bad input: one sentence that says what was wrong, where, and what would do.

    The command line prints it as ``error: ...`` and exits with code 2.
    """


class Stopped(Exception):  # noqa: N818 (nothing went wrong)
    """A verb was stopped, by its deadline or by somebody, before it had anything to show.

    The command line says so and exits with code 130.
    """


def at(source: str, line: int | None, reason: str) -> InputError:
    """An `InputError` that names its place: ``file:line: reason``."""
    place = source if line is None else f"{source}:{line}"
    return InputError(f"{place}: {reason}")


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
