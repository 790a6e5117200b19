"""Designs whose hosts have another rate than the links: sizes, ports, bills and exports by their own rates, counted by hand."""

import pytest

from topoloom import InputError, build, price
from topoloom.cost.parts_files import load_parts
from topoloom.designer.candidates import enumerate_candidates
from topoloom.designer.design import design
from topoloom.designer.measure import measure
from topoloom.designer.placing import placed_networks
from topoloom.designer.requirement import Requirement
from topoloom.designer.requirement_files import requirement_of
from topoloom.designer.switch_ports import SwitchPorts, tree_of_taper
from topoloom.topologies.spec.titles import network_title

#: Leaves of 48 x 25G and 6 x 100G under spines of 32 x 100G.
PARTS = """
name = "leaf and spine"
source = "made up"
[[switch.product]]
name = "LEAF"
ports = [{ count = 48, rate_gbps = 25 }, { count = 6, rate_gbps = 100 }]
price_usd = 8_000
power_w = 250
[[switch.product]]
name = "SPINE"
ports = 32
rate_gbps = 100
price_usd = 15_000
power_w = 400
[[cable]]
name = "C25"
medium = "copper"
use = "any"
base_usd = 20
rates_gbps = [25]
[[cable]]
name = "C100"
medium = "fibre"
use = "any"
base_usd = 100
rates_gbps = [100]
"""
HOSTS = """
hosts = 384
rate_gbps = 100
parts = "parts.toml"
shortlist = 0
[switch]
radix = 54
[host]
u = 1
nics = 1
rate_gbps = 25
"""


@pytest.fixture
def wanted(tmp_path):
    """384 hosts of 25 Gb/s under links of 100."""
    (tmp_path / "parts.toml").write_text(PARTS)
    return requirement_of(HOSTS, "hosts.toml", tmp_path)


def sold(name, rate, host_rate, catalogue="ethernet-2026"):
    """The ports of one product."""
    products = tuple(one for one in load_parts(catalogue).switch.product if one.name == name)
    return SwitchPorts(products[0].ports_at(min(rate, host_rate)), rate, host_rate, products)


def test_leaves_of_two_rates_under_spines(wanted):
    """384 / 48 = 8 leaves of 6 links, 48 / 32: 2 spines; 1,200 Gb/s down to 600 up. Full bandwidth: 24 hosts on a leaf."""
    found = design(wanted, jobs=1)
    best = found.winner
    assert best.name == "2:1 fat tree, 8 LEAF and 2 SPINE"
    assert (best.blocking, best.taper) == (2, 2)
    assert best.cost_usd == 8 * 8_000 + 2 * 15_000 + 48 * 100 + 384 * 20
    assert best.power_w == 8 * 250 + 2 * 400
    # Half of the hosts send 192 x 25 = 4,800 Gb/s; the best cut has 24 links.
    assert best.bisection_gbps_per_host == 2 * 24 * 100 / 384
    full = next(one for one in found.ranked if one.name == "fat tree, 16 LEAF and 3 SPINE")
    assert full.blocking == 1
    assert full.room_hosts == 16 * 24
    network = build(best.spec)
    assert network.hosts == 384
    assert network.rates_gbps.tolist() == [25, 100]
    lines = {line.item: line.count for line in found.network.bill.lines}
    assert lines["switch, 48 x 25G + 6 x 100G ports (LEAF)"] == 8
    assert (lines["cable, C100"], lines["host cable, C25"]) == (48, 384)
    # The order has the ports of the products: the spines use 24 of 32.
    bill = price(found.network, orders=True)
    ordered = {item.product: item.description for item in bill.items if item.kind == "switch"}
    assert ordered == {"LEAF": "switch, 48 x 25G + 6 x 100G ports", "SPINE": "switch, 32 ports of 100 Gb/s"}


def test_leaves_have_the_ports_of_their_product(tmp_path):
    """3:1 is 48 x 25 under 4 x 100 Gb/s: 8 leaves fill 1 spine of 32 ports. No cage of 100 without a breakout runs at 25."""
    (tmp_path / "parts.toml").write_text(PARTS)
    text = (
        HOSTS.replace("hosts = 384", "hosts = 370").replace("radix = 54", "radix = 64")
        + "[limits]\noversubscription = 3\n"
    )
    wanted = requirement_of(text, "hosts.toml", tmp_path)
    found = design(wanted, jobs=1)
    assert found.winner.name == "2.94:1 fat tree, 8 LEAF and 1 SPINE"  # leaves of 47 hosts
    assert found.winner.room_hosts == 8 * 48 - 370
    assert all(" LEAF" in candidate.name for candidate in found.ranked)
    # 1,900 of 3,000 hosts: 40 of 63 leaves, under spines of 64 ports; so is the leaf-spine network.
    (tmp_path / "parts.toml").write_text(PARTS.replace("ports = 32", "ports = 64"))
    grown = HOSTS.replace("hosts = 384", "hosts = 1_900").replace("radix = 54", "radix = 64")
    wanted = requirement_of(
        grown + '[limits]\nblocking = 3\n[least]\ngrow_to_hosts = 3_000\n[families]\ntry = ["fat-tree", "clos"]\n',
        "hosts.toml",
        tmp_path,
    )
    specs = {proposal.spec.partition("+")[0] for proposal in enumerate_candidates(wanted, wanted.catalogue())}
    assert {"fat-tree:k=64,hosts=3000,leaf=48:4", "clos:leaves=63,spines=4,width=1,hosts=48"} <= specs
    network = build("clos:leaves=63,spines=4,width=1,hosts=48+rates:links=100,hosts=25+populated:hosts=1900")
    parts = wanted.catalogue()
    assert SwitchPorts.of(wanted, parts).idle_hosts(network, parts) == 63 * 48 - 1_900


