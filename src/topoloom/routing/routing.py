"""Routing: the output port of each switch for every destination, and the virtual channel of every path."""

import errno
import os
import shutil
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from topoloom.core.errors import InputError, check_type
from topoloom.core.files import reason
from topoloom.core.staging import Staging
from topoloom.core.work import Work
from topoloom.figures.style import Axes, drawn
from topoloom.model.network_folders import TABLES
from topoloom.model.results import Filed, Provenance
from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of
from topoloom.routing.choices import CHOICES, Adaptive, Choice, Escape, Layers, NextHopGroups
from topoloom.routing.compared import TablesCompared
from topoloom.routing.verification.verification import Verification

if TYPE_CHECKING:
    from topoloom.routing.verification.own_choices import DeclaredTurns

#: What decides the virtual channel of a packet: its pair of switches, its number of hops so far, or the switch where it is.
PAIR, HOP, SWITCH = "pair", "hop", "switch"
#: What the engine's name begins with, if the tables are read from another program's file.
INSTALLED = "tables of "
#: The file in the tables' folder that is written last and describes the others.
MANIFEST = "tables.json"


@dataclass(frozen=True, eq=False, repr=False)
class Routing(Filed):
    """Next hops and virtual channels between the switches of a topology; hosts use the entries of their switches.

    Parameters
    ----------
    topology : Topology
    engine : str
        The name of the engine that made the tables.
    ports : uint8 or uint16[n, n]
        ports[d, s]: the link of switch s, counted from 0 in the order of `Topology.csr`, for packets to switch d; the highest
        value of the type if there is none (s = d).
    virtual_channels : uint8[n, n], optional
        virtual_channels[d, s]: the virtual channel of packets from s to d; when omitted, all use virtual channel 0.
    virtual_channel_rule : "pair", "hop" or "switch"
        "pair": a packet keeps the virtual channel that its source gives it. "switch": every switch s forwards packets to d in
        virtual_channels[d, s]. "hop": a packet's virtual channel is the number of hops that it has made, and `virtual_channels`
        is omitted (Gopal, 1985).
    minimal : bool
        Whether the engine promises shortest paths.
    choice : AnyShortest, Escape, Detour, Layers, NextHopGroups or Adaptive, optional
        The choices of a packet in addition to the path of the tables (`topoloom.routing.choices`).
    verification : Verification, optional
        The result of `topoloom.verify_routing`; `route` always adds it.
    provenance : Provenance
        Filled by `route`.
    compared : TablesCompared, optional
        The comparison with the installed tables of a discovered fabric, or with those that OpenSM would make.

    Raises
    ------
    InputError
        Arrays of a wrong shape; a choice of another type; next-hop groups with ports that a switch does not have.
    """

    record_name = "routing"
    record_version = 3
    written_by = "topoloom.network.folder.save_routing"
    read_by = "topoloom.routing.table_files.load_tables"
    derived = ("packets_choose",)
    unrecorded = ("ports", "virtual_channels", "minimal", "choice")

    topology: Topology
    engine: str
    ports: np.ndarray
    virtual_channels: np.ndarray | None = None
    virtual_channel_rule: str = PAIR
    minimal: bool = False
    choice: Choice | None = None
    verification: Verification | None = None
    provenance: Provenance = field(default_factory=Provenance, compare=False)
    compared: TablesCompared | None = None

    def __post_init__(self) -> None:
        n, name = self.topology.switches, self.topology.name
        if self.ports.shape != (n, n) or self.ports.dtype not in (np.uint8, np.uint16):
            raise InputError(
                f"{name}: ports of shape {self.ports.shape} and type {self.ports.dtype}; they must be uint8 or uint16,"
                f" {n} destinations x {n} switches"
            )
        if self.virtual_channels is not None and (
            self.virtual_channels.shape != (n, n) or self.virtual_channels.dtype != np.uint8
        ):
            raise InputError(
                f"{name}: virtual channels of shape {self.virtual_channels.shape}; they must be uint8, {n} x {n}"
            )
        if self.virtual_channel_rule not in (PAIR, HOP, SWITCH) or (
            self.virtual_channel_rule == HOP and self.virtual_channels is not None
        ):
            raise InputError(
                f"{name}: virtual_channel_rule is '{PAIR}' or '{SWITCH}', with virtual channels, or '{HOP}', without"
            )
        if (
            isinstance(self.choice, Escape)
            and self.virtual_channel_rule != SWITCH
            and self.virtual_channels is not None
        ):
            raise InputError(
                f"{name}: escape paths use one virtual channel, or virtual channels by switch (virtual_channel_rule "
                f"'{SWITCH}')"
            )
        if self.choice is not None and type(self.choice) not in CHOICES:
            names = ", ".join(kind.__name__ for kind in CHOICES)
            raise InputError(
                f"{name}: choice of type {type(self.choice).__name__}, which nothing would follow; it is one of {names}"
                " (topoloom.routing.choices), and Adaptive takes a function of your own"
            )
        if isinstance(self.choice, NextHopGroups) and (fault := self.choice.fault(self.topology.degrees)):
            raise InputError(f"{name}: {fault}")
        for array in (self.ports, self.virtual_channels):
            if array is not None:
                array.setflags(write=False)

    @property
    def none(self) -> int:
        """The value in `ports` that means no port."""
        return int(np.iinfo(self.ports.dtype).max)

    @property
    def packets_choose(self) -> str | None:
        """The kind of choice that packets have: "AnyShortest", "Escape", "Detour", "Layers", "NextHopGroups" or "Adaptive";
        None: they follow the tables.
        """
        return None if self.choice is None or self.by_host else type(self.choice).__name__

    @cached_property
    def declared(self) -> "DeclaredTurns":
        """The turns of the moves that an adaptive function declares."""
        from topoloom.routing.verification.own_choices import declared_turns

        if not isinstance(self.choice, Adaptive):
            raise InputError(f"{self.topology.name}: the tables of engine {self.engine} have no adaptive function")
        return declared_turns(self, self.choice, Work())

    @property
    def by_host(self) -> bool:
        """Whether each host of a switch has a table of its own (`Layers.by_host`)."""
        return isinstance(self.choice, Layers) and self.choice.by_host

    @property
    def installed(self) -> bool:
        """Whether the tables are read from another program's file, so that no engine of topoloom made them."""
        return self.engine.startswith(INSTALLED)

    @property
    def description(self) -> str:
        """The tables in words, for the methods of figures: the engine, and how many tables there are."""
        text = self.engine if self.installed else f"tables of engine {self.engine}"
        if not self.by_host:
            return text
        if self.host_table_count > 1:
            text += f", one for each of the {self.host_table_count} host ports of a switch"
        return text + (f", {self.paths} paths for each pair" if self.paths > 1 else "")

    @property
    def paths(self) -> int:
        """The number of addresses of a host port, each with its own table (`Layers.paths`); 1 if it has one address."""
        return self.choice.paths if isinstance(self.choice, Layers) and self.choice.by_host else 1

    @property
    def host_table_count(self) -> int:
        """The number of `host_tables`, which are not made for it."""
        more = len(self.choice.ports) if isinstance(self.choice, Layers) and self.choice.by_host else 0
        return (1 + more) // self.paths

    @cached_property
    def host_tables(self) -> tuple["Routing", ...]:
        """The tables that the hosts of a switch use in turn, as separate routings; only this routing if all hosts use the
        same. If hosts have several addresses, the tables of their first ones.
        """
        if not (isinstance(self.choice, Layers) and self.choice.by_host):
            return (self,)
        tables = self._tables
        return tuple(
            self.with_tables(ports=ports, virtual_channels=own, choice=None, verification=None)
            for ports, own in tables[:: self.paths]
        )

    @cached_property
    def host_paths(self) -> tuple["Routing", ...]:
        """As `host_tables`; if hosts have several addresses, packets choose among their tables (`Layers`)."""
        if self.paths == 1:
            return self.host_tables
        tables = self._tables
        groups = (tables[first : first + self.paths] for first in range(0, len(tables), self.paths))
        return tuple(
            table.with_tables(choice=_layers(group)) for table, group in zip(self.host_tables, groups, strict=True)
        )

    def with_tables(self, **changes: Any) -> "Routing":
        """Other tables of the same network, which share its channels: hundreds of tables would have gigabytes of them.

        Parameters
        ----------
        **changes
            Fields, but not `topology`.
        """
        made = replace(self, **changes)
        made.__dict__.update(channels=self.channels, carriers=self.carriers)
        return made

    @property
    def _tables(self) -> list[tuple[np.ndarray, np.ndarray | None]]:
        """The ports and virtual channels of all layers."""
        more = self.choice if isinstance(self.choice, Layers) else Layers(())
        virtual_channels = more.virtual_channels or (self.virtual_channels,) * len(more.ports)
        return list(zip((self.ports, *more.ports), (self.virtual_channels, *virtual_channels), strict=True))

    @cached_property
    def layer_of_ports(self) -> np.ndarray:
        """The index in `host_tables` of the table for each host port, int64[endpoints], by the port's index at its switch."""
        at = self.topology.endpoints_at
        first = np.cumsum(at) - at
        place = np.arange(self.topology.endpoints.size) - first[self.topology.endpoints]
        return np.asarray(place % self.host_table_count, np.int64)

    @cached_property
    def channels(self) -> Channels:
        """The topology's channels, in the order of ports."""
        return channels_of(self.topology)

    @cached_property
    def carriers(self) -> np.ndarray:
        """Switches that send and receive data (`carriers_of`)."""
        return carriers_of(self.topology)

    def path(self, source: int, destination: int) -> list[int]:
        """The switches from `source` to `destination`, both included.

        Raises
        ------
        InputError
            There is no such switch, or the path ends elsewhere or runs in a cycle.
        """
        n = self.topology.switches
        for switch in (source, destination):
            if not 0 <= switch < n:
                raise InputError(f"{self.topology.name}: no switch {switch}; they are 0 to {n - 1}")
        first, to = self.channels.first, self.channels.to
        walked = [source]
        while walked[-1] != destination:
            port = int(self.ports[destination, walked[-1]])
            if port >= self.topology.degrees[walked[-1]] or len(walked) > n:
                what = "runs in a cycle" if len(walked) > n else f"ends at switch {walked[-1]}"
                raise InputError(f"{self.topology.name}: the path from {source} to {destination} {what}")
            walked.append(int(to[first[walked[-1]] + port]))
        return walked

    @drawn()
    def plot(self, axes: "Axes") -> None:
        """Draw the sorted loads of the channels, from the verification."""
        if self.verification is None:
            raise InputError(f"{self.topology.name}: these tables are not verified; call verify_routing(routing) first")
        self.verification.plot(axes)

    def rows(self) -> list[dict[str, Any]]:
        """One row: the network, the engine, and the numbers of the verification, for a comparison of engines."""
        verification = {} if self.verification is None else self.verification.record()
        facts = {
            key: value for key, value in verification.items() if not isinstance(value, (list, dict)) and key != "schema"
        }
        return [{"name": self.topology.name, "engine": self.engine, "packets_choose": self.packets_choose, **facts}]

    def __repr__(self) -> str:
        return f"Routing({self.engine} on {self.topology.name})"


