"""Faults of cabling in words: the cable's number, cabinets, switches and ports, as an installer looks for them."""

from topoloom.fabrics.compare import EXTRA, MISSING, Cable, Comparison, Fault, Plug
from topoloom.network import Network


def fault_text(plan: Network, found: Comparison, fault: Fault) -> str:
    """One line on a fault: ``wrong: cable 17: planned c3 S12 port 5 - c9 S40 port 2; found S12 port 5 - S41 port 2``.

    Parameters
    ----------
    plan : Network
        What was planned.
    found : Comparison
        Plan and fabric compared.
    fault : Fault
        One of its faults.

    Returns
    -------
    str
        Without a line's end.
    """
    planned = ", ".join(_cable(plan, found, cable, is_there=False) for cable in fault.planned)
    there = ", ".join(_cable(plan, found, cable, is_there=True) for cable in fault.found)
    numbers = [number for cable in fault.planned if (number := _number(plan, cable))]
    which = f"cable{'s' * (len(numbers) > 1)} {' and '.join(numbers)}: " if numbers else ""
    if fault.kind == EXTRA:
        return f"extra: found {there}"
    if fault.kind == MISSING:
        return f"missing: {which}planned {planned}"
    return f"{fault.kind}: {which}planned {planned}; found {there}"


def node_text(plan: Network, found: Comparison, node: int) -> str:
    """A switch with its cabinet, where the plan says it; a host, or what is not in the plan, by its name.

    Parameters
    ----------
    plan : Network
        What was planned.
    found : Comparison
        Plan and fabric compared.
    node : int
        A switch or host, by its number in the comparison.

    Returns
    -------
    str
        ``c3 S12``, or the name alone.
    """
    name = found.names[node]
    if node < plan.topology.switches and plan.cabinets[node]:
        return f"{plan.cabinets[node]} {name}"
    return name


def _cable(plan: Network, found: Comparison, cable: Cable, is_there: bool) -> str:
    ends = []
    for node, port in cable:
        # What hangs there may call itself otherwise.
        other = f" ({found.called[node]})" if is_there and node in found.called else ""
        ends.append(f"{node_text(plan, found, node)}{other} port {port}")
    return " - ".join(ends)


def _number(plan: Network, cable: Cable) -> str:
    """The number of a planned cable, by the plug in a switch."""
    plugs: tuple[Plug, ...] = cable
    return next((plan.cable_numbers[plug] for plug in plugs if plug in plan.cable_numbers), "")
