"""Cabling: every link once, both ends right, in the order of work."""

import numpy as np
import pytest
from cabling_cases import FABRIC, stand

from topoloom import InputError, build
from topoloom.cabling.cabling import cable
from topoloom.cabling.labels import label
from topoloom.cost.bill import price
from topoloom.model.topology import Topology

CASES = {
    "slimfly": stand(build("slimfly:q=5,hosts=4"), 10),
    "small": stand(FABRIC, 3),
    "one rack": stand(FABRIC, 7),
    "one each": stand(build("torus:dims=4x4,hosts=1"), 1, "nakano-grid"),
    "no links": stand(Topology([], 3, endpoints=[1]), 2),
}
every = pytest.mark.parametrize("hosts", [False, True])
case = pytest.mark.parametrize("layout", CASES.values(), ids=CASES)


@case
@every
def test_every_link_and_host_port_is_cabled_once_with_its_own_ports(layout, hosts):
    """Each link of the topology is one row with both its ports; with host cables each endpoint is one as well."""
    topology, done = layout.topology, cable(layout, host_cables=hosts)
    links = np.flatnonzero(~done.to_host)
    assert sorted(done.link[links]) == list(range(len(topology.links)))
    for row in links:
        ours = set(zip(done.ends[row].tolist(), done.port[row].tolist(), strict=True))
        link = done.link[row]
        assert ours == set(zip(topology.links[link].tolist(), topology.link_ports[link].tolist(), strict=True))
        assert done.length_m[row] == layout.length_m[link]
    plugs = [(*done.ends[row].tolist(), int(done.port[row, 0])) for row in np.flatnonzero(done.to_host)]
    wanted = zip(topology.endpoints.tolist(), topology.host.tolist(), topology.endpoint_ports.tolist(), strict=True)
    assert sorted(plugs) == (sorted(wanted) if hosts else [])
    far = [(host, port) for host, port in zip(done.ends[:, 1], done.port[:, 1], strict=True)]
    far = [far[row] for row in np.flatnonzero(done.to_host)]
    assert len(set(far)) == len(far)
    assert all(1 <= port <= np.bincount(topology.host)[host] for host, port in far)


@case
@every
def test_the_order_of_work(layout, hosts):
    """Bundles in the order of their first rack, the longest first; what stays inside comes last, host cables after links."""
    done = cable(layout, host_cables=hosts)
    between = done.bundle >= 0
    assert np.array_equal(done.bundle[between], np.sort(done.bundle[between]))
    assert not between[int(between.sum()) :].any()
    apart = layout.rack[done.ends[:, 0]]
    lengths = [(int(apart[row]), -round(float(done.length_m[row]), 6)) for row in np.flatnonzero(between)]
    assert lengths == sorted(lengths)
    inside = [(int(apart[row]), bool(done.to_host[row])) for row in np.flatnonzero(~between)]
    assert inside == sorted(inside)
    # Within a bundle, or a rack, upwards from the lowest port.
    group = np.where(between, done.bundle, len(done.pairs) + 2 * apart + done.to_host)
    steps = list(zip(group, layout.height[done.ends[:, 0]], done.port[:, 0], strict=True))
    assert steps == sorted(steps)


@case
def test_bundles_are_those_of_the_layout(layout):
    """A bundle holds all cables of its rack pair; end a is in the rack that comes first."""
    done = cable(layout)
    pairs, sizes = layout.bundles
    ours = {tuple(pair): size for pair, size in zip(done.pairs.tolist(), done.bundle_sizes.tolist(), strict=True)}
    assert ours == {tuple(pair): size for pair, size in zip(pairs.tolist(), sizes.tolist(), strict=True)}
    between = done.bundle >= 0
    assert np.array_equal(layout.rack[done.ends[between]], done.pairs[done.bundle[between]])
    assert (layout.height[done.ends[~between & ~done.to_host]] @ (1, -1) < 0).all()


@every
def test_products_prices_and_watts_are_those_of_the_bill(hosts):
    """The rows add up to what `price` says of the same layout, line by line."""
    layout = CASES["slimfly"]
    done, bill = cable(layout, "slimfly-2014", host_cables=hosts), price(layout, host_cables=hosts)
    lines = [line for line in bill.lines if "cable" in line.item]
    assert len(done) == sum(line.count for line in lines)
    assert done.bought.usd_low.sum() == pytest.approx(sum(line.cost_low_usd for line in lines))
    assert done.bought.usd_high.sum() == pytest.approx(sum(line.cost_high_usd for line in lines))
    assert done.bought.power_w.sum() == pytest.approx(sum(line.power_w for line in lines))
    assert done.link_medium.tolist() == ["fibre" if apart else "electric" for apart in layout.between]


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_a_rate_that_is_none_is_refused(rate):
    """One sentence."""
    with pytest.raises(InputError, match="give a rate in Gb/s above 0"):
        cable(CASES["small"], rate_gbps=rate)


def test_labels_are_unique_and_name_rack_height_and_port():
    """No two ends of all cables have the same label; numbers are padded so that lists sort."""
    done = cable(CASES["slimfly"], host_cables=True)
    labels = label(done)
    assert len(set(labels.a + labels.b)) == 2 * len(done)
    assert (labels.cable[0], labels.switch[11], labels.a[0], labels.b[0]) == (
        "00001",
        "A02-U02",
        "A01-U01-P08",
        "B02-U01-P05",
    )
    assert labels.b[-1] == "H199-P1"
    wide = label(cable(stand(build("complete:n=120"), 120)))
    assert (wide.switch[0], wide.a[0]) == ("A01-U001", "A01-U001-P001")
