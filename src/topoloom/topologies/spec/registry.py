"""The register of families and transforms: records that the catalogue, the help and the designer are made from."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.register import Register
from topoloom.model.topology import Topology
from topoloom.topologies.spec.parameters import Parameter, Seed


@dataclass(frozen=True)
class Facts:
    """What theory says of a family with given parameters; None where it says nothing.

    `degree` is the highest degree; `hosts` are those that the family attaches by itself; `carriers` is how many switches
    carry hosts, None for all of them; `full_hosts` is the published number of hosts per switch that still has full
    bandwidth; `bisection_links` the links cut when halved best.
    """

    switches: int
    degree: int | None = None
    degree_min: int | None = None
    links: int | None = None
    diameter: int | None = None
    hosts: int = 0
    full_hosts: int | None = None
    bisection_links: int | None = None
    carriers: int | None = None


Sizes = Callable[[int, int], Iterable[dict[str, Any]]]


@dataclass(frozen=True)
class Family:
    """One family of the catalogue."""

    name: str
    make: Callable[..., Topology]
    parameters: dict[str, Parameter]
    facts: Callable[..., Facts]
    source: str
    description: str
    sizes: Sizes | None = None
    aliases: tuple[str, ...] = ()
    labels: dict[str, str] = field(default_factory=dict)

    def known(self, values: dict[str, Any]) -> Facts:
        """The facts for parameter values already read.

        Raises
        ------
        InputError
            The parameters do not fit together; the sentence begins with the family's name.
        """
        try:
            return self.facts(**values)
        except InputError as error:
            text = str(error)
            raise InputError(text if text.startswith(self.name) else f"{self.name}: {text}") from None

    def spec_of(self, values: dict[str, Any], hosts: Any = None) -> str:
        """The spec of parameter values, defaults written out; one that is None is left for the family to work out."""
        settings = spec_text(self.parameters, self.filled(values))
        settings += [] if hosts is None or not self.takes_hosts else [f"hosts={hosts}"]
        return f"{self.name}:{','.join(settings)}" if settings else self.name

    def filled(self, values: dict[str, Any]) -> dict[str, Any]:
        """A value for every parameter: the given one, or the default."""
        return {key: values.get(key, parameter.default) for key, parameter in self.parameters.items()}

    @property
    def takes_hosts(self) -> bool:
        """Whether ``hosts=`` says how many hang on each switch; where it is a parameter of the family, that has its meaning."""
        return "hosts" not in self.parameters

    @property
    def random(self) -> bool:
        """Whether it takes a seed."""
        return any(isinstance(parameter, Seed) for parameter in self.parameters.values())


@dataclass(frozen=True)
class Transform:
    """Something that turns one topology into another: ``SPEC+permute:mode=partial``."""

    name: str
    apply: Callable[..., Topology]
    parameters: dict[str, Parameter]
    source: str
    description: str


#: The catalogue: every family by its name.
FAMILIES: Register[Family] = Register(
    "family", room="topoloom.topologies.families", group="topoloom.families", listed="topoloom families"
)
#: Every transform by its name.
TRANSFORMS: Register[Transform] = Register(
    "transform", room="topoloom.topologies.families", group="topoloom.transforms", listed="topoloom families"
)


def family(
    name: str,
    *,
    facts: Callable[..., Facts],
    source: str,
    sizes: Sizes | None = None,
    aliases: tuple[str, ...] = (),
    labels: dict[str, str] | None = None,
    **parameters: Parameter,
) -> Callable[[Callable[..., Topology]], Callable[..., Topology]]:
    """Register the decorated function, which builds a `Topology` from its parameters, as a family of the catalogue.

    The first line of the function's docstring is the description.

    Parameters
    ----------
    name : str
        What specs call it.
    facts : callable
        Of the same parameters: the `Facts` that theory knows. It may raise `InputError` for parameters that do not fit
        together, and is asked before anything is built.
    source : str
        The paper.
    sizes : callable (int, int), optional
        Of hosts and ports: yields parameter sets (with ``hosts``, the hosts on each switch) that serve at least so many
        hosts on switches of so many ports.
    aliases : tuple of str
        Other names of it.
    labels : dict of str to str, optional
        What each label of its switches means.
    **parameters : Parameter
        What it takes.

    Returns
    -------
    callable
        The decorator; it returns the function as it is.
    """

    def register(make: Callable[..., Topology]) -> Callable[..., Topology]:
        description = _first_line(make)
        record = Family(name, make, parameters, facts, source, description, _each_once(sizes), aliases, labels or {})
        FAMILIES.add(name, record, aliases=aliases)
        return make

    return register


def transform(
    name: str, *, source: str, **parameters: Parameter
) -> Callable[[Callable[..., Topology]], Callable[..., Topology]]:
    """Register the decorated function, topology and parameters to topology, as a transform.

    Parameters
    ----------
    name : str
        What specs call it.
    source : str
        The paper.
    **parameters : Parameter
        What the function takes after the topology: kind, range and description.

    Returns
    -------
    callable
        The decorator; it returns the function as it is.
    """

    def register(apply: Callable[..., Topology]) -> Callable[..., Topology]:
        TRANSFORMS.add(name, Transform(name, apply, parameters, source, _first_line(apply)))
        return apply

    return register


def spec_text(parameters: dict[str, Parameter], values: dict[str, Any]) -> list[str]:
    """``key=value`` for every value that is not None, as a spec has it."""
    return [f"{key}={parameters[key].write(value)}" for key, value in values.items() if value is not None]


def _each_once(sizes: Sizes | None) -> Sizes | None:
    """`sizes` without the sets that come again (one shape can serve several numbers of hosts per switch)."""
    if sizes is None:
        return None

    def once(hosts: int, radix: int) -> list[dict[str, Any]]:
        return list({tuple(values.items()): values for values in map(dict, sizes(hosts, radix))}.values())

    return once


def _first_line(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]
