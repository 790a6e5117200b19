"""Slow and one-sided cables: against the user's word, the plan's, and the fabric's own; and counted errors beside cables."""

from dataclasses import replace

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.fabric.compare import compare_fabrics
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.identify import identify
from topoloom.fabric.port_counters import counter_limit, read_counters
from topoloom.fabric.rates import LANE_GBPS, parse_rate, rate_name, rate_of
from topoloom.topologies.spec import build

PLAN = planned_fabric(build("petersen:hosts=2"))
LINKS, HOSTS = len(PLAN.topology.links), PLAN.topology.endpoints.size


def running(links=200.0, hosts=200.0, **changes):
    """The plan as it is cabled, all links and all hosts' cables at these rates; `changes` as `replace` takes them."""
    known = {
        "link_width": np.full(LINKS, 4),
        "link_rate_gbps": np.full(LINKS, links),
        "endpoint_width": np.full(HOSTS, 4),
        "endpoint_rate_gbps": np.full(HOSTS, hosts),
    }
    return replace(PLAN, made="found.net", **{**known, **changes})


def slowed(values, *cables, to=100.0):
    """The rates with these cables slower."""
    changed = np.full(values, 200.0)
    changed[list(cables)] = to
    return changed


def compared(plan, actual, **options):
    """The comparison, switches by name."""
    return compare_fabrics(plan, actual, identify(plan, actual, "name"), **options)


def slow(found):
    """The texts of slow cables."""
    return [fault.text for fault in found.faults if fault.kind == "slow"]


@pytest.mark.parametrize("speed", LANE_GBPS)
@pytest.mark.parametrize("width", [1, 2, 4, 8, 12])
def test_rates_come_back_from_their_names(speed, width):
    """Lanes and speed give Gb/s, and these the name; lanes times the rate of one is the rate."""
    gbps = rate_of(width, speed)
    assert gbps == width * LANE_GBPS[speed]
    assert rate_name(width, gbps) == f"{width}x{speed}"
    assert parse_rate(f"{width}x{speed.lower()}") == (width, gbps)


def test_data_rates_are_those_of_the_specification():
    """Signal rate times line coding (8b/10b up to QDR, 64b/66b from FDR on): InfiniBand specification, 14.2.5.6 and 3.4."""
    for speed, signal in (("SDR", 2.5), ("DDR", 5.0), ("QDR", 10.0)):
        assert rate_of(1, speed) == signal * 8 / 10
    for speed, signal in (("FDR10", 10.3125), ("FDR", 14.0625), ("EDR", 25.78125)):
        assert rate_of(1, speed) == pytest.approx(signal * 64 / 66, rel=1e-3)


@pytest.mark.parametrize("text", ["fast", "4xZDR", "3xHDR", "0", "-1", "1e9", "99999999", "", "4x"])
def test_what_is_no_rate_is_refused(text):
    """One sentence with what would do."""
    with pytest.raises(InputError, match=r"4xNDR .*SDR, DDR.*400"):
        parse_rate(text)


def test_without_a_planned_rate_most_of_the_same_kind_say():
    """Links between switches of one make, and hosts' cables of one adapter, are each as fast as most of them."""
    found = compared(PLAN, running(hosts=100.0, link_rate_gbps=slowed(LINKS, 3)))
    (u, v), (p, q) = PLAN.topology.links[3].tolist(), PLAN.link_ports[3].tolist()
    kind = f"{PLAN.switch_ports[0]}-port switches"
    what = f"most cables between {kind} run at 4xHDR"
    assert slow(found) == [f"slow: S{u} port {p} - S{v} port {q} runs at 4xEDR, {what}"]
    assert (found.slow_cables, found.right_cables, found.same) == (1, LINKS + HOSTS, False)


def test_kinds_are_devices():
    """Adapters of another device are slower by right; those of the same are not."""
    devices = np.array([0x1021] * 10 + [0x1017] * 10)
    rates = np.where(devices[PLAN.topology.host] == 0x1017, 100.0, 200.0)
    assert compared(PLAN, running(endpoint_rate_gbps=rates, host_device=devices)).same
    same = np.full(20, 0x1021)
    rates[rates == 100] = 200.0
    rates[0] = 100.0
    assert compared(PLAN, running(endpoint_rate_gbps=rates, host_device=same)).slow_cables == 1


def test_the_plan_goes_before_and_the_user_before_it():
    """Against a planned rate half of the fabric may be slow; --rate overrules both."""
    half = np.where(np.arange(LINKS) % 2, 200.0, 100.0)
    plan = running()
    found = compared(plan, running(link_rate_gbps=half))
    assert found.slow_cables == int((half < 200).sum())
    assert all(text.endswith("runs at 4xEDR, planned 4xHDR") for text in slow(found))
    assert compared(plan, running(link_rate_gbps=half), rate=(0, 100.0)).same
    assert compared(plan, running(), rate=parse_rate("4xNDR")).slow_cables == LINKS + HOSTS
    # Faster than planned is no fault.
    assert compared(running(100.0, 100.0), running()).same


