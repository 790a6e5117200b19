"""Single values of a router changed: ``vcs=3``, ``buffer_flits=63``."""

from collections.abc import Iterable
from dataclasses import replace
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from topoloom.errors import InputError, hint
from topoloom.simulator.config import RouterConfig

#: Not a value of the router but where its values come from.
_SOURCE = "source"
_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_TOLD: dict[Any, str] = {int: "a whole number", float: "a number", bool: "yes or no"}


def with_settings(config: RouterConfig, settings: Iterable[str]) -> RouterConfig:
    """A router with some values changed.

    Parameters
    ----------
    settings : texts KEY=VALUE
        A key is a field of `RouterConfig`, a value is of that field's type.

    Raises
    ------
    InputError
        No such key, a value of another type, or one that no router has.

    Examples
    --------
    >>> with_settings(RouterConfig(), ["vcs=3", "to_itself=yes"]).vcs
    3
    """
    kinds = {name: kind for name, kind in get_type_hints(RouterConfig).items() if name != _SOURCE}
    changes: dict[str, Any] = {}
    for text in settings:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise InputError(f"router setting '{text}': write KEY=VALUE, as in vcs=3")
        if name not in kinds:
            raise InputError(f"no router setting '{name}' ({hint(name, kinds)})")
        changes[name] = _value(kinds[name], name, value)
    return replace(config, **changes)


def _value(kind: Any, name: str, text: str) -> Any:
    """A text as a value of a type: a number, yes or no, a text, or one of those that are listed."""
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    told = []
    for one in kinds:
        if get_origin(one) is Literal:
            for choice in get_args(one):
                if text == str(choice):
                    return choice
            told += [str(choice) for choice in get_args(one)]
            continue
        try:
            if one is bool:
                return _WORDS[text.lower()]
            if one in (int, float, str):
                return one(text)
            if one is type(None) and text.lower() == "none":
                return None
        except (KeyError, ValueError):
            pass
        told.append(_TOLD.get(one, "none" if one is type(None) else str(one)))
    raise InputError(f"router setting {name}='{text}': it is {' or '.join(told)}")
