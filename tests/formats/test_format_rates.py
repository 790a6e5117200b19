"""Rates of links and hosts in every format: carried there and back, or dropped with a line that says so."""

import json
import logging

import jsonschema
import numpy as np
import pytest
from test_topoloom_json import SCHEMA

from topoloom import FORMATS, InputError, Topology, build, load, load_layout, open_network, place, save
from topoloom.fabric.fabric import planned_fabric, without_rates
from topoloom.formats import encode
from topoloom.model.link_rates import RATE

GRID = build("mesh:dims=4x4,hosts=2")
PLAIN = GRID.replace(labels={"x": GRID.labels["x0"], "y": GRID.labels["x1"]})
#: A fat tree with hosts of 400 Gb/s and uplinks of 800, whose cables are also some parallel ones.
TREE = build("pgft:m=4x4,w=1x2,p=1x2").with_rates(800, 400)
_LINKS = np.full(len(PLAIN.links), 800.0)
_LINKS[::3] = 200.0
_PORTS = np.full(PLAIN.endpoints.size, 400.0)
_PORTS[::5] = 100.0
#: Rates that have names in InfiniBand, hosts of one switch that differ.
MIXED = PLAIN.with_rates(_LINKS, _PORTS)
WRITTEN = {name: record for name, record in FORMATS.items() if record.write is not None}
CARRY = [name for name, record in WRITTEN.items() if RATE in record.keeps]
DROP = [name for name, record in WRITTEN.items() if RATE not in record.keeps]


def read(name, data):
    """What a format makes of the bytes of a file."""
    return FORMATS.find(name).read(data if isinstance(data, bytes) else data.encode(), "net")


def test_which_formats_carry_rates():
    """All but files of Graph Golf, CAMINOS, UFM's links and PTM's plans, which have no place."""
    assert DROP == ["caminos", "grid-edges", "order-radix", "ptm", "ufm-links"]
    assert len(CARRY) == 17


@pytest.mark.parametrize("network", [TREE, MIXED, PLAIN.with_rates(54.56)], ids=["two", "mixed", "one"])
@pytest.mark.parametrize("name", CARRY)
def test_rates_come_back(name, network, caplog):
    """What a format that carries rates writes, it reads back: of every link, and of every endpoint that survives."""
    record = FORMATS.find(name)
    if record.simple:
        # One link for parallel cables, of all their rates.
        links, first, cables = np.unique(network.links, axis=0, return_index=True, return_counts=True)
        rates = network.link_rate_gbps[first] * cables
        network = network.replace(links=links, link_rate_gbps=rates)
    back = read(name, encode(network, record))
    assert np.array_equal(back.links, network.links)
    assert back.link_rate_gbps.tolist() == network.link_rate_gbps.tolist()
    if "endpoints" in record.keeps:
        assert np.array_equal(back.endpoints, network.endpoints)
        assert back.endpoint_rate_gbps.tolist() == network.endpoint_rate_gbps.tolist()
    assert not [one for one in caplog.records if "dropped" in one.getMessage()]


@pytest.mark.parametrize("name", CARRY)
def test_files_of_networks_without_rates_say_nothing_of_them(name):
    """No word of rates is in a file of a network that has none, but in those of simulators, which need one."""
    data = encode(PLAIN, FORMATS.find(name))
    assert (RATE.encode() in data, b"400" in data) == (False, name in ("infragraph", "ns3"))
    assert read(name, data).rated == (name in ("infragraph", "ns3"))


@pytest.mark.parametrize("name", DROP)
def test_what_carries_no_rates_says_so(name, tmp_path, caplog):
    """One line, and `dropped` in the record; nothing is said of a network without rates."""
    written = save(MIXED, tmp_path / "net", name)
    assert written.dropped == (RATE,)
    assert written.record()["dropped"] == [RATE]
    assert [one.getMessage() for one in caplog.records] == [f"{name}: this format holds no rates; dropped rate_gbps"]
    caplog.clear()
    assert save(PLAIN, tmp_path / "net", name).dropped == ()
    assert not caplog.records


@pytest.mark.parametrize("name", ["ibnetdiscover", "ibdiagnet", "ibdiagnet-lst", "cable-plan"])
def test_a_rate_without_a_name_in_infiniband_is_dropped_with_all_others(name, tmp_path, caplog):
    """InfiniBand says rates as lanes and a speed; where one of a network has none, none is written."""
    odd = TREE.with_rates(800, 10.3)
    written = save(odd, tmp_path / "net", name)
    assert written.dropped == (RATE,)
    assert [one.getMessage() for one in caplog.records] == [
        f"{name}: this format cannot express a rate of 10.3 Gb/s; dropped rate_gbps"
    ]
    assert load(tmp_path / "net", name) == TREE.without_rates().replace(labels={})


