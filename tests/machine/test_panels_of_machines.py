"""Networks with panels in a machine."""

from types import SimpleNamespace
from typing import Any

import pytest

from topoloom import InputError, open_network
from topoloom.machine.cables import cablings


def test_lists_of_a_machine_refuse_links_through_panels():
    """They would list such links as cables that nobody lays."""
    network = open_network("fat-tree:k=8").placed(
        rows=1, switches_per_rack=40, parts="ethernet-2026", rate_gbps=400, panels="racks", map="rows"
    )
    machine: Any = SimpleNamespace(networks={"compute": network})
    with pytest.raises(InputError, match=r"network 'compute': its links pass through panels"):
        cablings(machine)
