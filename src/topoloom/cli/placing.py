"""What `layout` and `cost` share: the options of the floor and of placement."""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any

import click
import msgspec
from click.core import ParameterSource

from topoloom.cli.output import say
from topoloom.cli.types import Number, Whole
from topoloom.cost.terms import DEFAULT_PARTS
from topoloom.placement.layout.cabinets import CLUSTERS
from topoloom.placement.layout.place import DEFAULT_MAP, MAPS

if TYPE_CHECKING:
    from topoloom.network import Network

#: Options of placing by the names that `Network.placed` has for them; what is not given is None.
PLACING = {
    "floor": "room",
    "rows": "rows",
    "columns": "columns",
    "cabinet": "cabinet",
    "cluster": "cluster",
    "map": "map",
    "server": "hosts",
}
#: And of terms, as `Network.priced` has them.
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


def placing_options(*, housed: bool = True) -> Callable[[Any], Any]:
    """The options of floor, placement, parts and rate; `housed`: those of hosts in racks of their own, too."""
    options = [
        click.option("--floor", help="A preset's name, or a .toml or .csv file.  [default: slimfly-2014]"),
        click.option("--rows", type=Whole(1, 10_000), help="Rows of cabinets (near-square if left out)."),
        click.option("--columns", type=Whole(1, 10_000), help="Cabinets in a row."),
        click.option("--cabinet", type=Whole(1, 1 << 24), help="Most switches in a cabinet."),
        click.option("--cluster", type=click.Choice(CLUSTERS), help="Which switches share a cabinet.  [default: auto]"),
        click.option(
            "--map",
            type=click.Choice(MAPS),
            help=f"Where everything stands: joint searches, rows puts cabinets row by row.  [default: {DEFAULT_MAP}]",
        ),
        click.option(
            "--parts",
            help="Parts catalogue: a name, a TOML file, or NetBox device types.  [default: the network's own, else"
            f" {DEFAULT_PARTS}]",
        ),
        click.option("--prices", help="Your quotes, laid over the catalogue: a TOML file."),
        click.option(
            "--rate",
            "rate_gbps",
            type=Number(above=0, unit="Gb/s"),
            help="Gb/s a link; the default is the network's own, else 40, or the nearest that the catalogue's prices hold for.",
        ),
    ]
    if housed:
        options.append(
            click.option(
                "--server",
                help="Hosts in racks of their own: a server of the catalogue, or a TOML file with [host] and [rack].",
            )
        )
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def placing_of(options: Mapping[str, Any], networks: "Iterable[Network]" = ()) -> dict[str, Any]:
    """What of a command's options `Network.placed` takes besides terms, by its names; what was not given is left out.

    Parameters
    ----------
    options : mapping of str to object
        The parameters of the command.
    networks : iterable of Network
        For which they are.

    Raises
    ------
    InputError
        Something was given, and all networks are laid out already: their layouts stay as they are.
    """
    from topoloom.core.errors import InputError

    given = {PLACING[name]: value for name, value in options.items() if name in PLACING and value is not None}
    networks = list(networks)
    if given and networks and all(network.layout is not None for network in networks):
        name = _option(next(iter(given)))
        raise InputError(
            f"{name}: {networks[0].source} is laid out already, and its layout stays as it is; leave it out"
        )
    return given


def terms_of(options: Mapping[str, Any], networks: "Iterable[Network]" = ()) -> dict[str, Any]:
    """What of a command's options `Network.priced` takes, by its names; what was not given is left out.

    A line on standard error says for each network what is taken in place of what it remembers.
    """
    from topoloom.cost.price_factors import PriceFactors

    given = {TERMS[name]: value for name, value in options.items() if name in TERMS and value is not None}
    if given.get("factors") == PriceFactors():
        del given["factors"]
    texts = {name: _typed(name, value) for name, value in given.items()}
    if "spare_ports" in given:
        given["spare_ports"] /= 100
    for network in networks:
        before, after = network.terms, network.terms.changed(**given) if given else network.terms
        for name, remembered in _remembered(network).items():
            field = "parts" if name in ("prices", "factors") else name
            if name in given and getattr(before, field) != getattr(after, field):
                say(f"{texts[name]} in place of {network.source}'s own {remembered}", err=True)
    return given


def _remembered(network: "Network") -> dict[str, str]:
    """What a network remembers, by the names of the terms that replace it, in words."""
    terms = network.terms
    told: dict[str, str] = {}
    if terms.parts is not None:
        told |= dict.fromkeys(("parts", "prices", "factors"), f"catalogue, '{terms.parts.name}'")
    if terms.rate_gbps is not None:
        told["rate_gbps"] = f"rate, {terms.rate_gbps:g} Gb/s"
    if terms.radix is not None:
        told |= dict.fromkeys(("radix", "spare_ports"), f"switches of {terms.radix} ports")
    if terms.spare_ports:
        told |= dict.fromkeys(("radix", "spare_ports"), f"spare ports, {terms.spare_ports:.0%}")
    if terms.host_cables:
        told["host_cables"] = "cables of hosts in the bill"
    if terms.spares is not None:
        told["spares"] = "spares"
    return told


def _option(name: str) -> str:
    """The option of the running command for what `Network` calls so."""
    parameter = next(own for own, called in (*TERMS.items(), *PLACING.items()) if called == name)
    known = {option.name: option.opts[0] for option in click.get_current_context().command.params}
    return known.get(parameter, f"--{parameter}")


def _typed(name: str, value: Any) -> str:
    """An option as it is typed: ``--rate 56``, ``--no-spares``."""
    option = _option(name)
    if isinstance(value, bool):
        return option if value else option.replace("--", "--no-", 1)
    if isinstance(value, msgspec.Struct):
        changed = (f"{kind}={one:g}" for kind, one in msgspec.structs.asdict(value).items() if one != 1)
        return " ".join([option, *changed])
    return f"{option} {value:g}" if isinstance(value, float) else f"{option} {value}"


def refuse_given(names: Iterable[str], why: str) -> None:
    """Refuse options of the running command that were given though they would change nothing."""
    from topoloom.core.errors import InputError

    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is not ParameterSource.DEFAULT:
            raise InputError(f"{option.opts[0]}: {why}; leave it out")