def _layers(tables: list[tuple[np.ndarray, np.ndarray | None]]) -> Layers:
    """The choice among tables, of which the first is the routing's own."""
    virtual_channels = tuple(own for _, own in tables[1:] if own is not None)
    return Layers(tuple(ports for ports, _ in tables[1:]), virtual_channels or None)


def tables_for(topology: Topology, given: Routing) -> Routing:
    """Return the tables `given` if they are of this topology.

    Raises
    ------
    InputError
        They are of another network.
    """
    check_type(given, Routing, "tables", "route(topology) makes one")
    if given.topology != topology:
        raise InputError(f"{topology.name}: the tables are of another network, {given.topology.name}; route it again")
    return given


def carriers_of(topology: Topology) -> np.ndarray:
    """Switches that send and receive data, bool[n]: those with hosts; if there are no hosts at all, those with links.

    Packets to a switch without hosts are management traffic, which uses a separate virtual channel on real fabrics.
    """
    hosts = topology.endpoints_at > 0
    return np.asarray(hosts if hosts.any() else topology.degrees > 0)


def host_weights(topology: Topology) -> np.ndarray:
    """The weight of each switch in load balancing, int64[n]: its number of hosts; 1 for all if there are no hosts at all."""
    return np.where(carriers_of(topology), np.maximum(topology.endpoints_at, 1), 0).astype(np.int64)