@pytest.mark.parametrize(
    ("product", "reason"),
    [("LEAF", "only 6 ports of 'LEAF' run at the 100 Gb/s of links"), ("SPINE", "'SPINE' has no mode of 25 Gb/s")],
)
def test_a_product_for_leaves_or_spines_only(product, reason, tmp_path):
    """One product cannot be both: the sentence gives the ports that are missing."""
    (tmp_path / "parts.toml").write_text(PARTS)
    text = HOSTS.replace("radix = 54", f'product = "{product}"').replace("hosts = 384", "hosts = 1_900")
    with pytest.raises(InputError, match=reason):
        design(requirement_of(text, "hosts.toml", tmp_path), jobs=1)


def test_the_taper_of_the_limit_is_a_candidate(tmp_path):
    """Also where all rates are equal: 48 hosts and 16 links of a leaf of 64 ports."""
    text = 'hosts = 1_000\nparts = "slimfly-2014"\n[switch]\nradix = 64\n[limits]\ntaper = 3\n'
    wanted = requirement_of(text, "hosts.toml", tmp_path).filled()
    specs = {proposal.spec for proposal in enumerate_candidates(wanted, wanted.catalogue())}
    assert any("taper=3:1" in spec for spec in specs)


def test_ports_that_split_carry_four_hosts_each():
    """SN5600: 64 cages of two links of 400 Gb/s, or of eight hosts of 100; at most 256 ports together."""
    ports = sold("SN5600", 400, 100)
    assert (ports.most_links, ports.split) == (128, 4)
    assert [ports.most_hosts(links) for links in (0, 1, 2, 64, 128, 129)] == [256, 255, 254, 192, 0, 0]
    # Four hosts to a link: at most 204 + 51 ports, so 6 leaves of 171 hosts for 1,024. These need 43 links up: 45, in bundles
    # of 15 to each of 3 spines, because 2 spines of 128 ports have room for 42 links of each leaf.
    plan = tree_of_taper(1024, ports, (1, 1))
    assert (plan.leaves, plan.down, plan.up, plan.tops) == (6, 171, 45, 3)
    # Hosts of 400 on switches of 800: each cage takes one link or two hosts.
    ports = sold("SN5600", 800, 400)
    assert (ports.most_links, ports.most_hosts(0), ports.most_hosts(32)) == (64, 128, 64)
    plan = tree_of_taper(1024, ports, (1, 1))
    assert (plan.leaves, plan.down, plan.up, plan.tops) == (16, 64, 32, 8)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("rate", "host_rate"), [(400, 100), (800, 400), (400, 200), (100, 400)])
def test_every_candidate_can_be_bought(rate, host_rate, tmp_path):
    """Each family: exactly the hosts, with their rates, and every switch within the ports of the product."""
    text = f"""
    hosts = 300
    rate_gbps = {rate}
    parts = "ethernet-2026"
    prices = "quotes.toml"
    [switch]
    product = "7060X6-64PE"
    [host]
    u = 1
    nics = 1
    rate_gbps = {host_rate}
    [families]
    preset = "everything"
    """
    (tmp_path / "quotes.toml").write_text(
        'name = "one"\n[[switch.product]]\nname = "7060X6-64PE"\nprice_usd = 40_000\n'
    )
    wanted = requirement_of(text, "hosts.toml", tmp_path)
    parts = wanted.catalogue()
    ports, families, seen = SwitchPorts.of(wanted, parts), set(), 0
    for proposal in enumerate_candidates(wanted, parts):
        family = proposal.spec.partition(":")[0]
        if proposal.passed is not None or family in families:
            continue
        try:
            network = build(proposal.spec)
        except InputError:
            continue
        assert network.hosts == 300, proposal.spec
        assert set(network.link_rate_gbps.tolist()) <= {rate}
        assert set(network.endpoint_rate_gbps.tolist()) == {host_rate}
        seen += 1
        if ports.carries(network):
            families.add(family)
    assert seen > 5
    assert len(families) > 5


