"""Flaws in a fabric's file: with lenient parsing the reader omits what makes no sense and reports it."""

from collections.abc import Callable
from dataclasses import dataclass

from topoloom.core.errors import InputError, at

#: The kinds of flaws.
GUID_TWICE, PORT_TWICE, PORT_BEYOND = "guid twice", "port twice", "port beyond"
BLIND, NO_CABLE = "leads nowhere", "no cable"
#: Of neighbour tables: several devices on one port; ends that disagree; two devices with one name; a cable of two hosts; an
#: entry without time to live.
SEVERAL_HEARD, CONFLICTING, TWO_DEVICES, HOSTS_JOINED = "several heard", "conflicting", "name twice", "hosts joined"
#: Of neighbour tables: the name of a device or port is too long, or cannot be printed.
NO_NAME = "no name"
STALE = "stale"


@dataclass(frozen=True)
class Flaw:
    """An entry of the file that cannot be right.

    Attributes
    ----------
    kind : str
    text : str
        One sentence, without the name of the file.
    line : int
    plugs : tuple of (str, int)
        The ports concerned, by the names of their nodes; port 0 means the node itself.
    ports : tuple of (str, str)
        The ports without a cable because of it, by the names of device and port.
    others : tuple of str
        The devices at the other ends of the cables concerned.
    """

    kind: str
    text: str
    line: int
    plugs: tuple[tuple[str, int], ...]
    ports: tuple[tuple[str, str], ...] = ()
    others: tuple[str, ...] = ()


class Flaws:
    """Receives what a reader finds wrong: strict parsing refuses the file at the first flaw, lenient parsing collects them.

    Parameters
    ----------
    source : str
        The file, for messages.
    lenient : bool
        Whether parsing is lenient.
    """

    def __init__(self, source: str, lenient: bool = False) -> None:
        self._source, self._lenient = source, lenient
        self._found: list[Flaw] = []

    def report(self, kind: str, line: int, text: str | Callable[[], str], *plugs: tuple[str, int]) -> None:
        """Refuse the file, or collect the flaw.

        Parameters
        ----------
        kind : str
        line : int
        text : str, or callable without parameters
            The sentence.
        *plugs : (str, int)
            The ports concerned.

        Raises
        ------
        InputError
            Parsing is strict.
        """
        sentence = text if isinstance(text, str) else text()
        if not self._lenient:
            raise self.refusal(line, sentence)
        self._found.append(Flaw(kind, sentence, line, plugs))

    def refusal(self, line: int | None, text: str) -> InputError:
        """The error for a flaw that even lenient parsing refuses."""
        return at(self._source, line, text)

    @property
    def lenient(self) -> bool:
        """Whether parsing is lenient."""
        return self._lenient

    @property
    def found(self) -> tuple[Flaw, ...]:
        """The flaws, by line."""
        return tuple(sorted(self._found, key=lambda flaw: flaw.line))
