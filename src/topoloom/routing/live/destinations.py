"""The destinations and senders of installed tables: tables have a row per destination, and only switches are nodes."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from topoloom.model.topology import Topology
from topoloom.routing.channels import Channels, channels_of


@dataclass(frozen=True, eq=False)
class Destinations:
    """The rows of tables: host ports and switches, or several of one switch that have the same entries.

    Attributes
    ----------
    topology : Topology
    home : int64[R]
        The switch of each row.
    weight : int64[R]
        The number of host ports of each row; 0: only management packets are sent there.
    source : int64[G]
        The switch of each group of senders: hosts of one switch with the same virtual channels.
    """

    topology: Topology
    home: np.ndarray
    weight: np.ndarray
    source: np.ndarray

    @cached_property
    def channels(self) -> Channels:
        """The channels between switches."""
        return channels_of(self.topology)

    @cached_property
    def turns_at(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The arrays with which kernels number turns: first, to, back, turn_first."""
        return self.channels.first, self.channels.to, self.channels.back, self.channels.turn_first

    @cached_property
    def data(self) -> np.ndarray:
        """The rows to which data is sent, int64[k]."""
        return np.flatnonzero(self.weight > 0)

    @cached_property
    def hosts(self) -> np.ndarray:
        """The host ports of each switch, int64[n]."""
        return self.topology.endpoints_at.astype(np.int64)
