"""Conditions on the axes of a study, as texts: ``load <= 0.8 and topology != 'ring'``; no code is executed."""

import ast
import operator
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from topoloom.core.errors import InputError, hint
from topoloom.core.settings import shown

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}
_COUNT: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_MOST_CHARACTERS = 2000


def conditions_hold(conditions: str | Sequence[str] | None, values: Mapping[str, Any]) -> bool:
    """Whether a condition, or each of several, is true for the given values; none is always true.

    Parameters
    ----------
    conditions : str, sequence of str or None
        As for `condition_holds`.
    values : mapping
        By the name of the axis.

    Raises
    ------
    InputError
        As `condition_holds`.

    Examples
    --------
    >>> conditions_hold(("load > 0.1", "load < 0.5"), {"load": 0.7})
    False
    """
    texts = (conditions,) if isinstance(conditions, str) else conditions or ()
    return all(condition_holds(text, values) for text in texts)


def conditions_text(conditions: str | Sequence[str]) -> str:
    """Conditions as one text for messages: ``'a < 1' and 'b > 2'``."""
    return " and ".join(map(shown, (conditions,) if isinstance(conditions, str) else conditions))


def condition_holds(condition: str, values: Mapping[str, Any]) -> bool:
    """Whether a condition is true for the given values.

    Parameters
    ----------
    condition : str
        Comparisons (also chains, ``in`` lists), ``and``, ``or``, ``not``, sums and products; names of axes, numbers, texts.
    values : mapping
        By the name of the axis.

    Raises
    ------
    InputError
        The text is not a condition, names an unknown axis, or compares incomparable values.

    Examples
    --------
    >>> condition_holds("load <= 0.8 and q in [5, 7]", {"load": 0.5, "q": 5})
    True
    >>> condition_holds("lod < 1", {"load": 0.5})
    Traceback (most recent call last):
        ...
    topoloom.core.errors.InputError: condition 'lod < 1': no axis named 'lod' (did you mean load?)
    """
    where = f"condition {shown(condition)}"
    try:
        if len(condition) > _MOST_CHARACTERS:
            raise SyntaxError
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns about code, but this code is never executed
            tree = ast.parse(condition.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise InputError(f"{where}: cannot be read; write a comparison, as in load <= 0.8") from None
    try:
        return bool(_value(tree, values))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    except (TypeError, ZeroDivisionError, OverflowError) as error:
        raise InputError(f"{where}: {error}") from None


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None):
            return node.value
        case ast.Name():
            if node.id not in values:
                raise InputError(f"no axis named {shown(node.id)} ({hint(node.id, list(values))})")
            return values[node.id]
        case ast.List() | ast.Tuple():
            return [_value(element, values) for element in node.elts]
        case ast.UnaryOp(op=ast.Not()):
            return not _value(node.operand, values)
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand, values)
        case ast.BoolOp():
            every = isinstance(node.op, ast.And)
            return (all if every else any)(_value(operand, values) for operand in node.values)
        case ast.BinOp() if type(node.op) in _COUNT:
            left, right = _value(node.left, values), _value(node.right, values)
            if not all(isinstance(operand, (int, float)) for operand in (left, right)):
                raise InputError("sums and products need numbers")
            return _COUNT[type(node.op)](left, right)
        case ast.Compare():
            left = _value(node.left, values)
            for how, other in zip(node.ops, node.comparators, strict=True):
                right = _value(other, values)
                if type(how) not in _COMPARE:
                    raise InputError("use one of ==, !=, <, <=, >, >=, in and not in")
                if not _COMPARE[type(how)](left, right):
                    return False
                left = right
            return True
    raise InputError("use only comparisons, and, or, not, sums and products of axes, numbers and texts")
