"""What a rule finds: where, in words and by plugs, and what it accounts for."""

from dataclasses import dataclass, field

from topoloom.fabric.comparison import Cable, Plugged

#: A cable by its two plugs, each with the name of its node.
Ends = tuple[Plugged, Plugged]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Attributes
    ----------
    text : str
        All of it in one line, as somebody who repairs it looks for it.
    nodes : tuple of str
        The switches and hosts at its root, by the plan's names where it has them; the first is the one to go to.
    planned, found : tuple of (Plugged, Plugged)
        The cables that it is about, as planned and as found.
    plugs : tuple of Plugged
        Ports that it is about, where there is no cable to name.
    cables : tuple of str
        The numbers of its cables, as the cable list has them.
    racks : tuple of str
        Where it is, as far as the plan says.
    accounts : frozenset of cables
        Cables, by the numbers of nodes, that are not right because of this: planned ones, and those that are there instead.
    follows : frozenset of cables
        Cables that are not right, of which this is only what follows.
    line : int or None
        The line of the fabric's file that shows it.
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


def enumerated(words: list[str], most: int = 8) -> str:
    """Words with commas; of many the first ones, and how many more there are.

    >>> enumerated(["a", "b", "c", "d"], 2), enumerated(["a", "b"])
    ('a, b and 2 more', 'a, b')
    """
    more = len(words) - most
    return ", ".join(words) if more <= 0 else f"{', '.join(words[:most])} and {more} more"
