"""Schemas of records: JSON Schema from a result's types, with the descriptions of its docstring."""

import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from topoloom.model.results import Provenance, Recorded, Result, schema_id
from topoloom.model.topology import Topology


def json_schema(result_type: type[Result]) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a result's record, from its types."""
    made, components = _content_schemas(result_type)
    (provenance,), of_provenance = msgspec.json.schema_components(
        [Provenance], schema_hook=_schema_of, ref_template="#/$defs/{name}"
    )
    components = {**of_provenance, **components}
    properties = {"schema": {"const": schema_id(result_type)}, "provenance": provenance, **made}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": schema_id(result_type),
        "title": result_type.record_name,
        "description": (result_type.__doc__ or "").partition("\n")[0],
        "type": "object",
        "required": [name for name in properties if name not in result_type.omitted_if_none],
        "properties": properties,
        "additionalProperties": False,
        "$defs": {name: _relaxed(component) for name, component in components.items()},
    }


def _content_schemas(kind: type[Recorded]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schemas of the values in a result's record, by name; and their components."""
    hints = get_type_hints(kind, include_extras=True)
    parts: dict[str, Any] = {}
    for name in kind._recorded():
        part = hints.get(name)
        if part is None:
            described = getattr(kind, name)
            function = getattr(described, "fget", None) or getattr(described, "func", None)
            part = get_type_hints(function, include_extras=True).get("return", Any) if function else Any
        parts[name] = part
    # A nested result has a record whose keys may differ from its fields.
    nested = {name: recorded for name, part in parts.items() if (recorded := _recorded_in(part)) is not None}
    topologies = {name for name, part in parts.items() if part is Topology}
    names = [name for name in parts if name not in nested and name not in topologies]
    schemas, components = msgspec.json.schema_components(
        [parts[name] for name in names], schema_hook=_schema_of, ref_template="#/$defs/{name}"
    )
    made = {name: _or_null(schema) for name, schema in zip(names, schemas, strict=True)}
    made |= dict.fromkeys(topologies, _topology_schema())
    for name, (part, shape) in nested.items():
        made[name], defined = _nested_schema(part, shape)
        components = {**defined, **components}
    texts = descriptions(kind)
    described = {name: {**made[name], "description": texts[name]} if name in texts else made[name] for name in parts}
    return described, components


def _recorded_in(kind: Any) -> tuple[type[Recorded], str] | None:
    """The result class in a type, and its shape: ``one``, ``optional`` or ``many``; None if it has no single one.

    None also for a tuple of `Result`: these are rows of the outer result, whose record defines them itself.
    """
    arguments = get_args(kind)
    many = get_origin(kind) is tuple and len(arguments) == 2 and arguments[1] is ...
    alternatives = (
        [arguments[0]] if many else [argument for argument in arguments if argument is not type(None)] or [kind]
    )
    if len(alternatives) != 1 or not (isinstance(alternatives[0], type) and issubclass(alternatives[0], Recorded)):
        return None
    if many:
        return None if issubclass(alternatives[0], Result) else (alternatives[0], "many")
    return alternatives[0], "optional" if type(None) in arguments else "one"


def _nested_schema(kind: type[Recorded], shape: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schema of a nested result, without its ``schema`` and ``provenance``; and its components."""
    properties, components = _content_schemas(kind)
    inner = {
        "type": ["object", "null"] if shape == "optional" else "object",
        "required": [name for name in properties if name not in kind.omitted_if_none],
        "properties": properties,
        "additionalProperties": False,
    }
    return ({"type": "array", "items": inner} if shape == "many" else inner), components


@cache
def _topology_schema() -> dict[str, Any]:
    number = {"type": "integer", "minimum": 0}
    text = {"type": "string"}
    properties = {
        "name": text,
        "spec": {"type": ["string", "null"]},
        "digest": text,
        "switches": number,
        "links": number,
        "hosts": number,
    }
    return {"type": "object", "properties": properties, "required": list(properties)}


def _schema_of(kind: type) -> dict[str, Any]:
    if issubclass(kind, Topology):
        return _topology_schema()
    if issubclass(kind, np.ndarray):
        return {"type": "array"}
    if issubclass(kind, Mapping):
        return {"type": "object"}
    raise NotImplementedError(f"{kind.__name__} has no schema")


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema, with null allowed for a number: infinities and NaN are null in records."""
    if schema.get("type") == "number":
        return {**schema, "type": ["number", "null"]}
    return schema


def _relaxed(schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    return schema if properties is None else {**schema, "properties": {k: _or_null(v) for k, v in properties.items()}}


def descriptions(kind: type) -> dict[str, str]:
    """The descriptions in docstrings of the fields and properties of a class, also inherited ones: name to text."""
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        texts |= dict(_attributes(inspect.cleandoc(base.__dict__.get("__doc__") or "")))
        for name, value in vars(base).items():
            function = getattr(value, "fget", None) or getattr(value, "func", None)
            if function is not None and function.__doc__:
                texts[name] = inspect.cleandoc(function.__doc__).partition("\n\n")[0].replace("\n", " ")
    return texts


def _attributes(docstring: str) -> Iterator[tuple[str, str]]:
    """Names and texts of the section Attributes in NumPy's style; a name without a text has the text of its type."""
    section = re.search(r"^Attributes\n-+\n(.*?)(?:\n\n(?=\S)|\Z)", docstring, re.MULTILINE | re.DOTALL)
    for entry in re.split(r"\n(?=\S)", section.group(1)) if section else []:
        head, *text = entry.split("\n")
        names, _, kind = head.partition(" : ")
        text_or_kind = " ".join(line.strip() for line in text).strip() or kind
        yield from ((name.strip(), text_or_kind) for name in names.split(","))
