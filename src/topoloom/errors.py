"""The one error that a user's mistake raises."""


class InputError(ValueError):
    """Bad input: one sentence that says what was wrong, where, and what would do.

    The command line prints it as ``error: ...`` and exits with code 2.
    """


def at(source: str, line: int | None, reason: str) -> InputError:
    """An `InputError` that names its place: ``file:line: reason``."""
    place = source if line is None else f"{source}:{line}"
    return InputError(f"{place}: {reason}")
