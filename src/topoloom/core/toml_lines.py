"""The line of every key, table and array entry in a TOML text, which `tomllib` does not report."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

#: Most levels of nested tables and arrays; no real file has more.
DEEPEST = 50

# Groups are not possessive: Python 3.11.2, the version of Debian 12, does not match `(?:...|...)*+` right. Their parts are, so
# a text without its closing mark still takes linear time.
_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*")
_SPACE = re.compile(r"[ \t]*+")
_NAME = re.compile(r"""[A-Za-z0-9_-]++|"((?:[^"\\\n]++|\\.)*)"|'([^'\n]*+)'""")
_VALUE = re.compile(
    r'''"""(?:[^"\\]++|\\.|"(?!""))*"{3,5}+|\'{3}(?:[^']++|'(?!''))*'{3,5}+|"(?:[^"\\\n]++|\\.)*"|'[^'\n]*+'|'''
    r"""[^\s,\[\]{}#"'=]++""",
    re.DOTALL,
)


def line_of(text: str, keys: Sequence[str]) -> int | None:
    """The line (from 1) of a key, or of the nearest table around it; None if neither is found.

    An array entry is named by its number, from 0: ``["cable", "1", "reach_m"]`` is the key of the second
    ``[[cable]]``.
    """
    lines = _lines(text)
    return next((lines[tuple(keys[:n])] for n in range(len(keys), 0, -1) if tuple(keys[:n]) in lines), None)


@lru_cache(maxsize=4)
def _lines(text: str) -> dict[tuple[str, ...], int]:
    """The line of every key, table and array entry."""
    return {path: line for path, line in keys_with_lines(text) if len(path) <= DEEPEST}


def keys_with_lines(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Every key, table and array entry with its line, in order, in one pass over the text.

    Invalid text is read up to its first fault. A path may be one level deeper than `DEEPEST`; there the reading ends.
    """
    place = _Place(text)
    section: tuple[str, ...] = ()
    count: dict[tuple[str, ...], int] = {}
    while place.skip(_BLANK) < len(text):
        opened = "[[" if text.startswith("[[", place.at) else "[" if text[place.at] == "[" else ""
        place.at += len(opened)
        line, names = place.line, place.names()
        if not names:
            return
        if not opened:
            if len(names) <= DEEPEST and not place.take("="):
                return
            yield from _value(place, section, names, line)
            continue
        section = ()
        for number, name in enumerate(names):
            section = (*section, name)
            if len(section) > DEEPEST:
                yield section, line
                return
            if opened == "[[" and number == len(names) - 1:
                count[section] = count.get(section, -1) + 1
                if not count[section]:
                    yield section, line
            section = (*section, str(count[section])) if section in count else section
        yield section, line
        if not place.take("]" * len(opened)):
            return


def _value(
    place: "_Place", above: tuple[str, ...], names: list[str], line: int
) -> Iterator[tuple[tuple[str, ...], int]]:
    """The keys of an assignment and of the arrays and tables in its value; afterwards the place is behind the assignment."""
    path = above
    for name in names:
        path = (*path, name)
        yield path, line
        if len(path) > DEEPEST:
            place.at = len(place.text)
            return
    # The open inline tables, and open arrays with the number of their current entry, around the place.
    around: list[tuple[tuple[str, ...], int | None]] = []
    while True:
        place.skip(_BLANK if around else _SPACE)
        mark = place.text[place.at : place.at + 1]
        if mark in ("[", "{") and mark:
            place.at += 1
            around.append((path, 0 if mark == "[" else None))
        elif mark == "," and around:
            place.at += 1
            outer, number = around[-1]
            around[-1] = (outer, None if number is None else number + 1)
        elif mark in ("]", "}") and mark and around:
            place.at += 1
            path = around.pop()[0]
            if not around:
                return
            continue
        elif not place.skip_value():
            place.at = len(place.text)
            return
        elif not around:
            return
        else:
            continue
        # A value or a key begins behind the mark.
        place.skip(_BLANK)
        outer, number = around[-1]
        if place.text[place.at : place.at + 1] in ("]", "}", ""):
            if place.at == len(place.text):
                return
            continue
        if number is not None:
            path = (*outer, str(number))
            yield path, place.line
        else:
            line, path = place.line, outer
            for name in place.names():
                path = (*path, name)
                yield path, line
            if not place.take("="):
                place.at = len(place.text)
                return
        if len(path) > DEEPEST:
            place.at = len(place.text)
            return


class _Place:
    """A position in a text, which only moves forward, with its line number."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self._counted, self._line = 0, 1

    @property
    def line(self) -> int:
        """The line, from 1."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def skip(self, what: re.Pattern[str]) -> int:
        """Move behind a match at this position; returns the new position."""
        match = what.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at

    def skip_value(self) -> bool:
        """Move behind a value that is neither array nor table; returns whether there was one."""
        before = self.at
        # A blank may separate a date and its time.
        while (
            self.skip(_VALUE) > before
            and self.text.startswith(" ", self.at)
            and self.text[self.at + 1 : self.at + 2].isdigit()
        ):
            self.at += 1
            before = self.at
        return self.at > before

    def take(self, mark: str) -> bool:
        """Move behind a mark if it is at this position; returns whether it was."""
        self.skip(_SPACE)
        present = self.text.startswith(mark, self.at)
        self.at += len(mark) * present
        return present

    def names(self) -> list[str]:
        """The parts of a key, dotted or not, at most one more than `DEEPEST`; empty if there is no key."""
        parts: list[str] = []
        while len(parts) <= DEEPEST:
            self.skip(_SPACE)
            name = _NAME.match(self.text, self.at)
            if name is None:
                return []
            parts.append(next(part for part in (name[1], name[2], name[0]) if part is not None))
            self.at = name.end()
            if not self.take("."):
                break
        return parts
