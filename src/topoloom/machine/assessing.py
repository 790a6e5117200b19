"""The full assessment of a machine's networks: tables, throughput, load, collectives, failures and growth of each."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from topoloom.core.errors import InputError
from topoloom.core.work import Work
from topoloom.designer.assessment.assess import assess
from topoloom.designer.assessment.assessment import Assessment
from topoloom.designer.assessment.steps.cost import COST
from topoloom.designer.assessment.subject import Subject
from topoloom.designer.assessment.subjects import subject_of
from topoloom.designer.measured_limits import failed_by_assessment
from topoloom.machine.choices import requirement_of_network
from topoloom.machine.devices import DeviceGroup
from topoloom.machine.machine import Machine
from topoloom.machine.network_parts import part_of_network
from topoloom.machine.requirement import MachineNetwork
from topoloom.network import Network


def assessed_networks(machine: Machine, jobs: int | None, work: Work) -> tuple[Machine, dict[str, Assessment]]:
    """The assessment of every network that has links of its own and compute hosts, in its layout and by its own keys.

    Jobs run on compute hosts: traffic, collectives, failures and growth are those of the network with these hosts alone. The
    bill is that of the whole network.

    Parameters
    ----------
    machine : Machine
    jobs : int or None
        Networks that are assessed in parallel; one per core when None.
    work : Work

    Returns
    -------
    (Machine, dict of str to Assessment)
        The machine with the tables of all networks with links that can be routed; the assessments by the names of networks.
    """
    networks, subjects = dict(machine.networks), dict[str, Subject]()
    for plan in machine.requirement.network:
        if plan.uplink:
            continue
        whole = _subject(machine, plan, machine.networks[plan.name], jobs)
        with suppress(InputError):
            networks[plan.name] = whole.network.with_installed(whole.routed(work))
        some = _with_compute_hosts(machine, plan.name)
        if some is not None:
            subjects[plan.name] = whole if some is whole.network else _subject(machine, plan, some, jobs)
    machine = replace(machine, networks=networks)
    if not subjects:
        return machine, {}
    requirement = machine.requirement
    result = assess(
        list(subjects.values()),
        objective="",  # keeps their order
        seconds=60 * requirement.minutes,
        repeats=requirement.repeats,
        jobs=jobs,
        work=work,
    )
    return machine, {
        name: _of_whole(machine, name, subject, assessment, work)
        for (name, subject), assessment in zip(subjects.items(), result.networks, strict=True)
    }


def _subject(machine: Machine, plan: MachineNetwork, network: Network, jobs: int | None) -> Subject:
    subject = subject_of(network, virtual_channels=plan.switch.virtual_channels, radix=plan.switch.radix)
    return replace(
        subject,
        switch_ns=plan.switch.delay_ns,
        cable_ns_per_m=plan.cable.delay_ns_per_m,
        all_to_all_mib=plan.collective.all_to_all_mib,
        all_reduce_mib=plan.collective.all_reduce_mib,
        jobs=jobs,
    )


def _with_compute_hosts(machine: Machine, name: str) -> Network | None:
    """A network with its compute hosts alone; itself if it has no other devices, None if it has none of them."""
    network, groups = machine.networks[name], machine.groups[name]
    roles = {kind.plan.name: kind.plan.role for kind in machine.kinds}
    own = [group.origin == "host" and roles[group.of] == "compute" for group in groups]
    if all(own) or not any(own):
        return network if all(own) else None
    topology = network.topology
    stays = np.repeat(own, [len(group.names) for group in groups])[topology.host]
    return part_of_network(network, np.arange(topology.switches), np.flatnonzero(stays), np.arange(len(topology.links)))


def _of_whole(machine: Machine, name: str, subject: Subject, assessment: Assessment, work: Work) -> Assessment:
    """The assessment under the network's name in the machine, with the bill of the whole network."""
    whole = machine.networks[name]
    bill = COST.run(Subject(whole), work)
    of_bill = {figure.key for figure in bill.figures}
    others = whole.topology.hosts - assessment.hosts
    return replace(
        assessment,
        name=name,
        # The racks have devices of other networks, too: `machine_facility` has their power.
        figures=tuple(
            figure
            for figure in (*bill.figures, *(each for each in assessment.figures if each.key not in of_bill))
            if figure.key not in ("rack_w", "racks")
        ),
        bill=whole.bill,
        why=f"Traffic, failures and growth are those of its {assessment.hosts:,} compute hosts; its {others:,} other devices"
        " send nothing."
        if others
        else "",
    )


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
