"""Questions on a terminal: each is an argument of an operation; a wrong answer is explained and asked again."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import click
import msgspec
from click.core import ParameterSource

from topoloom.cli.declared import spelled
from topoloom.cli.output import say
from topoloom.core.errors import InputError
from topoloom.core.settings import value_of
from topoloom.operations.field import fields_of
from topoloom.operations.operation import Operation

O = TypeVar("O", bound=Operation)  # noqa: E741


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes
    ----------
    field : str
        The argument that the answer is.
    text : str
        What is asked, in a few words.
    default : callable (operation) -> str
        What Enter means, as a user would write it.
    reads : callable (text) -> object, optional
        The value of an answer; by the argument's type if omitted.
    asked : callable (operation) -> bool
        Whether the question has a meaning after the earlier answers.
    check : callable (operation) -> object
        Refuses an answer that does not go with the earlier ones.
    """

    field: str
    text: str
    default: Callable[[Any], str]
    reads: Callable[[str], Any] | None = None
    asked: Callable[[Any], bool] = lambda _: True
    check: Callable[[Any], object] = lambda _: None


def answered(operation: O, questions: Sequence[Question], *, ask: bool) -> O:
    """An operation with the answers to the questions whose options were not given.

    Parameters
    ----------
    operation : Operation
        As the options make it.
    questions : sequence of Question
    ask : bool
        Whether to ask at all; without, every argument keeps its default.

    Returns
    -------
    Operation

    Raises
    ------
    InputError
        There is nobody to ask, or the input ends before the last answer.
    """
    context = click.get_current_context()
    waiting = [
        question for question in questions if context.get_parameter_source(question.field) is ParameterSource.DEFAULT
    ]
    if not ask or not waiting:
        return operation
    if sys.stdin is None or not sys.stdin.isatty():
        options = ", ".join(_option(operation, question.field) for question in waiting)
        raise InputError(
            f"standard input is no terminal, so nobody can be asked; give {options}, or --yes for the defaults"
        )
    say(f"{len(waiting)} questions. Enter takes the answer in brackets.", err=True)
    for number, question in enumerate(waiting, 1):
        if question.asked(operation):
            operation = _answer(operation, question, f"{number}/{len(waiting)} {question.text}", context.command)
    return operation


def _answer(operation: O, question: Question, text: str, command: click.Command) -> O:
    """The operation with the answer to one question; asks until it is one."""
    while True:
        default = question.default(operation)
        say(f"{text} [{default}]: " if default else f"{text}: ", err=True, nl=False)
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            raise InputError("the answer is not UTF-8 text; set the terminal to UTF-8") from None
        if not line:
            say(err=True)
            raise InputError("the input ended before the last answer; start again, or give the answers as options")
        try:
            made = operation
            if line.strip():
                made = msgspec.structs.replace(operation, **{question.field: _value(operation, question, line.strip())})
            question.check(made)
        except InputError as error:
            say(f"    {spelled(_named(str(error), operation, question), command)}", err=True)
        else:
            return made


def _value(operation: Operation, question: Question, text: str) -> Any:
    if question.reads is not None:
        return question.reads(text)
    field = next(field for field in fields_of(type(operation)) if field.name == question.field)
    return value_of(field.type, text, question.field)


def _named(message: str, operation: Operation, question: Question) -> str:
    """A message without the names of the operation and of the argument in front: both are clear to somebody who is asked."""
    return message.removeprefix(f"{operation.group}: ").removeprefix(f"`{question.field}`: ")


def _option(operation: Operation, name: str) -> str:
    return next(field.option for field in fields_of(type(operation)) if field.name == name)
