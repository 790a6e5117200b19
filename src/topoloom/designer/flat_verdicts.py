"""The criteria by which a flat network wins or loses against a tree, measure by measure."""

from dataclasses import dataclass

#: What is better by less than this is even: layouts and random networks differ by as much from seed to seed.
MARGIN = 0.05
#: What is equal, with hosts and switches: the measured oversubscription, or the number of switches.
OVERSUBSCRIPTION, SWITCHES = "oversubscription", "switches"
#: Patterns in addition to uniform traffic: every kind of `throughput.traffic.patterns.shares`.
PATTERNS = (
    "clique:share=0.25",
    "clique:share=0.25,of=switches",
    "hubs:share=0.1,of=switches",
    "matching:share=1",
    "matching:share=0.5,of=switches",
    "skewed",
    "farthest",
)
WINS, LOSES, EVEN, UNKNOWN = "flat", "tree", "even", "unknown"


@dataclass(frozen=True)
class Verdict:
    """The comparison of one measure.

    Attributes
    ----------
    key, label, unit : str
    flat, tree : float or None
        None where the measure is not known.
    ratio : float or None
        flat / tree.
    better : "less" or "more"
    wins : "flat", "tree", "even" or "unknown"
        The network that is better by more than `MARGIN`.
    any_routing : bool
        Whether the tree wins even if the flat network had the best routing: its routing-independent bound is worse, too. Always
        false for measures that have no such bound.
    """

    key: str
    label: str
    unit: str
    flat: float | None
    tree: float | None
    ratio: float | None
    better: str
    wins: str
    any_routing: bool = False


def verdict(
    key: str,
    label: str,
    unit: str,
    flat: float | None,
    tree: float | None,
    *,
    better: str = "less",
    flat_bound: float | None = None,
) -> Verdict:
    """Return the comparison of one measure by the criteria: better by more than 5 % wins, and all else is even.

    Parameters
    ----------
    key, label, unit : str
    flat, tree : float or None
    better : "less" or "more"
    flat_bound : float or None
        What no routing exceeds in the flat network, where more is better.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> verdict("switches", "switches", "", 96, 100).wins, verdict("switches", "switches", "", 94, 100).wins
    ('even', 'flat')
    """
    if flat is None or tree is None:
        return Verdict(key, label, unit, flat, tree, None, better, UNKNOWN)
    ratio = flat / tree if tree else None
    low, high = (flat, tree) if better == "less" else (tree, flat)
    wins = WINS if low < high * (1.0 - MARGIN) else LOSES if high < low * (1.0 - MARGIN) else EVEN
    beaten = wins == LOSES and flat_bound is not None and flat_bound < tree * (1.0 - MARGIN)
    return Verdict(key, label, unit, flat, tree, ratio, better, wins, beaten)
