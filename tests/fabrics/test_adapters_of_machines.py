"""Machines of several adapters as one host: which belong together, and that planned rails compare rightly."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.fabric.compare import compare_fabrics
from topoloom.fabric.discovery import read_fabric
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.identify import identify
from topoloom.fabric.machines import joined, joined_for
from topoloom.fabric.net_text import discovered_text
from topoloom.topologies.spec import build

RAILS = planned_fabric(build("fat-tree:k=4+rails:nics=2"))


def adapters(names, switch_of=lambda _: 0):
    """A fabric of adapters of these names, all on one switch, in its ports 1, 2, ..."""
    lines = [f'Switch {len(names)} "S"']
    lines += [f'[{port}] "A{port}"[1]' for port, _ in enumerate(names, 1)]
    for port, name in enumerate(names, 1):
        lines += [f'Ca 1 "A{port}" # "{name}"', f'[1] "S"[{port}]']
    return read_fabric("\n".join(lines), "found.net")


def apart(fabric, device="mlx5_"):
    """A planned fabric as it is discovered: every host port an adapter of its own, ``node3 mlx5_1``."""
    topology = fabric.topology
    k = topology.endpoints.size
    names = [
        f"node{h} {device}{port - 1}"
        for h, port in zip(topology.host.tolist(), fabric.host_ports.tolist(), strict=True)
    ]
    return replace(
        fabric,
        topology=topology.replace(host=np.arange(k), labels={}),
        host_names=tuple(names),
        host_guids=fabric.port_guids,
        host_sizes=np.ones(k, np.int32),
        host_ports=np.ones(k, np.int32),
        host_device=np.zeros(k, np.int32),
        made="found.net",
    )


@pytest.mark.parametrize(
    ("names", "hosts"),
    [
        (["a HCA-1", "a HCA-2", "b HCA-1"], {"a": [1, 2], "b HCA-1": [1]}),
        # A blank behind, and numbers that are not in the order of letters.
        (["a mlx5_10 ", "a mlx5_2", "a mlx5_1"], {"a": [3, 2, 1]}),
        (["a ibp149s0f0", "a ibp11s0f0"], {"a": [2, 1]}),
        # Nobody named these, and nobody knows which is where.
        (["MT4129 ConnectX7   Mellanox Technologies"] * 3, None),
        (["MT4129 ConnectX7"] * 2, None),
        # The same adapter twice, another word with the same first one, words that are no adapters.
        (["a mlx5_0", "a mlx5_0"], None),
        (["a", "a mlx5_0", "a mlx5_1"], None),
        (["rack1 left", "rack1 right"], None),
    ],
)
def test_who_is_one_machine(names, hosts):
    """Two words, the first the same, the second an adapter's name and another for each."""
    found, fabric = joined(adapters(names)), adapters(names)
    if hosts is None:
        assert found is fabric or found.host_names == fabric.host_names
        return
    assert set(found.host_names) == set(hosts)
    ports = {name: [] for name in hosts}
    for host, port in zip(found.topology.host.tolist(), found.host_ports.tolist(), strict=True):
        ports[found.host_names[host]].append(port)
    assert ports == hosts
    assert np.array_equal(found.port_guids, fabric.port_guids)


def test_a_machine_that_lacks_an_adapter_keeps_the_numbers_of_the_others():
    """Most machines have mlx5_0, 1, 2; one without mlx5_1 has ports 1 and 3, and three ports in all."""
    names = [f"{machine} mlx5_{i}" for machine in "abc" for i in range(3)] + ["d mlx5_0", "d mlx5_2"]
    found = joined(adapters(names))
    last = found.host_names.index("d")
    assert found.host_ports[found.topology.host == last].tolist() == [1, 3]
    assert found.host_sizes.tolist() == [3, 3, 3, 3]


def test_planned_rails_are_what_is_discovered():
    """Adapters apart are joined for a plan whose hosts have several ports, and then every cable is right."""
    found = apart(RAILS)
    there = joined_for(RAILS, found)
    assert there.topology.hosts == RAILS.topology.hosts
    result = compare_fabrics(RAILS, there, identify(RAILS, there, "name"))
    assert result.same
    without = compare_fabrics(RAILS, found, identify(RAILS, found, "name"))
    assert not without.same


def test_exchanged_rails_are_found():
    """Two adapters of a machine in each other's ports are a swap, and not hidden by joining."""
    found = apart(RAILS)
    guids, names = found.port_guids.copy(), list(found.host_names)
    one, other = (names.index(f"node0 mlx5_{i}") for i in range(2))
    names[one], names[other] = names[other], names[one]
    guids[[one, other]] = guids[[other, one]]
    crossed = replace(found, host_names=tuple(names), port_guids=guids)
    there = joined_for(RAILS, crossed)
    faults = compare_fabrics(RAILS, there, identify(RAILS, there, "name")).faults
    assert [fault.kind for fault in faults] == ["swapped"]


def test_a_plan_of_adapters_is_compared_adapter_by_adapter():
    """Two discoveries of one fabric are the same, whatever belongs together."""
    found = apart(RAILS)
    assert joined_for(found, found) is found
    assert joined_for(planned_fabric(build("petersen:hosts=1")), found) is found
    assert joined_for(found, found, "joined").topology.hosts == RAILS.topology.hosts
    assert joined_for(RAILS, found, "apart") is found
    with pytest.raises(InputError, match="auto, joined, apart"):
        joined_for(RAILS, found, "some")


def test_joined_fabrics_are_written_and_read():
    """A machine is a host of several ports in the long form, with the GUIDs of its adapters' ports."""
    found = joined(apart(RAILS))
    back = read_fabric(discovered_text(found), "x.net")
    assert back.topology.hosts == found.topology.hosts
    assert sorted(back.host_names) == sorted(found.host_names)
    assert sorted(back.port_guids.tolist()) == sorted(found.port_guids.tolist())
