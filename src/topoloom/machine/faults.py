"""Faults of a machine that appear when it is designed, with the table and the key of the machine file that they are about."""

from typing import Literal

from topoloom.core.errors import InputError
from topoloom.core.toml_lines import line_of
from topoloom.machine.requirement import MANAGERS_OF, MachineRequirement


class MachineError(InputError):
    """Bad input in a machine file.

    Attributes
    ----------
    table : "host" or "network"
    name : str
        Of the kind of hosts or the network.
    keys : tuple of str
        The keys in the table, from the outside.
    """

    def __init__(self, sentence: str, table: Literal["host", "network"], name: str, *keys: str) -> None:
        super().__init__(sentence)
        self.table, self.name, self.keys = table, name, keys

    def at_line(self, requirement: MachineRequirement, text: str, source: str) -> InputError:
        """The same fault with its place in the machine file: ``file:line: sentence``.

        Parameters
        ----------
        requirement : MachineRequirement
        text : str
            The content of the machine file.
        source : str
            Its name.
        """
        keys = [self.table, self.name, *self.keys]
        if self.name.startswith(MANAGERS_OF):
            keys = ["network", self.name.removeprefix(MANAGERS_OF), "managers"]
        names = [entry.name for entry in requirement.host]
        if keys[0] == "network":
            names = [entry.name for entry in requirement.network]
        numbers = [str(number) for number, name in enumerate(names) if name == keys[1]]
        line = line_of(text, [keys[0], *numbers[:1], *keys[2:]])
        return InputError(f"{source}{f':{line}' if line else ''}: {self}")
