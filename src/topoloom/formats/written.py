"""The result of writing a topology: the file, and what its format omitted."""

from dataclasses import dataclass, field

from topoloom.fabric.fabric import Fabric
from topoloom.formats._registry import Format, directed_dropped_by, dropped, dropped_by
from topoloom.model.directed import DirectedTopology
from topoloom.model.results import Provenance, Result, provenance_of
from topoloom.model.topology import Topology


@dataclass(frozen=True)
class WrittenFile(Result):
    """A file that a topology was written to; its provenance names the topology.

    Attributes
    ----------
    file, format : str
    switches, links, hosts : int
        The links of a directed topology are its arcs.
    omitted : tuple of str
        Content that the format cannot hold, as text.
    dropped : tuple of str
        Quantities that the format does not hold, by their names in records: ``rate_gbps``.
    """

    record_name = "written-file"
    record_version = 3

    file: str
    format: str
    switches: int
    links: int
    hosts: int
    omitted: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance, compare=False)


def written_file(topology: Topology, file: str, record: Format, fabric: Fabric | None = None) -> WrittenFile:
    """The result for a topology that was written to a file.

    Parameters
    ----------
    topology : Topology
    file : str
    record : Format
        The format of the file.
    fabric : Fabric, optional
        The fabric of the topology, whose names and addresses the format may omit.
    """
    return WrittenFile(
        file,
        record.name,
        topology.switches,
        len(topology.links),
        topology.hosts,
        tuple(dropped_by(topology, record, fabric)),
        dropped(topology, record),
        provenance_of(topology),
    )


def written_directed(topology: DirectedTopology, file: str, record: Format) -> WrittenFile:
    """The result for a directed topology that was written to a file.

    Parameters
    ----------
    topology : DirectedTopology
    file : str
    record : Format
        The format of the file.
    """
    return WrittenFile(
        file,
        record.name,
        topology.switches,
        len(topology.arcs),
        topology.hosts,
        tuple(directed_dropped_by(topology, record)),
        provenance=provenance_of(topology),
    )
