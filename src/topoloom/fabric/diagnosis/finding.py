"""The finding of a rule: its text and place, and the cables that it explains."""

from dataclasses import dataclass, field

from topoloom.fabric.comparison import Cable, Plugged

#: A cable by its two plugs, each with the name of its node.
Ends = tuple[Plugged, Plugged]


@dataclass(frozen=True)
class Finding:
    """One fault, as a rule finds it.

    Attributes
    ----------
    text : str
        The fault in one line, as the person who repairs it looks for it.
    nodes : tuple of str
        The switches and hosts at its root, by the plan's names where it has them; the first is the one to inspect.
    planned, found : tuple of (Plugged, Plugged)
        The cables concerned, as planned and as found.
    plugs : tuple of Plugged
        The ports concerned, if no cable can be named.
    cables : tuple of str
        The numbers of the cables, from the cable list.
    racks : tuple of str
        The racks concerned, where the plan states them.
    accounts : frozenset of cables
        Cables, by the numbers of nodes, that are not right because of this: planned ones, and those that exist instead.
    follows : frozenset of cables
        Cables that are not right and of which this fault is a consequence.
    line : int or None
        The line of the fabric's file that shows it.
    parts : tuple of str
        The passive parts at fault: cords, trunks and panels.
    todo : str
        What to do, if more can be said than the rule's own advice.
    """

    text: str
    nodes: tuple[str, ...] = ()
    planned: tuple[Ends, ...] = ()
    found: tuple[Ends, ...] = ()
    plugs: tuple[Plugged, ...] = ()
    cables: tuple[str, ...] = ()
    racks: tuple[str, ...] = ()
    accounts: frozenset[Cable] = frozenset()
    follows: frozenset[Cable] = field(default_factory=frozenset)
    line: int | None = None
    parts: tuple[str, ...] = ()
    todo: str = ""


def enumerated(words: list[str], most: int = 8) -> str:
    """Words separated by commas; of many the first ones, and the number of the others.

    >>> enumerated(["a", "b", "c", "d"], 2), enumerated(["a", "b"])
    ('a, b and 2 more', 'a, b')
    """
    more = len(words) - most
    return ", ".join(words) if more <= 0 else f"{', '.join(words[:most])} and {more} more"
