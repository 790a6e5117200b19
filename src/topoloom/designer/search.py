"""The search beyond the catalogue: networks varied from the best found so far, and what they gain.

The catalogue offers each family at some sizes. The search varies the best of them and the Pareto front: parameters, hosts per
switch, wiring of the hosts, switches with fewer ports, optimised links. Results join the catalogue's candidates, are measured
by the same rules, and are varied again. Generations have a fixed size and are chosen from earlier results only, so a seed
gives the same networks on every machine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from topoloom.core.random_streams import Draws
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.designer.candidates import Proposal, enumerate_candidates
from topoloom.designer.outcomes import Candidate, Dropped, single_numbers
from topoloom.designer.pareto import pareto_front, pareto_values, undominated
from topoloom.designer.requirement import Requirement
from topoloom.designer.screening import Screening
from topoloom.designer.variations import Variant, variant_of, varied
from topoloom.topologies.spec import FAMILIES

#: Networks that are chosen and measured together.
GENERATION = 16
#: Half of the parents are among this many of the best.
_LEADERS = 8
#: Variations drawn for each that is measured; half of those measured are the ones with the least theoretical cost.
_DRAWN = 4
#: Draws without anything new that end the search.
_FRUITLESS = 400
#: Measures, in addition to the objective, whose gains are reported: whether more is better.
_GAIN_MEASURES = {
    "cost_usd": False,
    "cost_per_host_usd": False,
    "power_w": False,
    "mean_latency_ns": False,
    "step_ms": False,
    "bisection_gbps_per_host": True,
}


@dataclass(frozen=True)
class Gain:
    """The best value of a measure within all limits: among the catalogue's networks, and among all networks.

    Attributes
    ----------
    measure : str
        A field of `Candidate`.
    catalogue, found : float
        Values by the placement of the screening.
    catalogue_spec, found_spec : str
    share : float
        The improvement of `found` over `catalogue`, as a share of `catalogue`; 0 where the catalogue has the best.
    """

    measure: str
    catalogue: float
    found: float
    catalogue_spec: str
    found_spec: str
    share: float


@dataclass(frozen=True)
class Searched:
    """The result of the search beyond the catalogue.

    Attributes
    ----------
    asked, measured : int
        Networks that the requirement asks for, and networks that were measured.
    generations, seed : int
    specs : tuple of str
        Networks that the search found within all limits, best first.
    gains : tuple of Gain
    front, beaten : int
        Size of the catalogue's own Pareto front in cost, mean latency and bisection per host, and how many of its networks
        are dominated by a found one.
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
    requirement : Requirement
        `requirement.search` gives the number of networks and the seed.
    parts : Parts
        The requirement's catalogue.
    screening : Screening
        Holds the outcomes of the catalogue's candidates, and receives those of the search.
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
        self._compared_only = frozenset(proposal.spec for proposal in catalogue if proposal.compared_only)
        self._seen = {proposal.spec for proposal in catalogue}
        self.proposals: list[Proposal] = []
        self._generations = 0

    def run(self) -> None:
        """Measure as many networks as the requirement asks for, until nothing new is drawn or the work is stopped."""
        asked = self._requirement.search.networks
        # Which expensive candidates were measured depends on the order in which processes finished; after this it does not.
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
        """Drop networks that equal a known one in counts and distances: some families contain networks of others.

        Random families are exempt: equal counts and distances do not make two random networks equal.
        """
        outcomes, new = self._screening.found, {proposal.spec for proposal in chosen}
        spec_of = {
            _counts(outcome): outcome.spec
            for outcome in outcomes.values()
            if isinstance(outcome, Candidate) and outcome.spec not in new and outcome.spec not in self._compared_only
        }
        for proposal in chosen:
            candidate = outcomes.get(proposal.spec)
            if not isinstance(candidate, Candidate) or FAMILIES.find(candidate.family).random:
                continue
            twin = spec_of.setdefault(_counts(candidate), candidate.spec)
            if twin != candidate.spec:
                outcomes[candidate.spec] = Dropped(
                    candidate.spec,
                    candidate.family,
                    "same",
                    f"as {twin}, by counts and distances",
                    single_numbers(candidate),
                )

    def _generation(self, number: int, size: int) -> list[Proposal]:
        """The next networks to measure."""
        fresh = self._smaller_switches() if number == 0 else []
        draws = Draws(self._requirement.search.seed, number)
        parents = self._parents()
        if parents and len(fresh) < _DRAWN * size:
            fresh += self._variations(parents, draws, _DRAWN * size - len(fresh))
        # Half by the theoretical cost of their switches, half in the order in which they were drawn.
        cheap = sorted(fresh, key=lambda proposal: proposal.least_usd)[: size // 2]
        taken = {proposal.spec for proposal in cheap}
        chosen = [*cheap, *(proposal for proposal in fresh if proposal.spec not in taken)][:size]
        self._seen.update(proposal.spec for proposal in chosen)
        return chosen

    def _variations(self, parents: Sequence[Sequence[Variant]], draws: Draws, count: int) -> list[Proposal]:
        """New networks that exceed no limit by theory, at most `count`."""
        variations: dict[str, Proposal] = {}
        fruitless, most_usd = 0, self._screening.most_usd
        while len(variations) < count and fruitless < _FRUITLESS:
            group = parents[int(draws.below(len(parents), 1)[0])]
            parent = group[int(draws.below(len(group), 1)[0])]
            proposal = varied(parent, draws, self._requirement, self._parts)
            if proposal is None or proposal.spec in variations or not self._pursued(proposal, most_usd):
                fruitless += 1
                continue
            variations[proposal.spec] = proposal
            fruitless = 0
        return list(variations.values())

    def _pursued(self, proposal: Proposal, most_usd: float) -> bool:
        return proposal.spec not in self._seen and proposal.passed is None and proposal.least_usd <= most_usd

    def _parents(self) -> list[list[Variant]]:
        """Two groups: the best by the objective, and the Pareto front in cost, power, latency and bisection (no empty ones)."""
        within = [
            outcome
            for outcome in self._screening.found.values()
            if isinstance(outcome, Candidate) and outcome.spec not in self._compared_only
        ]
        best = sorted(within, key=lambda each: (getattr(each, self._requirement.minimize), each.spec))[:_LEADERS]
        undominated_rows = undominated(np.array([self._objectives(each) for each in within]).reshape(len(within), -1))
        front = [each for each, stays in zip(within, undominated_rows.tolist(), strict=True) if stays]
        groups = [[variant_of(each.spec, self._requirement) for each in group] for group in (best, front)]
        variants = [[variant for variant in group if variant is not None] for group in groups]
        return [group for group in variants if group]

    def _objectives(self, candidate: Candidate) -> list[float]:
        latency = candidate.mean_latency_ns if candidate.step_ms is None else candidate.step_ms
        own = float(getattr(candidate, self._requirement.minimize))
        return [own, candidate.cost_usd, candidate.power_w, latency, -(candidate.bisection_per_host or 0.0)]

    def _smaller_switches(self) -> list[Proposal]:
        """The proposal of least theoretical cost of each family, for switches with fewer ports than the largest available."""
        cheapest: dict[tuple[int, str], Proposal] = {}
        most_usd = self._screening.most_usd
        for radix in _other_radices(self._requirement, self._parts):
            smaller = msgspec.structs.replace(
                self._requirement, usual=False, switch=msgspec.structs.replace(self._requirement.switch, radix=radix)
            )
            for proposal in enumerate_candidates(smaller, self._parts):
                family = proposal.spec.partition(":")[0]
                if self._pursued(proposal, most_usd) and proposal.spec not in self._requirement.families.specs:
                    cheapest.setdefault((radix, family), proposal)
        return list(cheapest.values())

    def summary(self, ranked: Sequence[Candidate]) -> Searched:
        """The result of the search.

        Parameters
        ----------
        ranked : sequence of Candidate
            All candidates within every limit, as screened, best first: those of the catalogue and those of the search.
        """
        own = {proposal.spec for proposal in self.proposals}
        catalogue = [candidate for candidate in ranked if candidate.spec not in own]
        new = [candidate for candidate in ranked if candidate.spec in own]
        front = [candidate for candidate in catalogue if candidate.spec in pareto_front(catalogue)]
        return Searched(
            asked=self._requirement.search.networks,
            measured=sum(proposal.spec in self._screening.found for proposal in self.proposals),
            generations=self._generations,
            seed=self._requirement.search.seed,
            specs=tuple(candidate.spec for candidate in new),
            gains=tuple(_gains(catalogue, ranked, self._requirement)),
            front=len(front),
            beaten=_beaten(front, new),
        )


def _counts(candidate: Candidate) -> tuple[object, ...]:
    return (
        candidate.switches,
        candidate.hosts,
        candidate.links,
        candidate.radix,
        candidate.planes,
        candidate.hop_histogram,
        candidate.maximum_channel_load,
    )


def _other_radices(requirement: Requirement, parts: Parts) -> list[int]:
    """Ports of the smaller switches available at the requirement's rate; 3/4 and 1/2 of the radix where any can be priced."""
    slower = min(requirement.rate_gbps, requirement.host_gbps)
    products = {product.ports_at(slower) for product in parts.switch.product}
    sizes = products if products else {requirement.radix * 3 // 4, requirement.radix // 2}
    return sorted((size for size in sizes if 2 < size < requirement.radix), reverse=True)


def _gains(catalogue: Sequence[Candidate], everything: Sequence[Candidate], requirement: Requirement) -> Iterator[Gain]:
    """Yield the gains, the objective first; a measure that some candidate lacks is omitted."""
    measures = {requirement.minimize: False} | _GAIN_MEASURES
    for measure, more in measures.items():
        if not catalogue or any(getattr(candidate, measure) is None for candidate in everything):
            continue
        sign = -1.0 if more else 1.0
        least, best = _least(catalogue, measure, sign), _least(everything, measure, sign)
        before, after = float(getattr(least, measure)), float(getattr(best, measure))
        better = sign * (before - after)
        yield Gain(measure, before, after, least.spec, best.spec, max(0.0, better) / abs(before) if before else 0.0)


def _least(candidates: Sequence[Candidate], measure: str, sign: float) -> Candidate:
    """The best candidate by a measure; of equal ones, the first by spec."""
    return min(candidates, key=lambda candidate: (sign * float(getattr(candidate, measure)), candidate.spec))


def _beaten(front: Sequence[Candidate], new: Sequence[Candidate]) -> int:
    """Number of candidates of the front that a new candidate dominates: at least as good in everything, better in something."""
    values = np.concatenate([pareto_values(front), pareto_values(new)])
    return sum(not undominated(np.concatenate([row[None], values[len(front) :]]))[0] for row in values[: len(front)])


def best_of_catalogue(ranked: Sequence[Candidate], searched: Searched) -> str | None:
    """The spec of the best network of the catalogue; None where none is within every limit."""
    own = frozenset(searched.specs)
    return next((candidate.spec for candidate in ranked if candidate.spec not in own), None)
