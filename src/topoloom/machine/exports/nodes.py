"""The nodes of schedulers: the compute hosts of a machine, by the network that carries their jobs."""

from topoloom.core.errors import InputError
from topoloom.fabric.exports.name_patterns import OnlyNames
from topoloom.fabric.exports.nodes import SELECTION
from topoloom.fabric.exports.registry import Export, ExportRequest, Files, export_named, made_of
from topoloom.machine.machine import Machine


def is_scheduler(record: Export) -> bool:
    """Whether an export selects the nodes of a scheduler, and needs no tables."""
    return not record.tables and record.options.keys() >= SELECTION.keys()


def compute_network(machine: Machine, name: str | None = None) -> str:
    """The network whose ports carry most of the machine's compute hosts: by the rates of all their ports on it.

    Parameters
    ----------
    machine : Machine
    name : str, optional
        This one instead.

    Raises
    ------
    InputError
        There is no such network, or it has no compute hosts.
    """
    compute = {kind.plan.name for kind in machine.kinds if kind.plan.role == "compute"}
    carried_gbps = {
        each: sum(group.total * group.rate_gbps for group in groups if group.origin == "host" and group.of in compute)
        for each, groups in machine.groups.items()
    }
    if name is not None:
        machine.requirement.plan(name)
    joined = [each for each in carried_gbps if carried_gbps[each] and name in (None, each)]
    if not joined:
        where = "the machine has no networks" if name is None else f"network '{name}' has no hosts"
        raise InputError(f"{where} of role compute; jobs run on these only")
    return max(joined, key=carried_gbps.__getitem__)


def node_files(
    kind: str, machine: Machine, network: str | None = None
) -> tuple[str, Files, tuple[str, ...], tuple[str, ...]]:
    """The files of an export for a scheduler, whose nodes are the machine's compute hosts.

    Parameters
    ----------
    kind : str
        The export, with its options.
    machine : Machine
    network : str, optional
        The network; that of `compute_network` if omitted.

    Returns
    -------
    (str, mapping of str to str or bytes, tuple of str, tuple of str)
        The network, the files, what a user of the files must know, and patterns of files of an earlier export.
    """
    record, options = export_named(kind)
    name = compute_network(machine, network)
    opened = machine.networks[name]
    own = [each for some in machine.kinds if some.plan.role == "compute" for each in some.names]
    options["nodes"] = OnlyNames(own, options["nodes"])
    request = ExportRequest(opened.fabric, opened.tables, lengths=None, layout=opened.layout)
    files = made_of(record, request, options)
    count = len(set(opened.fabric.host_names) & set(own))
    taken = (
        f"by network '{name}' ({machine.requirement.plan(name).rate_gbps:g} Gb/s), which has {count:,} compute hosts"
    )
    advice = () if record.advice is None else tuple(record.advice(request, **options))
    return name, files, (f"{record.name}: {taken}", *advice), record.sometimes