def test_a_spec_of_the_requirement_gets_its_rates(wanted):
    """Unless it has rates: these are measured, and priced by them."""
    specs = ["complete:n=6,hosts=64", "fat-tree:k=4,hosts=384,leaf=48:6,leaf_k=54+rates:links=100,hosts=25"]
    named = wanted.changed({"families": {"specs": specs}}).filled()
    assert named.families.specs[0] == "complete:n=6,hosts=64+rates:links=100,hosts=25"
    assert "+rates" not in named.families.specs[1].partition("+rates")[2]
    lost = measure(named.families.specs[0], named, named.catalogue())
    assert lost.limit == "radix"  # 64 hosts of 25 Gb/s on a switch: the leaf has 48
    assert "64 x 25G" in lost.reason


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rate_gbps": 400}, r"'LEAF' has no ports of 400 Gb/s; give another rate_gbps"),
        ({"host": {"rate_gbps": 200}}, r"'LEAF' has no ports of 200 Gb/s; give another host.rate_gbps"),
    ],
)
def test_rates_that_a_product_lacks_are_refused(wanted, change, message):
    """One sentence that names the key."""
    changed = wanted.changed({"switch": {"product": "LEAF", "radix": None}, **change})
    with pytest.raises(InputError, match=message):
        changed.filled()


def test_an_interface_has_the_rate_of_its_ports(tmp_path):
    """A ConnectX-7 has 400 Gb/s."""
    text = """
    hosts = 64
    rate_gbps = 800
    parts = "ethernet-2026"
    prices = "quotes.toml"
    [switch]
    product = "SN5600"
    [host]
    u = 1
    nic = "ConnectX-7"
    rate_gbps = 800
    """
    (tmp_path / "quotes.toml").write_text('name = "none"\n[[switch.product]]\nname = "SN5600"\nprice_usd = 1\n')
    with pytest.raises(InputError, match=r"host\.rate_gbps: the interface 'ConnectX-7' has 400 Gb/s, but 1 x 800 Gb/s"):
        requirement_of(text, "hosts.toml", tmp_path)


def test_equal_rates_change_nothing(wanted):
    """Hosts of the links' rate: the candidates, and the terms, of a requirement that does not give it."""
    alike, plain = (wanted.changed({"rate_gbps": 100, "host": {"rate_gbps": rate}}, "test") for rate in (100, None))
    specs = [[one.spec for one in enumerate_candidates(each, each.catalogue())] for each in (alike, plain)]
    assert specs[0] == specs[1]
    assert not alike.rates
    assert isinstance(alike, Requirement)


def test_the_title_counts_bandwidth():
    """128 hosts of 100 Gb/s under 32 links of 400: no taper; under 16 links, 2:1."""
    tree = "fat-tree:k=128,hosts=256,leaf={},leaf_k=160+rates:links=400,hosts=100"
    assert network_title(tree.format("128:32")) == "fat tree"
    assert network_title(tree.format("128:16")) == "2:1 fat tree"


def test_the_part_that_is_built_first_keeps_the_heights_of_its_switches(tmp_path):
    """Leaves of 1 unit under spines of 2: 4 of 8 leaves and both spines stand as they stand in the end."""
    heights = PARTS.replace("power_w = 250", "power_w = 250\nu = 1").replace("power_w = 400", "power_w = 400\nu = 2")
    (tmp_path / "parts.toml").write_text(heights)
    text = HOSTS.replace("hosts = 384", "hosts = 192") + "[least]\ngrow_to_hosts = 384\n[rack]\nswitch_u = 1\n"
    wanted = requirement_of(text, "hosts.toml", tmp_path).filled()
    spec = "fat-tree:k=32,hosts=384,leaf=48:6,leaf_k=54+rates:links=100,hosts=25+part:hosts=192"
    networks = placed_networks(spec, wanted, wanted.catalogue(), "rows")
    part, whole = (networks[name].layout for name in (spec, spec.partition("+part")[0]))
    assert part.switch_units.tolist() == [1] * 4 + [2] * 2
    assert whole.switch_units.tolist() == [1] * 8 + [2] * 2


def test_room_is_that_of_the_switches_that_are_bought(tmp_path):
    """4 leaves of 8 ports with 2 links and 4 hosts each: 2 more on each, although switches of 32 ports exist."""
    small = PARTS.replace(
        "ports = [{ count = 48, rate_gbps = 25 }, { count = 6, rate_gbps = 100 }]", "ports = 8\nrate_gbps = 100"
    )
    (tmp_path / "parts.toml").write_text(small)
    text = HOSTS.replace("rate_gbps = 25", "rate_gbps = 100").replace("radix = 54", "radix = 32")
    wanted = requirement_of(text, "hosts.toml", tmp_path)
    parts = wanted.catalogue()
    network = build("clos:leaves=4,spines=2,hosts=4")
    assert SwitchPorts.of(wanted, parts).idle_hosts(network, parts) == 4 * 2
