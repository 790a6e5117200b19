"""Networks that no family describes, because their parts differ: blocks of like groups of switches, and what joins them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from topoloom.core.allowance import Allowance
from topoloom.core.errors import at, check_type, hint
from topoloom.core.toml_files import table_of
from topoloom.core.toml_lines import line_of
from topoloom.model.link_rates import RATE_OF_ENDPOINTS, RATE_OF_LINKS
from topoloom.model.topology import Topology
from topoloom.topologies.block_tables import Block, Blocks, Join

__all__ = ["Block", "Blocks", "Join", "topology_of"]

#: Bytes while a topology is built: of a switch without the text of its label, of a link, of a host port.
_SWITCH_BYTES, _LINK_BYTES, _ENDPOINT_BYTES = 100.0, 100.0, 80.0


class _Fault(Exception):  # noqa: N818 (`topology_of` makes an InputError of it)
    """What is wrong, and the keys of its place."""

    def __init__(self, keys: tuple[str, ...], reason: str) -> None:
        super().__init__(reason)
        self.keys = keys


@dataclass(frozen=True)
class _Part:
    """A block in its network.

    Attributes
    ----------
    block : Block
    keys : tuple of str
        Its place in the file.
    first : int
        Its first switch.
    group : int
        The label of its first group.
    """

    block: Block
    keys: tuple[str, ...]
    first: int
    group: int

    def switch(self, group: np.ndarray, member: np.ndarray) -> np.ndarray:
        """The number in the network of a switch of a group, both counted from 0 within the block."""
        return np.asarray(self.first + group * self.block.switches + member)


def topology_of(
    blocks: Blocks | Mapping[str, Any], *, source: str = "", text: str = "", keys: tuple[str, ...] = ()
) -> Topology:
    """The network that blocks and joins describe.

    Switches are numbered block by block, and group by group. The links of a join are spread over the switches of both groups
    so that the numbers of links of two switches of a group differ by at most one, over all joins with `links` together; two
    switches have parallel links only where there are more links than pairs of switches.

    Parameters
    ----------
    blocks : Blocks or dict
        A dict has the keys of the file.
    source : str
        Its file, for messages.
    text : str
        The text of the file, for the lines in messages.
    keys : tuple of str
        The keys of the table in the file that holds the blocks; empty for the file itself.

    Returns
    -------
    Topology
        With the labels ``block`` (the name), ``group`` (unique over all blocks; groups joined by ``within`` are one group),
        ``member`` (the switch within its group), and ``level`` where blocks without hosts stand above blocks with hosts. It has
        rates if the description states any.

    Raises
    ------
    InputError
        The description contradicts itself, or is of a network that is too large.

    Examples
    --------
    >>> leaves = Block(name="leaf", switches=4, hosts=8)
    >>> spines = Block(name="spine", switches=2)
    >>> topology_of(Blocks(title="hall", block=(leaves, spines), join=(Join(between=("leaf", "spine"), links_per_pair=2),)))
    Topology(hall: 6 switches, 16 links, 32 hosts)
    """
    check_type(blocks, (Blocks, Mapping), "topology_of")
    whole = blocks if isinstance(blocks, Blocks) else table_of(dict(blocks), Blocks, source or "blocks")
    name = source or whole.title or "blocks"

    def line(*within: str) -> int | None:
        return line_of(text, (*keys, *within))

    try:
        parts = _parts(whole)
        _check_joins(whole, parts)
        _take(whole, parts, Allowance(name, len(text)), line)
        return _built(whole, parts, whole.title or name)
    except _Fault as fault:
        raise at(name, line(*fault.keys), str(fault)) from None


def _built(blocks: Blocks, parts: dict[str, _Part], name: str) -> Topology:
    rated = _rated(blocks, parts)
    pieces = [*_inside(blocks, parts), *_between(blocks, parts)]
    links = np.concatenate([piece for piece, _ in pieces])
    hosts = np.concatenate([np.tile(part.block.hosts_of_switch, part.block.groups) for part in parts.values()])
    rates: dict[str, Any] = {}
    if rated:
        host_rates = [part.block.host_gbps or blocks.rate_gbps or 0.0 for part in parts.values()]
        counts = [int(part.block.hosts_of_switch.sum()) * part.block.groups for part in parts.values()]
        rates = {
            RATE_OF_LINKS: np.concatenate([np.full(len(piece), rate or 0.0) for piece, rate in pieces]),
            RATE_OF_ENDPOINTS: np.repeat(host_rates, counts),
        }
    topology = Topology(
        links=links,
        switches=hosts.size,
        endpoints=np.repeat(np.arange(hosts.size), hosts),
        host=_hosts(parts, hosts),
        labels=_labels(blocks, parts),
        name=name,
        **rates,
    )
    _check_ports(blocks, parts, topology)
    return topology


def _parts(blocks: Blocks) -> dict[str, _Part]:
    """Every block by its name, with the numbers of its first switch and its first group."""
    parts: dict[str, _Part] = {}
    switches = 0
    # Blocks that a join `within` joins have their groups in common: the block that owns the numbers of each.
    owner = {block.name: block.name for block in blocks.block}
    for join in blocks.join:
        if join.within is not None and owner.keys() >= set(join.between):
            lower, higher = (owner[name] for name in join.between)
            owner = {name: lower if of == higher else of for name, of in owner.items()}
    first: dict[str, int] = {}
    groups = 0
    for number, block in enumerate(blocks.block):
        keys = ("block", str(number))
        if block.name in parts:
            raise _Fault((*keys, "name"), f"two blocks are called '{block.name}'; give each a name of its own")
        if owner[block.name] not in first:
            first[owner[block.name]] = groups
            groups += block.groups
        parts[block.name] = _Part(block, keys, switches, first[owner[block.name]])
        switches += block.groups * block.switches
    return parts


def _check_joins(blocks: Blocks, parts: dict[str, _Part]) -> None:
    """Refuse joins of unknown blocks, of the same blocks again, of no groups, and blocks that nothing joins."""
    seen: dict[tuple[str, ...], int] = {}
    for number, join in enumerate(blocks.join):
        keys = ("join", str(number), "between")
        for name in join.between:
            if name not in parts:
                raise _Fault(keys, f"there is no block '{name}' ({hint(name, parts)})")
        a, b = (parts[name].block for name in join.between)
        pair = tuple(sorted(join.between))
        if pair in seen:
            raise _Fault(
                keys, f"join {seen[pair] + 1} has the blocks '{a.name}' and '{b.name}' already; make one join of both"
            )
        seen[pair] = number
        if a is b and a.groups == 1:
            raise _Fault(
                keys, f"block '{a.name}' has one group, so there is no pair of groups; `inside` joins its switches"
            )
        if join.within is not None and a.groups != b.groups:
            raise _Fault(
                ("join", str(number), "within"),
                f"block '{a.name}' has {a.groups} groups and '{b.name}' has {b.groups}; give both the same number, or omit"
                " within",
            )
    joined = {name for join in blocks.join for name in join.between}
    alone = len(parts) > 1
    for name, part in parts.items():
        block = part.block
        if name not in joined and (alone or block.groups > 1 or (block.switches > 1 and not block.links_inside)):
            raise _Fault(part.keys, f"nothing joins block '{name}'; give a [[join]], or links inside a single group")


def _take(blocks: Blocks, parts: dict[str, _Part], allowance: Allowance, line: Callable[..., int | None]) -> None:
    """Count the memory before it is taken; a file of a few lines may describe any number of links."""
    for part in parts.values():
        block, place = part.block, line(*part.keys)
        switches, ports = block.groups * block.switches, block.groups * int(block.hosts_of_switch.sum())
        inside = block.groups * block.links_inside
        for count, each, what in (
            (switches, _SWITCH_BYTES + 8 * len(block.name), "switches of"),
            (ports, _ENDPOINT_BYTES, "host ports of"),
            (inside, _LINK_BYTES, "links inside"),
        ):
            allowance.take(count * each, f"{count:,} {what} block '{block.name}'", place)
    for number, join in enumerate(blocks.join):
        a, b = (parts[name].block for name in join.between)
        pairs = a.groups if join.within else a.groups * (a.groups - 1) // 2 if a is b else a.groups * b.groups
        links = pairs * (join.links or (join.links_per_pair or 0) * a.switches * b.switches)
        what = f"{links:,} links between the blocks '{a.name}' and '{b.name}'"
        allowance.take(links * _LINK_BYTES, what, line("join", str(number)))


def _rated(blocks: Blocks, parts: dict[str, _Part]) -> bool:
    """Whether the description states rates.

    Raises
    ------
    _Fault
        It states only some.
    """
    if blocks.rate_gbps is not None:
        return True
    stated: list[tuple[tuple[str, ...], str, bool]] = []
    for part in parts.values():
        block, keys = part.block, part.keys
        if block.hosts_of_switch.any():
            stated.append((keys, f"host_gbps of block '{block.name}'", block.host_gbps is not None))
        if block.links_inside:
            stated.append((keys, f"inside_gbps of block '{block.name}'", block.inside_gbps is not None))
    for number, join in enumerate(blocks.join):
        stated.append((("join", str(number)), f"rate_gbps of join {number + 1}", join.rate_gbps is not None))
    missing = next(((keys, what) for keys, what, given in stated if not given), None)
    given = any(given for *_, given in stated)
    if given and missing is not None:
        raise _Fault(missing[0], f"there are rates, but no {missing[1]}; give it, or rate_gbps for all at the top")
    return given


def _inside(blocks: Blocks, parts: dict[str, _Part]) -> Iterator[tuple[np.ndarray, float | None]]:
    """The links inside the groups of each block, int64[links, 2], and their rate."""
    for part in parts.values():
        pairs = part.block.pairs
        group = np.arange(part.block.groups)[:, None, None]
        yield part.switch(group, pairs).reshape(-1, 2), part.block.inside_gbps or blocks.rate_gbps


def _between(blocks: Blocks, parts: dict[str, _Part]) -> Iterator[tuple[np.ndarray, float | None]]:
    """The links of each join, int64[links, 2], and their rate."""
    # The ends of the links of a group are dealt to its switches in turn, over all joins: how many each group has dealt.
    dealt = dict.fromkeys(parts, 0)
    for join in blocks.join:
        part_a, part_b = (parts[name] for name in join.between)
        a, b = part_a.block, part_b.block
        # Each group deals to the other groups in their order.
        if join.within is not None:
            first = second = np.arange(a.groups)
            place_a = place_b = np.zeros_like(first)
            shares = 1, 1
        elif a is b:
            first, second = np.triu_indices(a.groups, 1)
            place_a, place_b, shares = second - 1, first, (a.groups - 1, 0)
        else:
            first, second = (axis.ravel() for axis in np.indices((a.groups, b.groups)))
            place_a, place_b, shares = second, first, (b.groups, a.groups)
        if join.links is None:
            u, v = (axis.ravel()[None] for axis in np.indices((a.switches, b.switches)))
            left, right = (np.repeat(ends, join.links_per_pair or 0, axis=1) for ends in (u, v))
        else:
            starts = (dealt[a.name] + place_a * join.links, dealt[b.name] + place_b * join.links)
            left, right = _spread(a.switches, b.switches, join.links, *starts)
            for name, share in zip(join.between, shares, strict=True):
                dealt[name] += share * join.links
        ends = part_a.switch(first[:, None], left), part_b.switch(second[:, None], right)
        yield np.stack(ends, axis=-1).reshape(-1, 2), join.rate_gbps or blocks.rate_gbps


def _spread(a: int, b: int, links: int, start_a: np.ndarray, start_b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The switches of both ends of the links of pairs of groups of `a` and `b` switches, int64[pairs, links] each.

    Both groups use their switches in turn from `start_a` and `start_b` on, int64[pairs]. A switch of the first group has its
    links to neighbouring switches of the second, so they are parallel only if it has more than `b`.
    """
    whole, more = divmod(links, a)
    turns = np.repeat(np.arange(a), whole + (np.arange(a) < more))
    return (start_a[:, None] + turns) % a, (start_b[:, None] + np.arange(links)) % b


