"""The result of `roots`: one cause of differences."""

from dataclasses import dataclass

from topoloom.fabric.comparison import Cable

#: The kind of a cause in addition to those of cables, which follow from it: they are in parts of a port that are not planned.
SPLIT_FURTHER = "split further"


@dataclass(frozen=True)
class Root:
    """One cause of differences.

    Attributes
    ----------
    kind : str
    nodes : tuple of int
        The node that is the cause, and nodes that are lost or added with it; if cables are the cause, the nodes of the cables.
    planned, found : tuple of Cable
        The planned cables that are missing because of it, and the cables that exist instead.
    """

    kind: str
    nodes: tuple[int, ...]
    planned: tuple[Cable, ...]
    found: tuple[Cable, ...]
