"""The register of exports: each writes the files of one tool or simulator, from a fabric and, if it takes them, its tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from topoloom.core.errors import InputError, check_made, check_path, check_type
from topoloom.core.folders import write_folder
from topoloom.core.register import Register
from topoloom.fabric.cable_lengths import UNKNOWN_M, CableLengths, lengths_in
from topoloom.fabric.exports.settings import ExportSettings
from topoloom.fabric.fabric import Fabric
from topoloom.model.link_rates import own_rates, refuse_mixed, shown_rate, tell_dropped
from topoloom.model.sources import NetworkSource, network_of
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.choices import Adaptive
from topoloom.routing.fitted_tables import installable_tables
from topoloom.routing.fitting import ANY
from topoloom.routing.routing import PAIR, Routing
from topoloom.topologies.spec import Parameter, read_settings

#: The files of an export by their path in its folder.
Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class ExportRequest:
    """The input of an export.

    Attributes
    ----------
    fabric : Fabric
    routing : Routing, optional
        The tables; None if there are none.
    settings : ExportSettings, optional
        Rates and delays, for the exports that write them; when None, the defaults with the common rate of all links.
    lengths : CableLengths, optional
        The lengths of cables; None if not known.
    layout : Layout, optional
        The places of switches and hosts, for exports that name racks; None if not known.
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
        """The topology of the fabric."""
        return self.fabric.topology

    @property
    def link_gbps(self) -> np.ndarray:
        """The rate of each link in Gb/s, float64[links]: its own in a mixed network, otherwise that of the settings."""
        rates, _ = own_rates(self.topology, float(self.settings.rate_gbps))
        return np.broadcast_to(rates, len(self.topology.links))

    @property
    def host_gbps(self) -> np.ndarray:
        """The rate of each endpoint's link in Gb/s, float64[endpoints]."""
        _, rates = own_rates(self.topology, self.settings.host_gbps)
        return np.broadcast_to(rates, self.topology.endpoints.size)

    @property
    def measured(self) -> bool:
        """Whether lengths are known, from a layout or by the setting ``cable_m``."""
        return self.lengths is not None or self.settings.cable_m is not None

    @cached_property
    def link_m(self) -> np.ndarray:
        """The length of each link's cable in m, float64[links]: from the setting, the layout, or `UNKNOWN_M`."""
        return self._metres(len(self.topology.links), None if self.lengths is None else self.lengths.link_m)

    @cached_property
    def host_m(self) -> np.ndarray:
        """The length of each endpoint's cable in m, float64[endpoints]."""
        return self._metres(self.topology.endpoints.size, None if self.lengths is None else self.lengths.host_m)

    def _metres(self, count: int, length_m: np.ndarray | None) -> np.ndarray:
        if self.settings.cable_m is not None:
            return np.full(count, float(self.settings.cable_m))
        return np.full(count, UNKNOWN_M) if length_m is None else length_m

    @property
    def link_ns(self) -> np.ndarray:
        """The signal delay of each link's cable in ns, float64[links]."""
        return self.link_m * self.settings.cable_ns_per_m

    @property
    def host_ns(self) -> np.ndarray:
        """The signal delay of each endpoint's cable in ns, float64[endpoints]."""
        return self.host_m * self.settings.cable_ns_per_m

    def cycles(self, delay_ns: np.ndarray | float) -> np.ndarray:
        """Delays in whole cycles, int64: rounded up, at least 1."""
        return np.maximum(1, np.ceil(np.asarray(delay_ns) / self.settings.cycle_ns - 1e-9)).astype(np.int64)

    @property
    def tables(self) -> Routing:
        """The tables, for an export that requires them.

        Raises
        ------
        InputError
            There are no tables.
        """
        if self.routing is None:
            raise InputError(
                f"{self.fabric.topology.name}: this export needs forwarding tables; compute them with 'topoloom route'"
            )
        return self.routing


