"""Networks beside those that the catalogue offers: parameters, hosts per switch, the wiring of hosts or the links are
changed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.cost.parts import Parts
from topoloom.designer.candidates import Proposal, proposal_of
from topoloom.designer.requirement import Requirement
from topoloom.designer.wiring import PlaneWiring, fitted_wiring, wirings
from topoloom.topologies.spec import (
    TRANSFORMS,
    Choice,
    Family,
    Integer,
    Integers,
    Parameter,
    Ratio,
    Real,
    Seed,
    family_of,
    read_settings,
)

#: The transform by which links are optimised.
_OPTIMIZED = "optimized"
#: Ports down to ports up that trees are built with.
_TAPERS = ((1, 1), (5, 4), (4, 3), (3, 2), (2, 1), (3, 1), (4, 1))
#: A candidate's links are optimised for so many nanoseconds, by what a move takes: 2 us, and 2 ns a port and block of 512.
_OPTIMIZE_NS, _MOVE_NS, _PORT_NS, _BLOCK = 1e9, 2_000, 2.0, 512
#: At most so many changes at once.
_MOST_CHANGES = 3


@dataclass(frozen=True, eq=False)
class Variant:
    """A network by its parts, so that each can be changed.

    Attributes
    ----------
    family : Family
    values : dict
        Its parameters.
    hosts : int or None
        On each switch, where the family takes them.
    wiring : PlaneWiring
        How the hosts hang on it.
    optimized : bool
        Whether its links are optimised.
    """

    family: Family
    values: dict[str, Any]
    hosts: int | None
    wiring: PlaneWiring
    optimized: bool = False


def variant_of(spec: str, requirement: Requirement) -> Variant | None:
    """The parts of a candidate's spec; None where it is no family with the wiring of a need's hosts, as of a product."""
    suiting = [one for one in wirings(requirement) if spec.endswith(one.suffix)]
    if not suiting or spec.startswith("product"):
        return None
    wiring = max(suiting, key=lambda one: len(one.suffix))
    base, _, change = spec.removesuffix(wiring.suffix).partition("+")
    name, _, _ = change.partition(":")
    found = family_of(base)
    if found is None or name not in ("", _OPTIMIZED) or "+" in change:
        return None
    family, values, hosts = found
    return None if hosts == "full" else Variant(family, values, hosts, wiring, bool(name))


def varied(variant: Variant, draws: Draws, requirement: Requirement, parts: Parts) -> Proposal | None:
    """A network that is like another but for a change or a few; None where what was drawn does not go together.

    A change of what decides the number of switches is followed by as many hosts on each as the need asks for.

    Parameters
    ----------
    variant : Variant
    draws : Draws
        What is changed, and how.
    requirement : Need
    parts : Parts
        The need's catalogue.

    Returns
    -------
    Proposal or None
        What theory says of it; `Proposal.passed` names a limit that it is past for certain.
    """
    sized = False
    for _ in range(1 + int(draws.below(_MOST_CHANGES, 1)[0])):
        changes = list(_changes(variant, requirement))
        names, change = changes[int(draws.below(len(changes), 1)[0])]
        variant = change(draws)
        sized |= names != "hosts"
    return proposed(_served(variant, requirement) if sized else variant, requirement, parts)


def proposed(variant: Variant | None, requirement: Requirement, parts: Parts) -> Proposal | None:
    """The proposal of a network by its parts; None where these do not go together, or a switch has not ports enough.

    Parameters
    ----------
    variant : Variant or None
    requirement : Need
    parts : Parts
        The need's catalogue.

    Returns
    -------
    Proposal or None
    """
    if variant is None:
        return None
    values = dict(variant.values) | ({} if variant.hosts is None else {"hosts": variant.hosts})
    try:
        change = _optimizing(variant) if variant.optimized else ""
        found = proposal_of(variant.family, values, requirement, parts, variant.wiring, change)
    except InputError:
        return None
    return None if found.ports > requirement.radix else found


def _served(variant: Variant, requirement: Requirement) -> Variant | None:
    """The same with as many hosts as the need asks for, and no more than come of even numbers; None where it cannot be."""
    family, wiring = variant.family, variant.wiring
    values = dict(variant.values)
    if not family.takes_hosts:
        made = fitted_wiring(family, values | {"hosts": requirement.hosts * wiring.ports}, requirement.hosts, wiring)
        return None if made is None else replace(variant, values=made)
    try:
        facts = family.known(family.filled(values))
    except InputError:
        return None
    carriers = facts.switches if facts.carriers is None else facts.carriers
    if facts.hosts or carriers < 1:
        return replace(variant, hosts=None) if variant.hosts is None else None
    each = math.ceil(requirement.hosts * wiring.ports / carriers)
    return replace(variant, hosts=math.ceil(each / wiring.ports) * wiring.ports)


def _optimizing(variant: Variant) -> str:
    """The transform that optimises its links, with the moves that a candidate has time for."""
    facts = variant.family.known(variant.family.filled(variant.values))
    ports = facts.switches * (facts.degree or 1)
    moves = _OPTIMIZE_NS / (_MOVE_NS + _PORT_NS * ports * math.ceil(facts.switches / _BLOCK))
    rounded = max(1000, int(float(f"{moves:.1g}")))
    values, _ = read_settings(_OPTIMIZED, TRANSFORMS.find(_OPTIMIZED).parameters, f"moves={rounded}")
    return f"+{_OPTIMIZED}:{','.join(f'{key}={value}' for key, value in values.items())}"


_Change = Callable[[Draws], Variant]


def _changes(variant: Variant, requirement: Requirement) -> Sequence[tuple[str, _Change]]:
    """What can be changed of a network, by name."""
    found: list[tuple[str, _Change]] = []
    for key, parameter in variant.family.parameters.items():
        value = variant.values.get(key)
        if value is not None and key != "hosts":
            found.append((key, _of_parameter(variant, key, parameter, value)))
    if variant.hosts is not None:
        step = variant.wiring.ports

        def concentrated(draws: Draws) -> Variant:
            by = (-2, -1, 1, 2)[int(draws.below(4, 1)[0])] * step
            return replace(variant, hosts=max(step, (variant.hosts or 0) + by))

        found.append(("hosts", concentrated))
    others = [one for one in wirings(requirement) if one != variant.wiring]
    if others:
        found.append(("wiring", lambda draws: replace(variant, wiring=others[int(draws.below(len(others), 1)[0])])))
    if variant.family.random:
        # Optimised links are for random ones: others have a structure that tables and racks go by.
        found.append(("links", lambda _: replace(variant, optimized=not variant.optimized)))
    return found


def _of_parameter(variant: Variant, key: str, parameter: Parameter, value: Any) -> _Change:
    def changed(draws: Draws) -> Variant:
        return replace(variant, values=variant.values | {key: _other(parameter, value, draws)})

    return changed


def _other(parameter: Parameter, value: Any, draws: Draws) -> Any:
    """Another value of a parameter: near the one that it has, and within its range."""
    if isinstance(parameter, Seed):
        return int(draws.below(1000, 1)[0])
    if isinstance(parameter, Integer):
        return _near(parameter, int(value), draws)
    if isinstance(parameter, Integers):
        place = int(draws.below(len(value), 1)[0])
        return tuple(_near(parameter, one, draws) if at == place else one for at, one in enumerate(value))
    if isinstance(parameter, Real):
        factor = (0.75, 0.9, 1.1, 1.3)[int(draws.below(4, 1)[0])]
        return min(max(float(f"{value * factor:.3g}"), parameter.least), parameter.most)
    if isinstance(parameter, Choice):
        return parameter.words[int(draws.below(len(parameter.words), 1)[0])]
    if isinstance(parameter, Ratio):
        return _TAPERS[int(draws.below(len(_TAPERS), 1)[0])]
    return value


def _near(parameter: Integer | Integers, value: int, draws: Draws) -> int:
    steps = (1, 2, max(1, value // 20), max(1, value // 5))
    by = steps[int(draws.below(4, 1)[0])] * (1 if draws.below(2, 1)[0] else -1)
    return int(min(max(value + by, parameter.least), parameter.most))
