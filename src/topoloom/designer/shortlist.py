"""The shortlist of a design: its choice, its placement by the default of `topoloom layout`, and its full assessment."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from topoloom.core.amounts import in_currency
from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.designer.assessment.assess import assess
from topoloom.designer.assessment.assessment import Assessment, distinct_assessments
from topoloom.designer.assessment.reasons import Ranking, compared_sentence, reasons
from topoloom.designer.assessment.subject import Subject
from topoloom.designer.assessment.subjects import subject_of
from topoloom.designer.installed import INSTALLED
from topoloom.designer.measure import measured_by_default_placement
from topoloom.designer.measured_limits import failed_by_assessment, within_tolerance
from topoloom.designer.outcomes import Candidate, Dropped, Outcome, outcome_name, passed_limit, single_numbers
from topoloom.designer.placing import placed_network
from topoloom.designer.requirement import Requirement
from topoloom.designer.store import CandidateStore
from topoloom.network import Network
from topoloom.placement.layout.place import DEFAULT_MAP

#: Reasons why a reference design cannot be assessed: there is no such network, or no bill.
_NOT_ASSESSABLE = frozenset({"construction", "radix", "hosts", "floor", "facility", "parts", "size"})

#: Seconds that the placement of a network may take even if the budget is spent.
_PLACED_SECONDS = 20.0


def in_order(candidates: Iterable[Candidate], requirement: Requirement) -> list[Candidate]:
    """Sort candidates by the objective, best first; then by cost per host, and by mean latency."""
    return sorted(candidates, key=lambda c: (getattr(c, requirement.minimize), *_ties(c)))


def _ties(candidate: Candidate) -> tuple[float, float, str]:
    """What decides between candidates that are equal by the objective."""
    return candidate.cost_per_host_usd, candidate.mean_latency_ns, candidate.spec


def chosen_shortlist(
    ranked: Sequence[Candidate],
    usual: Sequence[Outcome],
    pareto: frozenset[str],
    count: int,
    catalogue: str | None = None,
) -> list[str]:
    """The specs of the shortlist, taken in turn from three lists.

    The lists: the best candidate of each leading family, then the second of each, and so on; the reference designs; and the
    candidates of the Pareto front with the least latency and with the widest bisection. After a search beyond the catalogue,
    the catalogue's best network heads the third list, so that it can be compared with what was found.

    Parameters
    ----------
    ranked : sequence of Candidate
        Best first.
    usual : sequence of Candidate or Dropped
        The reference designs.
    pareto : frozenset of str
        Specs.
    count : int
        Most specs to choose.
    catalogue : str, optional
        The spec of the catalogue's best network, where the search found others.

    Returns
    -------
    list of str
        Each spec once, in the order of choice.
    """
    families: dict[str, list[str]] = {}
    for candidate in ranked:
        families.setdefault(candidate.family, []).append(candidate.spec)
    deepest = max((len(specs) for specs in families.values()), default=0)
    of_families = [specs[depth] for depth in range(deepest) for specs in families.values() if depth < len(specs)]
    places = {candidate.spec: place for place, candidate in enumerate(ranked)}
    assessable = [
        outcome for outcome in usual if isinstance(outcome, Candidate) or outcome.limit not in _NOT_ASSESSABLE
    ]
    # Those within all limits come first, as they are ranked; the others keep the order of `usual`.
    last = len(places)
    references = [outcome.spec for outcome in sorted(assessable, key=lambda outcome: places.get(outcome.spec, last))]
    front = [candidate for candidate in ranked if candidate.spec in pareto]
    ends = [] if catalogue is None else [catalogue]
    ends += [c.spec for c in sorted(front, key=lambda c: c.mean_latency_ns)[:1]]
    ends += [c.spec for c in sorted(front, key=lambda c: -(c.bisection_per_host or 0.0))[:1]]
    chosen: dict[str, None] = {}
    kinds = [iter(of_families), iter(references), iter(ends)]
    while len(chosen) < count and kinds:
        for kind in list(kinds):
            spec = next((name for name in kind if name not in chosen), None)
            if spec is None:
                kinds.remove(kind)
            elif len(chosen) < count:
                chosen[spec] = None
    return list(chosen)


def place_shortlist(
    shortlist: Sequence[Candidate],
    requirement: Requirement,
    parts: Parts,
    stored: CandidateStore | None,
    work: Work,
    budget: Work,
    jobs: int,
    *,
    fresh: bool,
) -> tuple[dict[str, Candidate], dict[str, Network], bool]:
    """Measure the shortlist again by the default placement.

    The first, which is the best of the screening, is always placed; the others within half of the budget, or in seconds.

    Parameters
    ----------
    shortlist : sequence of Candidate
        As screened, with racks row by row.
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.
    stored : CandidateStore or None
        Stores candidates that were placed again; None: nothing is stored.
    work : Work
        Can stop the placing.
    budget : Work
        The share of `work` that the shortlist may take.
    jobs : int
        Number of threads.
    fresh : bool
        Ignore the candidates in the store.

    Returns
    -------
    (dict of str to Candidate, dict of str to Network, bool)
        The candidates measured again and the networks that were placed, by spec, also those after a growth; whether the placing
        was stopped early.
    """
    placed: dict[str, Candidate] = {}
    networks: dict[str, Network] = {}
    done = 0
    half = budget.share(budget.seconds_left / 2)
    if shortlist:
        work.begin(len(shortlist), "shortlist placed")
    with work.interruptible():
        for number, candidate in enumerate(shortlist):
            if work.stopped:
                break
            old = stored.get(candidate.spec, DEFAULT_MAP) if stored is not None and not fresh else None
            if isinstance(old, Candidate) and passed_limit(single_numbers(old), requirement.limits) is None:
                placed[candidate.spec] = old
            else:
                inner = work.step() if number == 0 else work.budget(max(half.seconds_left, _PLACED_SECONDS))
                rebuilt = None
                # Where a longer cable has no product, or a rack is too full for the room, the row-by-row placement stays.
                with suppress(InputError, Stopped):
                    rebuilt = measured_by_default_placement(candidate, requirement, parts, jobs, inner)
                if work.flag[0]:
                    break
                if rebuilt is not None:
                    placed[candidate.spec] = rebuilt[0]
                    networks |= rebuilt[1]
                    if stored is not None:
                        stored.put(placed[candidate.spec])
            done += 1
            work.advance()
    return placed, networks, done < len(shortlist)


def assess_shortlist(
    shortlist: Sequence[Outcome],
    networks: Mapping[str, Network],
    requirement: Requirement,
    parts: Parts,
    store: Path | None,
    work: Work,
    budget: Work,
    jobs: int,
    *,
    fresh: bool,
    compared_only: frozenset[str] = frozenset(),
) -> tuple[tuple[Assessment, ...], dict[str, Dropped]]:
    """Assess the shortlist in full, and give the reason for each network's rank.

    Parameters
    ----------
    shortlist : sequence of Candidate or Dropped
        Those that exceed a limit rank behind the others.
    networks : mapping of str to Network
        The networks that are placed already, by spec.
    requirement : Requirement
    parts : Parts
        The requirement's catalogue.
    store : path or None
        The folder that keeps the results of steps.
    work : Work
    budget : Work
        The rest of the shortlist's share of `work`.
    jobs : int
        Number of threads.
    fresh : bool
        Ignore the results in the store.
    compared_only : frozenset of str
        Specs of reference designs whose family does not take part: they are not ranked.

    Returns
    -------
    (tuple of Assessment, dict of str to Dropped)
        Best first; then networks that are only compared, then networks that exceed a limit. And the networks that fail a limit
        by what was measured, by spec.
    """
    subjects: list[Subject] = []
    assessed: list[Outcome] = []
    order = sorted(
        shortlist,
        key=lambda outcome: (
            isinstance(outcome, Dropped),
            outcome.spec in compared_only,
            _score(outcome, requirement) is None,
            _score(outcome, requirement) or 0.0,
            _ties(outcome) if isinstance(outcome, Candidate) else (),
        ),
    )
    with work.interruptible(), suppress(Stopped):
        for outcome in order:
            network = networks.get(outcome.spec)
            if network is None:
                map = outcome.map if isinstance(outcome, Candidate) else DEFAULT_MAP
                try:
                    # Without a time limit: a network that is not placed could not be assessed at all.
                    network = placed_network(outcome.spec, requirement, parts, map, jobs, work.step())
                except InputError:
                    continue
            subjects.append(subject_of(network, requirement))
            assessed.append(outcome)
    if not subjects:
        return (), {}
    assessments = assess(
        subjects,
        objective="",  # keeps the order of the requirement's objective, which may be none of the figures
        seconds=max(budget.seconds_left, 1e-3),
        repeats=requirement.repeats,
        store=store,
        fresh=fresh,
        jobs=jobs,
        work=work,
    ).networks
    failing: dict[str, Dropped] = {}
    for place, (assessment, outcome) in enumerate(zip(assessments, assessed, strict=True)):
        installed = outcome.family == INSTALLED
        if isinstance(outcome, Dropped) and not installed:
            continue
        failed = failed_by_assessment(requirement, assessment)
        if failed is not None:
            measures_by_then = outcome.known if isinstance(outcome, Dropped) else single_numbers(outcome)
            earlier = outcome.reason if isinstance(outcome, Dropped) else None
            if installed:
                failed = failed[0], "; ".join(filter(None, (earlier, " ".join(failed))))
            assessed[place] = failing[outcome.spec] = Dropped(outcome.spec, outcome.family, *failed, measures_by_then)
    last_order = sorted(range(len(assessed)), key=lambda place: isinstance(assessed[place], Dropped))
    assessed = [assessed[place] for place in last_order]
    assessments = tuple(assessments[place] for place in last_order)
    # By the candidate's spec, which may omit details that the network's own spec has.
    assessments = distinct_assessments(
        tuple(
            replace(assessment, spec=outcome.spec, name=outcome_name(outcome, requirement, parts))
            for assessment, outcome in zip(assessments, assessed, strict=True)
        )
    )
    measures = [_score(outcome, requirement) if isinstance(outcome, Candidate) else None for outcome in assessed]
    scores = tuple(
        None if outcome.spec in compared_only else score for outcome, score in zip(assessed, measures, strict=True)
    )
    label, unit = objective_in_words(requirement.minimize, parts.currency)
    sentences = reasons(assessments, Ranking(requirement.minimize, label, unit, scores, requirement.hosts))
    best = next((score for score in scores if score is not None), None)
    of_installed = next((_score(outcome, requirement) for outcome in assessed if outcome.family == INSTALLED), None)
    sentences = [
        " ".join(
            filter(None, (compared_sentence(of_installed, best, label, unit, "it is installed"), _limits_of(outcome)))
        )
        if outcome.family == INSTALLED
        else compared_sentence(score, best, label, unit)
        if isinstance(outcome, Candidate) and outcome.spec in compared_only
        else f"{sentence} {within_tolerance(requirement, assessment)}".rstrip()
        if isinstance(outcome, Candidate)
        else _limits_of(outcome)
        for assessment, outcome, sentence, score in zip(assessments, assessed, sentences, measures, strict=True)
    ]
    explained = (replace(assessment, why=sentence) for assessment, sentence in zip(assessments, sentences, strict=True))
    return tuple(explained), failing


def _limits_of(outcome: Outcome) -> str:
    """A sentence about the limits that a network exceeds; empty if it exceeds none."""
    if isinstance(outcome, Candidate):
        return ""
    if outcome.family == INSTALLED:
        return f"Exceeds limits of the requirement: {outcome.reason}."
    return f"Exceeds a limit of the requirement: {outcome.limit}{f', {outcome.reason}' if outcome.reason else ''}."


#: Labels and units of the objectives, for sentences.
_OBJECTIVES = {
    "cost_per_host_usd": ("cost per host", "USD"),
    "power_per_host_w": ("power per host", "W"),
    "mean_latency_ns": ("mean latency without load", "ns"),
    "worst_latency_ns": ("worst latency without load", "ns"),
    "host_aspl": ("mean hops between hosts", ""),
    "mean_cable_m": ("mean cable", "m"),
    "maximum_channel_load": ("maximum channel load", "link rates"),
    "cost_usd": ("cost", "USD"),
    "power_w": ("power", "W"),
    "all_to_all_ms": ("time of an all-to-all, by formula", "ms"),
    "all_reduce_ms": ("time of an all-reduce, by formula", "ms"),
    "step_ms": ("time of a step, by formula", "ms"),
}


def objective_in_words(key: str, currency: str = "USD") -> tuple[str, str]:
    """The label and the unit of an objective, for sentences; amounts are in `currency`."""
    label, unit = _OBJECTIVES.get(key, (key.replace("_", " "), ""))
    return label, in_currency(unit, currency)


def _score(outcome: Outcome, requirement: Requirement) -> float | None:
    """The value of the objective, by which the outcome is ranked; None where it is not known."""
    value = (
        outcome.known.get(requirement.minimize)
        if isinstance(outcome, Dropped)
        else getattr(outcome, requirement.minimize)
    )
    return None if value is None else float(value)
