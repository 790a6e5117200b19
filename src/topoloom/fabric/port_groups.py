"""Adaptive routing in installed tables: entries that leave packets the choice among a group of ports."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from topoloom.core.errors import at
from topoloom.fabric._lft_tables import Section
from topoloom.model.results import Recorded


@dataclass(frozen=True, eq=False)
class PortGroups:
    """The ports among which packets choose.

    Attributes
    ----------
    of : int32[switches, endpoints + switches]
        The index in `ports` of each entry with several ports; -1: the entry has one port or none.
    ports : tuple of tuple of int
        The real ports of each group, ascending; groups of switches with the same ports are one.
    """

    of: np.ndarray
    ports: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class AdaptiveEntries(Recorded):
    """What tables with groups of ports hold, of their entries for host ports.

    Attributes
    ----------
    switches : int
        Switches with an entry of several ports.
    groups : int
        Groups of ports in use, summed over these switches.
    fewest_ports, most_ports : int
        Ports of the smallest and of the largest of them.
    mean_ports : float
        Ports of a group, in the mean over entries.
    entries : int
        Entries with several ports.
    share : float
        Their share of all entries for host ports at other switches.
    """

    switches: int
    groups: int
    fewest_ports: int
    most_ports: int
    mean_ports: float
    entries: int
    share: float

    def __str__(self) -> str:
        ports = f"{self.fewest_ports}" + (f" to {self.most_ports}" if self.most_ports > self.fewest_ports else "")
        return (
            f"adaptive routing on {self.switches:,} switches: {self.groups:,} groups of {ports} ports in use, by"
            f" {self.share:.1%} of the entries for hosts at other switches"
        )


def port_groups(
    sections: Mapping[int, Section], target_at: np.ndarray, shape: tuple[int, ...], paths: int, source: str
) -> PortGroups | None:
    """The groups of ports in a dump of tables; None if no entry has one.

    Parameters
    ----------
    sections : mapping of int to Section
        The table of each switch.
    target_at : int64[65536]
        The target of each LID; -1: none.
    shape : (int, int)
        Switches, and endpoints and switches.
    paths : int
        Addresses of a host port.
    source : str
        The file, for messages.

    Returns
    -------
    PortGroups or None

    Raises
    ------
    InputError
        Host ports have several addresses.
    """
    if not any(section.group_ports for section in sections.values()):
        return None
    if paths > 1:
        raise at(
            source, None, f"groups of ports and {paths} addresses per host port (LMC above 0) together are not verified"
        )
    of, index = np.full(shape, -1, np.int32), dict[tuple[int, ...], int]()
    for switch, section in sections.items():
        if section.groups is None:
            continue
        number = np.array([index.setdefault(ports, len(index)) for ports in section.group_ports] or [-1], np.int32)
        target = target_at[section.lids]
        chosen = (target >= 0) & (section.groups >= 0)
        of[switch, target[chosen]] = number[section.groups[chosen]]
    return PortGroups(of, tuple(index))


def adaptive_entries(groups: PortGroups, home: np.ndarray) -> AdaptiveEntries:
    """What the groups are, in numbers.

    Parameters
    ----------
    groups : PortGroups
    home : int[endpoints]
        The switch of each host port.

    Returns
    -------
    AdaptiveEntries
    """
    of = groups.of[:, : home.size]
    used = of >= 0
    sizes = np.array([len(ports) for ports in groups.ports], np.int64)[of[used]]
    away = np.arange(of.shape[0])[:, None] != home[None, :]
    rows = np.flatnonzero(used.any(axis=1)).tolist()
    return AdaptiveEntries(
        switches=len(rows),
        groups=sum(np.unique(of[row][used[row]]).size for row in rows),
        fewest_ports=int(sizes.min()) if sizes.size else 0,
        most_ports=int(sizes.max(initial=0)),
        mean_ports=float(sizes.mean()) if sizes.size else 0.0,
        entries=sizes.size,
        share=float((used & away).sum() / max(1, away.sum())),
    )