def port_type(topology: Topology) -> type:
    """The narrowest type that holds every port and "none"."""
    return np.uint8 if int(topology.degrees.max(initial=0)) < np.iinfo(np.uint8).max else np.uint16


def empty_ports(topology: Topology, folder: str | None = None) -> np.ndarray:
    """A table ports[n, n] without any port: in memory, or in the file ``tables/ports.npy`` of a folder."""
    kind = port_type(topology)
    return new_table(topology, kind, folder, "ports.npy", np.iinfo(kind).max)


def new_table(topology: Topology, kind: type, folder: str | None, name: str, value: int = 0) -> np.ndarray:
    """A table [n, n] with one value everywhere: in memory, or in a memory-mapped file of the folder's ``tables/``.

    Parameters
    ----------
    topology : Topology
        The network, of n switches.
    kind : type
        NumPy type of the entries.
    folder : str or None
        The folder of the file; None: in memory.
    name : str
        The name of the file in ``tables/``.
    value : int
        The value of every entry.

    Returns
    -------
    kind[n, n]
        The table; if it is in a file, changes go to the file.

    Raises
    ------
    InputError
        The file cannot be written; the folder is unchanged.
    """
    shape = topology.switches, topology.switches
    if folder is None:
        return np.full(shape, value, kind) if value else np.zeros(shape, kind)
    try:
        return _mapped_table(Path(folder) / TABLES, name, kind, shape, value)
    except OSError as error:
        raise InputError(f"{folder}: tables cannot be written: {reason(error)}; nothing was changed") from None


def _mapped_table(tables: Path, name: str, kind: type, shape: tuple[int, int], value: int) -> np.ndarray:
    """A table in a file of a staging folder, which is removed with the table; `save_routing` moves the file to its final
    place.
    """
    for place in (tables.parent, tables):
        place.mkdir(exist_ok=True)
    staging = Staging.made_in(tables)
    try:
        row: np.ndarray = np.full(shape[1], value, kind)
        needed, free = shape[0] * row.nbytes, shutil.disk_usage(tables).free
        if needed > free:
            raise OSError(errno.ENOSPC, f"{needed / 1e6:,.1f} MB are needed, and {free / 1e6:,.1f} MB are free")
        path = staging.place / name
        # Space on disk is allocated before the file is mapped: a write into a mapped file without space kills the program.
        # Writing rows in random order into a sparse file also takes a hundred times as long.
        with path.open("wb") as file:
            header = {"descr": np.lib.format.dtype_to_descr(row.dtype), "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
            for _ in range(shape[0]):
                file.write(row.data)
            file.flush()
            os.fsync(file.fileno())
        table = np.lib.format.open_memmap(path, "r+")
    except BaseException:
        staging.remove()
        raise
    staging.keep_for(table.base)
    return table
