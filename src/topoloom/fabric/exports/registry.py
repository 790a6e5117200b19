"""The register of exports: files for one tool or simulator each, from a fabric and, where it takes them, its tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, check_path, check_type
from topoloom.core.folders import write_folder
from topoloom.core.register import Register
from topoloom.fabric.cable_lengths import CableLengths, lengths_in
from topoloom.fabric.exports.settings import ExportSettings
from topoloom.fabric.fabric import Fabric
from topoloom.model.link_rates import refuse_mixed
from topoloom.model.sources import NetworkSource, network_of
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.fitting import ANY
from topoloom.routing.routing import PAIR, Routing
from topoloom.topologies.spec import Parameter, read_settings

#: How long a cable is taken for where nobody says: a few racks further.
UNKNOWN_M = 5.0
#: The files of an export by their names in its folder.
Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class ExportRequest:
    """What is to be written.

    Attributes
    ----------
    fabric : Fabric
    routing : Routing, optional
        The tables; None where there are none.
    settings : ExportSettings, optional
        Rates and delays, for the exports that write them; with the rate that all links of the network have when it is None.
    lengths : CableLengths, optional
        How long the cables are; None where nobody knows.
    layout : Layout, optional
        Where switches and hosts stand, for the exports that name racks; None where nobody knows.
    """

    fabric: Fabric
    routing: Routing | None = None
    settings: ExportSettings = field(default=None)  # type: ignore[assignment]  # None: those of the network
    lengths: CableLengths | None = None
    layout: Layout | None = None

    def __post_init__(self) -> None:
        rate = self.topology.uniform_rate_gbps
        usual = ExportSettings() if rate is None else ExportSettings(rate_gbps=rate)
        object.__setattr__(self, "settings", usual if self.settings is None else self.settings)

    @property
    def topology(self) -> Topology:
        """The fabric's."""
        return self.fabric.topology

    @property
    def link_gbps(self) -> np.ndarray:
        """The rate of each link, float64[links]: of a mixed network its own, else that of the settings."""
        topology = self.topology
        if topology.mixed and topology.link_rate_gbps is not None:
            return topology.link_rate_gbps
        return np.full(len(topology.links), float(self.settings.rate_gbps))

    @property
    def host_gbps(self) -> np.ndarray:
        """The same of each endpoint, float64[endpoints]."""
        topology = self.topology
        if topology.mixed and topology.endpoint_rate_gbps is not None:
            return topology.endpoint_rate_gbps
        return np.full(topology.endpoints.size, self.settings.host_gbps)

    @property
    def measured(self) -> bool:
        """Whether lengths are known, from a layout or by the setting ``cable_m``."""
        return self.lengths is not None or self.settings.cable_m is not None

    @cached_property
    def link_m(self) -> np.ndarray:
        """How long the cable of each link is, float64[links]: by the setting, as the layout has it, or `UNKNOWN_M`."""
        return self._metres(len(self.topology.links), None if self.lengths is None else self.lengths.link_m)

    @cached_property
    def host_m(self) -> np.ndarray:
        """The same of each endpoint's cable, float64[endpoints]."""
        return self._metres(self.topology.endpoints.size, None if self.lengths is None else self.lengths.host_m)

    def _metres(self, count: int, known: np.ndarray | None) -> np.ndarray:
        if self.settings.cable_m is not None:
            return np.full(count, float(self.settings.cable_m))
        return np.full(count, UNKNOWN_M) if known is None else known

    @property
    def link_ns(self) -> np.ndarray:
        """What a signal takes through each link's cable, float64[links]."""
        return self.link_m * self.settings.cable_ns_per_m

    @property
    def host_ns(self) -> np.ndarray:
        """The same of each endpoint's cable, float64[endpoints]."""
        return self.host_m * self.settings.cable_ns_per_m

    def cycles(self, delay_ns: np.ndarray | float) -> np.ndarray:
        """Delays in whole cycles, int64: rounded up, at least 1."""
        return np.maximum(1, np.ceil(np.asarray(delay_ns) / self.settings.cycle_ns - 1e-9)).astype(np.int64)

    @property
    def tables(self) -> Routing:
        """The tables, for an export that needs them.

        Raises
        ------
        InputError
            There are none.
        """
        if self.routing is None:
            raise InputError(
                f"{self.fabric.topology.name}: this export needs forwarding tables; topoloom route makes them"
            )
        return self.routing


@dataclass(frozen=True)
class Export:
    """A kind of export.

    Attributes
    ----------
    name, help : str
    tables : bool
        Whether it needs tables.
    make : callable
        Makes its files, name and content, from an `ExportRequest` and its options; the network itself comes first.
    sometimes : tuple of str
        Files that only some exports have; one that an earlier export left is taken away.
    timed : bool
        Whether it writes rates and delays, so that it takes `ExportSettings`.
    options : dict of Parameter
        What it takes behind its name, as `topoloom.topologies.spec` reads it: ``frr:routing=bgp``.
    asked : bool
        Whether it is written only where it is asked for; the folder of a design goes without.
    rates : bool
        Whether it writes the rate of each link, and not one for all, so that it takes mixed networks.
    """

    name: str
    help: str
    tables: bool
    make: Callable[..., Files]
    sometimes: tuple[str, ...] = ()
    timed: bool = False
    options: dict[str, Parameter] = field(default_factory=dict)
    asked: bool = False
    rates: bool = False

    @property
    def words(self) -> str:
        """What it writes, and its options with their defaults, for the help."""
        shown = [
            f"{key}=" + ("" if option.default is None else option.write(option.default))
            for key, option in self.options.items()
        ]
        return "; ".join([self.help, *([", ".join(shown)] if shown else [])])


