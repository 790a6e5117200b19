"""Chakra's execution traces as they are written: the nodes of a rank, with what a replay needs of each."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from topoloom.errors import InputError
from topoloom.text_parts import whole_in
from topoloom.workloads import wire

#: Kinds of nodes.
INVALID, METADATA, MEM_LOAD, MEM_STORE, COMP, COMM_SEND, COMM_RECV, COMM_COLL = range(8)
#: Fields of a node, and of what its inputs are.
_ID, _NAME, _TYPE, _CTRL, _DATA, _START, _DURATION, _INPUTS, _OUTPUTS, _ATTR = range(1, 11)
#: By the field that holds an attribute's value: its type, and how it is written.
_VALUES = {
    3: ("real", wire.EIGHT),
    5: ("real", wire.FOUR),
    7: ("signed", wire.VARINT),
    9: ("signed", wire.VARINT),
    11: ("plain", wire.VARINT),
    13: ("plain", wire.VARINT),
    15: ("zigzag", wire.VARINT),
    17: ("zigzag", wire.VARINT),
    19: ("fixed", wire.FOUR),
    21: ("fixed", wire.EIGHT),
    23: ("sfixed", wire.FOUR),
    25: ("sfixed", wire.EIGHT),
    27: ("bool", wire.VARINT),
    28: ("bools", wire.BYTES),
    29: ("text", wire.BYTES),
}
#: The attributes that a replay looks at.
_ASKED = frozenset(
    {
        *("num_ops", "tensor_size", "is_cpu_op"),
        *("comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag", "pg_name", "involved_dim", "root"),
    }
)
_OLD = "it is of an older schema, from before Chakra 1.0; convert it with the tools of its time"


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
    attributes: dict[str, int | float | str | list[bool]] = field(default_factory=dict)

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute that is a number.

        Raises
        ------
        WireError
            It is not there and has no default, is no number, or is negative.
        """
        found = self.attributes.get(name, default)
        if found is None:
            raise wire.WireError(f"it has no attribute {name}")
        if isinstance(found, str):
            found = whole_in(found, 1 << 64)
        if found is None:
            raise wire.WireError(f"its attribute {name} is no number of 0 or more")
        if isinstance(found, (str, list)) or not found >= 0:
            raise wire.WireError(f"its attribute {name} is no number of 0 or more")
        return found


def nodes_of(path: str | os.PathLike[str]) -> Iterator[TraceNode]:
    """The nodes of a file, in its order.

    Raises
    ------
    InputError
        ``file: byte N: reason``: no Chakra trace, one that is cut short, or one of an older schema.
    """
    source, first = os.fspath(path), True
    for place, data in wire.messages(path):
        try:
            if first:
                _check_head(data)
            else:
                yield _node(data)
        except wire.WireError as error:
            raise InputError(f"{source}: byte {place}: {error}") from None
        first = False
    if first:
        raise InputError(f"{source}: it is empty; a Chakra trace begins with its metadata")


def _check_head(data: bytes) -> None:
    """The first message is no node: it has a version and attributes, each of which are bytes."""
    for number, how, _ in wire.fields(data):
        if number > 2 or how != wire.BYTES:
            raise wire.WireError(f"the first message is no metadata of a Chakra trace; {_OLD}, if it is one at all")


def _node(data: bytes) -> TraceNode:
    found = TraceNode()
    for number, how, value in wire.fields(data):
        if number in (_ID, _TYPE, _DURATION):
            if not isinstance(value, int):
                raise wire.WireError(f"field {number} of a node is no number; {_OLD}")
            if number == _ID:
                found.id = value
            elif number == _TYPE:
                found.type = value
            else:
                found.micros = value
        elif number in (_CTRL, _DATA):
            into = found.needs if number == _DATA else found.follows
            into.extend(wire.packed_numbers(how, value))
        elif number in (_NAME, _INPUTS, _ATTR):
            if isinstance(value, int):
                raise wire.WireError(f"field {number} of a node is a number; {_OLD}")
            if number == _NAME:
                found.name = value.decode("utf-8", "replace")
            elif number == _INPUTS and found.type == METADATA:
                found.inputs = _inputs(value)
            elif number == _ATTR:
                _take_attribute(found, value)
    return found


def _inputs(data: bytes) -> str:
    """The values, as text."""
    for number, how, value in wire.fields(data):
        if number == 1 and how == wire.BYTES and isinstance(value, bytes):
            return value.decode("utf-8", "replace")
    return ""


def _take_attribute(node: TraceNode, data: bytes) -> None:
    """An attribute, by whichever type its writer has chosen."""
    name, found = "", None
    for number, how, value in wire.fields(data):
        if number == 1 and isinstance(value, bytes):
            name = value.decode("utf-8", "replace")
            if name not in _ASKED:
                return
        elif number in _VALUES:
            kind, written = _VALUES[number]
            if how != written:
                raise wire.WireError(f"attribute '{name[:40]}' is written in another way; {_OLD}")
            found = _value(kind, how, value)
    if name and found is not None:
        node.attributes[name] = found


def _value(kind: str, how: int, value: int | bytes) -> int | float | str | list[bool]:
    if isinstance(value, int):
        if kind == "signed":
            return wire.signed(value)
        return wire.zigzag(value) if kind == "zigzag" else value
    if kind == "real":
        return wire.real(how, value)
    if kind == "text":
        return value.decode("utf-8", "replace")
    if kind == "bools":
        return [
            bool(one)
            for number, way, listed in wire.fields(value)
            if number == 1
            for one in wire.packed_numbers(way, listed)
        ]
    return int.from_bytes(value, "little", signed=kind == "sfixed")
