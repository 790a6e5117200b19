"""The limits of a requirement, tested against what the tables of a network carry: formulas only filter candidates."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite

from topoloom.core.calls import Call, ExecutorError, anywhere, awaited
from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.measuring import shared_struct
from topoloom.designer.offers import survived
from topoloom.designer.outcomes import Candidate, Dropped, Outcome, single_numbers
from topoloom.designer.requirement import Requirement
from topoloom.designer.wiring import PART, whole_spec
from topoloom.graph.planes import plane_count
from topoloom.routing.fitted_tables import fitted_tables
from topoloom.throughput.one_pattern import uniform_throughput
from topoloom.topologies.spec import build

#: How the reason begins for a network that fails a limit by its tables.
MEASURED = "measured on its tables"
#: Share by which a measured throughput may miss a limit: partly filled leaves are not exactly even.
TOLERANCE = 0.02
#: Share by which a measured throughput may differ by rounding.
_EVEN = 1e-3
#: Most candidates that fail and are replaced when no time is left, and seconds that a network may take then.
_LATE_ROUNDS, _SECONDS = 8, 10.0


def needed_throughput(requirement: Requirement) -> tuple[float, str]:
    """The uniform throughput that the limits of a requirement need, and the key of the limit; 0 without such a limit.

    An oversubscription or a blocking factor of 2 needs half of the hosts' rate, and so does a maximum channel load of 2. No
    network carries more than the hosts' rate, so limits below 1 need 1.
    """
    limits = requirement.limits
    needs = [
        (min(1.0, 1.0 / value), key)
        for key, value in (
            ("oversubscription", limits.oversubscription),
            ("blocking", limits.blocking),
            ("maximum_channel_load", limits.maximum_channel_load),
        )
        if value is not None
    ]
    return max(needs, default=(0.0, ""))


def failed_limit(
    requirement: Requirement, throughput: float | None, hops: float | None, engine: str
) -> tuple[str, str] | None:
    """The first limit that a network fails by its tables, and the reason; None if it keeps all that are known.

    Parameters
    ----------
    requirement : Requirement
    throughput : float or None
        Of uniform traffic, as a share of a host's rate.
    hops : float or None
        The maximum hops between switches with hosts.
    engine : str

    Returns
    -------
    (str, str) or None
        The key of the limit, and a sentence.

    Examples
    --------
    >>> from topoloom.designer.requirement_tables import DesignLimits, SwitchRequirement
    >>> wanted = Requirement(hosts=64, switch=SwitchRequirement(radix=16), limits=DesignLimits(oversubscription=2))
    >>> failed_limit(wanted, 0.229, 3, "orders")
    ('oversubscription', 'measured on its tables (engine orders): uniform throughput 0.229, but 0.5 is needed')
    """
    needed, key = needed_throughput(requirement)
    by = f"{MEASURED} (engine {engine})"
    if throughput is not None and throughput < needed * (1 - TOLERANCE):
        return key, f"{by}: uniform throughput {throughput:.3g}, but {needed:.3g} is needed"
    most = requirement.limits.diameter
    if most is not None and hops is not None and hops > most:
        return "diameter", f"{by}: paths of up to {hops:.0f} hops, at most {most} are allowed"
    return None


def failed_on_tables(dropped: Iterable[Dropped]) -> list[Dropped]:
    """Those of the dropped networks that formulas would keep, and that fail a limit by their tables."""
    return [outcome for outcome in dropped if (outcome.reason or "").startswith(MEASURED)]


def failed_by_assessment(requirement: Requirement, assessment: Assessment) -> tuple[str, str] | None:
    """`failed_limit` of a fully assessed network."""
    engine = assessment.provenance.engine
    return failed_limit(requirement, assessment.value("uniform_throughput"), assessment.value("max_hops"), engine)


def within_tolerance(requirement: Requirement, assessment: Assessment) -> str:
    """A sentence where a network misses a limit by no more than the tolerance; empty where it does not miss one.

    Parameters
    ----------
    requirement : Requirement
    assessment : Assessment

    Returns
    -------
    str
    """
    needed, key = needed_throughput(requirement)
    throughput = assessment.value("uniform_throughput")
    if throughput is None or not needed * (1 - TOLERANCE) <= throughput < needed * (1 - _EVEN):
        return ""
    return (
        f"Its uniform throughput of {throughput:.4g} is {1 - throughput / needed:.1%} below the {needed:.3g} of the limit"
        f" {key}; up to {TOLERANCE:.0%} are allowed, because partly filled leaves are not exactly even."
    )


def chosen_within_limits(
    choose: Callable[[frozenset[str]], Sequence[str]],
    outcomes: Mapping[str, Outcome],
    requirement: Requirement,
    jobs: int,
    work: Work,
    budget: Work,
    tested: set[str],
) -> tuple[list[str], dict[str, Dropped]]:
    """Choose a shortlist whose networks keep the limits on their tables: those that fail are replaced.

    Parameters
    ----------
    choose : callable (frozenset of str) -> sequence of str
        Chooses the shortlist, with the specs that fail.
    outcomes : mapping of str to Candidate or Dropped
        The outcome of every spec.
    requirement : Requirement
    jobs : int
    work : Work
        Can stop the measuring.
    budget : Work
        The time of the shortlist, of which the measuring may take half. The network that leads is tested even after that.
    tested : set of str
        Specs that were tested before and are not tested again; those that are tested are added.

    Returns
    -------
    (list of str, dict of str to Dropped)
        The shortlist; the networks that fail, by spec. A network that does not fit into the time is not tested here, but when
        it is assessed.
    """
    failing: dict[str, Dropped] = {}
    chosen = list(choose(frozenset()))
    in_phases = len(requirement.phase) > 1 and bool(requirement.least.survives)
    if needed_throughput(requirement)[0] < TOLERANCE and requirement.limits.diameter is None and not in_phases:
        return chosen, failing
    half = budget.share(budget.seconds_left / 2) if isfinite(budget.seconds_left) else budget
    late_rounds = 0
    while late_rounds < _LATE_ROUNDS:
        some_fail = False
        late = bool(tested) and half.stopped
        late_rounds += late
        # The first is what the design recommends: it is tested even if no time is left.
        candidates = [outcomes.get(spec) for spec in (chosen[:1] if late else chosen) if spec not in tested]
        untested = [outcome for outcome in candidates if isinstance(outcome, Candidate)]

        def left() -> Work:
            return work.step() if half is budget else work.budget(max(half.seconds_left, _SECONDS))

        for outcome, reason in _all_tested(untested, requirement, jobs, work, left):
            tested.add(outcome.spec)
            if reason is not None:
                some_fail = True
                failing[outcome.spec] = Dropped(outcome.spec, outcome.family, *reason, single_numbers(outcome))
        if not some_fail:
            break
        chosen = list(choose(frozenset(failing)))
    return chosen, failing


def _all_tested(
    candidates: Sequence[Candidate], requirement: Requirement, jobs: int, work: Work, left: Callable[[], Work]
) -> Iterator[tuple[Candidate, tuple[str, str] | None]]:
    """Yield candidates with the limit that each fails by its tables, until the work is stopped.

    None if it keeps all, cannot be routed, or takes longer than the time that is `left`.
    """
    futures = {}
    if work.executor is not None:
        shared = {"requirement": shared_struct(requirement)}
        for candidate in candidates:
            seconds = left().seconds_left
            limit = seconds if isfinite(seconds) else None
            call = Call(failed_on_own_tables, candidate.spec, {"spec": candidate.spec}, shared, limit)
            futures[candidate.spec] = work.executor.submit(call)
    for candidate in candidates:
        if work.stopped:
            return
        try:
            if futures:
                reason = awaited(futures[candidate.spec], work)
            else:
                reason = failed_on_own_tables(spec=candidate.spec, requirement=requirement, work=left(), jobs=jobs)
        except ExecutorError:
            raise
        except (InputError, Stopped):
            reason = None
        yield candidate, reason


@anywhere
def failed_on_own_tables(
    *, spec: str, requirement: Requirement, work: Work, jobs: int | None
) -> tuple[str, str] | None:
    """The limit that a network fails by its tables, now, in a phase, or after its growth; None if it keeps all.

    Parameters
    ----------
    spec : str
        Of a candidate.
    requirement : Requirement
    work : Work
    jobs : int or None
        Threads.

    Returns
    -------
    (str, str) or None
        As `failed_limit`.

    Raises
    ------
    InputError
        It cannot be routed.
    Stopped
        `work` was stopped.
    """
    for state, when in states_of(spec, requirement):
        topology = build(state)
        survives = survived(topology, max(1, plane_count(topology))) if when else frozenset(requirement.least.survives)
        lost = [kind for kind in requirement.least.survives if kind not in survives]
        if lost:
            return "survives", f"a host is cut off when one {lost[0]} is lost{when}"
        virtual_channels = requirement.switch.virtual_channels
        routing = fitted_tables(topology, virtual_channels=virtual_channels, jobs=jobs, work=work)
        throughput, _ = uniform_throughput(routing, jobs=jobs, work=work)
        hops = None if routing.verification is None else routing.verification.max_hops
        failed = failed_limit(requirement, throughput, hops, routing.engine)
        if failed is not None:
            return failed[0], failed[1] + when
    return None


def states_of(spec: str, requirement: Requirement) -> Iterator[tuple[str, str]]:
    """The networks of a candidate: as it is, in each earlier phase of the requirement, and after the growth.

    Parameters
    ----------
    spec : str
        Of a candidate.
    requirement : Requirement

    Yields
    ------
    (str, str)
        A spec, and the end of a sentence that says when; empty for the candidate itself.

    Examples
    --------
    >>> from topoloom.designer.requirement_tables import PhaseRequirement, SwitchRequirement
    >>> half = PhaseRequirement(16), PhaseRequirement(32)
    >>> wanted = Requirement(hosts=32, switch=SwitchRequirement(radix=8), phase=half)
    >>> list(states_of("fat-tree:k=8,hosts=32", wanted))
    [('fat-tree:k=8,hosts=32', ''), ('fat-tree:k=8,hosts=32+part:hosts=16', ', in phase 1 of 16 hosts')]
    """
    whole = whole_spec(spec)
    yield spec, ""
    for number, phase in enumerate(requirement.phase[:-1], 1):
        yield f"{whole}{PART}{phase.hosts}", f", in phase {number} of {phase.hosts:,} hosts"
    if whole != spec:
        yield whole, f", after the growth to {requirement.grown_hosts:,} hosts"