@dataclass(frozen=True)
class Export:
    """A kind of export.

    Attributes
    ----------
    name, help : str
    tables : bool
        Whether it requires tables.
    make : callable
        Makes its files, by name and content, from an `ExportRequest` and its options.
    sometimes : tuple of str
        Files that the export writes only sometimes; those of an earlier export are removed.
    timed : bool
        Whether it writes rates and delays, so that it takes `ExportSettings`.
    options : dict of Parameter
        The options after its name, as `topoloom.topologies.spec` reads them: ``frr:routing=bgp``.
    asked : bool
        Whether it is written only on request; the folder of a design does not include it.
    rates : bool
        Whether it writes a rate per link instead of one for all. Without, a timed export refuses mixed networks, and another
        one reports that it drops their rates.
    one_rate : str
        Why the tool's format has one rate for all links; empty where nothing explains it.
    advice : callable, optional
        What a user of the files must know, from an `ExportRequest`: sentences without a full stop.
    by_host : bool
        Whether its tables have an entry per host address, so that each host of a switch may have its own table.
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
    one_rate: str = ""
    advice: Callable[..., Sequence[str]] | None = None
    by_host: bool = False

    @property
    def words(self) -> str:
        """Its help text, and its options with their defaults."""
        shown = [
            f"{key}=" + ("" if option.default is None else option.write(option.default))
            for key, option in self.options.items()
        ]
        return "; ".join([self.help, *([", ".join(shown)] if shown else [])])


#: What a user of a network of several rates can do where an export needs one rate.
OF_SEVERAL_RATES = (
    "ns3, simai and infragraph have a rate per cable, or make all links alike (topoloom convert IN OUT --drop-rates)"
)

#: All exports by name.
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
    one_rate: str = "",
    advice: Callable[..., Sequence[str]] | None = None,
    by_host: bool = False,
    common: Mapping[str, Parameter] = MappingProxyType({}),
    **options: Parameter,
) -> Callable[[Callable[..., Files]], Callable[..., Files]]:
    """Register a function of an `ExportRequest`, and of options, as an export.

    Parameters
    ----------
    name : str
        The name for `topoloom export`.
    text : str
        One line of help: the files and the tool.
    tables : bool
        Whether it writes a routing's tables, not only the fabric.
    sometimes : tuple of str
        Names of files that it writes for some networks only; those of an earlier export are removed.
    timed : bool
        Whether it writes rates and delays, so that it takes `ExportSettings`.
    asked : bool
        Whether it is written only on request, and not into the folder of a design.
    rates : bool
        Whether it writes a rate per link. In a network of several rates, a timed export without refuses, and another one
        reports that it drops them.
    one_rate : str
        Why the tool's format has one rate for all links, for the refusal.
    advice : callable, optional
        What a user of the files must know, as sentences, from an `ExportRequest`.
    by_host : bool
        Whether its tables have an entry per host address.
    common : mapping of str to Parameter
        Options after its name that several exports share.
    **options : Parameter
        The options after its name.

    Returns
    -------
    callable
        The decorator; it returns the function unchanged.
    """

    def register(make: Callable[..., Files]) -> Callable[..., Files]:
        options.update(common)
        usual = {key: option.default for key, option in options.items()}
        EXPORTS.add(
            name,
            Export(
                name,
                text,
                tables,
                partial(make, **usual),
                sometimes,
                timed,
                options,
                asked,
                rates,
                one_rate,
                advice,
                by_host,
            ),
        )
        return make

    return register


def export_named(text: str) -> tuple[Export, dict[str, Any]]:
    """The export in ``NAME`` or ``NAME:key=value,...``, and its options.

    Raises
    ------
    InputError
        There is no such export, or it does not take these options.

    Examples
    --------
    >>> export_named("frr:routing=bgp")[1]["routing"]
    'bgp'
    """
    name, _, rest = text.partition(":")
    record = EXPORTS.find(name)
    return record, read_settings(name, record.options, rest, lists=True)[0]


def write_export(
    name: str,
    network: NetworkSource,
    folder: str | Path,
    routing: Routing | None = None,
    *,
    settings: ExportSettings | None = None,
    layout: Layout | None = None,
) -> list[str]:
    """Write the files of an export to a folder, created if missing; returns their names.

    Parameters
    ----------
    name : str
        The export, by its name in `EXPORTS`; options may follow: ``frr:routing=bgp``.
    network : NetworkSource
        Its names, ports and addresses go into the files; parameters omitted below are taken from it.
    folder : path
        Created if missing. Files of an earlier export that this one does not write are removed.
    routing : Routing, optional
        The forwarding tables, for the exports that write them; when omitted, the installed ones or those of the fitting engine,
        or of ``orders`` if these have no virtual channel per pair.
    settings : ExportSettings, optional
        Rates and delays, for the exports that write them; the network's rate when omitted. In a mixed network every link keeps
        its own rate.
    layout : Layout, optional
        Gives every cable its length, and so its delay; also the names of racks.

    Returns
    -------
    list of str
        The names of the files in `folder`.

    Raises
    ------
    InputError
        There is no such export or option, the tool's files cannot express the network, required tables are missing, the layout
        is of another network, or the folder cannot be written. Nothing is written then.
    """
    check_type(name, str, "write_export", "name an export, as in 'opensm'")
    check_path(folder, "write_export", "name a folder")
    record, network = export_named(name)[0], network_of(network, "write_export")
    fabric = network.fabric
    layout = network.layout if layout is None else layout
    if routing is None:
        # Other tools read one virtual channel per pair.
        if record.by_host and network.tables is None:
            routing = installable_tables(network.topology, network.layout)
        else:
            routing = network.with_tables().part(Routing) if record.tables else network.tables
        routing = (
            routing if routing is None or routing.virtual_channel_rule == PAIR else network.routed(ANY).part(Routing)
        )
    if settings is None:
        settings = ExportSettings() if network.rate_gbps is None else ExportSettings(rate_gbps=network.rate_gbps)
    lengths = network.lengths if layout is None else lengths_in(layout, fabric.topology)
    return write_order(name, ExportRequest(fabric, routing, settings, lengths, layout), folder)


def write_order(name: str, request: ExportRequest, folder: str | Path) -> list[str]:
    """Write the files of an export from an `ExportRequest`; raises the same errors as `write_export`.

    Parameters
    ----------
    name : str
        The export, by its name in `EXPORTS`, with its options.
    request : ExportRequest
        The input of the export.
    folder : path
        Created if missing.

    Returns
    -------
    list of str
        The names of the files in `folder`.
    """
    record, options = export_named(name)
    files = made_of(record, request, options)
    write_folder(folder, files, stale=record.sometimes)
    return list(files)


def made_of(
    record: Export, request: ExportRequest, options: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, str | bytes]:
    """The files of an export, by name.

    Parameters
    ----------
    record : Export
    request : ExportRequest
        The input of the export.
    options : mapping of str to value
        The options after its name; defaults where omitted.

    Returns
    -------
    dict of str to (str or bytes)

    Raises
    ------
    InputError
        It requires tables and there are none, or the tool's files cannot express the network, as with mixed rates.
    """
    if record.tables and request.routing is not None and isinstance(request.routing.choice, Adaptive):
        raise InputError(
            f"export {record.name}: engine {request.routing.engine} chooses by a function for the simulator, which no file"
            " expresses; use an engine of tables"
        )
    if request.topology.mixed and not record.rates:
        if record.timed and record.one_rate:
            raise InputError(
                f"export {record.name}: {request.topology.name} has links of {shown_rate(request.topology.rates_gbps)};"
                f" {record.one_rate}; {OF_SEVERAL_RATES}"
            )
        if record.timed:
            refuse_mixed(request.topology, f"export {record.name}")
        tell_dropped(f"export {record.name}", "its files hold no rates")
    if record.tables and request.routing is None:
        raise InputError(f"export {record.name} writes tables; use 'topoloom export'")
    files = record.make(request, **options)
    check_made(files, Mapping, f"export {record.name}", "files by name")
    for file, content in files.items():
        check_made(content, (str, bytes), f"export {record.name}, for its file {file}", "text or bytes")
    return dict(files)


def plain_names(names: Sequence[str], what: str) -> list[str]:
    """Names without blanks, which most formats cannot hold: each run of blanks becomes one ``_``.

    Raises
    ------
    InputError
        Two of the resulting names are the same.
    """
    plain = ["_".join(name.split()) for name in names]
    seen: dict[str, str] = {}
    for name, word in zip(names, plain, strict=True):
        if word in seen:
            raise InputError(f"two {what} are called {word!a}; their files need different names")
        seen[word] = name
    return plain
