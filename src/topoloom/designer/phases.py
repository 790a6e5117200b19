"""The phases of a design: what each phase of the requirement, and its later growth, needs and buys of each network."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from topoloom.cabling.expansion.phases.growing import phases
from topoloom.cabling.expansion.phases.phase import Phases, PhaseTables
from topoloom.cabling.expansion.phases.phase_tables import phase_tables_of, with_phase_tables
from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.assessment.figure import Better, Figure
from topoloom.designer.outcomes import Candidate
from topoloom.designer.placing import placed_networks
from topoloom.designer.requirement import Requirement
from topoloom.designer.wiring import whole_spec
from topoloom.network import Network

#: Seconds that the tables of a network's phases may take if no time is left.
_SECONDS = 10.0


def designed_phases(
    winner: Candidate,
    shortlist: Sequence[Assessment],
    placed: Mapping[str, Network],
    requirement: Requirement,
    parts: Parts,
    jobs: int,
    work: Work,
    budget: Work,
) -> tuple[tuple[Phases, ...], dict[str, str]]:
    """The phases of the winner and of every network of the shortlist.

    Parameters
    ----------
    winner : Candidate
    shortlist : sequence of Assessment
    placed : mapping of str to Network
        Networks that are placed already, by spec.
    requirement : Requirement
        With phases, or with a growth.
    parts : Parts
        The requirement's catalogue.
    jobs : int
        Number of threads.
    work : Work
        May stop the work; the result then has the networks that are finished.
    budget : Work
        The time of the shortlist; the tables of a network's phases may take what is left of it, or some seconds.

    Returns
    -------
    (tuple of Phases, dict of str to str)
        In the order of the shortlist; the winner first if it is not in it. A network that is sized for growth has one phase
        more. The second value gives the reason why a network, by its spec, has no phases.
    """
    networks = {assessment.spec: assessment.network for assessment in shortlist if assessment.spec is not None}
    networks |= placed
    tables = {assessment.spec: _tables_of(assessment) for assessment in shortlist}
    order = [assessment.spec for assessment in shortlist if assessment.spec is not None]
    order = order if winner.spec in order else [winner.spec, *order]
    grown: list[Phases] = []
    refused: dict[str, str] = {}
    with work.interruptible(), suppress(Stopped):
        for spec in order:
            if work.stopped:
                break
            whole = whole_spec(spec)
            try:
                network = networks.get(whole)
                if network is None:
                    network = placed_networks(spec, requirement, parts, winner.map, jobs, work.step())[whole]
                hosts, by = _hosts_and_dates(requirement, network.topology.hosts)
                result = phases(network, hosts, by, jobs=jobs, work=work.step())
                assessed_tables = [None] * (max(1, len(requirement.phase)) - 1) + [tables.get(spec)]
                left = work.budget(max(budget.seconds_left, _SECONDS))
                channels = requirement.switch.virtual_channels
                result = with_phase_tables(result, channels, known=assessed_tables, jobs=jobs, work=left)
            except InputError as error:
                refused[spec] = str(error)
            else:
                # By the candidate's spec, which may omit details that the network's own spec has.
                grown.append(replace(result, spec=spec))
    return tuple(grown), refused


def with_phase_figures(
    shortlist: Sequence[Assessment], grown: Sequence[Phases], currency: str
) -> tuple[Assessment, ...]:
    """The assessments with what each phase of their network costs, moves and keeps free, as figures.

    Parameters
    ----------
    shortlist : sequence of Assessment
    grown : sequence of Phases
        Of these networks; a network without phases gets no figures.
    currency : str

    Returns
    -------
    tuple of Assessment
    """
    phases_of = {phases.spec: phases for phases in grown}
    return tuple(
        assessment
        if assessment.spec not in phases_of
        else replace(assessment, figures=(*assessment.figures, *_figures(phases_of[assessment.spec], currency)))
        for assessment in shortlist
    )


def _figures(phases: Phases, currency: str) -> Iterator[Figure]:
    """Three figures per phase: its cost, the cables that move for it, and the ports that it keeps free for later phases."""
    hosts = ",".join(str(phase.hosts) for phase in phases.phases)
    by_hand = f"topoloom phases FOLDER/phases/{len(phases.phases)} --hosts {hosts}"
    for phase in phases.phases:
        when = f"phase {phase.number}, to {phase.hosts:,} hosts{f' by {phase.by}' if phase.by else ''}"
        rows: list[tuple[str, str, str, float, str, Better]] = [
            (
                "usd",
                "cost of",
                currency,
                phase.cost_usd,
                "what the phase buys; the phases add up to the last bill",
                "less",
            ),
            ("moved", "cables moved for", "cables", phase.moved, "the cables of the phase before, end by end", "less"),
            ("reserved", "ports kept free after", "ports", phase.ports_reserved, "for cables of later phases", ""),
        ]
        for key, label, unit, value, how, better in rows:
            yield Figure(
                key=f"phase_{phase.number}_{key}",
                label=f"{label} {when}",
                unit=unit,
                group="Phases",
                value=value,
                how=how,
                by_hand=by_hand if key == "usd" else "",
                better=better,
            )


def _tables_of(assessment: Assessment) -> PhaseTables | None:
    """What the tables of an assessed network carry; None where they were not measured."""
    throughput = assessment.value("uniform_throughput")
    return None if assessment.routing is None or throughput is None else phase_tables_of(assessment.routing, throughput)


def _hosts_and_dates(requirement: Requirement, hosts: int) -> tuple[list[int], list[str]]:
    """The hosts after each phase of a network, and the dates: the requirement's phases, then a growth, which has no date."""
    counts = [phase.hosts for phase in requirement.phase] or [requirement.hosts]
    dates = [phase.by for phase in requirement.phase] or [""]
    if requirement.grown_hosts > requirement.hosts and hosts > requirement.hosts:
        return [*counts, hosts], [*dates, ""]
    return [*counts[:-1], max(counts[-1], hosts)], dates
