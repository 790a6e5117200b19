"""Hosts that take whole units of leaves do so wherever they stand in the file."""

import numpy as np

from topoloom.machine.attaching import attached
from topoloom.machine.devices import DeviceGroup
from topoloom.placement.hosts.housing import HostType
from topoloom.topologies.spec import build


def test_rails_do_not_depend_on_the_order_of_kinds():
    """Eight ports of each of 31 servers on eight leaves, also if login nodes come first; these get what is left."""
    room = build("fat-tree:hosts=256,k=64+rails:nics=8")
    login = DeviceGroup("login", "host", "login", HostType(nics=2), ("login1", "login2"), 2, 400.0)
    names = tuple(f"gpu{number}" for number in range(31))
    gpus = DeviceGroup("gpu", "host", "gpu", HostType(nics=8), names, 8, 400.0)
    for groups, first in (((login, gpus), 2), ((gpus, login), 0)):
        topology = attached(room, groups, "compute", 400.0)
        for host in range(first, first + 31):
            assert np.unique(topology.endpoints[topology.host == host]).size == 8
        assert topology.endpoints.size == 31 * 8 + 4