def _hosts(parts: dict[str, _Part], hosts: np.ndarray) -> np.ndarray:
    """The host of each endpoint, int64[endpoints]: a host has a port on each of `host_ports` neighbouring switches."""
    owners, first_host, place = [], 0, 0
    for part in parts.values():
        block = part.block
        own = hosts[place : place + block.groups * block.switches]
        place += own.size
        per_run = own[:: block.host_ports]
        first = first_host + np.repeat(np.cumsum(per_run) - per_run, block.host_ports)
        number = np.arange(own.sum()) - np.repeat(np.cumsum(own) - own, own)
        owners.append(np.repeat(first, own) + number)
        first_host += int(per_run.sum())
    return np.concatenate(owners)


def _labels(blocks: Blocks, parts: dict[str, _Part]) -> dict[str, np.ndarray]:
    sizes = [part.block.groups * part.block.switches for part in parts.values()]
    group = [part.group + np.repeat(np.arange(part.block.groups), part.block.switches) for part in parts.values()]
    # Groups of several blocks that are one group number their switches on.
    members: dict[int, int] = {}
    member = []
    for part in parts.values():
        begin = members.get(part.group, 0)
        member.append(begin + np.tile(np.arange(part.block.switches), part.block.groups))
        members[part.group] = begin + part.block.switches
    labels = {
        "block": np.repeat(np.array([*parts]), sizes),
        "group": np.concatenate(group),
        "member": np.concatenate(member),
    }
    level = _levels(blocks, parts)
    return labels if level is None else {**labels, "level": np.repeat([level[name] for name in parts], sizes)}


