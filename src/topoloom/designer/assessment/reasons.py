"""Why a network stands where it stands among others, and what would change that: worked out, then said in a sentence."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from topoloom.cost.bill import Bill
from topoloom.designer.assessment.assessment import Assessment

#: By so much prices are changed.
_PRICES = 0.2
#: By so much more hosts are asked for.
_HOSTS = 0.1
#: The kinds of a bill's lines whose prices are changed together, and what they are called.
_KINDS = {"switches": ("switch",), "cables and optics": ("cable", "transceiver")}


@dataclass(frozen=True)
class Ranking:
    """What networks are ranked by.

    Attributes
    ----------
    objective : str
        Its key; those that begin with ``cost`` depend on prices.
    label, unit : str
        For people.
    scores : tuple of float or None
        Of each network, in their order; None: not known.
    hosts : int or None
        That are needed; None: nobody said.
    more_is_better : bool
    """

    objective: str
    label: str
    unit: str
    scores: tuple[float | None, ...]
    hosts: int | None = None
    more_is_better: bool = False

    def ranks(self, scores: Sequence[float | None]) -> list[int | None]:
        """The rank of each by other scores, 1 for the best; None for those that have none."""
        sign = -1 if self.more_is_better else 1
        known = sorted((sign * score, place) for place, score in enumerate(scores) if score is not None)
        found: list[int | None] = [None] * len(scores)
        for rank, (_, place) in enumerate(known, 1):
            found[place] = rank
        return found


def reasons(networks: Sequence[Assessment], ranking: Ranking) -> list[str]:
    """A sentence for each network: why it is where it is, and what would change that.

    Prices of switches, and those of cables and optics, 20 % up and down, all networks alike; 10 % more hosts, by the room that
    there is or by the plan of the step ``growth``; a rack less on the floor; and what it risks.

    Parameters
    ----------
    networks : sequence of Assessment
    ranking : Ranking
        With a score for each of them.
    """
    now = ranking.ranks(ranking.scores)
    other = _prices(networks, ranking)
    told = []
    for place, one in enumerate(networks):
        parts = [_position(place, networks, ranking, now)]
        if ranking.objective.startswith("cost"):
            parts.append(_by_prices(place, now, other))
            parts.append(_by_hosts(place, networks, ranking, now))
        parts.append(_by_rack(one))
        parts.append(_risks(one))
        told.append(" ".join(part for part in parts if part))
    return told


def _position(place: int, networks: Sequence[Assessment], ranking: Ranking, now: Sequence[int | None]) -> str:
    """Where it stands, by how much, and what of its bill is dearest."""
    score, rank = ranking.scores[place], now[place]
    if score is None or rank is None:
        return f"Not ranked: its {ranking.label} is not known."
    order = sorted((one, number) for number, one in enumerate(now) if one is not None)
    best = ranking.scores[order[0][1]] or 0.0
    shown = f"{_amount(score)} {ranking.unit}".rstrip()
    if rank == 1 and len(order) > 1:
        _, follower = order[1]
        gap = _gap(ranking.scores[follower] or 0.0, score)
        text = f"{_nth(rank)}: {ranking.label} {shown}; the next, {networks[follower].name}, has {gap}."
    elif rank == 1:
        text = f"{_nth(rank)}: {ranking.label} {shown}."
    else:
        text = f"{_nth(rank)}: {ranking.label} {shown}, {_gap(score, best)} beside {networks[order[0][1]].name}."
    bill = networks[place].bill
    if bill is None or not ranking.objective.startswith("cost") or not bill.cost_usd > 0:
        return text
    shares = {name: _of_kinds(bill, kinds) / bill.cost_usd for name, kinds in _KINDS.items()}
    return text + " " + ", ".join(f"{share:.0%} of it {name}" for name, share in shares.items()).capitalize() + "."


def _prices(networks: Sequence[Assessment], ranking: Ranking) -> Mapping[str, Sequence[int | None]]:
    """The ranks of all where something has another price."""
    found = {}
    for name, kinds in _KINDS.items():
        for factor, word in ((1 - _PRICES, "cheaper"), (1 + _PRICES, "dearer")):
            scores = [
                None if score is None or one.bill is None else score * _scaled(one.bill, kinds, factor)
                for one, score in zip(networks, ranking.scores, strict=True)
            ]
            found[f"{name} {_PRICES:.0%} {word}"] = ranking.ranks(scores)
    return found


def _by_prices(place: int, now: Sequence[int | None], other: Mapping[str, Sequence[int | None]]) -> str:
    if now[place] is None or len(now) < 2:
        return ""
    moved = {
        name: ranks[place] for name, ranks in other.items() if ranks[place] != now[place] and ranks[place] is not None
    }
    if not moved:
        return f"It stays {_nth(now[place])} with switches, or cables and optics, {_PRICES:.0%} cheaper or dearer."
    return "With " + "; with ".join(f"{name} it is {_nth(rank)}" for name, rank in moved.items()) + "."


def _by_hosts(place: int, networks: Sequence[Assessment], ranking: Ranking, now: Sequence[int | None]) -> str:
    """What it costs and where it stands with more hosts."""
    if ranking.hosts is None or now[place] is None:
        return ""
    wanted = math.ceil(ranking.hosts * (1 + _HOSTS) - 1e-9)

    def grown(one: Assessment, score: float | None) -> float | None:
        if score is None or one.hosts >= wanted:
            return score
        more = one.value(f"growth_{_HOSTS * 100:.0f}_usd")
        per = ranking.objective == "cost_per_host_usd"
        if more is None or one.bill is None:
            return None
        return (one.bill.cost_usd + more) / wanted if per else score + more

    scores = [grown(one, score) for one, score in zip(networks, ranking.scores, strict=True)]
    then, one = scores[place], networks[place]
    rank = ranking.ranks(scores)[place]
    if then is None or rank is None:
        return f"For {_HOSTS:.0%} more hosts there is no plan, or none in the time."
    if one.hosts >= wanted:
        return f"It has room for {_HOSTS:.0%} more hosts as it is, and is {_nth(rank)} then."
    more = _amount(one.value(f"growth_{_HOSTS * 100:.0f}_usd") or 0.0)
    return f"For {_HOSTS:.0%} more hosts it costs {more} USD more, and is {_nth(rank)} then."


def _by_rack(one: Assessment) -> str:
    """Whether it stands with a rack less."""
    layout = one.layout
    if layout is None:
        return ""
    floor = layout.floor
    if floor.fixed is None and not (floor.rows and floor.columns):
        return ""
    spare = layout.places - layout.racks
    if spare <= 0:
        return "With a place less on the floor it does not stand."
    return f"With a rack less it still stands: {spare} place{'s' * (spare != 1)} of the floor are free."


def _risks(one: Assessment) -> str:
    """What it risks: the load at which queues grow, what a lost leaf does, what lost links leave."""
    told = []
    full, leaf, left = one.value("saturation"), one.value("cut_off_by_leaf"), one.value("left_after_5")
    if full is not None:
        told.append(f"from {full:.0%} of uniform load on queues grow")
    if leaf is not None:
        told.append(f"a lost leaf cuts off {leaf:,.0f} host{'s' * (leaf != 1)}")
    if left is not None:
        told.append(f"5% of the links lost leave {left:.0%} of the bandwidth")
    return f"Risks: {'; '.join(told)}." if told else ""


def _of_kinds(bill: Bill, kinds: Sequence[str]) -> float:
    """What the lines of these kinds cost."""
    return sum(line.cost_usd for line in bill.lines if line.kind in kinds and not math.isnan(line.cost_usd))


def _scaled(bill: Bill, kinds: Sequence[str], factor: float) -> float:
    """By what the whole price changes."""
    return 1 + (factor - 1) * _of_kinds(bill, kinds) / bill.cost_usd if bill.cost_usd else 1.0


def _gap(score: float, best: float) -> str:
    return "as much" if not best or abs(score / best - 1) < 5e-4 else f"{score / best - 1:+.1%}"


def _amount(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def _nth(rank: int | None) -> str:
    if rank is None:
        return "-"
    end = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{end}"
