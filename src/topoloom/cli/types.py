"""Types of option values, with error messages that state what is accepted: ``--rate: '800Gbps' is not a number; ...``."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from topoloom.core.errors import InputError
from topoloom.core.settings import in_digits, number_text

#: Units in messages.
_UNIT_WORDS = {"s": "seconds", "min": "minutes", "m": "metres", "ns": "nanoseconds", "h": "hours", "%": "percent"}


class Whole(click.ParamType):
    """A whole number within a range that includes its ends; None: no limit."""

    name = "whole number"

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Convert a text to a whole number of the range; anything else is a usage error that states what is accepted.

        Parameters
        ----------
        value : object
            The user's text, or the option's default.
        param, ctx : as click gives them
            For the message.

        Returns
        -------
        int
            Within the range.
        """
        if isinstance(value, int):
            return value
        text = str(value).strip()
        if not (text.lstrip("+-").isascii() and text.lstrip("+-").isdecimal() and len(text) <= 30):
            self.fail(
                f"{_shown(text)} is not a whole number; give {self.accepts}{in_digits(text, whole=True)}", param, ctx
            )
        number = int(text)
        if (self.least is not None and number < self.least) or (self.most is not None and number > self.most):
            self.fail(f"{text} is out of range; give {self.accepts}", param, ctx)
        return number

    @property
    def accepts(self) -> str:
        """The accepted values, in words."""
        return "a whole number" + _range(self.least, self.most, open_below=False)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "N"


class FileName(click.types.StringParamType):
    """A text that may name a file: shells complete names of files and folders."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """What a shell offers for the beginning of a value: the files that it finds itself.

        Parameters
        ----------
        ctx, param : as click gives them
        incomplete : str
            The beginning.

        Returns
        -------
        list of CompletionItem
        """
        return [CompletionItem(incomplete, type="file")]


class TextOption(click.ParamType):
    """A text that a function parses: ``3-32``, ``64MiB``; its `ValueError` states what is accepted."""

    name = "text"

    def __init__(self, reads: Callable[[str], Any]) -> None:
        self.reads = reads

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value of a text.

        Parameters
        ----------
        value : object
            The user's text, or the option's default.
        param, ctx : as click gives them
            For the message.

        Returns
        -------
        object
            The return value of the function.

        Raises
        ------
        InputError
            The function refuses the text.
        """
        if not isinstance(value, str):
            return value
        try:
            return self.reads(value)
        except ValueError as error:
            option = "" if param is None else f"{max(param.opts, key=len)} "
            raise InputError(f"{option}{_shown(value)} is not {error}") from None


class ReadChoice(click.Choice[str]):
    """One of several words; a function maps other spellings to them."""

    def __init__(self, choices: Sequence[str], reads: Callable[[str], str]) -> None:
        super().__init__(choices)
        self.reads = reads

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word that a text means.

        Parameters
        ----------
        value : object
            The user's text, or the option's default.
        param, ctx : as click gives them
            For the message.

        Returns
        -------
        str
            One of the choices.
        """
        return super().convert(self.reads(str(value)), param, ctx)


class Number(click.ParamType):
    """A number within a range; `above` is a lower limit that is excluded itself. `unit` appears in messages."""

    name = "number"

    def __init__(
        self, least: float | None = None, most: float | None = None, *, above: float | None = None, unit: str = ""
    ) -> None:
        self.least, self.most, self.above, self.unit = least, most, above, _UNIT_WORDS.get(unit, unit)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Convert a text to a number of the range; anything else is a usage error that states what is accepted.

        Parameters
        ----------
        value : object
            The user's text, or the option's default.
        param, ctx : as click gives them
            For the message.

        Returns
        -------
        float
            Within the range.
        """
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        text = str(value).strip()
        try:
            number = float(text)
        except ValueError:
            self.fail(f"{_shown(text)} is not a number; give {self.accepts}{in_digits(text)}", param, ctx)
        within = (
            not math.isnan(number)
            and (self.least is None or number >= self.least)
            and (self.above is None or number > self.above)
            and (self.most is None or number <= self.most)
        )
        if not within:
            self.fail(f"{text} is out of range; give {self.accepts}", param, ctx)
        return number

    @property
    def accepts(self) -> str:
        """The accepted values, in words."""
        open_below = self.above is not None
        low = self.above if open_below else self.least
        unit = f" of {self.unit}, without the unit," if self.unit else ""
        return f"a number{unit}{_range(low, self.most, open_below=open_below)}".rstrip(",")

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "NUMBER"


def _range(low: float | None, high: float | None, *, open_below: bool) -> str:
    if low is None:
        return "" if high is None else f" up to {number_text(high)}"
    if open_below:
        return f" above {number_text(low)}" + ("" if high is None else f", at most {number_text(high)}")
    return f" from {number_text(low)}" + ("" if high is None else f" to {number_text(high)}")


def _shown(text: str) -> str:
    text = text if text.isprintable() else ascii(text)[1:-1]
    return f"'{text[:60]}'"
