"""The types of family parameters: how the text of a spec is read. Ranges are declared and checked like those of settings."""

import copy
import re
from abc import ABC, abstractmethod
from typing import Any

from msgspec.inspect import FloatType, IntType

from topoloom.core.errors import InputError
from topoloom.core.settings import fits, number_from


class Parameter(ABC):
    """One parameter of a family: how to read its text, its default and its meaning.

    A parameter without a default (`required`) must be given; `default=None` means that the family computes it.
    """

    def __init__(self, description: str, default: Any = ...) -> None:
        self.description, self.default = description, default
        #: Other names that a spec may use; written specs use the first name.
        self.also: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        """Whether a spec must have this parameter."""
        return self.default is ...

    @property
    @abstractmethod
    def range(self) -> str:
        """The accepted values, in words."""

    @abstractmethod
    def read(self, text: Any) -> Any:
        """The value of `text` (the text of a spec, or a Python value); raises `InputError` with the reason."""

    def write(self, value: Any) -> str:
        """The text that `read` turns back into `value`."""
        return str(value)

    def also_called(self, *names: str) -> "Parameter":
        """The same parameter, with further names that specs may use."""
        named = copy.copy(self)
        named.also = names
        return named


class _Number(Parameter):
    _kind: type[IntType] | type[FloatType] = IntType
    _words = "a whole number"

    def __init__(self, least: float, most: float, description: str, default: Any = ...) -> None:
        super().__init__(description, default)
        self.least, self.most = least, most
        self._type: Any = self._kind(ge=least, le=most)  # type: ignore[arg-type]

    @property
    def range(self) -> str:
        return f"{self.least} to {self.most}"

    def read(self, text: Any) -> Any:
        value = number_from(self._type, str(text))
        if value is None:
            raise InputError(f"{text!s} is not {self._words}; it must be {self.range}")
        if not fits(self._type, value):
            raise InputError(f"{text} is out of range; it must be {self.range}")
        return value


class Integer(_Number):
    """A whole number within a range."""


class Real(_Number):
    """A number within a range."""

    _kind, _words = FloatType, "a number"

    def write(self, value: Any) -> str:
        return repr(float(value)).removesuffix(".0")


class Choice(Parameter):
    """One word out of a few."""

    def __init__(self, words: tuple[str, ...], description: str, default: Any = ...) -> None:
        super().__init__(description, default)
        self.words = words

    @property
    def range(self) -> str:
        return " or ".join(self.words)

    def read(self, text: Any) -> str:
        if text not in self.words:
            raise InputError(f"'{text}' is unknown; it must be {self.range}")
        return str(text)


class Word(Parameter):
    """A word for another program, such as the name of an image: letters, digits and a few signs."""

    range = "letters, digits and . _ - / : @, at most 200"

    def read(self, text: Any) -> str:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/:@-]{0,199}", str(text)):
            raise InputError(f"{str(text)!a} cannot be used; write {self.range}")
        return str(text)


class Text(Parameter):
    """A text, such as a file name; a spec cannot hold one with a comma or a bracket."""

    range = "a text"

    def __init__(self, what: str, description: str, default: Any = ...) -> None:
        super().__init__(description, default)
        self.range = what

    def read(self, text: Any) -> str:
        if not str(text) or "\0" in str(text):
            raise InputError(f"it is empty; it must be {self.range}")
        return str(text)


class Integers(Parameter):
    """A list of whole numbers, written with `x` between them: ``8x8x4``; `least` and `most` bound each number."""

    def __init__(self, least: int, most: int, description: str, default: Any = ...) -> None:
        super().__init__(description, default)
        self.least, self.most = least, most
        self._type = IntType(ge=least, le=most)

    @property
    def range(self) -> str:
        return f"numbers of {self.least} to {self.most} with x between them"

    def read(self, text: Any) -> tuple[int, ...]:
        if not isinstance(text, str):
            text = "x".join(map(str, text)) if isinstance(text, (tuple, list)) else str(text)
        if not re.fullmatch(r"[0-9]{1,20}(x[0-9]{1,20}){0,31}", text):
            raise InputError(f"'{text}' is not a list; write {self.range}, at most 32 of them")
        values = tuple(map(int, text.split("x")))
        for value in values:
            if not fits(self._type, value):
                raise InputError(f"{value} is out of range; it must be {self.range}")
        return values

    def write(self, value: Any) -> str:
        return "x".join(map(str, value))


class Numbers(Parameter):
    """A list of numbers, written with `x` between them: ``100x400``; `least` and `most` bound each number."""

    def __init__(self, least: float, most: float, description: str, default: Any = ...) -> None:
        super().__init__(description, default)
        self._each = Real(least, most, description)

    @property
    def range(self) -> str:
        return f"numbers of {self._each.range} with x between them"

    def read(self, text: Any) -> tuple[float, ...]:
        words = text.split("x") if isinstance(text, str) else list(text) if isinstance(text, (tuple, list)) else [text]
        if not 0 < len(words) <= 32:
            raise InputError(f"it has {len(words)} numbers; write {self.range}, at most 32 of them")
        return tuple(self._each.read(word) for word in words)

    def write(self, value: Any) -> str:
        return "x".join(map(self._each.write, value))


class Ratio(Parameter):
    """Two whole numbers with a colon between them, such as ports down and up: ``2:1``; a single number means that number to
    1.
    """

    def __init__(self, description: str, default: Any = ..., most: int = 1 << 16) -> None:
        super().__init__(description, default)
        self.most = most

    @property
    def range(self) -> str:
        return f"two numbers of 1 to {self.most} with a colon between them, as 2:1"

    def read(self, text: Any) -> tuple[int, int]:
        if not isinstance(text, str):
            text = ":".join(map(str, text)) if isinstance(text, (tuple, list)) else str(text)
        match = re.fullmatch(r"([0-9]{1,9})(?::([0-9]{1,9}))?", text)
        if match is None:
            raise InputError(f"'{text}' is not a ratio; write {self.range}")
        pair = int(match[1]), int(match[2] or 1)
        if not all(1 <= part <= self.most for part in pair):
            raise InputError(f"{text} is out of range; write {self.range}")
        return pair

    def write(self, value: Any) -> str:
        return ":".join(map(str, value))


class Seed(Integer):
    """The seed of a random family: the same seed gives the same links everywhere."""

    def __init__(self) -> None:
        super().__init__(0, 2**63 - 1, "seed of the random draws", default=1)
