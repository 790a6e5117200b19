"""The register of families and transforms: the records behind the catalogue, the help and the designer."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.register import Register
from topoloom.model.directed import DirectedTopology
from topoloom.model.topology import Topology
from topoloom.topologies.spec.parameters import Parameter, Seed


@dataclass(frozen=True)
class Facts:
    """What is known by theory of a family with given parameters; None where a value is unknown.

    `degree` is the highest degree; `hosts` the hosts that the family attaches; `carriers` the number of switches that carry
    hosts, None for all; `full_hosts` the published number of hosts per switch at full bandwidth; `bisection_links` the links of
    the bisection.
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
    #: The name in prose: "Slim Fly".
    title: str = ""

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
        """The spec of parameter values, with defaults written out; a value of None is omitted, and the family computes it."""
        settings = spec_text(self.parameters, self.filled(values))
        settings += [] if hosts is None or not self.takes_hosts else [f"hosts={hosts}"]
        return f"{self.name}:{','.join(settings)}" if settings else self.name

    def filled(self, values: dict[str, Any]) -> dict[str, Any]:
        """A value for every parameter: the given one, or the default."""
        return {key: values.get(key, parameter.default) for key, parameter in self.parameters.items()}

    @property
    def takes_hosts(self) -> bool:
        """Whether ``hosts=`` is the number of hosts per switch; False where the family has a parameter ``hosts`` of another
        meaning.
        """
        return "hosts" not in self.parameters

    @property
    def random(self) -> bool:
        """Whether the family takes a seed."""
        return any(isinstance(parameter, Seed) for parameter in self.parameters.values())


class DirectedFamily(Family):
    """One family of directed networks; in its facts, `degree` is the highest out-degree, `links` the number of arcs."""

    make: Callable[..., DirectedTopology]  # type: ignore[assignment]


@dataclass(frozen=True)
class Transform:
    """A function that turns one topology into another: ``SPEC+permute:mode=partial``."""

    name: str
    apply: Callable[..., Topology]
    parameters: dict[str, Parameter]
    source: str
    description: str


#: The catalogue: every family by its name.
FAMILIES: Register[Family] = Register(
    "family", package="topoloom.topologies.families", group="topoloom.families", listed="topoloom families"
)
#: The families of directed networks, apart from the others, so that nothing builds one by accident.
DIRECTED_FAMILIES: Register[DirectedFamily] = Register(
    "directed family",
    package="topoloom.topologies.digraphs",
    group="topoloom.directed_families",
    listed="topoloom families",
)
#: Every transform by its name.
TRANSFORMS: Register[Transform] = Register(
    "transform", package="topoloom.topologies.families", group="topoloom.transforms", listed="topoloom families"
)


def family(
    name: str,
    *,
    facts: Callable[..., Facts],
    source: str,
    sizes: Sizes | None = None,
    aliases: tuple[str, ...] = (),
    labels: dict[str, str] | None = None,
    title: str = "",
    **parameters: Parameter,
) -> Callable[[Callable[..., Topology]], Callable[..., Topology]]:
    """Register the decorated function, which builds a `Topology` from its parameters, as a family of the catalogue.

    The first line of the function's docstring is the description.

    Parameters
    ----------
    name : str
        The name in specs.
    facts : callable
        Takes the same parameters and returns their `Facts`. It is called before anything is built, and may raise `InputError`
        for parameters that do not fit together.
    source : str
        The paper.
    sizes : callable (int, int), optional
        Takes a number of hosts and the ports of a switch, and yields parameter sets (with ``hosts``, the hosts on each switch)
        that serve at least that many hosts.
    aliases : tuple of str
        Other names of the family.
    labels : dict of str to str, optional
        The meaning of each label of its switches.
    title : str
        The name in prose, "Slim Fly"; `name` with blanks instead of hyphens when omitted.
    **parameters : Parameter
        The parameters of the function.

    Returns
    -------
    callable
        The decorator; it returns the function unchanged.
    """

    def register(make: Callable[..., Topology]) -> Callable[..., Topology]:
        title_or_name = title or name.replace("-", " ")
        record = Family(
            name,
            make,
            parameters,
            facts,
            source,
            _first_line(make),
            _each_once(sizes),
            aliases,
            labels or {},
            title_or_name,
        )
        FAMILIES.add(name, record, aliases=aliases)
        return make

    return register


def directed_family(
    name: str,
    *,
    facts: Callable[..., Facts],
    source: str,
    labels: dict[str, str] | None = None,
    title: str = "",
    **parameters: Parameter,
) -> Callable[[Callable[..., DirectedTopology]], Callable[..., DirectedTopology]]:
    """Register the decorated function, which builds a `DirectedTopology`, as a family of directed networks.

    Parameters
    ----------
    name, source, labels, title, **parameters
        As for `family`.
    facts : callable
        As for `family`, but `degree` is the highest out-degree, and `links` the number of arcs, which must be given.

    Returns
    -------
    callable
        The decorator; it returns the function unchanged.
    """

    def register(make: Callable[..., DirectedTopology]) -> Callable[..., DirectedTopology]:
        record = DirectedFamily(
            name,
            make,  # type: ignore[arg-type]
            parameters,
            facts,
            source,
            _first_line(make),
            labels=labels or {},
            title=title or name.replace("-", " "),
        )
        DIRECTED_FAMILIES.add(name, record)
        return make

    return register


def transform(
    name: str, *, source: str, **parameters: Parameter
) -> Callable[[Callable[..., Topology]], Callable[..., Topology]]:
    """Register the decorated function, which takes a topology and parameters and returns a topology, as a transform.

    Parameters
    ----------
    name : str
        The name in specs.
    source : str
        The paper.
    **parameters : Parameter
        The parameters of the function after the topology: type, range and description.

    Returns
    -------
    callable
        The decorator; it returns the function unchanged.
    """

    def register(apply: Callable[..., Topology]) -> Callable[..., Topology]:
        TRANSFORMS.add(name, Transform(name, apply, parameters, source, _first_line(apply)))
        return apply

    return register


def spec_text(parameters: dict[str, Parameter], values: dict[str, Any]) -> list[str]:
    """``key=value`` for every value that is not None, as written in a spec."""
    return [f"{key}={parameters[key].write(value)}" for key, value in values.items() if value is not None]


def _each_once(sizes: Sizes | None) -> Sizes | None:
    """`sizes` without repeated sets (one shape can serve several numbers of hosts per switch)."""
    if sizes is None:
        return None

    def once(hosts: int, radix: int) -> list[dict[str, Any]]:
        return list({tuple(values.items()): values for values in map(dict, sizes(hosts, radix))}.values())

    return once


def _first_line(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]
