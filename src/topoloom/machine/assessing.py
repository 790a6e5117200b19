"""The full assessment of a machine's networks: tables, throughput, load, collectives, failures and growth of each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from topoloom.core.work import Work
from topoloom.designer.assessment.assess import assess
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.assessment.subject import Subject
from topoloom.designer.assessment.subjects import subject_of
from topoloom.designer.measured_limits import failed_by_assessment
from topoloom.machine.choices import requirement_of_network
from topoloom.machine.devices import DeviceGroup
from topoloom.machine.machine import Machine


def assessed_networks(machine: Machine, jobs: int | None, work: Work) -> dict[str, Assessment]:
    """The assessment of every network that has links of its own, in its layout and by its own keys.

    Parameters
    ----------
    machine : Machine
    jobs : int or None
        Networks that are assessed in parallel; one per core when None.
    work : Work

    Returns
    -------
    dict of str to Assessment
        By the names of networks.
    """
    requirement = machine.requirement
    names = [plan.name for plan in requirement.network if not plan.uplink]
    if not names:
        return {}
    subjects: list[Subject] = []
    for name in names:
        plan, network = requirement.plan(name), machine.networks[name]
        subject = subject_of(network, virtual_channels=plan.switch.virtual_channels, radix=plan.switch.radix)
        subjects.append(
            replace(
                subject,
                switch_ns=plan.switch.delay_ns,
                cable_ns_per_m=plan.cable.delay_ns_per_m,
                all_to_all_mib=plan.collective.all_to_all_mib,
                all_reduce_mib=plan.collective.all_reduce_mib,
            )
        )
    result = assess(
        subjects,
        objective="",  # keeps their order
        seconds=60 * requirement.minutes,
        repeats=requirement.repeats,
        jobs=jobs,
        work=work,
    )
    return {name: replace(each, name=name) for name, each in zip(names, result.networks, strict=True)}


def with_assessed_tables(machine: Machine, assessments: Mapping[str, Assessment]) -> Machine:
    """The machine with the tables that its networks were assessed with.

    Parameters
    ----------
    machine : Machine
    assessments : mapping of str to Assessment
    """
    networks = dict(machine.networks)
    for name, assessment in assessments.items():
        if assessment.routing is not None:
            networks[name] = networks[name].with_installed(assessment.routing)
    return replace(machine, networks=networks)


def failing_network(
    machine: Machine, groups: Mapping[str, Sequence[DeviceGroup]], assessments: Mapping[str, Assessment]
) -> str:
    """The limit of a network's own requirement that it fails by what was measured; empty if none.

    Parameters
    ----------
    machine : Machine
    groups : mapping of str to sequence of DeviceGroup
        The devices that the requirement of each network was made of.
    assessments : mapping of str to Assessment

    Returns
    -------
    str
    """
    for name, assessment in assessments.items():
        plan = machine.requirement.plan(name)
        if plan.spec:
            continue
        failed = failed_by_assessment(requirement_of_network(machine.requirement, plan, groups[name]), assessment)
        if failed is not None:
            limit, reason = failed
            return f"network '{name}': its limits.{limit}: {reason}"
    return ""
