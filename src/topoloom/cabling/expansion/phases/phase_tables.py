"""The forwarding tables of each phase's network: made, verified, and measured."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from topoloom.cabling.expansion.phases.phase import Phases, PhaseTables
from topoloom.core.errors import Stopped
from topoloom.core.work import Work
from topoloom.routing.fitted_tables import VIRTUAL_CHANNELS, fitted_tables, virtual_channels_of
from topoloom.routing.routing import Routing
from topoloom.throughput.one_pattern import uniform_throughput


def with_phase_tables(
    phases: Phases,
    virtual_channels: int = VIRTUAL_CHANNELS,
    *,
    known: Sequence[PhaseTables | None] = (),
    jobs: int | None = None,
    work: Work | None = None,
) -> Phases:
    """The phases with what the tables of each phase's network carry.

    Parameters
    ----------
    phases : Phases
        With their networks.
    virtual_channels : int
        Virtual channels of a switch.
    known : sequence of PhaseTables or None
        Of the first phases, where it is known already.
    jobs : int, optional
        Threads; all cores by default.
    work : Work, optional
        A stop omits the tables of the phases that are left.

    Returns
    -------
    Phases

    Raises
    ------
    InputError
        The network of a phase cannot be routed.
    """
    of_phases = list(known)[: len(phases.phases)]
    of_phases += [None] * (len(phases.phases) - len(of_phases))
    with suppress(Stopped):
        for number, network in enumerate(phases.networks):
            if of_phases[number] is None:
                topology = network.layout.topology
                routing = fitted_tables(topology, virtual_channels=virtual_channels, jobs=jobs, work=work)
                of_phases[number] = phase_tables_of(routing, uniform_throughput(routing, jobs=jobs, work=work)[0])
    steps = (replace(phase, tables=tables) for phase, tables in zip(phases.phases, of_phases, strict=True))
    return replace(phases, phases=tuple(steps))


def phase_tables_of(routing: Routing, throughput: float) -> PhaseTables:
    """What verified tables carry.

    Parameters
    ----------
    routing : Routing
    throughput : float
        Of uniform traffic.
    """
    report = routing.verification
    return PhaseTables(
        engine=routing.engine,
        deadlock_free=report is not None and bool(report.deadlock_free),
        virtual_channels=virtual_channels_of(routing),
        max_hops=0 if report is None else report.max_hops,
        uniform_throughput=throughput,
    )
