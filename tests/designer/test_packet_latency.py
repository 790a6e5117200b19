"""A requirement with the size of a packet: latencies of designs include its time on every link."""

import msgspec
import pytest

from topoloom import design
from topoloom.core.errors import InputError
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_tables import FamiliesRequirement, SwitchRequirement
from topoloom.placement.hosts.housing import HostType


def requirement(**packet):
    """32 hosts of 100 Gb/s below links of 400, on one kind of tree."""
    return Requirement(
        hosts=32,
        rate_gbps=400,
        host=HostType(name="srv", u=2, power_w=500, rate_gbps=100),
        switch=SwitchRequirement(radix=16, **packet),
        families=FamiliesRequirement(only=("fat-tree",)),
        usual=False,
        shortlist=0,
        parts="slimfly-2014",
    )


@pytest.mark.exhaustive
def test_latency_of_a_design_has_the_time_of_a_packet():
    """By hand: 4,096 bytes from 100 over 400 to 100 Gb/s take 327.68 - 81.92 + 327.68 ns."""
    plain, through, stored = (
        {c.spec: c.worst_latency_ns for c in design(requirement(**packet), jobs=1).ranked}
        for packet in ({}, {"packet_bytes": 4096}, {"packet_bytes": 4096, "flit_bytes": 4096})
    )
    spec = min(plain)
    assert through[spec] - plain[spec] == pytest.approx(573.44)
    # Two links between leaves: host, up, down, host.
    assert stored[spec] - plain[spec] == pytest.approx(2 * 327.68 + 2 * 81.92)


def test_a_flit_larger_than_its_packet_is_refused():
    """Before any candidate is measured."""
    asked = msgspec.structs.replace(requirement(), switch=SwitchRequirement(radix=16, packet_bytes=10, flit_bytes=20))
    with pytest.raises(InputError, match="flit_bytes=20 is above packet_bytes=10"):
        design(asked, jobs=1)
