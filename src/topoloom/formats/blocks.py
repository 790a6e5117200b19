"""Blocks of groups of switches and what joins them, in TOML: `topoloom.topologies.blocks` makes the links."""

import msgspec

from topoloom.core.toml_files import parse_toml
from topoloom.formats._registry import Format, register
from topoloom.formats._text import stem, text_of
from topoloom.model.topology import Topology
from topoloom.topologies.block_tables import Blocks
from topoloom.topologies.blocks import topology_of


def read(data: bytes, source: str) -> Topology:
    """The network that the blocks and joins of a TOML file describe.

    Raises
    ------
    InputError
        ``file:line: reason`` for anything that cannot be read or used.
    """
    text = text_of(data, source)
    blocks = parse_toml(text, Blocks, source)
    if not blocks.title:
        blocks = msgspec.structs.replace(blocks, title=stem(source))
    return topology_of(blocks, source=source, text=text)


register(
    Format(
        name="blocks",
        suffixes=(".blocks.toml",),
        description="blocks of groups of switches, and what joins them ([[block]], [[join]] in TOML)",
        keeps=frozenset({"isolated", "endpoints", "host", "labels", "name", "rate_gbps"}),
        read=read,
        write=None,
        shared=(".toml",),
    )
)