def test_topolooms_json_with_rates_is_version_2(tmp_path):
    """A network with rates is version 2, and fits the schema; one without is version 1 still, which old releases read."""
    for network, version in ((MIXED, 2), (TREE, 2), (PLAIN, 1), (Topology([(0, 1)], 2, link_rate_gbps=100), 2)):
        document = json.loads(encode(network, FORMATS.find("topoloom")))
        assert document["version"] == version
        jsonschema.validate(document, SCHEMA)
        assert read("topoloom", json.dumps(document)) == network


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"version": 1}, "link_rate_gbps: rates need version 2"),
        ({"link_rate_gbps": [1]}, r"link_rate_gbps: a rate has shape \(1,\)"),
        ({"link_rate_gbps": [1, -1]}, "link_rate_gbps: a rate holds -1"),
        ({"link_rate_gbps": [1, "x"]}, "link_rate_gbps"),
        ({"endpoint_rate_gbps": None}, "endpoint_rate_gbps is missing"),
    ],
)
def test_wrong_rates_in_json_are_named(fields, reason):
    """The field, and what it must be."""
    valid = {"format": "topoloom", "version": 2, "switches": 3, "links": [[0, 1], [1, 2]], "endpoints": [0]}
    valid |= {"link_rate_gbps": [1, 2], "endpoint_rate_gbps": [3]}
    assert read("topoloom", json.dumps(valid)).rates_gbps.tolist() == [1, 2, 3]
    with pytest.raises(InputError, match=rf"^net(:\d+)?: .*{reason}"):
        read("topoloom", json.dumps(valid | fields))


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("edges", "0 1 400\n", r"net:1: 3 words; a line holds two switch ids"),
        (
            "edges",
            "# switch switch rate_gbps\n0 1\n",
            r"net:2: 2 words; after '# switch switch rate_gbps' a line holds",
        ),
        ("edges", "# switch switch rate_gbps\n0 1 fast\n", r"net:2: 'fast' is not a rate"),
        ("edges", "# switch switch rate_gbps\n0 1 0\n", r"net:2: '0' is not a rate"),
        ("dot", "graph {\n0 -- 1 [rate_gbps=x];\n}", r"net:2: rate_gbps is 'x'; a rate is a number above 0, in Gb/s"),
        (
            "dot",
            "graph { 0 -- 1 [rate_gbps=4]; 1 -- 2; }",
            r"net: the link of '1' and '2' has no rate_gbps, but other links have",
        ),
        (
            "dot",
            'graph { 0 [hosts=2, host_rate_gbps="1 2 3"]; 0 -- 1; }',
            r"net:1: node '0': host_rate_gbps holds 3 rates",
        ),
        ("dot", "graph { 0 [hosts=2]; 0 -- 1 [rate_gbps=4]; }", r"net: links have rate_gbps, but 2 of 2 hosts' ports"),
        ("ns3", "3 2 2\n1 2\n0 1 400Gbs 1ns 0\n1 2 400Gbps 1ns 0\n", r"net:3: '400Gbs' is not a rate"),
        ("ns3", "3 2 2\n1 2\n0 1 0Gbps 1ns 0\n1 2 400Gbps 1ns 0\n", r"net:3: '0Gbps' is not a rate"),
    ],
)
def test_wrong_or_missing_rates_are_refused_with_their_place(name, text, reason):
    """All links have a rate, or none; and it is one."""
    with pytest.raises(InputError, match=reason):
        read(name, text)


def test_cable_lists_give_all_rates_or_none():
    """A row that lacks its rate is named; a host's rate may stand in the row of its switch."""
    head = "kind,a_switch,a_port,b_switch,b_port,rate_gbps,hosts,host_rate_gbps\n"
    rows = "link,0,,1,,800,,\nlink,1,,2,,200,,\nswitch,0,,,,,0..1,400 100\nswitch,2,,,,,2,50\n"
    found = read("cables", head + rows)
    assert found.link_rate_gbps.tolist() == [800, 200]
    assert found.endpoint_rate_gbps.tolist() == [400, 100, 50]
    with pytest.raises(InputError, match=r"^net:3: a cable without rate_gbps, though others have one"):
        read("cables", head + rows.replace("1,,2,,200", "1,,2,,"))
    with pytest.raises(InputError, match=r"^net:2: rate_gbps is 'fast'"):
        read("cables", head + rows.replace("800", "fast"))
    with pytest.raises(InputError, match=r"^net:4: switch 0: host_rate_gbps holds 3 rates for 2 hosts"):
        read("cables", head + rows.replace("400 100", "4 5 6"))


