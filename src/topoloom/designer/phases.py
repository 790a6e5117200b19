"""The phases of a design: what each phase of the requirement needs and buys of the winner and of the shortlist."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from topoloom.cabling.expansion.phases.growing import phases
from topoloom.cabling.expansion.phases.phase import Phases
from topoloom.core.errors import InputError, Stopped
from topoloom.core.work import Work
from topoloom.cost.parts import Parts
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.measure import Candidate, placed_network
from topoloom.designer.requirement import Requirement
from topoloom.network import Network


def designed_phases(
    winner: Candidate,
    shortlist: Sequence[Assessment],
    placed: Mapping[str, Network],
    requirement: Requirement,
    parts: Parts,
    jobs: int,
    work: Work,
) -> tuple[Phases, ...]:
    """The phases of the winner and of every network of the shortlist.

    Parameters
    ----------
    winner : Candidate
    shortlist : sequence of Assessment
    placed : mapping of str to Network
        Networks that are placed already, by spec.
    requirement : Requirement
        With phases.
    parts : Parts
        The requirement's catalogue.
    jobs : int
        Number of threads.
    work : Work
        May stop the work; the result then has the networks that are finished.

    Returns
    -------
    tuple of Phases
        In the order of the shortlist; the winner first if it is not in it. A network with more hosts than the requirement has
        them all in its last phase. One that has no such phases, because it has too few hosts, is omitted.
    """
    networks = {winner.spec: placed.get(winner.spec)}
    networks |= {assessment.spec: assessment.network for assessment in shortlist if assessment.spec is not None}
    order = [assessment.spec for assessment in shortlist if assessment.spec is not None]
    order = order if winner.spec in order else [winner.spec, *order]
    hosts, by = [phase.hosts for phase in requirement.phase], [phase.by for phase in requirement.phase]
    grown = []
    with work.interruptible(), suppress(Stopped):
        for spec in order:
            if work.stopped:
                break
            with suppress(InputError):
                network = networks[spec]
                if network is None:
                    network = placed_network(spec, requirement, parts, winner.map, jobs, work.step())
                last = max(hosts[-1], network.topology.hosts)
                result = phases(network, [*hosts[:-1], last], by, jobs=jobs, work=work.step())
                # By the candidate's spec, which may omit details that the network's own spec has.
                grown.append(replace(result, spec=spec))
    return tuple(grown)
