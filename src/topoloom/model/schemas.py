"""Schemas of records: JSON Schema made from a result's types, with what its docstring says of each field."""

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
    """The JSON Schema (draft 2020-12) of a result's record, made from its types."""
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
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
        "$defs": {name: _relaxed(one) for name, one in components.items()},
    }


def _content_schemas(kind: type[Recorded]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schemas of what a record shows of a result, by name; and their parts."""
    hints = get_type_hints(kind, include_extras=True)
    parts: dict[str, Any] = {}
    for name in kind._recorded():
        part = hints.get(name)
        if part is None:
            described = getattr(kind, name)
            function = getattr(described, "fget", None) or getattr(described, "func", None)
            part = get_type_hints(function, include_extras=True).get("return", Any) if function else Any
        parts[name] = part
    # A result inside a result has a record of its own, which says more or less than its fields.
    nested = {name: found for name, part in parts.items() if (found := _recorded_in(part)) is not None}
    topologies = {name for name, part in parts.items() if part is Topology}
    names = [name for name in parts if name not in nested and name not in topologies]
    schemas, components = msgspec.json.schema_components(
        [parts[name] for name in names], schema_hook=_schema_of, ref_template="#/$defs/{name}"
    )
    made = {name: _or_null(one) for name, one in zip(names, schemas, strict=True)}
    made |= dict.fromkeys(topologies, _topology_schema())
    for name, (part, shape) in nested.items():
        made[name], defined = _nested_schema(part, shape)
        components = {**defined, **components}
    told = descriptions(kind)
    described = {name: {**made[name], "description": told[name]} if name in told else made[name] for name in parts}
    return described, components


def _recorded_in(kind: Any) -> tuple[type[Recorded], str] | None:
    """The result that a type is, and its shape: ``one``, ``optional`` or ``many``; None: it is no result.

    Many results in one are rows of that result, which says itself what its record has of them.
    """
    arguments = get_args(kind)
    many = get_origin(kind) is tuple and len(arguments) == 2 and arguments[1] is ...
    alternatives = [arguments[0]] if many else [one for one in arguments if one is not type(None)] or [kind]
    if len(alternatives) != 1 or not (isinstance(alternatives[0], type) and issubclass(alternatives[0], Recorded)):
        return None
    if many:
        return None if issubclass(alternatives[0], Result) else (alternatives[0], "many")
    return alternatives[0], "optional" if type(None) in arguments else "one"


def _nested_schema(kind: type[Recorded], shape: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schema of a result inside another's record, where it says neither its schema nor its provenance; and its parts."""
    properties, components = _content_schemas(kind)
    inner = {
        "type": ["object", "null"] if shape == "optional" else "object",
        "required": list(properties),
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
    """A number may be null in a record: infinities and NaN are not JSON."""
    if schema.get("type") == "number":
        return {**schema, "type": ["number", "null"]}
    return schema


def _relaxed(schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    return schema if properties is None else {**schema, "properties": {k: _or_null(v) for k, v in properties.items()}}


def descriptions(kind: type) -> dict[str, str]:
    """What docstrings say of the fields and properties of a class, those that it inherits included: name to text."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        found |= dict(_attributes(inspect.cleandoc(one.__dict__.get("__doc__") or "")))
        for name, value in vars(one).items():
            function = getattr(value, "fget", None) or getattr(value, "func", None)
            if function is not None and function.__doc__:
                found[name] = inspect.cleandoc(function.__doc__).partition("\n\n")[0].replace("\n", " ")
    return found


def _attributes(docstring: str) -> Iterator[tuple[str, str]]:
    """Names and texts of the section Attributes in NumPy's style; a name without a text of its own has its type's words."""
    section = re.search(r"^Attributes\n-+\n(.*?)(?:\n\n(?=\S)|\Z)", docstring, re.MULTILINE | re.DOTALL)
    for entry in re.split(r"\n(?=\S)", section.group(1)) if section else []:
        head, *text = entry.split("\n")
        names, _, kind = head.partition(" : ")
        told = " ".join(line.strip() for line in text).strip() or kind
        yield from ((name.strip(), told) for name in names.split(","))
