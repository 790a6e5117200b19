"""The types of a family's parameters: what is read, what is refused, and with which words."""

import copy
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from topoloom.errors import InputError


@dataclass(frozen=True)
class Parameter(ABC):
    """One parameter of a family: how its text is read, its default and what it means.

    A parameter without a default (`required`) must be given; `default=None` means that the family works it out.
    """

    description: str
    default: Any = ...

    @property
    def required(self) -> bool:
        """Whether a spec must give it."""
        return self.default is ...

    @property
    @abstractmethod
    def range(self) -> str:
        """What is accepted, in words."""

    @abstractmethod
    def read(self, text: Any) -> Any:
        """The value behind `text` (the text of a spec, or a Python value); raises `InputError` with the reason."""

    def write(self, value: Any) -> str:
        """The text that `read` turns back into `value`."""
        return str(value)

    @property
    def also(self) -> tuple[str, ...]:
        """Other names that a spec may give it by; what is written has the first."""
        return tuple(self.__dict__.get("_also", ()))

    def also_called(self, *names: str) -> "Parameter":
        """The same parameter, which specs may give by these names, too."""
        found = copy.copy(self)
        object.__setattr__(found, "_also", names)
        return found


@dataclass(frozen=True)
class _Number(Parameter):
    least: Any = 0
    most: Any = 0

    def __init__(self, least: Any, most: Any, description: str, default: Any = ...) -> None:
        for key, value in {"least": least, "most": most, "description": description, "default": default}.items():
            object.__setattr__(self, key, value)

    @property
    def range(self) -> str:
        return f"{self.least} to {self.most}"

    def _checked(self, value: Any, text: Any) -> Any:
        if not self.least <= value <= self.most:
            raise InputError(f"{text} is out of range; it must be {self.range}")
        return value


class Integer(_Number):
    """A whole number within a range."""

    def read(self, text: Any) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,20}", str(text)):
            raise InputError(f"{text!s} is not a whole number; it must be {self.range}")
        return int(self._checked(int(text), text))


class Real(_Number):
    """A number within a range."""

    def read(self, text: Any) -> float:
        try:
            return float(self._checked(float(text), text))
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{text!s} is not a number; it must be {self.range}") from None

    def write(self, value: Any) -> str:
        return repr(float(value)).removesuffix(".0")


@dataclass(frozen=True)
class Choice(Parameter):
    """One word out of a few."""

    words: tuple[str, ...] = ()

    def __init__(self, words: tuple[str, ...], description: str, default: Any = ...) -> None:
        for key, value in {"words": words, "description": description, "default": default}.items():
            object.__setattr__(self, key, value)

    @property
    def range(self) -> str:
        return " or ".join(self.words)

    def read(self, text: Any) -> str:
        if text not in self.words:
            raise InputError(f"'{text}' is not known; it must be {self.range}")
        return str(text)


@dataclass(frozen=True)
class Word(Parameter):
    """A word that another program reads, such as the name of an image: letters, digits and a few signs."""

    def __init__(self, description: str, default: Any = ...) -> None:
        for key, value in {"description": description, "default": default}.items():
            object.__setattr__(self, key, value)

    @property
    def range(self) -> str:
        return "letters, digits and . _ - / : @, at most 200"

    def read(self, text: Any) -> str:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/:@-]{0,199}", str(text)):
            raise InputError(f"{str(text)!a} cannot be used; write {self.range}")
        return str(text)


@dataclass(frozen=True)
class Text(Parameter):
    """A text, such as a file's name; one with a comma or a bracket in it cannot be said in a spec."""

    def __init__(self, what: str, description: str, default: Any = ...) -> None:
        for key, value in {"what": what, "description": description, "default": default}.items():
            object.__setattr__(self, key, value)

    what: str = "a text"

    @property
    def range(self) -> str:
        return self.what

    def read(self, text: Any) -> str:
        if not str(text) or "\0" in str(text):
            raise InputError(f"it is empty; it must be {self.range}")
        return str(text)


class Integers(_Number):
    """A list of whole numbers, written with `x` between them: ``8x8x4``; `least` and `most` bound each of them."""

    @property
    def range(self) -> str:
        return f"numbers of {self.least} to {self.most} with x between them"

    def read(self, text: Any) -> tuple[int, ...]:
        if not isinstance(text, str):
            text = "x".join(map(str, text)) if isinstance(text, (tuple, list)) else str(text)
        if not re.fullmatch(r"[0-9]{1,20}(x[0-9]{1,20}){0,31}", text):
            raise InputError(f"'{text}' is not a list; write {self.range}, at most 32 of them")
        return tuple(int(self._checked(int(part), part)) for part in text.split("x"))

    def write(self, value: Any) -> str:
        return "x".join(map(str, value))


@dataclass(frozen=True)
class Ratio(Parameter):
    """Two whole numbers with a colon between them, such as ports down and up: ``2:1``; a number alone is that to 1."""

    most: int = 1 << 16

    def __init__(self, description: str, default: Any = ..., most: int = 1 << 16) -> None:
        for key, value in {"description": description, "default": default, "most": most}.items():
            object.__setattr__(self, key, value)

    @property
    def range(self) -> str:
        return f"two numbers of 1 to {self.most} with a colon between them, as 2:1"

    def read(self, text: Any) -> tuple[int, int]:
        if not isinstance(text, str):
            text = ":".join(map(str, text)) if isinstance(text, (tuple, list)) else str(text)
        found = re.fullmatch(r"([0-9]{1,9})(?::([0-9]{1,9}))?", text)
        if found is None:
            raise InputError(f"'{text}' is no ratio; write {self.range}")
        pair = int(found[1]), int(found[2] or 1)
        if not all(1 <= part <= self.most for part in pair):
            raise InputError(f"{text} is out of range; write {self.range}")
        return pair

    def write(self, value: Any) -> str:
        return ":".join(map(str, value))


class Seed(Integer):
    """The seed of a random family: the same seed gives the same links everywhere."""

    def __init__(self) -> None:
        super().__init__(0, 2**63 - 1, "seed of the random draws", default=1)
