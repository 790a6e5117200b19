"""What programs run on: the tables, the layout and the rate of the network that a user gives."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import msgspec

from topoloom.core.errors import InputError
from topoloom.model.link_rates import rate_for, refuse_mixed
from topoloom.model.sources import NetworkSource, network_of, several
from topoloom.model.topology import Topology
from topoloom.placement.layout.layout import Layout
from topoloom.routing.host_routings import tables_by_host
from topoloom.routing.routing import Routing
from topoloom.simulation.applications.settings import PRESETS, AppSettings, with_changes

if TYPE_CHECKING:
    from topoloom.network import Network

#: The settings where nobody names others.
DEFAULT_PRESET = "truong-2016"


@dataclass(frozen=True, eq=False)
class Given:
    """A network as programs take it.

    Attributes
    ----------
    routings : tuple of Routing
        One, or one for each of the hosts of a switch, in turn.
    layout : Layout or None
        How long the cables are.
    settings : AppSettings
    """

    routings: tuple[Routing, ...]
    layout: Layout | None
    settings: AppSettings


def network_or_tables(
    source: NetworkSource | Sequence[Routing], taker: str
) -> "tuple[Network | tuple[Routing, ...], Topology]":
    """What a function is given first, opened and not routed, so that what cannot be done is refused before more work.

    Parameters
    ----------
    source : NetworkSource or sequence of Routing
    taker : str
        The function, for messages.

    Raises
    ------
    InputError
        It is no network, or cannot be opened.
    """
    if isinstance(source, (Routing, list, tuple)):
        routings = several(source, Routing, taker)
        return routings, routings[0].topology
    network = network_of(cast(NetworkSource, source), taker)
    return network, network.topology


def given(
    source: "Network | tuple[Routing, ...]", layout: Layout | None, settings: AppSettings | None, taker: str
) -> Given:
    """What a function was given: the installed tables, else those of the fitting engine; layout and rate as remembered.

    Parameters
    ----------
    source : Network or tuple of Routing
        As `network_or_tables` opens it.
    layout : Layout or None
        In place of the network's own.
    settings : AppSettings or None
        In place of the usual ones at the rate that the network remembers.
    taker : str
        The function, for messages.

    Raises
    ------
    InputError
        Its links differ in their rates, or it cannot be routed.
    """
    if isinstance(source, tuple):
        usual = usual_settings(source[0].topology, taker)
        return Given(source, layout, usual if settings is None else settings)
    refuse_mixed(source.topology, taker)
    routings = tables_by_host(source.topology, source.tables, layout=source.layout)
    return Given(
        routings,
        source.layout if layout is None else layout,
        app_settings([source], None, ()) if settings is None else settings,
    )


def usual_settings(topology: Topology, taker: str) -> AppSettings:
    """The settings where nobody names others: at the rate of the network, where it has one.

    Raises
    ------
    InputError
        Its links differ in their rates.
    """
    rate_gbps = rate_for(topology, None, taker)
    return AppSettings() if rate_gbps is None else AppSettings(rate_gbps=rate_gbps)


def app_settings(networks: "Iterable[Network]", preset: str | None, changes: Iterable[str]) -> AppSettings:
    """The settings for networks: a preset with changes; without either of them the rate is that which they remember.

    Parameters
    ----------
    networks : iterable of Network
    preset : str or None
        `DEFAULT_PRESET`, at the networks' own rate, where none is named.
    changes : texts KEY=VALUE

    Raises
    ------
    InputError
        No such preset or setting, or networks that remember different rates.
    """
    changes = list(changes)
    settings = with_changes(PRESETS.find(DEFAULT_PRESET if preset is None else preset), changes)
    if preset is not None or any(text.partition("=")[0].strip() == "rate_gbps" for text in changes):
        return settings
    rates = {network.decided_gbps for network in networks} - {None}
    if len(rates) > 1:
        told = ", ".join(f"{rate:g}" for rate in sorted(rate for rate in rates if rate is not None))
        raise InputError(
            f"the networks remember different rates ({told} Gb/s); set the setting rate_gbps for all of them"
        )
    rate = rates.pop() if rates else None
    return settings if rate is None else msgspec.structs.replace(settings, rate_gbps=rate)
