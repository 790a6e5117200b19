"""What a host is and what a rack holds: the tables `[host]` and `[rack]` of a requirement, or a file of their own."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

from topoloom.core.settings import setting
from topoloom.core.toml_files import TomlTable, read_toml

_MOST_W = 1e7


class HostType(TomlTable, frozen=True):
    """A host: its size, its watts, and the interfaces with which it hangs on the network."""

    group: ClassVar[str] = "[host]"

    name: Annotated[str, setting("what it is called; a server of the parts catalogue, which then gives the rest")] = (
        "host"
    )
    nics: (
        Annotated[int, setting("network interfaces; as many as the network has for it, if omitted", least=1, most=1024)]
        | None
    ) = None
    ports: Annotated[int, setting("ports of each interface: 2 of a NIC split in two", least=1, most=64)] = 1
    nic: Annotated[str, setting("the interface's product, in the parts catalogue")] = ""
    u: Annotated[
        float, setting("its height; a part of a unit, where several stand in one", unit="rack units", least=0, most=100)
    ] = 1.0
    power_w: Annotated[float, setting("the most that it draws", unit="W", least=0, most=_MOST_W)] = 0.0
    weight_kg: Annotated[float, setting("its weight", unit="kg", above=0, most=1e5)] | None = None
    scale_up: Annotated[
        int, setting("accelerators that reach each other without this network: 8 in a server, 72 in a rack", least=1)
    ] = 1
    node: Annotated[str, setting("what its number is put behind: `node` makes `node0001`")] = "node"
    device: Annotated[str, setting("what the number of a port is put behind: `mlx5_` makes `node0001:mlx5_3`")] = (
        "mlx5_"
    )


class RackRule(TomlTable, frozen=True):
    """What a rack holds, and where the leaves of the hosts stand."""

    group: ClassVar[str] = "[rack]"

    u: Annotated[float, setting("its height", unit="rack units", above=0, most=1000)] = 42.0
    power_w: (
        Annotated[
            float, setting("the most that it may draw, hosts and switches; no limit, if omitted", unit="W", above=0)
        ]
        | None
    ) = None
    hosts: (
        Annotated[int, setting("the most hosts in one, beside its height and power", least=1, most=100_000)] | None
    ) = None
    switches: Annotated[int, setting("the most switches in one, beside its height and power", least=1)] | None = None
    switch_u: Annotated[
        float, setting("the height of a switch whose product does not say", unit="rack units", above=0, most=100)
    ] = 1.0
    row: Annotated[
        int, setting("racks of hosts that stand around one place for their leaves, at most", least=1, most=10_000)
    ] = 8
    leaf: Annotated[
        Literal["auto", "tor", "mor", "eor"],
        setting(
            "where leaves stand: on top of the rack of their hosts, in the middle of the row, at its end; `auto` is `tor`"
            " where all hosts of a leaf fit one rack with it, else `mor`"
        ),
    ] = "auto"
    price_usd: Annotated[float, setting("price of one with its power distribution", unit="USD", least=0)] | None = None


class Housing(TomlTable, frozen=True):
    """Hosts and their racks."""

    group: ClassVar[str] = "hosts file"

    host: Annotated[HostType, setting("the hosts")] = HostType()
    rack: Annotated[RackRule, setting("the racks")] = RackRule()


def read_housing(path: str | Path) -> Housing:
    """The tables ``[host]`` and ``[rack]`` of a TOML file.

    Raises
    ------
    InputError
        ``file:line: reason`` for anything that cannot be read or used.
    """
    return read_toml(path, Housing)


def host_names(host: HostType, count: int) -> list[str]:
    """The names of so many hosts: ``node0001``, counted from 1 with as many digits as the last needs, at least four.

    Examples
    --------
    >>> host_names(HostType(), 2)
    ['node0001', 'node0002']
    """
    digits = max(4, len(str(count)))
    return [f"{host.node}{number:0{digits}d}" for number in range(1, count + 1)]