#: Every export by its name.
EXPORTS: Register[Export] = Register("export", package="topoloom.fabric.exports", group="topoloom.exports")


def export(
    name: str,
    text: str,
    *,
    tables: bool,
    sometimes: tuple[str, ...] = (),
    timed: bool = False,
    asked: bool = False,
    rates: bool = False,
    **options: Parameter,
) -> Callable[[Callable[..., Files]], Callable[..., Files]]:
    """Register a function of an `ExportRequest`, and of its options, as an export.

    Parameters
    ----------
    name : str
        What `topoloom export` calls it.
    text : str
        What it writes and for which tool, in a line of help.
    tables : bool
        Whether it writes a routing's tables, and not the fabric alone.
    sometimes : tuple of str
        Names of files that it writes for some networks only; those of an earlier export are taken away.
    timed : bool
        Whether it writes rates and delays, so that it takes `ExportSettings`.
    asked : bool
        Whether it is written only where it is asked for, and not into the folder of a design.
    rates : bool
        Whether it writes the rate of each link; one that is timed without refuses networks of several rates.
    **options : Parameter
        What it takes behind its name.

    Returns
    -------
    callable
        The decorator; it returns the function as it is.
    """

    def register(make: Callable[..., Files]) -> Callable[..., Files]:
        usual = {key: option.default for key, option in options.items()}
        EXPORTS.add(name, Export(name, text, tables, partial(make, **usual), sometimes, timed, options, asked, rates))
        return make

    return register


def export_named(text: str) -> tuple[Export, dict[str, Any]]:
    """The export that ``NAME`` or ``NAME:key=value,...`` asks for, and its options.

    Raises
    ------
    InputError
        No such export, or options that it does not take.

    Examples
    --------
    >>> export_named("frr:routing=bgp")[1]["routing"]
    'bgp'
    """
    name, _, rest = text.partition(":")
    record = EXPORTS.find(name)
    return record, read_settings(name, record.options, rest)[0]


def write_export(
    name: str,
    network: NetworkSource,
    folder: str | Path,
    routing: Routing | None = None,
    *,
    settings: ExportSettings | None = None,
    layout: Layout | None = None,
) -> list[str]:
    """Write the files of an export to a folder, which is made when it is not there; their names.

    Parameters
    ----------
    name : str
        The export, by its name in `EXPORTS`; options behind it: ``frr:routing=bgp``.
    network : NetworkSource
        With the names, ports and addresses that go into the files; what is omitted below is as it remembers it.
    folder : path
        Made when it is not there. Files of an earlier export that this one does not write are taken away.
    routing : Routing, optional
        The forwarding tables, for the exports that write them; the installed ones, else those of the fitting engine, when
        omitted, or of ``orders`` where these have no virtual channel for each pair.
    settings : ExportSettings, optional
        Rates and delays, for the exports that write them; the network's own rate when omitted. Links that differ in rate
        have their own in any case.
    layout : Layout, optional
        Gives every cable its length, and so its delay; and the racks' names.

    Returns
    -------
    list of str
        The names of the files in `folder`.

    Raises
    ------
    InputError
        No such export or option; what the tool's files cannot say; tables that are needed and not given; a layout of another
        network; a folder that cannot be written to. Nothing is written then.
    """
    check_type(name, str, "write_export", "name an export, as in 'opensm'")
    check_path(folder, "write_export", "name a folder")
    record, network = export_named(name)[0], network_of(network, "write_export")
    fabric = network.fabric
    layout = network.layout if layout is None else layout
    if routing is None:
        # What other tools read has a virtual channel for each pair.
        routing = network.with_tables().part(Routing) if record.tables else network.tables
        routing = (
            routing if routing is None or routing.virtual_channel_rule == PAIR else network.routed(ANY).part(Routing)
        )
    if settings is None:
        settings = ExportSettings() if network.rate_gbps is None else ExportSettings(rate_gbps=network.rate_gbps)
    lengths = network.lengths if layout is None else lengths_in(layout, fabric.topology)
    return write_order(name, ExportRequest(fabric, routing, settings, lengths, layout), folder)


def write_order(name: str, order: ExportRequest, folder: str | Path) -> list[str]:
    """What `write_export` does, of an `ExportRequest`; its faults are the same.

    Parameters
    ----------
    name : str
        The export, by its name in `EXPORTS`, with its options.
    order : ExportRequest
        What is to be written.
    folder : path
        Made when it is not there.

    Returns
    -------
    list of str
        The names of the files in `folder`.
    """
    record, options = export_named(name)
    files = made_of(record, order, options)
    write_folder(folder, files, stale=record.sometimes)
    return list(files)


def made_of(
    record: Export, order: ExportRequest, options: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, str | bytes]:
    """The files of an export, by their names.

    Parameters
    ----------
    record : Export
    order : ExportRequest
        What is to be written.
    options : mapping of str to value
        What it takes behind its name; the defaults where omitted.

    Returns
    -------
    dict of str to (str or bytes)

    Raises
    ------
    InputError
        It needs tables and there are none; what the tool's files cannot say, unlike rates of links among it.
    """
    if record.timed and not record.rates:
        refuse_mixed(order.topology, f"export {record.name}")
    if record.tables and order.routing is None:
        raise InputError(f"export {record.name} writes tables; use topoloom export")
    return dict(record.make(order, **options))


def plain_names(names: Sequence[str], what: str) -> list[str]:
    """Names without blanks, which most formats cannot hold: each run of them becomes one ``_``.

    Raises
    ------
    InputError
        Two of them are then the same.
    """
    found = ["_".join(name.split()) for name in names]
    seen: dict[str, str] = {}
    for name, word in zip(names, found, strict=True):
        if word in seen:
            raise InputError(f"two {what} are called {word!a}; their files need different names")
        seen[word] = name
    return found
