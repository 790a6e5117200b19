"""The inputs that programs run on: tables, layout and rate of the given network."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import msgspec

from topoloom.core.errors import InputError
from topoloom.model.link_rates import rate_for, shown_rate
from topoloom.model.sources import NetworkSource, network_of, several
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.host_routings import tables_by_host
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.settings import PRESETS, AppSettings, with_changes

if TYPE_CHECKING:
    from topoloom.network import Network

#: The preset of the settings when none is named.
DEFAULT_PRESET = "truong-2016"


@dataclass(frozen=True, eq=False)
class Given:
    """A network with tables, layout and settings, as programs need it.

    Attributes
    ----------
    routings : tuple of Routing
        One table, or one per host of a switch, in turn.
    layout : Layout or None
        The lengths of cables.
    settings : AppSettings
    """

    routings: tuple[Routing, ...]
    layout: Layout | None
    settings: AppSettings


def network_or_tables(
    source: NetworkSource | Sequence[Routing], taker: str
) -> "tuple[Network | tuple[Routing, ...], Topology]":
    """Open the first argument of a function without routing it, so that errors are found before more work is done.

    Parameters
    ----------
    source : NetworkSource or sequence of Routing
    taker : str
        The function, for messages.

    Raises
    ------
    InputError
        The source is not a network, or cannot be opened.
    """
    if isinstance(source, (Routing, list, tuple)):
        routings = several(source, Routing, taker)
        return routings, routings[0].topology
    network = network_of(cast(NetworkSource, source), taker)
    return network, network.topology


def given(
    source: "Network | tuple[Routing, ...]", layout: Layout | None, settings: AppSettings | None, taker: str
) -> Given:
    """Return the installed tables, else those of the fitting engine, with layout and rate as the network remembers them.

    Parameters
    ----------
    source : Network or tuple of Routing
        The result of `network_or_tables`.
    layout : Layout or None
        Used instead of the network's own.
    settings : AppSettings or None
        Used instead of the default ones at the rate that the network remembers.
    taker : str
        The function, for messages.

    Raises
    ------
    InputError
        A network that cannot be routed.
    """
    if isinstance(source, tuple):
        usual = usual_settings(source[0].topology, taker)
        tables = source[0].host_tables if len(source) == 1 else source
        return Given(tables, layout, usual if settings is None else at_own_rates(source[0].topology, settings))
    return Given(
        tables_by_host(source.topology, source.tables, layout=source.layout),
        source.layout if layout is None else layout,
        at_own_rates(source.topology, app_settings([source], None, ()) if settings is None else settings),
    )


def at_own_rates(topology: Topology, settings: AppSettings) -> AppSettings:
    """Return settings for a network: where its rates differ, all are its own, and `rate_gbps` is the highest of them.

    Parameters
    ----------
    topology : Topology
    settings : AppSettings

    Returns
    -------
    AppSettings
    """
    if not topology.mixed or not isinstance(settings, AppSettings):
        return settings
    return msgspec.structs.replace(settings, rate_gbps=float(topology.rates_gbps[-1]), host_rate_gbps=0.0)


def usual_settings(topology: Topology, taker: str) -> AppSettings:
    """Return the default settings, at the rate of the network where it has one; where rates differ, at the highest."""
    if topology.mixed:
        return at_own_rates(topology, AppSettings())
    rate_gbps = rate_for(topology, None, taker)
    return AppSettings() if rate_gbps is None else AppSettings(rate_gbps=rate_gbps)


def app_settings(networks: "Iterable[Network]", preset: str | None, changes: Iterable[str]) -> AppSettings:
    """Return the settings for networks: a preset with changes; without either, at the rate that the networks remember.

    Parameters
    ----------
    networks : iterable of Network
    preset : str or None
        None: `DEFAULT_PRESET`, at the networks' own rate.
    changes : texts KEY=VALUE

    Raises
    ------
    InputError
        An unknown preset or setting, a rate for a network whose rates differ, or networks that remember different rates.
    """
    changes, networks = list(changes), list(networks)
    rated = [name for text in changes if (name := text.partition("=")[0].strip()) in ("rate_gbps", "host_rate_gbps")]
    for topology in (network.topology for network in networks if rated):
        if topology.mixed:
            raise InputError(
                f"{rated[0]}: {topology.name} has links of {shown_rate(topology.rates_gbps)}, which count; omit {rated[0]}, or"
                " make all links alike (topoloom convert IN OUT --drop-rates)"
            )
    settings = with_changes(PRESETS.find(DEFAULT_PRESET if preset is None else preset), changes)
    if preset is not None or any(text.partition("=")[0].strip() == "rate_gbps" for text in changes):
        return settings
    rates = {network.decided_gbps for network in networks} - {None}
    if len(rates) > 1:
        listed = ", ".join(f"{rate:g}" for rate in sorted(rate for rate in rates if rate is not None))
        raise InputError(
            f"the networks remember different rates ({listed} Gb/s); choose one for all of them, as in rate_gbps=100"
        )
    rate = rates.pop() if rates else None
    return settings if rate is None else msgspec.structs.replace(settings, rate_gbps=rate)
