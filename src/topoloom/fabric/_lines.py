"""The lines of what subnet managers print, none of them longer than any that they print."""

from collections.abc import Iterator

from topoloom.core.errors import at

#: A QoS policy may name every GUID of a group in one line.
_LONGEST = 1 << 20


def lines_of(text: str, source: str, longest: int = _LONGEST) -> Iterator[tuple[int, str]]:
    """The lines of a text with their numbers, from 1.

    Raises
    ------
    InputError
        A line of more than `longest` characters.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > longest:
            raise at(source, number, f"a line of {len(line):,} characters; no such file has one over {longest:,}")
        yield number, line
