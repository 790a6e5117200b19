"""Patterns of names, as schedulers write lists of nodes: ``node[01-16,20]``, ``mlx5_[0-7]``, ``leaf*``, ``!storage``."""

import re
from collections.abc import Iterable

from topoloom.core.errors import InputError
from topoloom.topologies.spec import Parameter

#: Most characters of a pattern, and most `*` in one of its parts: more would take long to match.
_LONGEST, _MOST_STARS = 10_000, 4
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?|([A-Za-z])(?:-([A-Za-z]))?")
_KINDS = (str.isdigit, str.isalpha)


class NamePattern:
    """A pattern of names.

    ``*`` stands for any characters and ``?`` for one. Brackets hold numbers and ranges, or letters: ``[0-7,9]``, ``[01-16]``
    (with the same number of digits), ``[A-C]``. A list of several patterns has ``+`` between them. A leading ``!`` selects the
    names that match none of them. A pattern matches a name if it matches a whole part of it, where letters, digits and other
    characters are different parts: ``storage`` matches ``switch-storage1``, and ``mlx5_1`` does not match ``mlx5_10``.

    Parameters
    ----------
    text : str

    Raises
    ------
    InputError
        The text is not a pattern.

    Examples
    --------
    >>> pattern = NamePattern("!storage+leaf[01-02]")
    >>> [name for name in ("switch-storage1", "leaf02", "leaf2", "leaf03") if pattern.matches(name)]
    ['leaf2', 'leaf03']
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._negated = text.startswith("!")
        parts = text.removeprefix("!").split("+")
        if len(text) > _LONGEST or not all(parts) or max(part.count("*") for part in parts) > _MOST_STARS:
            raise InputError(
                f"{text[:60]!a} is not a pattern of names; write one such as node[01-16], mlx5_[0-7], leaf* or !storage"
            )
        self._parts = [_compiled(part, text) for part in parts]

    def matches(self, name: str) -> bool:
        """Whether the pattern selects a name."""
        return any(_found(pattern, ranges, name) for pattern, ranges in self._parts) != self._negated

    def required_of(self, names: Iterable[str], what: str, option: str) -> None:
        """Check that the pattern selects some of the names, and that a negated one omits some.

        Parameters
        ----------
        names : iterable of str
        what, option : str
            The kind of the names, and the option that has the pattern, for messages.

        Raises
        ------
        InputError
            It does not.
        """
        every = sorted(set(names))
        if not any(map(self.matches, every)) or (self._negated and all(map(self.matches, every))):
            shown = ", ".join(every[:4]) + (", ..." if len(every) > 4 else "")
            raise InputError(
                f"{option}={self.text[:60]}: no {what} has such a name; they are called {shown or 'nothing'}"
            )


class OnlyNames(NamePattern):
    """A pattern of which only some names count.

    Parameters
    ----------
    names : iterable of str
    pattern : NamePattern, optional
        Selects among them; all if omitted.
    """

    def __init__(self, names: Iterable[str], pattern: NamePattern | None = None) -> None:
        super().__init__("*" if pattern is None else pattern.text)
        self._names = frozenset(names)

    def matches(self, name: str) -> bool:
        """Whether it is one of the names, and the pattern selects it."""
        return name in self._names and super().matches(name)


class NameParameter(Parameter):
    """A pattern of names."""

    range = "a pattern such as node[01-16], mlx5_[0-7], leaf* or !storage"

    def read(self, text: object) -> NamePattern:
        return text if isinstance(text, NamePattern) else NamePattern(str(text))

    def write(self, value: NamePattern) -> str:
        return value.text


Ranges = list[list[tuple[str, str]]]


def _compiled(part: str, whole: str) -> tuple[re.Pattern[str], Ranges]:
    """A regular expression with one group per bracket, and the ranges of each bracket."""
    expression, ranges = "", []
    for piece in re.findall(r"\[[^\[\]]*\]|[^\[\]]+|[\[\]]", part):
        if piece in ("[", "]"):
            raise InputError(f"{whole[:60]!a}: a bracket is not closed; write a pattern such as node[01-16]")
        if piece[0] != "[":
            expression += re.escape(piece).replace(r"\*", ".*?").replace(r"\?", ".")
            continue
        items = [_RANGE.fullmatch(item.strip()) for item in piece[1:-1].split(",")]
        pairs = [(m[1] or m[3], m[2] or m[4] or m[1] or m[3]) for m in items if m is not None]
        if len(pairs) < len(items) or any((int(a) > int(b)) if a.isdigit() else a > b for a, b in pairs):
            raise InputError(f"{whole[:60]!a}: {piece[:40]} is not a list of ranges; write [0-7], [01-16,20] or [A-C]")
        expression += "([0-9]+|[A-Za-z])"
        ranges.append(pairs)
    return re.compile(expression), ranges


def _found(pattern: re.Pattern[str], ranges: Ranges, name: str) -> bool:
    """Whether a whole part of the name matches."""
    for start in range(len(name)):
        if not _boundary(name, start):
            continue
        for end in range(len(name), start, -1):
            match = pattern.fullmatch(name, start, end) if _boundary(name, end) else None
            if match and all(_within(text, pairs) for text, pairs in zip(match.groups(), ranges, strict=True)):
                return True
    return False


def _boundary(name: str, place: int) -> bool:
    if place in (0, len(name)):
        return True
    before, after = name[place - 1], name[place]
    return not any(kind(before) and kind(after) for kind in _KINDS)


def _within(text: str, pairs: list[tuple[str, str]]) -> bool:
    for low, high in pairs:
        if not low.isdigit():
            if not text.isdigit() and low <= text <= high:
                return True
        elif text.isdigit() and int(low) <= int(text) <= int(high):
            # Leading zeros fix the number of digits, as in node[001-128].
            padded = len(low) > 1 and low[0] == "0"
            if len(text) == len(low) if padded else text == str(int(text)):
                return True
    return False
