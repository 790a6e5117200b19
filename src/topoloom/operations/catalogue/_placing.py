"""Arguments and functions of the operations on laid-out networks: floor, placement, and terms (parts, prices, rate)."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.cost.price_factors import PriceFactors
from topoloom.fabric.cable_lengths import length_words
from topoloom.network import Network
from topoloom.network.laying_out import all_laid_out
from topoloom.network.opening import open_network
from topoloom.operations.context import RunContext
from topoloom.operations.operation import Operation
from topoloom.operations.shared import (
    SEED,
    Cluster,
    Columns,
    Floor,
    Parts,
    Prices,
    RateOfTerms,
    Rows,
    Seed,
    Server,
    Source,
    SwitchesPerRack,
)
from topoloom.placement.fibre.methods import Panels

Map = Annotated[
    Literal["joint", "tabu", "anneal", "serpentine", "rows"],
    setting("which rack stands where: joint searches, rows puts the racks row by row; joint if omitted"),
]

PanelMethod = Annotated[
    Panels,
    setting(
        "passive panels that links pass through: shuffle (shuffle panels, for the family shuffled), trunks between racks, or"
        " between rows, or a central patch field; if omitted, every link is a cable of its own"
    ),
]

#: Fields of placement, and their names in `Network.placed`.
PLACING = {
    "floor": "room",
    "rows": "rows",
    "columns": "columns",
    "switches_per_rack": "switches_per_rack",
    "cluster": "cluster",
    "map": "map",
    "server": "hosts",
    "panels": "panels",
}
#: Fields of terms, and their names in `Network.priced`.
TERMS = {
    "parts": "parts",
    "prices": "prices",
    "rate_gbps": "rate_gbps",
    "radix": "radix",
    "spare": "spare_ports",
    "host_cables": "host_cables",
    "spares": "spares",
    "price_factors": "factors",
}


class Placing(Operation, frozen=True, kw_only=True):
    """Arguments of floor, placement, parts and rate; omitted ones may be stored with the network."""

    group: ClassVar[str] = "placing"

    topology: Source
    floor: Floor | None = None
    rows: Rows | None = None
    columns: Columns | None = None
    switches_per_rack: SwitchesPerRack | None = None
    cluster: Cluster | None = None
    map: Map | None = None
    parts: Parts | None = None
    prices: Prices | None = None
    rate_gbps: RateOfTerms | None = None
    seed: Seed = SEED

    def laid_out(self, context: RunContext) -> Network:
        """The network on its floor, with its own layout or a new one, and with its own terms unless others are given.

        Parameters
        ----------
        context : RunContext

        Returns
        -------
        Network
        """
        return networks_on_floors(self, [open_network(self.topology)], context)[0]


class HousedPlacing(Placing, frozen=True, kw_only=True):
    """The same arguments, for hosts that may stand in separate racks."""

    server: Server | None = None


class PanelledPlacing(HousedPlacing, frozen=True, kw_only=True):
    """The same arguments, for links that may pass through panels."""

    panels: PanelMethod | None = None


def networks_on_floors(
    operation: Operation, networks: Sequence[Network], context: RunContext, terms: Sequence[str] = tuple(TERMS)
) -> list[Network]:
    """Networks on their floors, with their own layouts or new ones, and with their own terms unless others are given.

    Parameters
    ----------
    operation : Operation
        With fields of placement and of terms, and a seed.
    networks : sequence of Network
    context : RunContext
        Receives a note for each given term that replaces a stored one.
    terms : sequence of str
        The fields that are terms.

    Returns
    -------
    list of Network

    Raises
    ------
    InputError
        An argument of placement is given, and all networks are laid out already.
    """
    arguments = operation.arguments()
    given = terms_of({name: arguments[name] for name in terms if name in arguments}, networks, context)
    placing = placing_of(arguments, networks)
    seed: Any = arguments["seed"]
    for network in networks:
        words = "" if network.cabled is None else length_words(network.cabled)
        if words:
            context.note(f"{network.source}: {words}")
    if not placing and all(network.layout is not None for network in networks):
        return all_laid_out(networks, terms=given)
    return all_laid_out(networks, terms=given, seed=seed, jobs=context.jobs, work=context.work, **placing)


def placing_of(arguments: dict[str, Any], networks: Sequence[Network] = ()) -> dict[str, Any]:
    """The given arguments of placement, by their names in `Network.placed`.

    Parameters
    ----------
    arguments : dict
        The arguments of an operation.
    networks : sequence of Network
        The networks to place.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        An argument is given, and all networks are laid out already: their layouts do not change.
    """
    given = {name: arguments[name] for name in PLACING if arguments.get(name) is not None}
    if given and networks and all(network.layout is not None for network in networks):
        raise InputError(
            f"`{next(iter(given))}`: {networks[0].source} is laid out already, and its layout does not change; omit it"
        )
    return {PLACING[name]: value for name, value in given.items()}


def terms_of(arguments: dict[str, Any], networks: Sequence[Network], context: RunContext) -> dict[str, Any]:
    """The given terms, by their names in `Network.priced`; a note reports each one that replaces a stored term.

    Parameters
    ----------
    arguments : dict
        The arguments of an operation.
    networks : sequence of Network
    context : RunContext
        Receives the notes.

    Returns
    -------
    dict
    """
    given = {
        name: arguments[name] for name in TERMS if arguments.get(name) is not None and arguments[name] != PriceFactors()
    }
    terms = {TERMS[name]: value / 100 if name == "spare" else value for name, value in given.items()}
    for network in networks:
        before, after = network.terms, network.terms.changed(**terms) if terms else network.terms
        for name, remembered in _remembered(network).items():
            field = "parts" if name in ("prices", "price_factors") else TERMS[name]
            if name in given and getattr(before, field) != getattr(after, field):
                context.note(f"`{name}` {_typed(given[name])} in place of {network.source}'s own {remembered}")
    return terms


def _remembered(network: Network) -> dict[str, str]:
    """The stored terms of a network, in words, by the fields that replace them."""
    terms = network.terms
    words: dict[str, str] = {}
    if terms.parts is not None:
        words |= dict.fromkeys(("parts", "prices", "price_factors"), f"catalogue, '{terms.parts.name}'")
    if terms.rate_gbps is not None:
        words["rate_gbps"] = f"rate, {terms.rate_gbps:g} Gb/s"
    if terms.radix is not None:
        words |= dict.fromkeys(("radix", "spare"), f"switches of {terms.radix} ports")
    if terms.spare_ports:
        words |= dict.fromkeys(("radix", "spare"), f"spare ports, {terms.spare_ports:.0%}")
    if terms.host_cables:
        words["host_cables"] = "cables of hosts in the bill"
    if terms.spares is not None:
        words["spares"] = "spares"
    return words


def _typed(value: Any) -> str:
    """A value as a user types it: yes, 56, cable=0.8."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, msgspec.Struct):
        return " ".join(f"{kind}={factor:g}" for kind, factor in msgspec.structs.asdict(value).items() if factor != 1)
    return f"{value:g}" if isinstance(value, float) else str(value)
