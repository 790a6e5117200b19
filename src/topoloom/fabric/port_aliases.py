"""Two names of one port: SONiC calls a port ``Ethernet240`` and sends its alias ``etp31``; plans have the one or the other.

Which alias is which port, configurations state (`PortSettings.alias`). Without one, nothing is guessed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from topoloom.fabric.fabric import Fabric, each_node
from topoloom.fabric.identify import Match
from topoloom.fabric.port_names import canonical_port
from topoloom.fabric.port_settings import PortSettings


@dataclass(frozen=True)
class PortAliases:
    """The names and the aliases of the ports of one device.

    Attributes
    ----------
    aliases : mapping of str to str
        The alias of each name, in canonical form.
    names : mapping of str to str
        The name of each alias, in canonical form.
    """

    aliases: Mapping[str, str]
    names: Mapping[str, str]

    def has_aliases(self, words: Iterable[str]) -> bool:
        """Whether words for ports are aliases: a maker may call one port what is the alias of another."""
        keys = {*map(canonical_port, words)}
        return len(keys & self.names.keys()) > len(keys & self.aliases.keys())

    def spoken_as(self, planned: Iterable[str], own: Iterable[str]) -> dict[str, str]:
        """The word that a plan would use, for each word of a device's ports that it calls otherwise.

        Parameters
        ----------
        planned, own : iterable of str
            What the plan, and what the device, calls ports.

        Returns
        -------
        dict of str to str
        """
        own = list(own)
        to_aliases = self.has_aliases(planned)
        table, known_words = (self.aliases, self.names) if to_aliases else (self.names, self.aliases)
        same = self.has_aliases(own) == to_aliases
        keys = {word: canonical_port(word) for word in own}
        return {word: table[key] for word, key in keys.items() if key in table and not (same and key in known_words)}


def aliases_of(settings: Mapping[str, PortSettings]) -> PortAliases:
    """The aliases in the settings of one device's ports, by their names."""
    pairs = [(name, port.alias) for name, port in settings.items() if port.alias and port.alias != name]
    return PortAliases(
        {canonical_port(name): alias for name, alias in pairs}, {canonical_port(alias): name for name, alias in pairs}
    )


def with_planned_words(plan: Fabric, actual: Fabric, match: Match) -> Fabric:
    """A discovered fabric whose ports are called as the plan calls them, where either states which alias is which port.

    Parameters
    ----------
    plan, actual : Fabric
    match : Match
        The node matching.

    Returns
    -------
    Fabric
        The same object if no port is called otherwise.
    """
    if not any(settings.alias for fabric in (plan, actual) for settings in fabric.port_settings.values()):
        return actual
    stated, planned_ones = actual.settings_by_device, plan.settings_by_device
    words: dict[str, dict[str, str]] = {}
    for numbers, devices, of_devices, planned_devices, of_planned in (
        (match.switch, actual.switch_names, actual.switch_port_names, plan.switch_names, plan.switch_port_names),
        (match.host, actual.host_names, actual.host_port_names, plan.host_names, plan.host_port_names),
    ):
        own_ports, planned_ports = each_node(of_devices, len(devices)), each_node(of_planned, len(planned_devices))
        for number, device, ports in zip(numbers.tolist(), devices, own_ports, strict=True):
            if number < 0:
                continue
            own = stated.get(device, {})
            aliases = aliases_of({**planned_ones.get(planned_devices[number], {}), **own})
            others = aliases.spoken_as(planned_ports[number].values(), [*ports.values(), *own])
            if others:
                words[device] = others
    if not words:
        return actual

    def called(device: str, port: str) -> str:
        return words.get(device, {}).get(port, port)

    def names(devices: tuple[str, ...], of_devices: tuple[Mapping[int, str], ...]) -> tuple[Mapping[int, str], ...]:
        return tuple(
            {number: called(device, port) for number, port in ports.items()}
            for device, ports in zip(devices, of_devices, strict=False)
        )

    return replace(
        actual,
        switch_port_names=names(actual.switch_names, actual.switch_port_names),
        host_port_names=names(actual.host_names, actual.host_port_names),
        port_settings={
            (device, called(device, port)): replace(
                settings, alias=port if called(device, port) != port else settings.alias
            )
            for (device, port), settings in actual.port_settings.items()
        },
    )
