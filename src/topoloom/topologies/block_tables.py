"""The description of a network by blocks: the tables `[[block]]` and `[[join]]` of a TOML file."""

from typing import Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable

#: Most groups of a block, switches of a group, host ports of a switch, and parallel links.
_MOST = 65_535
_LONGEST_NAME = 64


def _rate(description: str) -> Any:
    return setting(description, unit="Gb/s", above=0, most=1_000_000)


def _count(description: str, least: int = 1) -> Any:
    return setting(description, least=least, most=_MOST)


class Block(TomlTable, frozen=True, kw_only=True):
    """Groups of switches that are all alike."""

    group: ClassVar[str] = "[[block]]"

    name: Annotated[str, setting("its name, for [[join]] and for the label `block`")]
    groups: Annotated[int, _count("groups")] = 1
    switches: Annotated[int, _count("switches of a group")]
    hosts: (
        Annotated[int, _count("host ports of a switch; or a list, with one number per switch of a group", 0)]
        | tuple[Annotated[int, msgspec.Meta(ge=0, le=_MOST)], ...]
    ) = 0
    host_ports: Annotated[
        int, _count("ports of a host: one on each of that many neighbouring switches of a group; 1: hosts of one port")
    ] = 1
    host_gbps: Annotated[float, _rate("rate of the host ports; `rate_gbps` of the file, if omitted")] | None = None
    inside: Annotated[
        Literal["none", "mesh"], setting("links inside a group; `mesh`: every switch with every other")
    ] = "none"
    inside_links: Annotated[int, _count("parallel links of each pair in a mesh")] = 1
    pair_links: Annotated[
        int, _count("links between switches 1 and 2, 3 and 4, ... of a group, as between the two of an MLAG pair", 0)
    ] = 0
    inside_gbps: (
        Annotated[float, _rate("rate of the links inside a group; `rate_gbps` of the file, if omitted")] | None
    ) = None
    radix: Annotated[int, _count("ports of a switch; `radix` of the file, if omitted")] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name.isprintable() or not 0 < len(self.name.strip()) <= len(self.name) <= _LONGEST_NAME:
            raise InputError(f"name: give the block a printable name of at most {_LONGEST_NAME} characters")
        if isinstance(self.hosts, tuple) and len(self.hosts) != self.switches:
            raise InputError(
                f"hosts: {len(self.hosts)} numbers for {self.switches} switches of a group; give one per switch, or one"
                " number for all"
            )
        if self.switches % self.host_ports:
            raise InputError(
                f"host_ports: hosts with {self.host_ports} ports take {self.host_ports} neighbouring switches each, and"
                f" {self.switches} switches of a group is no multiple of {self.host_ports}"
            )
        runs = self.hosts_of_switch.reshape(-1, self.host_ports)
        if (runs != runs[:, :1]).any():
            raise InputError(
                f"hosts: hosts with {self.host_ports} ports need {self.host_ports} neighbouring switches with the same"
                " number of host ports"
            )
        if self.pair_links and self.switches % 2:
            raise InputError(
                f"pair_links: {self.switches} switches of a group make no pairs; give an even number of switches"
            )
        if self.inside_links > 1 and self.inside == "none":
            raise InputError('inside_links: it has no effect with inside = "none"; set inside = "mesh", or remove it')
        if self.inside == "mesh" and self.switches == 1:
            raise InputError("inside: a mesh needs several switches in a group; remove it, or give more switches")
        if self.inside_gbps is not None and not self.links_inside:
            raise InputError(
                'inside_gbps: a group has no links inside; set inside = "mesh" or pair_links, or remove it'
            )
        if self.host_gbps is not None and not runs.any():
            raise InputError("host_gbps: the block has no host ports; give hosts, or remove it")

    @property
    def hosts_of_switch(self) -> np.ndarray:
        """Host ports of each switch of a group, int64[switches]."""
        return np.broadcast_to(np.asarray(self.hosts, np.int64), (self.switches,))

    @property
    def pairs(self) -> np.ndarray:
        """The links inside a group, by the numbers of its switches from 0, int64[links, 2]."""
        first, second = np.triu_indices(self.switches if self.inside == "mesh" else 0, 1)
        mesh = np.repeat(np.stack([first, second], axis=1), self.inside_links, axis=0)
        twins = np.arange(self.switches - self.switches % 2).reshape(-1, 2)
        return np.concatenate([mesh, np.repeat(twins, self.pair_links, axis=0)])

    @property
    def links_inside(self) -> int:
        """How many links a group has inside."""
        mesh = self.switches * (self.switches - 1) // 2 * self.inside_links if self.inside == "mesh" else 0
        return mesh + self.switches // 2 * self.pair_links


class Join(TomlTable, frozen=True, kw_only=True):
    """Links between the groups of two blocks, or between those of one block."""

    group: ClassVar[str] = "[[join]]"

    between: Annotated[
        tuple[str, str],
        setting("two blocks: every group of one with every group of the other; or the same block twice"),
    ]
    within: (
        Annotated[
            Literal["group"],
            setting("`group`: only group 1 of one block with group 1 of the other, 2 with 2, ...; they are one group"),
        ]
        | None
    ) = None
    links: (
        Annotated[
            int, setting("links of each pair of groups, spread evenly over their switches", least=1, most=1 << 24)
        ]
        | None
    ) = None
    links_per_pair: Annotated[int, _count("instead of `links`: links of each pair of switches")] | None = None
    rate_gbps: Annotated[float, _rate("rate of these links; `rate_gbps` of the file, if omitted")] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.links is None) == (self.links_per_pair is None):
            given = "gives no links" if self.links is None else "gives links twice"
            raise InputError(
                f"between: the join {given}; give links (per pair of groups) or links_per_pair (of switches)"
            )
        if self.within is not None and self.between[0] == self.between[1]:
            raise InputError(f"within: both blocks are '{self.between[0]}'; its `inside` has the links inside a group")


class Blocks(TomlTable, frozen=True, kw_only=True):
    """A network of blocks."""

    group: ClassVar[str] = "blocks file"

    title: Annotated[str, setting("the name of the network; the file's, if omitted")] = ""
    rate_gbps: Annotated[float, _rate("rate of all links and host ports without one of their own")] | None = None
    radix: Annotated[int, _count("ports of every switch; a block may have its own. No limit, if omitted")] | None = None
    block: Annotated[tuple[Block, ...], msgspec.Meta(min_length=1), setting("the blocks")]
    join: Annotated[tuple[Join, ...], setting("what joins their groups")] = ()
