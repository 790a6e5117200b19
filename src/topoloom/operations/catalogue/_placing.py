"""What operations on laid-out networks share: the arguments of floor, placement and terms, and the networks that they give."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from topoloom.core.errors import InputError
from topoloom.core.settings import setting
from topoloom.cost.price_factors import PriceFactors
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
    Rate,
    Rows,
    Seed,
    Server,
    Source,
    SwitchesPerRack,
)

Map = Annotated[
    Literal["joint", "tabu", "anneal", "serpentine", "rows"],
    setting("where everything stands: joint searches, rows puts racks row by row; joint if omitted"),
]

#: Fields of placement, by the names that `Network.placed` has for them.
PLACING = {
    "floor": "room",
    "rows": "rows",
    "columns": "columns",
    "switches_per_rack": "switches_per_rack",
    "cluster": "cluster",
    "map": "map",
    "server": "hosts",
}
#: Fields of terms, by the names that `Network.priced` has for them.
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
    """Arguments of floor, placement, parts and rate, as the commands have them; what is omitted a network may remember."""

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
    rate_gbps: Rate | None = None
    seed: Seed = SEED

    def laid_out(self, context: RunContext) -> Network:
        """The network on its floor, by its own layout or a new one, and by its own terms but for those that are given.

        Parameters
        ----------
        context : RunContext

        Returns
        -------
        Network
        """
        return networks_on_floors(self, [open_network(self.topology)], context)[0]


class HousedPlacing(Placing, frozen=True, kw_only=True):
    """The same, where hosts may have racks of their own."""

    server: Server | None = None


def networks_on_floors(
    operation: Operation, networks: Sequence[Network], context: RunContext, terms: Sequence[str] = tuple(TERMS)
) -> list[Network]:
    """Networks on their floors, by their own layouts or new ones, and by their own terms but for those that are given.

    Parameters
    ----------
    operation : Operation
        With fields of placement and of terms, and a seed.
    networks : sequence of Network
    context : RunContext
        Receives a note for each term that replaces one that a network remembers.
    terms : sequence of str
        The fields that are terms.

    Returns
    -------
    list of Network

    Raises
    ------
    InputError
        Something is given that only placing can honour, and all networks are laid out.
    """
    arguments = operation.arguments()
    given = terms_of({name: arguments[name] for name in terms if name in arguments}, networks, context)
    placing = placing_of(arguments, networks)
    seed: Any = arguments["seed"]
    if not placing and all(network.layout is not None for network in networks):
        return all_laid_out(networks, terms=given)
    return all_laid_out(networks, terms=given, seed=seed, jobs=context.jobs, work=context.work, **placing)


def placing_of(arguments: dict[str, Any], networks: Sequence[Network] = ()) -> dict[str, Any]:
    """What `Network.placed` takes besides terms, by its names, without what is omitted.

    Parameters
    ----------
    arguments : dict
        Of an operation.
    networks : sequence of Network
        For which they are.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        Something is given, and all networks are laid out: their layouts stay as they are.
    """
    given = {name: arguments[name] for name in PLACING if arguments.get(name) is not None}
    if given and networks and all(network.layout is not None for network in networks):
        raise InputError(
            f"`{next(iter(given))}`: {networks[0].source} is laid out already, and its layout stays as it is; omit it"
        )
    return {PLACING[name]: value for name, value in given.items()}


def terms_of(arguments: dict[str, Any], networks: Sequence[Network], context: RunContext) -> dict[str, Any]:
    """What `Network.priced` takes, by its names, without what is omitted; a note says what replaces what a network remembers.

    Parameters
    ----------
    arguments : dict
        Of an operation.
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
    """What a network remembers, in words, by the fields of the terms that replace it."""
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
    """A value as it is typed: yes, 56, cable=0.8."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, msgspec.Struct):
        return " ".join(f"{kind}={one:g}" for kind, one in msgspec.structs.asdict(value).items() if one != 1)
    return f"{value:g}" if isinstance(value, float) else str(value)
