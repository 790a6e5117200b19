"""The result of an export: the files written."""

from dataclasses import dataclass, field

from topoloom.model.results import Provenance, Result


@dataclass(frozen=True)
class WrittenFiles(Result):
    """The files of an export, for another tool; its provenance names the network.

    Attributes
    ----------
    format : str
        The name of the export.
    files : tuple of str
        Their paths.
    """

    record_name = "written-files"

    format: str
    files: tuple[str, ...]
    provenance: Provenance = field(default_factory=Provenance, compare=False)
