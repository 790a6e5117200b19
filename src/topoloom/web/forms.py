"""The data of the explorer's forms."""

import os
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any, get_args

import msgspec

from topoloom._version import __version__
from topoloom.core.settings import described
from topoloom.cost.parts_files import PARTS
from topoloom.designer.new_requirement import GROWTH, MINIMIZED, switches_to_choose
from topoloom.designer.purposes import PURPOSES
from topoloom.designer.requirement import Requirement
from topoloom.fabric.diagnosis.rule import RULES
from topoloom.machine.recognizing import is_machine
from topoloom.operations.field import fields_of
from topoloom.operations.operation import OPERATIONS
from topoloom.placement.floors.floor import PRESETS as FLOORS
from topoloom.routing.registry import engines
from topoloom.simulation.applications.backends import SIMULATORS
from topoloom.simulation.applications.registry import APPLICATIONS
from topoloom.simulation.applications.settings import PRESETS as MACHINES
from topoloom.simulation.flits.presets import PRESETS
from topoloom.start.examples import EXAMPLES, Example, examples_folder
from topoloom.throughput.traffic import PATTERNS
from topoloom.topologies.spec.listing import listed
from topoloom.web.download import export_kinds
from topoloom.web.uploads import NAME as UPLOADS


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
    switches = switches_to_choose()
    return {
        "version": __version__,
        "families": listed()["families"],
        "floors": sorted(FLOORS),
        "engines": sorted(engines),
        "traffic": [
            {"name": name, "usage": pattern.usage, "words": pattern.words} for name, pattern in PATTERNS.items()
        ],
        "presets": [{"name": name, "source": preset.source} for name, preset in PRESETS.items()],
        "applications": _applications(),
        "simulators": SIMULATORS,
        "machine_presets": list(MACHINES),
        "collectives": {
            field.name: list(field.choices)
            for field in fields_of(OPERATIONS.find("collective"))
            if field.name in ("operation", "algorithm")
        },
        "operations": {name: _settings(OPERATIONS.find(name)) for name in operations},
        "requirement": requirement_form(),
        "purposes": [{"name": name} | msgspec.to_builtins(purpose) for name, purpose in PURPOSES.items()],
        "matters": MINIMIZED,
        "growth": GROWTH,
        "hosts": _host_kinds(),
        "switches": switches,
        "files": _example_files([EXAMPLES[name] for name in {kind["quotes"] for kind in switches} if name]),
        "rooms": [msgspec.to_builtins(FLOORS.find(name)) | {"name": name} for name in FLOORS],
        "examples": _examples(),
        "starts": _starts(),
        "exports": export_kinds(),
    }


@cache
def rule_data() -> list[dict[str, str]]:
    """The rules of verify, each with its meaning and its remedy, as `topoloom rules` prints them."""
    return [rule.record() for rule in RULES.values()]


def _applications() -> list[dict[str, Any]]:
    """The programs of the command app, with their parameters."""
    return [
        {
            "name": record.name,
            "words": record.description,
            "parameters": [
                {
                    "name": name,
                    "words": parameter.description,
                    "accepts": parameter.range,
                    "default": "" if parameter.default in (..., None) else parameter.write(parameter.default),
                    "required": parameter.required,
                }
                for name, parameter in record.parameters.items()
            ],
        }
        for _, record in sorted(APPLICATIONS.items())
    ]


def _host_kinds() -> list[dict[str, Any]]:
    """The servers of the parts catalogues, each once, with the catalogues that have it."""
    kinds: dict[str, dict[str, Any]] = {}
    for parts in PARTS.values():
        for server in parts.server:
            kind = kinds.setdefault(server.name, {"parts": []})
            kind["parts"].append(parts.name)
            if server.u is not None and server.power_w is not None and server.other_ports:
                names = ("name", "nics", "nic", "u", "power_w", "rate_gbps", "scale_up")
                kind |= {name: getattr(server, name) for name in names}
                kind["other_ports"] = [msgspec.to_builtins(port) for port in server.other_ports]
    return [kind for kind in kinds.values() if "name" in kind]


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
    """The requirements that one click designs."""
    folder = files("topoloom.web") / "static"
    return [
        {"name": name, "toml": (folder / f"{name}.toml").read_text()}
        for name in ("small-cluster", "training-64", "nodes-512")
    ]


def _requirements() -> list[Example]:
    """The installed examples that are requirements or machines."""
    kinds = [example for example in EXAMPLES.values() if example.kind in ("requirement", "machine")]
    return [example for example in kinds if example.kind == "requirement" or is_machine(example.text())]


@cache
def _starts() -> list[dict[str, str]]:
    """The installed examples that the questions can begin with; the files that they name are uploads."""
    return [{"name": example.name, "kind": example.kind, "toml": _with_uploads(example)} for example in _requirements()]


def _with_uploads(example: Example) -> str:
    text, folder = example.text(), PurePosixPath(example.file).parent
    for file in example.files[1:]:
        written = os.path.relpath(file, folder)
        text = text.replace(f'"{written}"', f'"{UPLOADS}/{PurePosixPath(file).name}"')
    return text


def _example_files(quotes: Iterable[Example]) -> dict[str, str]:
    """The files that examples and switches need, by the names under which they are uploaded."""
    names = {file for example in quotes for file in example.files}
    names |= {file for example in _requirements() for file in example.files[1:]}
    root = examples_folder()
    return {Path(file).name: (root / file).read_text(encoding="utf-8") for file in sorted(names)}
