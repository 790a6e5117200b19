"""Flaws of a fabric's file that a reader can bear: it goes on without what makes no sense, and tells."""

from collections.abc import Callable
from dataclasses import dataclass

from topoloom.core.errors import InputError, at

#: What is wrong with a file.
GUID_TWICE, PORT_TWICE, PORT_BEYOND = "guid twice", "port twice", "port beyond"
BLIND, NO_CABLE = "leads nowhere", "no cable"


@dataclass(frozen=True)
class Flaw:
    """Something that cannot be.

    Attributes
    ----------
    kind : str
    text : str
        In a sentence, without the file.
    line : int
    plugs : tuple of (str, int)
        The ports that it is about, by the names of their nodes; port 0: the node itself.
    """

    kind: str
    text: str
    line: int
    plugs: tuple[tuple[str, int], ...]


class Flaws:
    """Where a reader reports what is wrong: refused at once, or borne and kept.

    Parameters
    ----------
    source : str
        The file, for messages.
    borne : bool
        Whether to go on.
    """

    def __init__(self, source: str, borne: bool = False) -> None:
        self._source, self._borne = source, borne
        self._found: list[Flaw] = []

    def report(self, kind: str, line: int, text: str | Callable[[], str], *plugs: tuple[str, int]) -> None:
        """Refuse the file, or keep what is wrong.

        Parameters
        ----------
        kind : str
        line : int
        text : str, or callable without parameters
            The sentence.
        *plugs : (str, int)
            The ports that it is about.

        Raises
        ------
        InputError
            The file is not borne with.
        """
        said = text if isinstance(text, str) else text()
        if not self._borne:
            raise self.refusal(line, said)
        self._found.append(Flaw(kind, said, line, plugs))

    def refusal(self, line: int | None, text: str) -> InputError:
        """The error for what no reader can bear."""
        return at(self._source, line, text)

    @property
    def borne(self) -> bool:
        """Whether the reader goes on."""
        return self._borne

    @property
    def found(self) -> tuple[Flaw, ...]:
        """What was wrong, by lines."""
        return tuple(sorted(self._found, key=lambda flaw: flaw.line))
