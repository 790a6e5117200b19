"""Racks of current systems by hand: kW, kg, air and liquid from the catalogue's figures, with their sources there."""

import msgspec
import pytest

from topoloom import facility, price
from topoloom.core.errors import InputError
from topoloom.cost.parts_files import load_parts
from topoloom.network.opening import open_network
from topoloom.placement.hosts.housing import HostType, Housing, RackRule

#: m³/h of one CFM: 0.3048³ m³ * 60.
CFM = 0.3048**3 * 60
#: Nodes as the DGX user guides and other publications quote them: W, kg, CFM, units, and the rate of their ports.
NODES = {"DGX B200": (14_300, 142.4, 1_550, 10, 400), "DGX B300": (14_500, 168, 1_500, 10, 800)}


@pytest.mark.parametrize("name", NODES)
def test_racks_of_four_nodes(name):
    """Four nodes in 48 units: 57.2 or 58.0 kW of hosts, 569.6 or 672 kg, 6,200 or 6,000 CFM, and their modules."""
    power_w, weight_kg, cfm, units, rate = NODES[name]
    rack = RackRule(u=48, leaf="mor", hosts=4)
    network = open_network("fat-tree:hosts=256,k=64+rails:nics=8").placed(
        "koibuchi-2013", hosts=Housing(HostType(name=name), rack), parts="infiniband-2026", rate_gbps=rate, map="rows"
    )
    full = [supply for supply in facility(network).racks if supply.hosts == 4]
    assert len(full) == 8
    for supply in full:
        assert supply.hosts_w == 4 * power_w
        assert supply.max_w == pytest.approx(supply.hosts_w + supply.optics_w)
        assert supply.weight_kg == pytest.approx(4 * weight_kg)
        assert supply.air_m3h == pytest.approx(4 * cfm * CFM, rel=1e-3)
        assert supply.units == 4 * units


def test_nvl72_of_the_catalogue():
    """144 trays are 8 racks of 18 with 4 + 9 + 4 + 2 devices each: 18 + 9 + 8 + 2 = 37 units, at most 48.

    The power of a tray was not found, so all 144 are unknown, and a limit of the rack's power is refused until it is given:
    of 120 kW per rack, 6.667 kW per tray.
    """
    pod = open_network("fat-tree:hosts=576,k=64,leaf=18:18+rails:nics=4")
    for name in ("GB200 NVL72 tray", "GB300 NVL72 tray"):
        rate = 400 if "GB200" in name else 800
        placing = {"parts": "infiniband-2026", "rate_gbps": rate, "map": "rows"}
        network = pod.placed("koibuchi-2013", hosts=name, **placing)
        racks = [supply for supply in facility(network).racks if supply.hosts]
        assert [(supply.hosts, supply.devices, supply.units) for supply in racks] == [(18, 19, 37)] * 8
        assert sum(supply.max_unknown for supply in racks) >= 144
        (line,) = [line for line in price(network).lines if line.kind == "rack"]
        assert line.count == network.layout.racks
        given = Housing(HostType(name=name, power_w=120_000 / 18))
        racks = [
            supply for supply in facility(pod.placed("koibuchi-2013", hosts=given, **placing)).racks if supply.hosts
        ]
        assert {round(supply.hosts_w) for supply in racks} == {120_000}
    limited = Housing(HostType(name="GB200 NVL72 tray"), RackRule(u=48, power_w=132_000))
    with pytest.raises(InputError, match="the power of 'GB200 NVL72 tray' is not known; give power_w in"):
        pod.placed("koibuchi-2013", hosts=limited, parts="infiniband-2026", rate_gbps=400)


def test_co_packaged_switches_have_no_modules_and_give_their_heat_to_liquid():
    """Q3450-LD: 144 ports of 800G, fibres go into its sockets, four units; the liquid takes the share of the catalogue."""
    parts = load_parts("infiniband-2026")
    (product,) = [sold for sold in parts.switch.product if sold.name == "Q3450-LD"]
    # Its power and its share were not found; a quote gives them, here made up.
    quoted = msgspec.structs.replace(product, power_max_w=5_000, liquid_share=0.8, air_m3h=None)
    parts = msgspec.structs.replace(parts, switch=msgspec.structs.replace(parts.switch, product=(quoted,)))
    network = open_network("complete:n=4,hosts=32").placed("koibuchi-2013", parts=parts, rate_gbps=800, map="rows")
    room = facility(network, liquid_k=10, air_k=16)
    assert (room.total.units, room.total.optics_w, room.total.switches_w) == (4 * 4, 0, 4 * 5_000)
    assert room.total.liquid_w == 16_000
    # 14.3 L/min per kW and K; 1.76 CFM per W and K.
    assert room.total.liquid_l_min == pytest.approx(14.3 * 16 / 10, rel=2e-3)
    assert room.total.air_m3h == pytest.approx(1.76 * CFM * 4_000 / 16, rel=2e-3)
    bill = price(network)
    assert not [line for line in bill.lines if line.kind == "transceiver"]
    assert sum(line.count for line in bill.lines if line.kind == "cable") == 4 * 3 // 2
