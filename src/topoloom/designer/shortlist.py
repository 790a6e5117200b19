"""The shortlist of a design: who they are, where they stand as `topoloom layout` places them, and a full assessment."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.designer.assessment.assess import assess
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.assessment.reasons import Ranking, reasons
from topoloom.designer.assessment.subject import Subject
from topoloom.designer.assessment.subjects import subject_of
from topoloom.designer.measure import (
    Candidate,
    Dropped,
    Outcome,
    measured_by_default_placement,
    passed_limit,
    placed_network,
    single_numbers,
)
from topoloom.designer.requirement import Requirement
from topoloom.designer.store import CandidateStore
from topoloom.network import Network
from topoloom.placement.layout.place import DEFAULT_MAP

#: Why a reference design cannot stand beside the others: it is not there to be assessed.
_NOT_THERE = frozenset({"construction", "radix", "hosts", "floor", "parts", "size"})

#: Seconds that the placement of a network may take, whatever the budget.
_PLACED_SECONDS = 20.0


def in_order(candidates: Iterable[Candidate], requirement: Requirement) -> list[Candidate]:
    """Candidates, best first."""
    return sorted(candidates, key=lambda c: (getattr(c, requirement.minimize), c.cost_per_host_usd, c.spec))


def chosen_shortlist(
    ranked: Sequence[Candidate],
    usual: Sequence[Outcome],
    pareto: frozenset[str],
    count: int,
    catalogue: str | None = None,
) -> list[str]:
    """The specs of the shortlist: by turns the best of the next family, reference designs, and the ends of the Pareto front.

    By turns one of three lists: the best of each leading family, then the second of each, and so on; reference designs; and
    those of the Pareto front with the least latency and with the widest bisection. After a search beyond the catalogue the best
    that the catalogue offers comes first of the third list, to be seen beside what was found.

    Parameters
    ----------
    ranked : sequence of Candidate
        Best first.
    usual : sequence of Candidate or Dropped
        What everybody buys.
    pareto : frozenset of str
        Specs.
    count : int
        At most so many.
    catalogue : str, optional
        The best that the catalogue offers, where others were found.

    Returns
    -------
    list of str
        Each once, the best first.
    """
    families: dict[str, list[str]] = {}
    for one in ranked:
        families.setdefault(one.family, []).append(one.spec)
    deepest = max((len(specs) for specs in families.values()), default=0)
    of_families = [specs[depth] for depth in range(deepest) for specs in families.values() if depth < len(specs)]
    places = {one.spec: place for place, one in enumerate(ranked)}
    there = [one for one in usual if isinstance(one, Candidate) or one.limit not in _NOT_THERE]
    # Those within all limits first, as they are ranked; then as they are listed.
    references = [one.spec for one in sorted(there, key=lambda one: places.get(one.spec, len(places)))]
    front = [one for one in ranked if one.spec in pareto]
    ends = [] if catalogue is None else [catalogue]
    ends += [
        one.spec
        for some in (
            sorted(front, key=lambda c: c.mean_latency_ns)[:1],
            sorted(front, key=lambda c: -(c.bisection_per_host or 0.0))[:1],
        )
        for one in some
    ]
    found: dict[str, None] = {}
    kinds = [iter(of_families), iter(references), iter(ends)]
    while len(found) < count and kinds:
        for kind in list(kinds):
            spec = next((one for one in kind if one not in found), None)
            if spec is None:
                kinds.remove(kind)
            elif len(found) < count:
                found[spec] = None
    return list(found)


def place_shortlist(
    shortlist: Sequence[Candidate],
    requirement: Requirement,
    parts: Parts,
    kept: CandidateStore | None,
    work: Work,
    budget: Work,
    jobs: int,
    *,
    fresh: bool,
) -> tuple[dict[str, Candidate], dict[str, Network], bool]:
    """Measure shortlist again by the default placement.

    The first, which is the best of the screening, is always placed; another in half of the budget, or where it takes seconds.

    Parameters
    ----------
    shortlist : sequence of Candidate
        Measured row by row.
    requirement : Need
    parts : Parts
        The need's catalogue.
    kept : CandidateStore or None
        Where candidates that were placed again are found and kept.
    work : Work
        May stop it.
    budget : Work
        A share of it: that of the shortlist.
    jobs : int
        Threads.
    fresh : bool
        Do not look what the store has.

    Returns
    -------
    (dict of str to Candidate, dict of str to Network, bool)
        The candidates measured again, and the networks that were placed, by spec; whether it was stopped before its end.
    """
    found: dict[str, Candidate] = {}
    networks: dict[str, Network] = {}
    done = 0
    half = budget.share(budget.seconds_left / 2)
    if shortlist:
        work.begin(len(shortlist), "shortlist placed")
    with work.interruptible():
        for number, one in enumerate(shortlist):
            if work.stopped:
                break
            old = kept.get(one.spec, DEFAULT_MAP) if kept is not None and not fresh else None
            if isinstance(old, Candidate) and passed_limit(single_numbers(old), requirement.limits) is None:
                found[one.spec] = old
            else:
                inner = work.step() if number == 0 else work.budget(max(half.seconds_left, _PLACED_SECONDS))
                rebuilt = None
                with suppress(InputError, Stopped):  # a cable beyond all products: then the rows, which have none, stay
                    rebuilt = measured_by_default_placement(one, requirement, parts, jobs, inner)
                if work.flag[0]:
                    break
                if rebuilt is not None:
                    found[one.spec], networks[one.spec] = rebuilt
                    if kept is not None:
                        kept.put(found[one.spec])
            done += 1
            work.advance()
    return found, networks, done < len(shortlist)


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
) -> tuple[Assessment, ...]:
    """Take shortlist a full assessment, and say why each stands where it stands.

    Parameters
    ----------
    shortlist : sequence of Candidate or Dropped
        Those past a limit stand behind the others.
    networks : mapping of str to Network
        By spec, those that are placed already.
    requirement : Need
    parts : Parts
        The need's catalogue.
    store : path or None
        Where steps are kept.
    work : Work
    budget : Work
        A share of it: what is left of that of the shortlist.
    jobs : int
        Threads.
    fresh : bool
        Do not look what the store has.

    Returns
    -------
    tuple of Assessment
        The best first.
    """
    subjects: list[Subject] = []
    own: list[Outcome] = []
    order = sorted(
        shortlist,
        key=lambda one: (isinstance(one, Dropped), _score(one, requirement) is None, _score(one, requirement) or 0.0),
    )
    with work.interruptible(), suppress(Stopped):
        for one in order:
            network = networks.get(one.spec)
            if network is None:
                map = one.map if isinstance(one, Candidate) else DEFAULT_MAP
                try:
                    # Within no budget: a network that is not placed could not be assessed at all.
                    network = placed_network(one.spec, requirement, parts, map, jobs, work.step())
                except InputError:
                    continue
            subjects.append(subject_of(network, requirement))
            own.append(one)
    if not subjects:
        return ()
    found = assess(
        subjects,
        objective="",  # the order of the need's objective, which not every figure has
        seconds=max(budget.seconds_left, 1e-3),
        repeats=requirement.repeats,
        store=store,
        fresh=fresh,
        jobs=jobs,
        work=work,
    ).networks
    scores = tuple(_score(one, requirement) if isinstance(one, Candidate) else None for one in own)
    label, unit = _WORDS.get(requirement.minimize, (requirement.minimize.replace("_", " "), ""))
    told = reasons(found, Ranking(requirement.minimize, label, unit, scores, requirement.hosts))
    told = [
        text
        if isinstance(one, Candidate)
        else f"Past a limit of the need: {one.limit}{f', {one.reason}' if one.reason else ''}."
        for one, text in zip(own, told, strict=True)
    ]
    # By the spec that the candidate has, which may leave out what the network's own says.
    return tuple(replace(one, spec=outcome.spec, why=text) for one, outcome, text in zip(found, own, told, strict=True))


#: What is minimised, for sentences, and its unit.
_WORDS = {
    "cost_per_host_usd": ("cost per host", "USD"),
    "power_per_host_w": ("power per host", "W"),
    "mean_latency_ns": ("mean latency without load", "ns"),
    "worst_latency_ns": ("worst latency without load", "ns"),
    "host_aspl": ("mean hops between hosts", ""),
    "mean_cable_m": ("mean cable", "m"),
    "maximum_channel_load": ("load of the busiest channel", "link rates"),
    "cost_usd": ("cost", "USD"),
    "power_w": ("power", "W"),
    "all_to_all_ms": ("time of an all-to-all, by formula", "ms"),
    "all_reduce_ms": ("time of an all-reduce, by formula", "ms"),
    "step_ms": ("time of a step, by formula", "ms"),
}


def _score(one: Outcome, requirement: Requirement) -> float | None:
    """What it is ranked by."""
    found = one.known.get(requirement.minimize) if isinstance(one, Dropped) else getattr(one, requirement.minimize)
    return None if found is None else float(found)
