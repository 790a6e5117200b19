"""`verify_machine`: the faults of all networks of a machine, each compared with its own discovery."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from topoloom.core.errors import check_type
from topoloom.fabric.diagnosis.diagnose import diagnose
from topoloom.fabric.diagnosis.diagnostics import Diagnostics
from topoloom.fabric.fabric import Fabric
from topoloom.fabric.identify import identify
from topoloom.fabric.own_switches import with_own_switches
from topoloom.fabric.plane_matching import compare_planes, is_one_plane
from topoloom.fabric.planned_kinds import as_planned
from topoloom.machine.common_causes import CommonCause, common_causes
from topoloom.machine.discoveries import PlannedDevices
from topoloom.machine.machine import HOW, Machine
from topoloom.model.results import Provenance, Result
from topoloom.model.sources import NetworkSource, taken
from topoloom.network import Network
from topoloom.network.opening import open_network

#: The rule that a network is connected, which one with an uplink is by another network.
_CONNECTED = "TL305"


@dataclass(frozen=True, eq=False)
class MachineDiagnostics(Result):
    """The faults of a machine's networks.

    Attributes
    ----------
    title : str
    networks : tuple of str
        The networks that were verified.
    results : tuple of Diagnostics
        Those of each.
    unverified : tuple of str
        The networks without a discovery.
    causes : tuple of CommonCause
        Faults that several networks show, each once.
    """

    record_name = "machine-diagnostics"
    record_version = 2
    derived = ("clean", "errors", "warnings", "notes")

    title: str
    networks: tuple[str, ...]
    results: tuple[Diagnostics, ...]
    unverified: tuple[str, ...]
    causes: tuple[CommonCause, ...] = ()
    provenance: Provenance = field(default_factory=Provenance, compare=False)

    @property
    def clean(self) -> bool:
        """Whether no network has errors or warnings."""
        return all(result.clean for result in self.results)

    @property
    def errors(self) -> int:
        """Number of errors."""
        return sum(result.errors for result in self.results)

    @property
    def warnings(self) -> int:
        """Number of warnings."""
        return sum(result.warnings for result in self.results)

    @property
    def notes(self) -> int:
        """Number of notes."""
        return sum(result.notes for result in self.results)

    def rows(self) -> list[dict[str, Any]]:
        """One row per diagnostic, as `Diagnostics.rows`, with its network."""
        pairs = zip(self.networks, self.results, strict=True)
        return [{"network": name, **row} for name, result in pairs for row in result.rows()]


def verify_machine(
    machine: Machine,
    discoveries: Mapping[str, NetworkSource | Sequence[NetworkSource]] | NetworkSource | None = None,
    *,
    management: bool = False,
    only: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> MachineDiagnostics:
    """Find the faults of a machine: each network is compared with its own discovery.

    Parameters
    ----------
    machine : Machine
    discoveries : mapping of str to NetworkSource, optional
        The discovery of each network, or those of its planes; a network may be omitted. Or one discovery, whose networks are
        clear by the names of its devices. If omitted, the plan of each network is checked by itself.
    management : bool
        Whether to include the cables of ports for management in neighbour tables (LLDP). They always are if a network of the
        machine serves switches.
    only, ignore : sequence of str
        The rules to apply, and those to skip, as in `diagnose`.

    Returns
    -------
    MachineDiagnostics

    Raises
    ------
    InputError
        A network is unknown, or a discovery is of another network or damaged.
    """
    check_type(machine, Machine, "verify_machine", HOW)
    if discoveries is None:
        return machine_diagnostics(
            machine,
            {
                name: diagnose(network, only=only, ignore=ignored(machine, name, ignore))
                for name, network in machine.networks.items()
            },
            {},
        )
    management = management or has_management(machine)
    named: list[tuple[str | None, Fabric]] = []
    if isinstance(discoveries, Mapping):
        for name, given in discoveries.items():
            several: Sequence[NetworkSource] = given if isinstance(given, (list, tuple)) else [given]  # type: ignore[list-item]
            named += [(name, _read(source, management)) for source in several]
    else:
        named = [(None, _read(discoveries, management))]
    planned = PlannedDevices(machine)
    discovered = planned.by_network(named)
    results = {
        name: _compared(planned, machine.networks[name], fabrics, only, ignored(machine, name, ignore))
        for name, fabrics in discovered.items()
    }
    return machine_diagnostics(machine, results, discovered)


def machine_diagnostics(
    machine: Machine, results: Mapping[str, Diagnostics], discovered: Mapping[str, Sequence[Fabric]]
) -> MachineDiagnostics:
    """The faults of a machine from those of its networks.

    Parameters
    ----------
    machine : Machine
    results : mapping of str to Diagnostics
        By the names of networks.
    discovered : mapping of str to sequence of Fabric
        What they were compared with.

    Returns
    -------
    MachineDiagnostics
    """
    started = time.monotonic()
    compared = {name: result for name, result in results.items() if result.actual is not None}
    unread = {name: [switch for fabric in fabrics for switch in fabric.unread] for name, fabrics in discovered.items()}
    return MachineDiagnostics(
        machine.requirement.title,
        tuple(results),
        tuple(results.values()),
        tuple(name for name in machine.networks if name not in results),
        common_causes(machine, compared, unread),
        Provenance.of_run(name=machine.requirement.title, timings={"seconds": time.monotonic() - started}),
    )


def ignored(machine: Machine, name: str, ignore: Sequence[str]) -> tuple[str, ...]:
    """The rules to skip for a network: those that the user skips, and those that do not apply to it.

    Parameters
    ----------
    machine : Machine
    name : str
        The network.
    ignore : sequence of str
        What the user skips.

    Returns
    -------
    tuple of str
    """
    return (*ignore, _CONNECTED) if machine.requirement.plan(name).uplink else tuple(ignore)


def has_management(machine: Machine) -> bool:
    """Whether a network of the machine has the management ports of switches."""
    return any(network.serves for network in machine.requirement.network)


def _read(source: NetworkSource, management: bool) -> Fabric:
    if isinstance(source, (str, os.PathLike)):
        return open_network(source, lenient=True, management=management).fabric
    return taken(source, Fabric, "verify_machine")


def _compared(
    devices: PlannedDevices, network: Network, discoveries: Sequence[Fabric], only: Sequence[str], ignore: Sequence[str]
) -> Diagnostics:
    plan, facts = with_own_switches(network.fabric, network.facts)
    fabrics = [as_planned(plan, discovery) for discovery in discoveries]
    actual = fabrics[0]
    if len(fabrics) > 1 or is_one_plane(plan, actual):
        several = compare_planes(plan, facts, fabrics)
        plan, facts, actual, match = several.plan, several.facts, several.actual, several.match
    else:
        match = identify(plan, actual, aliases=[[label] if label else [] for label in facts.labels])
    match = devices.without_others(plan, actual, match)
    return diagnose(plan, actual, match=match, facts=facts, only=only, ignore=ignore)
