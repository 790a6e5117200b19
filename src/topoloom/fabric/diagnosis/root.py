"""The result of `roots`: one cause of what differs."""

from dataclasses import dataclass

from topoloom.fabric.comparison import Cable


@dataclass(frozen=True)
class Root:
    """One cause.

    Attributes
    ----------
    kind : str
    nodes : tuple of int
        The node that is the cause, and nodes that are lost or come with it; those of the cables, where cables are the cause.
    planned, found : tuple of Cable
        The planned cables that are not there because of it, and those that are there instead.
    """

    kind: str
    nodes: tuple[int, ...]
    planned: tuple[Cable, ...]
    found: tuple[Cable, ...]
