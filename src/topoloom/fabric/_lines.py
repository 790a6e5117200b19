"""The lines of the output of subnet managers, with a limit on their length."""

from collections.abc import Iterator

from topoloom.core.errors import at

#: A QoS policy may name every GUID of a group in one line.
_MOST_CHARACTERS = 1 << 20


def lines_of(text: str, source: str, longest: int = _MOST_CHARACTERS) -> Iterator[tuple[int, str]]:
    """The lines of a text with their numbers, from 1.

    Raises
    ------
    InputError
        A line has more than `longest` characters.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > longest:
            raise at(
                source, number, f"a line of {len(line):,} characters; lines of such files have at most {longest:,}"
            )
        yield number, line
