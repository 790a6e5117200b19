"""The reasons for the rank of a network, and what would change it, in sentences."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from topoloom.cost.bill import Bill
from topoloom.designer.assessment.assessment import Assessment

#: Share by which prices are varied.
_PRICE_CHANGE = 0.2
#: Share by which the number of hosts grows.
_MORE_HOSTS = 0.1
#: Kinds of lines of a bill whose prices are varied together, by their names in sentences.
_KINDS = {"switches": ("switch",), "cables and optics": ("cable", "transceiver")}
#: The other kinds of lines, by their names in sentences.
_OTHER_KINDS = {"nic": "interfaces", "rack": "racks"}


@dataclass(frozen=True)
class Ranking:
    """The measure that networks are ranked by.

    Attributes
    ----------
    objective : str
        The key of the measure; keys that begin with ``cost`` depend on prices.
    label, unit : str
        For readers.
    scores : tuple of float or None
        One per network, in their order; None: not known.
    hosts : int or None
        Number of hosts required; None: not given.
    more_is_better : bool
    """

    objective: str
    label: str
    unit: str
    scores: tuple[float | None, ...]
    hosts: int | None = None
    more_is_better: bool = False

    def ranks(self, scores: Sequence[float | None]) -> list[int | None]:
        """The rank of each network by other scores, 1 for the best; None for those without a score."""
        sign = -1 if self.more_is_better else 1
        ordered = sorted((sign * score, place) for place, score in enumerate(scores) if score is not None)
        rank_of: list[int | None] = [None] * len(scores)
        for rank, (_, place) in enumerate(ordered, 1):
            rank_of[place] = rank
        return rank_of


def reasons(networks: Sequence[Assessment], ranking: Ranking) -> list[str]:
    """One text per network: the reason for its rank, and what would change it.

    Changes considered: prices of switches, or of cables and optics, 20 % up and down for all networks; 10 % more hosts, with
    idle ports or by the plan of the step ``growth``. Then come the free places of the floor, and the risks.

    Parameters
    ----------
    networks : sequence of Assessment
    ranking : Ranking
        Contains a score for each network.
    """
    now = ranking.ranks(ranking.scores)
    other = _prices(networks, ranking)
    texts = []
    for place, network in enumerate(networks):
        sentences = [_position(place, networks, ranking, now)]
        if ranking.objective.startswith("cost"):
            sentences.append(_by_prices(place, now, other))
            sentences.append(_by_hosts(place, networks, ranking, now))
        sentences.append(_free_places(network))
        sentences.append(_risks(network))
        texts.append(" ".join(sentence for sentence in sentences if sentence))
    return texts


def _position(place: int, networks: Sequence[Assessment], ranking: Ranking, now: Sequence[int | None]) -> str:
    """The rank, the distance to the next or the best, and the largest shares of the bill."""
    score, rank = ranking.scores[place], now[place]
    if score is None or rank is None:
        return f"Not ranked: its {ranking.label} is not known."
    order = sorted((each_rank, number) for number, each_rank in enumerate(now) if each_rank is not None)
    best = ranking.scores[order[0][1]] or 0.0
    shown = f"{_amount(score)} {ranking.unit}".rstrip()
    if rank == 1 and len(order) > 1:
        _, follower = order[1]
        gap = _difference(ranking.scores[follower] or 0.0, score) or "the same"
        text = f"{_nth(rank)}: {ranking.label} {shown}; the next assessed network, {networks[follower].name}, is {gap}."
    elif rank == 1:
        text = f"{_nth(rank)}: {ranking.label} {shown}."
    else:
        first = networks[order[0][1]].name
        difference = _difference(score, best)
        comparison = f"{difference} than {first}" if difference else f"the same as {first}"
        text = f"{_nth(rank)}: {ranking.label} {shown}, {comparison}."
    bill = networks[place].bill
    if bill is None or not ranking.objective.startswith("cost") or not bill.cost_usd > 0:
        return text
    return f"{text} Of it, {_shares(bill)}."


def compared_sentence(
    score: float | None, best: float | None, label: str, unit: str, why: str = "its family does not take part"
) -> str:
    """The sentence of a network that is compared with the ranked ones, but not ranked.

    Parameters
    ----------
    score, best : float or None
        The objective of the network, and of the best ranked one; None: not known.
    label, unit : str
        Of the objective.
    why : str
        Why it is not ranked.

    Returns
    -------
    str

    Examples
    --------
    >>> compared_sentence(1500.0, 2000.0, "cost", "USD")
    'Compared, not ranked: its family does not take part. Cost 1,500 USD, 25.0% lower than the first.'
    """
    text = f"Compared, not ranked: {why}."
    if score is None:
        return text
    difference = "" if best is None else _difference(score, best)
    shown = f"{_amount(score)} {unit}".rstrip()
    return f"{text} {label[:1].upper()}{label[1:]} {shown}{f', {difference} than the first' if difference else ''}."


def _shares(bill: Bill) -> str:
    """The shares of the bill in whole percents, which sum to 100: switches, cables and optics, and the rest by its kinds."""
    kinds_of = dict(_KINDS)
    named = {kind for kinds in _KINDS.values() for kind in kinds}
    others = [line.kind for line in bill.lines if line.kind not in named and line.cost_usd > 0]
    if others:
        *most, last = [_OTHER_KINDS.get(kind, kind) for kind in dict.fromkeys(others)]
        kinds_of[f"{', '.join(most)} and {last}" if most else last] = tuple(others)
    percents = [round(100 * _of_kinds(bill, kinds) / bill.cost_usd) for kinds in kinds_of.values()]
    percents[-1] = 100 - sum(percents[:-1])
    *first, end = [f"{percent}% is for {name}" for percent, name in zip(percents, kinds_of, strict=True)]
    return f"{', '.join(first)} and {end}"


def _prices(networks: Sequence[Assessment], ranking: Ranking) -> Mapping[str, Sequence[int | None]]:
    """The ranks of all networks with other prices, by the name of the change."""
    ranks = {}
    for name, kinds in _KINDS.items():
        for factor, word in ((1 - _PRICE_CHANGE, "cheaper"), (1 + _PRICE_CHANGE, "more expensive")):
            scores = [
                None if score is None or network.bill is None else score * _scaled(network.bill, kinds, factor)
                for network, score in zip(networks, ranking.scores, strict=True)
            ]
            ranks[f"{name} {_PRICE_CHANGE:.0%} {word}"] = ranking.ranks(scores)
    return ranks


def _by_prices(place: int, now: Sequence[int | None], other: Mapping[str, Sequence[int | None]]) -> str:
    if now[place] is None or len(now) < 2:
        return ""
    moved = {
        name: ranks[place] for name, ranks in other.items() if ranks[place] != now[place] and ranks[place] is not None
    }
    if not moved:
        change = f"{_PRICE_CHANGE:.0%} cheaper or more expensive"
        return f"It stays {_nth(now[place])} with switches, or cables and optics, {change}."
    return "With " + "; with ".join(f"{name} it is {_nth(rank)}" for name, rank in moved.items()) + "."


def _by_hosts(place: int, networks: Sequence[Assessment], ranking: Ranking, now: Sequence[int | None]) -> str:
    """The cost of more hosts, and the rank with them if every ranked network has such a cost."""
    if ranking.hosts is None or now[place] is None:
        return ""
    wanted = math.ceil(ranking.hosts * (1 + _MORE_HOSTS) - 1e-9)

    def grown(network: Assessment, score: float | None) -> float | None:
        if score is None or network.hosts >= wanted:
            return score
        more = network.value(f"growth_{_MORE_HOSTS * 100:.0f}_usd")
        per_host = ranking.objective == "cost_per_host_usd"
        if more is None or network.bill is None:
            return None
        return (network.bill.cost_usd + more) / wanted if per_host else score + more

    scores = [grown(network, score) for network, score in zip(networks, ranking.scores, strict=True)]
    score, network = scores[place], networks[place]
    if score is None:
        return _no_growth(network, ranking.hosts)
    # A network without such a cost could be cheaper or more expensive than this one: then no rank is known.
    comparable = all(later is not None for later, rank in zip(scores, now, strict=True) if rank is not None)
    then = f" and would then be {_nth(ranking.ranks(scores)[place])}" if comparable else ""
    if network.hosts >= wanted:
        return f"It has idle ports for {_MORE_HOSTS:.0%} more hosts{then}."
    growth = network.figure(f"growth_{_MORE_HOSTS * 100:.0f}_usd")
    more, currency = ("0", "USD") if growth is None else (_amount(growth.value or 0.0), growth.unit)
    return f"For {_MORE_HOSTS:.0%} more hosts it costs {more} {currency} more{then}."


def _no_growth(network: Assessment, hosts: int) -> str:
    """Why the cost of growth is not known, and the hosts that idle ports take."""
    key = f"{_MORE_HOSTS * 100:.0f}"
    reasons_missing = [gap.reason for gap in network.missing if gap.step == "growth"]
    plan = network.figure(f"moved_{key}")
    if reasons_missing:
        text = f"Growth was not planned ({reasons_missing[0]})"
    elif plan is not None and plan.value is None:
        text = f"Growth was not planned ({plan.how})"
    else:
        text = f"The cost of {_MORE_HOSTS:.0%} more hosts is not known: parts have no price"
    idle = network.hosts - hosts
    return f"{text}; idle ports take {idle:,} host{'s' * (idle != 1)}." if idle > 0 else f"{text}."


def _free_places(network: Assessment) -> str:
    """The places of a floor of fixed size that stay free."""
    layout = network.layout
    if layout is None:
        return ""
    floor = layout.floor
    if floor.fixed is None and not (floor.rows and floor.columns):
        return ""
    spare = layout.places - layout.racks
    if spare <= 0:
        return "No place of the floor stays free."
    return f"{spare:,} place{'s' * (spare != 1)} of the floor stay{'s' * (spare == 1)} free."


def lost_hosts(hosts: float) -> str:
    """A number of hosts in words.

    Examples
    --------
    >>> lost_hosts(0), lost_hosts(1), lost_hosts(1024)
    ('no host', '1 host', '1,024 hosts')
    """
    return f"{f'{hosts:,.0f}' if hosts else 'no'} host{'s' * (hosts > 1)}"


def _risks(network: Assessment) -> str:
    """The risks: the load at which queues grow, the effect of a lost leaf, and the bandwidth after lost links."""
    risks = []
    saturated, leaf, left = network.value("saturation"), network.value("cut_off_by_leaf"), network.value("left_after_5")
    if saturated is not None and saturated < 1:
        risks.append(f"queues grow from {saturated:.0%} of uniform load on")
    if leaf is not None:
        risks.append(f"losing a leaf switch cuts off {lost_hosts(leaf)}")
    if left is not None:
        risks.append(f"losing 5% of the links leaves {left:.0%} of the bandwidth")
    return f"Risks: {'; '.join(risks)}." if risks else ""


def _of_kinds(bill: Bill, kinds: Sequence[str]) -> float:
    """The cost of the lines of these kinds, in USD."""
    return sum(line.cost_usd for line in bill.lines if line.kind in kinds and not math.isnan(line.cost_usd))


def _scaled(bill: Bill, kinds: Sequence[str], factor: float) -> float:
    """The factor by which the total cost changes when the prices of these kinds change by `factor`."""
    return 1 + (factor - 1) * _of_kinds(bill, kinds) / bill.cost_usd if bill.cost_usd else 1.0


def _difference(score: float, best: float) -> str:
    """How much higher or lower a score is than the best; empty if they are the same."""
    if not best or abs(score / best - 1) < 5e-4:
        return ""
    return f"{abs(score / best - 1):.1%} {'higher' if score > best else 'lower'}"


def _amount(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def _nth(rank: int | None) -> str:
    if rank is None:
        return "-"
    end = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{end}"
