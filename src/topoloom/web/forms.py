"""The data of the explorer's forms."""

from functools import cache
from importlib.resources import files
from typing import Any, get_args

import msgspec

from topoloom._version import __version__
from topoloom.core.settings import described
from topoloom.designer.requirement import Requirement
from topoloom.fabric.diagnosis.rule import RULES
from topoloom.operations.operation import OPERATIONS
from topoloom.placement.floors.floor import PRESETS as FLOORS
from topoloom.routing.registry import engines
from topoloom.simulation.flits.presets import PRESETS
from topoloom.throughput.traffic import PATTERNS
from topoloom.topologies.spec.listing import listed
from topoloom.web.download import export_kinds


@cache
def form_data(operations: tuple[str, ...]) -> dict[str, Any]:
    """Families, floors, engines, traffic, presets, examples, exports, and the arguments of operations.

    Parameters
    ----------
    operations : tuple of str
        The operations whose arguments are listed.

    Returns
    -------
    dict
    """
    return {
        "version": __version__,
        "families": listed()["families"],
        "floors": sorted(FLOORS),
        "engines": sorted(engines),
        "traffic": [
            {"name": name, "usage": pattern.usage, "words": pattern.words} for name, pattern in PATTERNS.items()
        ],
        "presets": [{"name": name, "source": preset.source} for name, preset in PRESETS.items()],
        "operations": {name: _settings(OPERATIONS.find(name)) for name in operations},
        "requirement": requirement_form(),
        "examples": _examples(),
        "exports": export_kinds(),
    }


@cache
def rule_data() -> list[dict[str, str]]:
    """The rules of verify, each with its meaning and its remedy, as `topoloom rules` prints them."""
    return [rule.record() for rule in RULES.values()]


def _settings(group: type[msgspec.Struct]) -> list[dict[str, str]]:
    return [
        {
            "name": setting.name,
            "description": setting.description,
            "accepts": setting.accepts,
            "default": setting.default,
            "unit": setting.unit,
        }
        for setting in described(group)
    ]


def requirement_form() -> list[dict[str, Any]]:
    """The tables of a requirement with the keys that one field can hold; lists and nested tables are edited as text only.

    Returns
    -------
    list of dict
        ``table``, empty for the keys above all tables, and ``fields``.

    Examples
    --------
    >>> [part["table"] for part in requirement_form()][:3]
    ['', 'host', 'phase']
    """
    tables: list[tuple[str, type[msgspec.Struct]]] = [("", Requirement)]
    for field in msgspec.structs.fields(Requirement):
        inner = [part for argument in get_args(field.type) for part in (argument, *get_args(argument))]
        kinds = [kind for kind in (field.type, *inner) if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
        tables += [(field.encode_name, kind) for kind in kinds[:1]]
    form = [
        {
            "table": name,
            "fields": [
                setting for setting in _settings(kind) if not setting["accepts"].startswith(("a list", "a table"))
            ],
        }
        for name, kind in tables
    ]
    return [part for part in form if part["fields"]]


@cache
def _examples() -> list[dict[str, str]]:
    folder = files("topoloom.web") / "static"
    return [
        {"name": name, "toml": (folder / f"{name}.toml").read_text()}
        for name in ("small-cluster", "cluster-1k", "gpu-512")
    ]
