"""Chakra's execution traces as they are written: the nodes of a rank, with what a replay needs of each."""

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
#: The fields of each message that a replay reads: number, name and type, as Protocol Buffers name types; `[]` is a list, and
#: a capital letter begins a message. Texts are bytes, so that one that is no UTF-8 spoils no trace, and numbers have 64 bits.
_SCHEMA = {
    "Head": "1 version bytes, 2 attr bytes[]",
    "Inputs": "1 values bytes",
    "Bools": "1 values bool[]",
    "Attribute": "1 name bytes, 3 double double, 5 float float, 7 int32 int64, 9 int64 int64, 11 uint32 uint64,"
    " 13 uint64 uint64, 15 sint32 sint64, 17 sint64 sint64, 19 fixed32 fixed32, 21 fixed64 fixed64, 23 sfixed32 sfixed32,"
    " 25 sfixed64 sfixed64, 27 bool bool, 28 bools Bools, 29 string bytes",
    "Node": "1 id uint64, 2 name bytes, 3 type uint64, 4 ctrl_deps uint64[], 5 data_deps uint64[], 7 duration_micros uint64,"
    " 8 inputs Inputs, 10 attr Attribute[]",
}
#: The attributes that a replay looks at.
_ASKED = frozenset(
    {
        *(b"num_ops", b"tensor_size", b"is_cpu_op"),
        *(b"comm_type", b"comm_size", b"comm_src", b"comm_dst", b"comm_tag", b"pg_name", b"involved_dim", b"root"),
    }
)
_OLD = "it is of an older schema, from before Chakra 1.0; convert it with the tools of its time"


class NodeError(ValueError):
    """What is no message of a trace, or a node that cannot be replayed; whoever reads the file says where."""


@dataclass
class TraceNode:
    """A node of a trace.

    Attributes
    ----------
    id : int
    name : str
    type : int
        COMP and the others.
    needs, follows : list of int
        Nodes that must be done before it starts: its data dependencies, and its control dependencies.
    micros : int
        How long it took where it was traced.
    inputs : str
        The values of its inputs, of METADATA alone.
    attributes : dict
        Those that a replay looks at: numbers, texts, lists of bool.
    """

    id: int = 0
    name: str = ""
    type: int = INVALID
    needs: list[int] = field(default_factory=list)
    follows: list[int] = field(default_factory=list)
    micros: int = 0
    inputs: str = ""
    attributes: dict[str, int | float | str | list[bool] | None] = field(default_factory=dict)

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute that is a number.

        Raises
        ------
        NodeError
            It is not there and has no default, is no number, or is negative.
        """
        found = self.attributes.get(name, default)
        if found is None:
            raise NodeError(f"it has no attribute {name}")
        if isinstance(found, str):
            found = whole_in(found, 1 << 64)
        if found is None:
            raise NodeError(f"its attribute {name} is no number of 0 or more")
        if isinstance(found, (str, list)) or not found >= 0:
            raise NodeError(f"its attribute {name} is no number of 0 or more")
        return found


def nodes_of(path: str | os.PathLike[str]) -> Iterator[TraceNode]:
    """The nodes of a file, in its order.

    Raises
    ------
    InputError
        ``file: byte N: reason``: no Chakra trace, one that is cut short, or one of an older schema; or protobuf is missing.
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
        raise InputError(f"{source}: it is empty; a Chakra trace begins with its metadata")


@cache
def _classes() -> dict[str, Any]:
    """The class of each message of the schema.

    Raises
    ------
    InputError
        There is no protobuf.
    """
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        raise InputError("reading Chakra traces needs protobuf: pip install 'topoloom[chakra]'") from None
    kinds: Any = descriptor_pb2.FieldDescriptorProto
    file: Any = descriptor_pb2.FileDescriptorProto(name="trace.proto", package="trace", syntax="proto3")
    for name, fields in _SCHEMA.items():
        message = file.message_type.add(name=name)
        if name == "Attribute":  # which has one value: the last that is written
            message.oneof_decl.add(name="value")
        for number, key, kind in (one.split() for one in fields.split(", ")):
            one = kind.removesuffix("[]")
            added = message.field.add(
                name=key, number=int(number), label=kinds.LABEL_REPEATED if one != kind else kinds.LABEL_OPTIONAL
            )
            if one[0].isupper():
                added.type, added.type_name = kinds.TYPE_MESSAGE, f".trace.{one}"
            else:
                added.type = kinds.Type.Value(f"TYPE_{one.upper()}")
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
    """The numbers of fields that the schema does not have, or that are written in another way than it says."""
    from google.protobuf.unknown_fields import UnknownFieldSet

    return {unknown.field_number for unknown in UnknownFieldSet(message)}


def _otherwise(message: Any) -> set[int]:
    """The numbers of fields that are written in another way than the schema says."""
    return _foreign(message).intersection(message.DESCRIPTOR.fields_by_number)


def _check_head(data: bytes) -> None:
    """The first message is no node: it has a version and attributes, each of which are bytes."""
    if _foreign(_parsed("Head", data)):
        raise NodeError(f"the first message is no metadata of a Chakra trace; {_OLD}, if it is one at all")


def _node(data: bytes) -> TraceNode:
    read = _parsed("Node", data)
    if wrong := _otherwise(read):
        raise NodeError(f"field {min(wrong)} of a node is written in another way; {_OLD}")
    return TraceNode(
        id=read.id,
        name=read.name.decode("utf-8", "replace"),
        type=read.type,
        needs=list(read.data_deps),
        follows=list(read.ctrl_deps),
        micros=read.duration_micros,
        inputs=read.inputs.values.decode("utf-8", "replace") if read.type == METADATA else "",
        attributes={one.name.decode(): _value(one) for one in read.attr if one.name in _ASKED},
    )


def _value(attribute: Any) -> int | float | str | list[bool] | None:
    """The value of an attribute, by whichever type its writer has chosen; None where it has none of these types."""
    if _otherwise(attribute):
        raise NodeError(f"attribute '{attribute.name.decode()}' is written in another way; {_OLD}")
    kind = attribute.WhichOneof("value")
    if kind is None:
        return None
    value: Any = getattr(attribute, kind)
    if kind == "bools":
        return list(value.values)
    plain: int | float | str = value.decode("utf-8", "replace") if kind == "string" else value
    return plain