def test_rates_of_parallel_cables_go_by_their_ports():
    """A cable list may have its rows in any order: parallel cables are sorted by port, and their rates with them."""
    text = "kind,a_switch,a_port,b_switch,b_port,rate_gbps\nlink,1,2,0,2,200\nlink,0,1,1,1,800\n"
    assert read("cables", text).link_rate_gbps.tolist() == [800, 200]


@pytest.mark.parametrize(
    ("text", "gbps"),
    [("400Gbps", 400), ("400Gb/s", 400), ("50GB/s", 400), ("100000Mbps", 100), ("1000000000", 1), ("1Kibps", 1.024e-6)],
)
def test_rates_of_ns3_have_units(text, gbps):
    """As ns-3 reads them: bits or bytes, with prefixes of ten or of two; a number alone is bits a second."""
    found = read("ns3", f"3 2 2\n1 2\n0 1 {text} 1ns 0\n1 2 {text} 1ns 0\n")
    assert found.uniform_rate_gbps == pytest.approx(gbps, rel=1e-15)


def test_graphs_may_have_a_default_rate():
    """A default of GraphML's key, and DOT's `edge [...]`, is the rate of links that have none of their own."""
    dot = read(
        "dot", "graph { 0 -- 1; edge [rate_gbps=400]; 1 -- 2; 2 -- 3 -- 0 [rate_gbps=200.5]; }".replace("0 -- 1; ", "")
    )
    assert dict(zip(map(tuple, dot.links.tolist()), dot.link_rate_gbps.tolist(), strict=True)) == {
        (0, 1): 400,
        (1, 2): 200.5,
        (0, 3): 200.5,
    } or dot.rates_gbps.tolist() == [200.5, 400]
    merged = read("dot", "strict graph { 0 -- 1 [rate_gbps=1]; 1 -- 0 [rate_gbps=2]; }")
    assert merged.link_rate_gbps.tolist() == [2]
    graphml = (
        '<graphml><key id="r" for="edge" attr.name="rate_gbps" attr.type="int"><default>400</default></key><graph>'
        '<node id="0"/><node id="1"/><node id="2"/><edge source="0" target="1"/>'
        '<edge source="1" target="2"><data key="r">100</data></edge></graph></graphml>'
    )
    assert read("graphml", graphml).link_rate_gbps.tolist() == [400, 100]


def test_a_fabric_whose_rates_are_known_in_part_drops_them_and_says_so(caplog):
    """The fabric keeps what its file says of each cable; its topology has the rates of all, or none."""
    text = encode(MIXED, FORMATS.find("ibnetdiscover")).decode()
    whole = FORMATS.find("ibnetdiscover").fabric(text.encode(), "net")
    assert whole.topology.mixed
    assert whole.link_width.tolist() == [4] * len(_LINKS)
    assert not caplog.records
    part = FORMATS.find("ibnetdiscover").fabric(text.replace(" 4xXDR", "").encode(), "net")
    assert not part.topology.rated
    assert part.rated
    assert "cables are not known; dropped rate_gbps" in caplog.text


def test_infragraph_without_a_bandwidth_somewhere_drops_the_rates_and_says_so(caplog):
    """Bandwidths are read in bits and bytes; where a cable has none, the network has no rates."""
    text = encode(TREE, FORMATS.find("infragraph")).decode()
    half = text.replace(
        '"choice": "gigabits_per_second", "gigabits_per_second": 800.0',
        '"choice": "gigabytes_per_second", "gigabytes_per_second": 100',
    )
    assert half != text
    assert read("infragraph", half) == read("infragraph", text)
    without = text.replace(
        '"choice": "gigabits_per_second", "gigabits_per_second": 800.0', '"choice": "gigatransfers_per_second"'
    )
    assert not read("infragraph", without).rated
    assert "net: the rates of 16 of 32 cables are not known in Gb/s; dropped rate_gbps" in caplog.text


def test_a_layout_keeps_the_rate_of_its_network(tmp_path):
    """The folder of a layout has it in its cable list, with and without the cables of hosts."""
    network = build("pgft:m=4x4,w=1x2").with_rates(800, 800)
    place(network).save(tmp_path / "laid")
    assert load_layout(tmp_path / "laid").topology == network
    assert open_network(tmp_path / "laid").topology == network


def test_the_fabric_of_a_network_has_its_rates_and_no_others():
    """A fact has one owner: where the topology has rates, those of the fabric are they."""
    fabric = planned_fabric(TREE)
    assert np.shares_memory(fabric.link_rate_gbps, TREE.link_rate_gbps)
    assert set(fabric.link_width.tolist()) == {4}
    assert not without_rates(fabric).rated
    assert logging.getLogger("topoloom").filters == []
