"""Chakra execution traces as stored: the nodes of a rank, with the fields that a replay needs."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.text_parts import whole_in
from topoloom.simulation.workloads import wire

#: Kinds of nodes.
INVALID, METADATA, MEM_LOAD, MEM_STORE, COMP, COMM_SEND, COMM_RECV, COMM_COLL = range(8)
#: The fields of each message that a replay reads: number, name and type, with the type names of Protocol Buffers; `[]` is a
#: list, and a capital letter begins a message. Texts are bytes, so that invalid UTF-8 does not matter, and numbers have 64
#: bits.
_SCHEMA = {
    "Head": "1 version bytes, 2 attr bytes[]",
    "Inputs": "1 values bytes",
    "Bools": "1 values bool[]",
    "Attribute": "1 name bytes, 3 double double, 5 float float, 7 int32 int64, 9 int64 int64, 11 uint32 uint64,"
    " 13 uint64 uint64, 15 sint32 sint64, 17 sint64 sint64, 19 fixed32 fixed32, 21 fixed64 fixed64, 23 sfixed32 sfixed32,"
    " 25 sfixed64 sfixed64, 27 bool bool, 28 bools Bools, 29 string bytes",
    "Node": "1 id uint64, 2 name bytes, 3 type uint64, 4 ctrl_deps uint64[], 5 data_deps uint64[], 6 start_time_micros uint64,"
    " 7 duration_micros uint64, 8 inputs Inputs, 10 attr Attribute[]",
}
#: The attributes that a replay uses.
_ASKED = frozenset(
    {
        *(b"num_ops", b"tensor_size", b"is_cpu_op", b"stream"),
        *(b"comm_type", b"comm_size", b"comm_src", b"comm_dst", b"comm_tag", b"pg_name", b"involved_dim", b"root"),
    }
)
_OLD = "it has an older schema, from before Chakra 1.0; convert it with the tools of that version"


class NodeError(ValueError):
    """Data that are not a message of a trace, or a node that cannot be replayed; the caller adds the place in the file."""


@dataclass
class TraceNode:
    """A node of a trace.

    Attributes
    ----------
    id : int
    name : str
    type : int
        COMP or another of these constants.
    needs, follows : list of int
        Nodes that must be done before it starts: data dependencies and control dependencies.
    start, micros : int
        Its start time and its duration in the trace, in microseconds.
    inputs : str
        The values of its inputs; only for METADATA.
    attributes : dict
        The attributes that a replay uses: numbers, texts, lists of bool.
    """

    id: int = 0
    name: str = ""
    type: int = INVALID
    needs: list[int] = field(default_factory=list)
    follows: list[int] = field(default_factory=list)
    start: int = 0
    micros: int = 0
    inputs: str = ""
    attributes: dict[str, int | float | str | list[bool] | None] = field(default_factory=dict)

    def number(self, name: str, default: float | None = None) -> float:
        """Return an attribute that is a number.

        Raises
        ------
        NodeError
            The attribute is missing without a default, is not a number, or is negative.
        """
        value = self.attributes.get(name, default)
        if value is None:
            raise NodeError(f"it has no attribute {name}")
        if isinstance(value, str):
            value = whole_in(value, 1 << 64)
        if value is None:
            raise NodeError(f"its attribute {name} is not a number of at least 0")
        if isinstance(value, (str, list)) or not value >= 0:
            raise NodeError(f"its attribute {name} is not a number of at least 0")
        return value


def nodes_of(path: str | os.PathLike[str]) -> Iterator[TraceNode]:
    """Yield the nodes of a file, in order.

    Raises
    ------
    InputError
        ``file: byte N: reason``: not a Chakra trace, a truncated one, or one of an older schema; or protobuf is missing.
    """
    source, first = os.fspath(path), True
    for place, data in wire.messages(path):
        try:
            if first:
                _check_head(data)
            else:
                yield _node(data)
        except NodeError as error:
            raise InputError(f"{source}: byte {place}: {error}") from None
        first = False
    if first:
        raise InputError(f"{source}: the file is empty; a Chakra trace begins with its metadata")


@cache
def _classes() -> dict[str, Any]:
    """Return the class of each message of the schema.

    Raises
    ------
    InputError
        protobuf is not installed.
    """
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        raise InputError("reading Chakra traces needs protobuf: pip install 'topoloom[chakra]'") from None
    kinds: Any = descriptor_pb2.FieldDescriptorProto
    file: Any = descriptor_pb2.FileDescriptorProto(name="trace.proto", package="trace", syntax="proto3")
    for name, fields in _SCHEMA.items():
        message = file.message_type.add(name=name)
        if name == "Attribute":  # it has one value: the last one in the file
            message.oneof_decl.add(name="value")
        for number, key, kind in (entry.split() for entry in fields.split(", ")):
            base_kind = kind.removesuffix("[]")
            added = message.field.add(
                name=key, number=int(number), label=kinds.LABEL_REPEATED if base_kind != kind else kinds.LABEL_OPTIONAL
            )
            if base_kind[0].isupper():
                added.type, added.type_name = kinds.TYPE_MESSAGE, f".trace.{base_kind}"
            else:
                added.type = kinds.Type.Value(f"TYPE_{base_kind.upper()}")
            if name == "Attribute" and key != "name":
                added.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"trace.{name}")) for name in _SCHEMA}


def _parsed(kind: str, data: bytes) -> Any:
    from google.protobuf.message import DecodeError

    try:
        return _classes()[kind].FromString(data)
    except DecodeError:
        raise NodeError(f"a message of {len(data):,} bytes is damaged: Protocol Buffers cannot read it") from None


def _foreign(message: Any) -> set[int]:
    """Return the numbers of fields that are not in the schema, or that have another type than in the schema."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    return {unknown.field_number for unknown in UnknownFieldSet(message)}


def _otherwise(message: Any) -> set[int]:
    """Return the numbers of fields that have another type than in the schema."""
    return _foreign(message).intersection(message.DESCRIPTOR.fields_by_number)


def _check_head(data: bytes) -> None:
    """Check that the first message is metadata, not a node: it has a version and attributes, each of which are bytes."""
    if _foreign(_parsed("Head", data)):
        raise NodeError(f"the first message is not metadata of a Chakra trace; if the file is a trace, {_OLD}")


def _node(data: bytes) -> TraceNode:
    read = _parsed("Node", data)
    if wrong := _otherwise(read):
        raise NodeError(f"field {min(wrong)} of a node has another type; {_OLD}")
    return TraceNode(
        id=read.id,
        name=read.name.decode("utf-8", "replace"),
        type=read.type,
        needs=list(read.data_deps),
        follows=list(read.ctrl_deps),
        start=read.start_time_micros,
        micros=read.duration_micros,
        inputs=read.inputs.values.decode("utf-8", "replace") if read.type == METADATA else "",
        attributes={attribute.name.decode(): _value(attribute) for attribute in read.attr if attribute.name in _ASKED},
    )


def _value(attribute: Any) -> int | float | str | list[bool] | None:
    """Return the value of an attribute, whatever its type; None if it has none of the known types."""
    if _otherwise(attribute):
        raise NodeError(f"attribute '{attribute.name.decode()}' has another type; {_OLD}")
    kind = attribute.WhichOneof("value")
    if kind is None:
        return None
    value: Any = getattr(attribute, kind)
    if kind == "bools":
        return list(value.values)
    plain: int | float | str = value.decode("utf-8", "replace") if kind == "string" else value
    return plain
