"""Chakra traces written by Google's library for Protocol Buffers, from a description of the messages written down here."""

import gzip

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_TYPES = {
    "double": 1,
    "float": 2,
    "int64": 3,
    "uint64": 4,
    "int32": 5,
    "bool": 8,
    "string": 9,
    "uint32": 13,
    "sint64": 18,
}
#: Field numbers of et_def.proto of MLCommons Chakra: of an attribute's value by its type.
_VALUES = {
    "double_val": ("double", 3),
    "float_val": ("float", 5),
    "int32_val": ("int32", 7),
    "int64_val": ("int64", 9),
    "uint32_val": ("uint32", 11),
    "uint64_val": ("uint64", 13),
    "sint64_val": ("sint64", 17),
    "bool_val": ("bool", 27),
    "string_val": ("string", 29),
}
COMP, SEND, RECV, COLL, METADATA, MEM_LOAD = 4, 5, 6, 7, 1, 2


def _messages():
    file = descriptor_pb2.FileDescriptorProto(name="et.proto", package="C", syntax="proto3")

    def message(name, fields):
        one = file.message_type.add(name=name)
        for field, kind, number, repeated in fields:
            label = 3 if repeated else 1
            added = one.field.add(name=field, number=number, label=label)
            if kind in _TYPES:
                added.type = _TYPES[kind]
            else:
                added.type, added.type_name = 11, f".C.{kind}"
        return one

    message("BoolList", [("values", "bool", 1, True)])
    attribute = message(
        "AttributeProto",
        [
            ("name", "string", 1, False),
            ("doc_string", "string", 2, False),
            *((name, kind, number, False) for name, (kind, number) in _VALUES.items()),
            ("bool_list", "BoolList", 28, False),
        ],
    )
    attribute.oneof_decl.add(name="value")
    for field in attribute.field[2:]:
        field.oneof_index = 0
    message("GlobalMetadata", [("version", "string", 1, False), ("attr", "AttributeProto", 2, True)])
    message("IOInfo", [("values", "string", 1, False), ("shapes", "string", 2, False), ("types", "string", 3, False)])
    message(
        "Node",
        [
            ("id", "uint64", 1, False),
            ("name", "string", 2, False),
            ("type", "int32", 3, False),
            ("ctrl_deps", "uint64", 4, True),
            ("data_deps", "uint64", 5, True),
            ("start_time_micros", "uint64", 6, False),
            ("duration_micros", "uint64", 7, False),
            ("inputs", "IOInfo", 8, False),
            ("outputs", "IOInfo", 9, False),
            ("attr", "AttributeProto", 10, True),
        ],
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"C.{name}"))
        for name in ("AttributeProto", "GlobalMetadata", "Node")
    }


_CLASSES = _messages()


def attribute(name, value, kind=None):
    """An attribute; the type of a number is int64 unless it is said."""
    one = _CLASSES["AttributeProto"](name=name)
    if isinstance(value, list):
        one.bool_list.values.extend(value)
    else:
        usual = {bool: "bool_val", int: "int64_val", float: "double_val", str: "string_val"}
        setattr(one, kind or usual[type(value)], value)
    return one


def node(number, type, needs=(), micros=0, values="", kinds=(), start=17, **attributes):
    """A node; `kinds` says how attributes' numbers are written."""
    one = _CLASSES["Node"](id=number, name=f"node {number}", type=type, duration_micros=micros, start_time_micros=start)
    one.data_deps.extend(needs[::2])
    one.ctrl_deps.extend(needs[1::2])
    one.inputs.values, one.inputs.shapes = values, "[[]]"
    one.attr.extend(attribute(name, value, dict(kinds).get(name)) for name, value in attributes.items())
    return one


def written(nodes, version="0.0.4"):
    """The bytes of a file."""
    head = _CLASSES["GlobalMetadata"](version=version)
    head.attr.append(attribute("schema", "1.0.2-chakra.0.0.4"))
    data = b""
    for one in (head, *nodes):
        text = one.SerializeToString()
        size = len(text)
        while size > 127:
            data += bytes([size & 127 | 128])
            size >>= 7
        data += bytes([size]) + text
    return data


def write(folder, ranks, name="t", packed=False):
    """The traces of ranks, each a list of nodes; where they are."""
    for rank, nodes in enumerate(ranks):
        data = written(nodes)
        (folder / f"{name}.{rank}.et").write_bytes(gzip.compress(data) if packed else data)
    return folder / name