def _levels(blocks: Blocks, parts: dict[str, _Part]) -> dict[str, int] | None:
    """The level of each block: 0 with hosts, and one more than below; None where two different blocks of a level are joined."""
    level = {name: 0 for name, part in parts.items() if part.block.hosts_of_switch.any()}
    if not 0 < len(level) < len(parts):
        return None
    while len(level) < len(parts):
        above = {
            name: level[low] + 1
            for join in blocks.join
            for low, name in (join.between, join.between[::-1])
            if low in level and name not in level
        }
        if not above:
            return None
        level |= above
    apart = (abs(level[a] - level[b]) for a, b in (join.between for join in blocks.join) if a != b)
    return level if all(steps == 1 for steps in apart) else None


def _check_ports(blocks: Blocks, parts: dict[str, _Part], topology: Topology) -> None:
    """Refuse a switch that needs more ports than it has."""
    ports = topology.degrees + topology.endpoints_at
    for part in parts.values():
        block = part.block
        radix = block.radix if block.radix is not None else blocks.radix
        own = ports[part.first : part.first + block.groups * block.switches]
        if radix is None or own.max() <= radix:
            continue
        group, member = divmod(int(own.argmax()), block.switches)
        hosts = int(block.hosts_of_switch[member])
        raise _Fault(
            part.keys,
            f"switch {member + 1} of group {group + 1} of block '{block.name}' needs {own.max()} ports ({hosts} to hosts), but"
            f" radix is {radix}; give it fewer hosts or links",
        )
