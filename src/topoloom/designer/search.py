"""Beyond the catalogue: networks that are varied from the best found so far, and what that gains.

The catalogue offers each family at some sizes. The search changes the best of them, and those that no other beats: parameters
and hosts per switch, wiring of the hosts, switches of fewer ports, links optimised. What is found stands beside the catalogue's
candidates, measured by the same rules, and varied again. Generations are of a fixed size and are chosen from what was
found before them, so a seed finds the same on every machine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.designer.candidates import Proposal, enumerate_candidates
from topoloom.designer.measure import Candidate, Dropped, single_numbers
from topoloom.designer.pareto import pareto_front, pareto_values, undominated
from topoloom.designer.requirement import Requirement
from topoloom.designer.screening import Screening
from topoloom.designer.variations import Variant, variant_of, varied
from topoloom.topologies.spec import FAMILIES

#: Networks that are chosen, and measured, together.
GENERATION = 16
#: Half of the parents are among so many of the best.
_LEADERS = 8
#: So many variations are drawn for each that is measured; half are taken by what theory says that they cost at least.
_DRAWN = 4
#: Draws without anything new that end the search.
_FRUITLESS = 400
#: What is gained is told of the objective and of these: whether more is better.
_TOLD = {
    "cost_usd": False,
    "cost_per_host_usd": False,
    "power_w": False,
    "mean_latency_ns": False,
    "step_ms": False,
    "bisection_gbps_per_host": True,
}


@dataclass(frozen=True)
class Gain:
    """The best of a measure within all limits, of the catalogue's networks and of all that were found.

    Attributes
    ----------
    measure : str
        A field of `Candidate`.
    catalogue, found : float
        By the placement of the screening.
    catalogue_spec, found_spec : str
    share : float
        How much better the second is, in shares of the first; 0 where the catalogue has the best.
    """

    measure: str
    catalogue: float
    found: float
    catalogue_spec: str
    found_spec: str
    share: float


@dataclass(frozen=True)
class Searched:
    """What the search beyond the catalogue came to.

    Attributes
    ----------
    asked, measured : int
        Networks that were to be measured, and that were.
    generations, seed : int
    specs : tuple of str
        Networks that it found within all limits, the best first.
    gains : tuple of Gain
    front, beaten : int
        Networks of the catalogue that no other of it beats in cost, mean latency and bisection a host all at once; and how
        many of these one that was found beats in all three, or equals in some and beats in the others.
    """

    asked: int
    measured: int
    generations: int
    seed: int
    specs: tuple[str, ...]
    gains: tuple[Gain, ...]
    front: int
    beaten: int


class DesignSearch:
    """The search beyond the catalogue.

    Parameters
    ----------
    requirement : Need
        `requirement.search` says how many networks, and the seed.
    parts : Parts
        The need's catalogue.
    screening : Screening
        What the catalogue's candidates came to; what is found goes there, too.
    catalogue : sequence of Proposal
        All that the catalogue offers.
    work : Work
        A stop ends the search; what was found stays.
    """

    def __init__(
        self, requirement: Requirement, parts: Parts, screening: Screening, catalogue: Sequence[Proposal], work: Work
    ) -> None:
        self._requirement, self._parts, self._screening, self._work = requirement, parts, screening, work
        self._catalogue = tuple(catalogue)
        self._beside = frozenset(one.spec for one in catalogue if one.beside)
        self._seen = {one.spec for one in catalogue}
        self.proposals: list[Proposal] = []
        self._generations = 0

    def run(self) -> None:
        """Measure as many networks as the need asks for, or until nothing new is drawn, or the work is stopped."""
        asked = self._requirement.search.networks
        # Which of the catalogue's dear candidates were measured hangs on who was quicker; which are left does not.
        self._screening.settle(self._catalogue)
        self._work.begin(asked, "networks beyond the catalogue")
        while len(self.proposals) < asked and not self._work.stopped:
            room = min(GENERATION, asked - len(self.proposals))
            chosen = self._generation(self._generations, room)
            if not chosen:
                break
            self._generations += 1
            self.proposals += chosen
            self._screening.take(chosen, every=True)
            self._drop_twins(chosen)
            self._screening.settle([*self._catalogue, *self.proposals])

    def _drop_twins(self, chosen: Sequence[Proposal]) -> None:
        """Some families have networks of others among theirs: what has the counts and distances of a known one is out.

        Draws of random families are told apart by more than these, and stay.
        """
        found, new = self._screening.found, {one.spec for one in chosen}
        known = {
            _counts(one): one.spec
            for one in found.values()
            if isinstance(one, Candidate) and one.spec not in new and one.spec not in self._beside
        }
        for spec in (one.spec for one in chosen):
            one = found.get(spec)
            if not isinstance(one, Candidate) or FAMILIES.find(one.family).random:
                continue
            twin = known.setdefault(_counts(one), spec)
            if twin != spec:
                found[spec] = Dropped(
                    spec, one.family, "same", f"as {twin}, by counts and distances", single_numbers(one)
                )

    def _generation(self, number: int, size: int) -> list[Proposal]:
        """The next networks to measure."""
        fresh = self._smaller_switches() if number == 0 else []
        draws = Draws(self._requirement.search.seed, number)
        parents = self._parents()
        if parents and len(fresh) < _DRAWN * size:
            fresh += self._variations(parents, draws, _DRAWN * size - len(fresh))
        # Half by what theory says that their switches cost, half as they were drawn.
        cheap = sorted(fresh, key=lambda one: one.least_usd)[: size // 2]
        taken = {one.spec for one in cheap}
        chosen = [*cheap, *(one for one in fresh if one.spec not in taken)][:size]
        self._seen.update(one.spec for one in chosen)
        return chosen

    def _variations(self, parents: Sequence[Sequence[Variant]], draws: Draws, count: int) -> list[Proposal]:
        """New networks within what theory can tell, at most so many."""
        found: dict[str, Proposal] = {}
        fruitless = 0
        while len(found) < count and fruitless < _FRUITLESS:
            group = parents[int(draws.below(len(parents), 1)[0])]
            parent = group[int(draws.below(len(group), 1)[0])]
            one = varied(parent, draws, self._requirement, self._parts)
            if one is None or one.spec in found or not self._pursued(one):
                fruitless += 1
                continue
            found[one.spec] = one
            fruitless = 0
        return list(found.values())

    def _pursued(self, one: Proposal) -> bool:
        return one.spec not in self._seen and one.passed is None and not self._screening.too_dear(one.least_usd)

    def _parents(self) -> list[list[Variant]]:
        """The best by the objective, and those that no other beats in money, watts, time and bisection; without empty ones."""
        within = [
            one for one in self._screening.found.values() if isinstance(one, Candidate) and one.spec not in self._beside
        ]
        best = sorted(within, key=lambda one: (getattr(one, self._requirement.minimize), one.spec))[:_LEADERS]
        kept = undominated(np.array([self._objectives(one) for one in within]).reshape(len(within), -1))
        front = [one for one, stays in zip(within, kept.tolist(), strict=True) if stays]
        groups = [[variant_of(one.spec, self._requirement) for one in group] for group in (best, front)]
        known = [[one for one in group if one is not None] for group in groups]
        return [group for group in known if group]

    def _objectives(self, one: Candidate) -> list[float]:
        latency = one.mean_latency_ns if one.step_ms is None else one.step_ms
        own = float(getattr(one, self._requirement.minimize))
        return [own, one.cost_usd, one.power_w, latency, -(one.bisection_per_host or 0.0)]

    def _smaller_switches(self) -> list[Proposal]:
        """The cheapest by theory of each family, of switches with fewer ports than the largest that can be had."""
        found: dict[tuple[int, str], Proposal] = {}
        for radix in _other_radices(self._requirement, self._parts):
            smaller = msgspec.structs.replace(
                self._requirement, usual=False, switch=msgspec.structs.replace(self._requirement.switch, radix=radix)
            )
            for one in enumerate_candidates(smaller, self._parts):
                family = one.spec.partition(":")[0]
                if self._pursued(one) and one.spec not in self._requirement.families.specs:
                    found.setdefault((radix, family), one)
        return list(found.values())

    def told(self, ranked: Sequence[Candidate]) -> Searched:
        """What it came to.

        Parameters
        ----------
        ranked : sequence of Candidate
            All within every limit, those of the catalogue and those that it found, as they were screened, best first.
        """
        mine = {one.spec for one in self.proposals}
        catalogue = [one for one in ranked if one.spec not in mine]
        found = [one for one in ranked if one.spec in mine]
        front = [one for one in catalogue if one.spec in pareto_front(catalogue)]
        return Searched(
            asked=self._requirement.search.networks,
            measured=sum(one.spec in self._screening.found for one in self.proposals),
            generations=self._generations,
            seed=self._requirement.search.seed,
            specs=tuple(one.spec for one in found),
            gains=tuple(_gains(catalogue, ranked, self._requirement)),
            front=len(front),
            beaten=_beaten(front, found),
        )


def _counts(one: Candidate) -> tuple[object, ...]:
    return one.switches, one.hosts, one.links, one.radix, one.planes, one.hop_histogram, one.maximum_channel_load


def _other_radices(requirement: Requirement, parts: Parts) -> list[int]:
    """Ports of smaller switches that can be had at the need's rate; three quarters and half where a line prices any."""
    products = {one.ports_at(requirement.rate_gbps) for one in parts.switch.product}
    sizes = products if products else {requirement.radix * 3 // 4, requirement.radix // 2}
    return sorted((size for size in sizes if 2 < size < requirement.radix), reverse=True)


def _gains(catalogue: Sequence[Candidate], everything: Sequence[Candidate], requirement: Requirement) -> Iterator[Gain]:
    """The objective first; a measure that some candidate has not is omitted."""
    told = {requirement.minimize: False} | _TOLD
    for measure, more in told.items():
        if not catalogue or any(getattr(one, measure) is None for one in everything):
            continue
        sign = -1.0 if more else 1.0
        known, best = _least(catalogue, measure, sign), _least(everything, measure, sign)
        before, after = float(getattr(known, measure)), float(getattr(best, measure))
        better = sign * (before - after)
        yield Gain(measure, before, after, known.spec, best.spec, max(0.0, better) / abs(before) if before else 0.0)


def _least(candidates: Sequence[Candidate], measure: str, sign: float) -> Candidate:
    """The best by a measure; of those alike, by their specs."""
    return min(candidates, key=lambda one: (sign * float(getattr(one, measure)), one.spec))


def _beaten(front: Sequence[Candidate], found: Sequence[Candidate]) -> int:
    """How many of the front some found one is no worse than in everything, and better in something."""
    values = np.concatenate([pareto_values(front), pareto_values(found)])
    return sum(not undominated(np.concatenate([one[None], values[len(front) :]]))[0] for one in values[: len(front)])


def best_of_catalogue(ranked: Sequence[Candidate], searched: Searched) -> str | None:
    """The spec of the best network that the catalogue offers; None where none is within every limit."""
    mine = frozenset(searched.specs)
    return next((one.spec for one in ranked if one.spec not in mine), None)
