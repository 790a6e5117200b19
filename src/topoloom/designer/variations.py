"""Variations of a network, beyond the catalogue: its parameters, wiring of the hosts or links are changed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from topoloom.core.errors import InputError
from topoloom.core.random_streams import Draws
from topoloom.cost.parts import Parts
from topoloom.designer.candidates import Proposal, proposal_of
from topoloom.designer.requirement import Requirement
from topoloom.designer.wiring import PlaneWiring, fitted_wiring, wirings, without_populated
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

#: The transform that optimises links.
_OPTIMIZED = "optimized"
#: Tapers that trees are built with: ports down to ports up.
_TAPERS = ((1, 1), (5, 4), (4, 3), (3, 2), (2, 1), (3, 1), (4, 1))
#: Time to optimise a candidate's links, and the time per move: 2 us, plus 2 ns per port and block of 512 switches.
_OPTIMIZE_NS, _MOVE_NS, _PORT_NS, _BLOCK = 1e9, 2_000, 2.0, 512
#: Most changes at once.
_MOST_CHANGES = 3


@dataclass(frozen=True, eq=False)
class Variant:
    """A network by its parts, each of which can be changed.

    Attributes
    ----------
    family : Family
    values : dict
        Its parameters.
    hosts : int or None
        Per switch, where the family takes them; None elsewhere.
    wiring : PlaneWiring
        How the hosts are attached.
    optimized : bool
        Whether its links are optimised.
    """

    family: Family
    values: dict[str, Any]
    hosts: int | None
    wiring: PlaneWiring
    optimized: bool = False


def variant_of(spec: str, requirement: Requirement) -> Variant | None:
    """The parts of a candidate's spec; None where it is no family's (a product's) or has another wiring of the hosts."""
    spec = without_populated(spec)
    suiting = [wiring_choice for wiring_choice in wirings(requirement) if spec.endswith(wiring_choice.suffix)]
    if not suiting or spec.startswith("product"):
        return None
    wiring = max(suiting, key=lambda wiring_choice: len(wiring_choice.suffix))
    base, _, change = spec.removesuffix(wiring.suffix).partition("+")
    name, _, _ = change.partition(":")
    parsed = family_of(base)
    if parsed is None or name not in ("", _OPTIMIZED) or "+" in change:
        return None
    family, values, hosts = parsed
    return None if hosts == "full" else Variant(family, values, hosts, wiring, bool(name))


def varied(variant: Variant, draws: Draws, requirement: Requirement, parts: Parts) -> Proposal | None:
    """A network with one change or a few; None where the drawn changes are not compatible.

    Every change also sets the hosts per switch to those that the requirement asks for.

    Parameters
    ----------
    variant : Variant
    draws : Draws
        Decides what is changed, and how.
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.

    Returns
    -------
    Proposal or None
        With its theoretical bounds; `Proposal.passed` names a limit that it exceeds for certain.
    """
    for _ in range(1 + int(draws.below(_MOST_CHANGES, 1)[0])):
        changes = _changes(variant, requirement)
        if not changes:
            return None
        variant = changes[int(draws.below(len(changes), 1)[0])](draws)
    return proposed(_served(variant, requirement), requirement, parts)


def proposed(variant: Variant | None, requirement: Requirement, parts: Parts) -> Proposal | None:
    """The proposal of a network by its parts; None where these are not compatible, or a switch has too few ports.

    Parameters
    ----------
    variant : Variant or None
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.

    Returns
    -------
    Proposal or None
    """
    if variant is None:
        return None
    values = dict(variant.values) | ({} if variant.hosts is None else {"hosts": variant.hosts})
    try:
        change = _optimizing(variant) if variant.optimized else ""
        proposal = proposal_of(variant.family, values, requirement, parts, variant.wiring, change)
    except InputError:
        return None
    return None if proposal.ports > requirement.radix else proposal


def _served(variant: Variant, requirement: Requirement) -> Variant | None:
    """The same network with hosts per switch for the requirement's hosts, rounded up to equal numbers; None if impossible."""
    family, wiring, hosts = variant.family, variant.wiring, requirement.grown_hosts
    values = dict(variant.values)
    if not family.takes_hosts:
        fitted = fitted_wiring(family, values | {"hosts": hosts * wiring.ports}, hosts, wiring)
        return None if fitted is None else replace(variant, values=fitted)
    try:
        facts = family.known(family.filled(values))
    except InputError:
        return None
    carriers = facts.switches if facts.carriers is None else facts.carriers
    if facts.hosts or carriers < 1:
        return replace(variant, hosts=None) if variant.hosts is None else None
    each = math.ceil(hosts * wiring.ports / carriers)
    return replace(variant, hosts=math.ceil(each / wiring.ports) * wiring.ports)


def _optimizing(variant: Variant) -> str:
    """The transform that optimises a network's links, with as many moves as `_OPTIMIZE_NS` allows."""
    facts = variant.family.known(variant.family.filled(variant.values))
    ports = facts.switches * (facts.degree or 1)
    moves = _OPTIMIZE_NS / (_MOVE_NS + _PORT_NS * ports * math.ceil(facts.switches / _BLOCK))
    rounded = max(1000, int(float(f"{moves:.1g}")))
    values, _ = read_settings(_OPTIMIZED, TRANSFORMS.find(_OPTIMIZED).parameters, f"moves={rounded}")
    return f"+{_OPTIMIZED}:{','.join(f'{key}={value}' for key, value in values.items())}"


_Change = Callable[[Draws], Variant]


def _changes(variant: Variant, requirement: Requirement) -> Sequence[_Change]:
    """The possible changes of a network."""
    changes: list[_Change] = []
    for key, parameter in variant.family.parameters.items():
        value = variant.values.get(key)
        if value is not None and key != "hosts":
            changes.append(_of_parameter(variant, key, parameter, value))
    others = [wiring_choice for wiring_choice in wirings(requirement) if wiring_choice != variant.wiring]
    if others:
        changes.append(lambda draws: replace(variant, wiring=others[int(draws.below(len(others), 1)[0])]))
    if variant.family.random:
        # Only links of random families are optimised: tables and racks rely on the structure of the others.
        changes.append(lambda _: replace(variant, optimized=not variant.optimized))
    return changes


def _of_parameter(variant: Variant, key: str, parameter: Parameter, value: Any) -> _Change:
    def changed(draws: Draws) -> Variant:
        return replace(variant, values=variant.values | {key: _other(parameter, value, draws)})

    return changed


def _other(parameter: Parameter, value: Any, draws: Draws) -> Any:
    """Another value of a parameter: near the present one, and within its range."""
    if isinstance(parameter, Seed):
        return int(draws.below(1000, 1)[0])
    if isinstance(parameter, Integer):
        return _near(parameter, int(value), draws)
    if isinstance(parameter, Integers):
        position = int(draws.below(len(value), 1)[0])
        return tuple(
            _near(parameter, element, draws) if at == position else element for at, element in enumerate(value)
        )
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