def test_a_narrow_cable_of_unknown_speed_is_slow():
    """Where only the width is known it is compared; where nothing is known nothing is said."""
    width = np.full(LINKS, 4)
    width[5] = 1
    unknown = np.zeros(LINKS)
    found = compared(running(), running(link_width=width, link_rate_gbps=unknown))
    assert [text.split(" runs at ")[1] for text in slow(found)] == ["1x, planned 4xHDR"]
    assert compared(running(), replace(PLAN, made="found.net")).same


def test_a_cable_that_one_end_told_of_is_named():
    """With both of its ends, planned or not."""
    once = np.zeros(LINKS, bool)
    once[2] = True
    found = compared(PLAN, running(link_one_sided=once))
    assert found.one_sided_cables == 1
    assert found.faults[0].text.startswith("one-sided: S")
    assert found.faults[0].text.endswith("only one end lists it")
    assert found.right_cables == LINKS + HOSTS


IBQUERYERRORS = """Errors for 0x200003 "S3"
   GUID 0x200003 port ALL: [SymbolErrorCounter == 9]
   GUID 0x200003 port 3: [SymbolErrorCounter == 7] [PortXmitWait == 123] [LinkDownedCounter == 1]
Errors for 0x100000 "H0"
   GUID 0x100000 port 1: [PortRcvErrors == 4 (overflow)]

## Summary: 30 nodes checked, 2 bad nodes found
"""
PERFQUERY = """# Port counters: Lid 4 port 3 (CapMask: 0x5300)
PortSelect:......................3
SymbolErrorCounter:..............7
LinkDownedCounter:...............1
PortRcvErrors:...................0
PortXmitData:....................123456
PortXmitWait:....................99
"""
PM_INFO = """START_PM_INFO
NodeGUID,PortGUID,PortNumber,SymbolErrorCounter,SymbolErrorCounterExt,LinkDownedCounter,PortXmitData,PortXmitWait
0x0000000000200003,0x0000000000200003,3,255,7,1,5,6
0x0000000000100000,0x0000000000100001,1,N/A,N/A,0,5,6
END_PM_INFO
"""


@pytest.mark.parametrize("text", [IBQUERYERRORS, PERFQUERY, PM_INFO])
def test_errors_stand_beside_their_cable(text):
    """Whichever tool counted them: those of port 3 of S3, and none of traffic; they are no faults."""
    actual = replace(running(), switch_lids=np.arange(1, 11, dtype=np.int32))
    found = compared(PLAN, actual, counters=read_counters(text, "counters"))
    assert found.same
    mine = next(one for one in found.errors if ("S3", 3) in [(end.node, end.port) for end in one.ends])
    at = [(end.node, end.port) for end in mine.ends].index(("S3", 3))
    assert mine.counted[at]["LinkDowned"] == 1
    assert mine.counted[at]["SymbolErrors"] in (7, 255)
    assert set(mine.counted[at]) == {"LinkDowned", "SymbolErrors"}
    assert mine.text.startswith("errors: S")
    assert "S3 port 3 SymbolErrors" in mine.text


def test_errors_are_told_with_a_fault_of_their_cable():
    """A slow cable whose ports counted errors says both in one line; the worst cable comes first."""
    link = next(
        k
        for k, (ends, ports) in enumerate(zip(PLAN.topology.links.tolist(), PLAN.link_ports.tolist(), strict=True))
        if (3, 3) in zip(ends, ports, strict=True)
    )
    found = compared(PLAN, running(link_rate_gbps=slowed(LINKS, link)), counters=read_counters(IBQUERYERRORS, "x"))
    assert "; errors: S" in found.faults[0].text
    assert "S3 port 3 SymbolErrors 7, LinkDowned 1" in found.faults[0].text
    assert [sum(sum(end.values()) for end in one.counted) for one in found.errors] == [8, 4]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nothing here\n", "x: has no counters; give the output of ibqueryerrors or perfquery"),
        ("START_NODES\nA\nEND_NODES\n", "x: has no section PM_INFO; ibdiagnet writes it with --pc"),
        (
            "START_PM_INFO\nNodeGUID,PortNumber\n0x1,seven\nEND_PM_INFO\n",
            "x:3: section PM_INFO: PortNumber is 'seven', which is not a number",
        ),
        ("START_PM_INFO\nNodeGUID,PortNumber\n0x1,1\n", "x: section PM_INFO of line 1 does not end"),
    ],
)
def test_what_holds_no_counters_is_refused(text, reason):
    """One sentence."""
    with pytest.raises(InputError, match=reason):
        read_counters(text, "x")


def test_congestion_is_no_cable_error_and_limits_change():
    """Up to 10 symbol errors are normal; discards are reported only with a limit of their own."""
    counted = "[SymbolErrorCounter == 10] [PortXmitDiscards == 500] [LinkDownedCounter == 11]"
    text = f'Errors for 0x200003 "S3"\n   GUID 0x200003 port 3: {counted}\n'
    counters = read_counters(text, "x")
    at = (0x200003, 3)
    assert counters.above({}).by_guid[at] == {"LinkDowned": 11}
    assert counters.above({"LinkDowned": 11, "SymbolErrors": 9}).by_guid[at] == {"SymbolErrors": 10}
    assert counters.above(dict([counter_limit("PortXmitDiscards=100")])).by_guid[at]["XmitDiscards"] == 500
    with pytest.raises(ValueError, match="write SymbolErrors=100"):
        counter_limit("Symbols=3")
