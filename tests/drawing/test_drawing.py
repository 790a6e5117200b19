"""Drawings of networks: every switch in its block, every link counted once, however many blocks are open."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topoloom import Drawing, InputError, Topology, build, draw_network, losses, open_network, place
from topoloom.drawing.bundles import visible_nodes
from topoloom.drawing.columns import packed
from topoloom.drawing.drawing import MOST_BUNDLES
from topoloom.drawing.picture import PAGE_SCALE, Visible, plot_drawing
from topoloom.figures.style import svg_text
from topoloom.topologies.spec.listing import listed

_SPECS = """
    arrangement:n=5,k=3 bdf:u=5 bundlefly:q=4,p=5 cascade:groups=3 circulant:n=40,jumps=1x5
    clustered-jellyfish:n=40,degree=8,clusters=4,inside=4
    clos:leaves=32,spines=16 complete:n=30 crossed-cube:n=6 debruijn:base=2,length=6 delorme:v=2
    diagrid:rows=8,columns=4,degree=4,length=3,sweeps=1 dln:n=64,x=5 dragonfly:h=3 dring:supernodes=10,size=2
    dsn:n=64 dsn-f:n=64
    express-mesh:dims=8x8 fat-tree:k=8 flattened-butterfly:dims=6x6 folded-hypercube:n=6 folded-petersen:n=2
    gau:n=64,degree=4 grid:rows=6,columns=6,degree=4,length=3,sweeps=1 hammingmesh:boards=4x4 heawood
    hoffman-singleton host-switch:hosts=60,radix=6,moves=100 hyper-petersen:n=5 hypercube:n=7 hyperx:dims=4x4x4
    incomplete-hypercube:n=50
    jellyfish:n=200,degree=7 kary-tree:k=4,n=3 kautz:base=3,length=3 kleinberg:side=9 levi longhop:n=6
    megafly:leaves=4 mesh:dims=5x5x5 mlfm:h=6 myrinet-clos:switches=80 nbr:n=64,degree=4 oft:q=3
    optimal:n=32,degree=4 pancake:n=5 petersen pgft:m=4x4x4,w=1x2x4 polarfly:q=7 polarstar:q=3,d=3
    random-folded-clos:k=8,leaves=24 ring:n=24 ring-shortcuts:n=100,degree=5
    shuffled:n=64,degree=8,r=8 slimfly:q=7
    slimfly-dragonfly:q=3,h=1 slingshot:groups=8,pair_links=4 spectralfly:v=3,w=5 star:n=5,k=3 tofu:dims=2x2x2
    torus:dims=16x16 twisted-torus:dims=8x4 ub-mesh watts-strogatz:n=60,degree=4 xpander:degree=7,lifts=2x2
"""
#: A small network of each family.
FAMILIES = {spec.partition(":")[0]: spec for spec in _SPECS.split()}
#: The kinds of blocks that an expert expects, by network.
KINDS = {
    "fat-tree:k=8": {"tier", "pods", "pod"},
    "fat-tree:k=16,hosts=512+planes:count=4": {"plane", "tier", "pods", "pod", "switches"},
    "fat-tree:k=64,hosts=128+rail-only:rails=8": {"rail", "tier"},
    "fat-tree:k=64,hosts=2048": {"tier", "switches"},
    "dragonfly:h=3": {"group"},
    "megafly:leaves=4": {"group", "tier"},
    "hammingmesh:boards=4x4": {"tier", "board"},
    "torus:dims=32x32": {"tile"},
    "torus:dims=4x4x4": {"slice"},
    "jellyfish:n=200,degree=7": {"switches"},
}
SPECS = [*FAMILIES.values(), *KINDS, "torus:dims=4x4+lift:copies=3", "dragonfly:h=7"]


def test_every_family_is_drawn_here():
    """A new one needs a spec above."""
    assert set(FAMILIES) == {family["name"] for family in listed()["families"] if family["kind"] == "family"}


@pytest.mark.parametrize("spec", SPECS)
def test_blocks_do_not_overlap_and_hold_what_is_in_them(spec):
    """Each block lies in the block around it, each switch in its block, no two blocks of a block overlap, names differ."""
    drawing = draw_network(spec)
    rect, parent = drawing.rect, drawing.parent
    corners = np.hstack([rect[:, :2], rect[:, :2] + rect[:, 2:]])
    slack = 1e-2
    around = corners[parent]
    assert (corners[1:, :2] >= around[1:, :2] - slack).all()
    assert (corners[1:, 2:] <= around[1:, 2:] + slack).all()
    own = corners[drawing.block]
    half = drawing.blocks.side.values[drawing.block][:, None] / 2
    assert (drawing.points - half >= own[:, :2] - slack).all()
    assert (drawing.points + half <= own[:, 2:] + slack).all()
    for block in np.unique(parent):
        siblings = np.flatnonzero(parent == block)
        siblings = siblings[siblings > 0]
        names = [drawing.blocks.name[number] for number in siblings]
        assert len(set(names)) == len(names), names
        low, high = corners[siblings, None, :2], corners[None, siblings, 2:]
        over = (low < high - slack).all(axis=2)
        assert (over & over.T).sum() == siblings.size
    assert len({tuple(point) for point in np.round(drawing.points, 2).tolist()}) == drawing.switches


@pytest.mark.parametrize(("spec", "kinds"), KINDS.items())
def test_the_structure_is_that_of_the_family(spec, kinds):
    """Planes, tiers, pods, groups, boards, tiles and slices are blocks."""
    assert set(draw_network(spec).blocks.kind[1:]) == kinds


@settings(deadline=None, max_examples=60)
@given(spec=st.sampled_from(SPECS), seed=st.integers(0, 1 << 30), share=st.floats(0, 1))
def test_every_link_is_counted_once(spec, seed, share):
    """Whatever blocks are open, the bundles and the insides of the visible nodes have all links together."""
    drawing = _drawn(spec)
    opened = np.random.default_rng(seed).random(len(drawing.rect)) < share
    bundles = drawing.bundles(opened)
    assert bundles.count.sum() + bundles.inside.sum() == drawing.links
    assert (bundles.of >= 0).sum() == bundles.count.sum()
    shown = visible_nodes(drawing.parent, drawing.block, opened)
    ends = np.sort(shown[drawing.ends], axis=1)
    inner = bundles.of >= 0
    assert np.array_equal(bundles.ends[bundles.of[inner]], ends[inner])
    assert (ends[~inner, 0] == ends[~inner, 1]).all()


_DRAWN: dict[str, Drawing] = {}


def _drawn(spec):
    if spec not in _DRAWN:
        _DRAWN[spec] = draw_network(spec)
    return _DRAWN[spec]


@pytest.mark.parametrize("spec", SPECS)
def test_a_page_has_few_lines_and_counts_all_links(spec):
    """At the scale of a page at most 2,048 lines are drawn, and what the SVG says is what the record has."""
    drawing = _drawn(spec)
    visible = Visible(drawing, drawing.opened(PAGE_SCALE), MOST_BUNDLES)
    assert visible.drawn.size <= 2048
    assert visible.bundles.nodes.size <= 1100
    curves = visible.curves()
    assert curves.shape == (visible.drawn.size, 3, 2)
    middle = (curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4
    assert (middle >= 0).all()
    assert (middle <= [drawing.width, drawing.height]).all()


def test_the_counts_in_the_svg_are_those_of_the_record():
    """Of the summary, of the legend, and on the lines."""
    drawing = draw_network("cascade:groups=3")
    svg = svg_text(plot_drawing(drawing).get_figure())
    bundles = drawing.bundles(drawing.opened(PAGE_SCALE))
    words = f"{drawing.switches:,} switches, {drawing.links:,} links"
    assert words in svg
    assert f"{bundles.count.size} lines between {bundles.nodes.size} nodes" in svg
    assert svg.count(f">{bundles.count[0]:,}<") == bundles.count.size
    assert f"{bundles.inside[0]:,} links inside" in svg


def test_only_the_strongest_bundles_are_drawn_and_the_rest_is_said(monkeypatch):
    """With more than the most, the legend says how many are not drawn."""
    monkeypatch.setattr("topoloom.drawing.drawing.MOST_BUNDLES", 20)
    drawing = draw_network("slingshot:groups=8,pair_links=4")
    svg = svg_text(plot_drawing(drawing).get_figure())
    assert "the 8 weakest are not drawn" in svg
    visible = Visible(drawing, drawing.opened(PAGE_SCALE), 20)
    assert visible.bundles.count[visible.drawn].min() >= np.sort(visible.bundles.count)[-20]


def test_a_tree_without_labels_is_a_tree():
    """A discovered fabric has no labels: its levels are steps from the hosts, its pods what stays connected below the top."""
    tree = build("fat-tree:k=4")
    plain = draw_network(Topology(links=tree.links, switches=tree.switches, endpoints=tree.endpoints))
    labelled = draw_network(tree)
    assert set(plain.blocks.kind) == set(labelled.blocks.kind)
    assert [plain.switch_name(number) for number in range(20)] == [labelled.switch_name(number) for number in range(20)]


def test_racks_stand_as_on_the_floor():
    """One block per rack with switches, left of each other as on the floor, and y upwards there is downwards here."""
    layout = place(build("torus:dims=8x8,hosts=1"), map="rows")
    drawing = draw_network(layout, "racks")
    racks = [number for number, kind in enumerate(drawing.blocks.kind) if kind == "rack"]
    assert [drawing.blocks.name[number] for number in racks] == list(layout.rack_names)
    assert (drawing.switch.rack.values == layout.rack).all()
    middle = drawing.rect[racks, :2] + drawing.rect[racks, 2:] / 2
    place_m = layout.slots.place_m[layout.used]
    for axis, sign in ((0, 1), (1, -1)):
        ahead = np.sign(place_m[:, None, axis] - place_m[None, :, axis])
        assert (sign * np.sign(np.round(middle[:, None, axis] - middle[None, :, axis], 3)) == ahead).all()


def test_a_laid_out_network_has_the_cables_of_its_links():
    """Product and length of each link's cable are those of its cabling; ports are the network's own."""
    from topoloom import cable

    network = open_network("fat-tree:k=4").placed(map="rows")
    drawing, cables = draw_network(network), cable(network)
    titles = [product.title for product in cables.bought.parts.cable]
    kind = drawing.link.cable.values
    for row, link in enumerate(cables.link.tolist()):
        if link >= 0:
            own = drawing.link.cables[kind[link]]
            assert own.product == titles[cables.bought.product[row]]
            assert own.length_m == pytest.approx(cables.length_m[row], abs=0.006)


def test_mixed_rates_are_those_of_the_links():
    """Each link has the rate of the network."""
    mixed = build("fat-tree:k=4+rates:levels=400x800,hosts=400")
    drawing = draw_network(mixed)
    rates = [drawing.link.cables[number].rate_gbps for number in drawing.link.cable.values]
    assert rates == mixed.link_rate_gbps.tolist()


def test_loads_are_those_of_the_tables():
    """The load of a link is that of its more loaded direction."""
    from topoloom import route

    drawing = draw_network("petersen:hosts=1", engine="orders")
    tables = route("petersen:hosts=1", "orders")
    most = np.zeros(15)
    np.maximum.at(most, tables.topology.csr[2], tables.verification.channel_load)
    assert drawing.link.load.values.tolist() == most.tolist()
    assert drawing.provenance.engine == "orders"


def test_hosts_and_links_are_read_back():
    """The columns hold the endpoints and links of the network."""
    topology = build("fat-tree:k=8,hosts=100+planes:count=2")
    drawing = draw_network(topology)
    again = Drawing.from_record(msgspec.json.decode(msgspec.json.encode(drawing.record())))
    assert np.array_equal(again.ends, topology.links)
    assert np.array_equal(again.host.host.values, topology.host)
    assert np.array_equal(again.host.at.values, topology.endpoints_at)
    assert again.planes == 2


@given(st.lists(st.integers(0, 70_000), max_size=40))
def test_a_column_has_its_numbers(numbers):
    """In whatever form it is packed."""
    assert packed(np.array(numbers, np.int64)).values.tolist() == numbers


def test_a_floor_needs_racks():
    """Only the arrangement by racks stands on a floor."""
    with pytest.raises(InputError, match="only the arrangement 'racks' stands on a floor"):
        draw_network("petersen", floor="slimfly-2014")


def test_a_large_network_is_drawn_in_few_megabytes():
    """131,072 hosts and more: the record has less than two megabytes, and its first picture less than 400 lines."""
    drawing = draw_network("fat-tree:k=84")
    assert drawing.hosts == 148_176
    assert len(msgspec.json.encode(drawing.record())) < 2_000_000
    assert drawing.bundles(drawing.opened(PAGE_SCALE)).count.size < 400


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf", ".pgf"])
def test_a_picture_is_written(tmp_path, ending):
    """By the ending of its name; another ending is refused."""
    drawing = _drawn("fat-tree:k=8")
    drawing.save_picture(tmp_path / f"tree{ending}")
    assert (tmp_path / f"tree{ending}").stat().st_size > 10_000
    with pytest.raises(InputError, match=r"end its name in \.svg, \.png, \.pdf or \.pgf"):
        drawing.save_picture(tmp_path / "tree.gif")


@pytest.mark.parametrize("spec", SPECS)
def test_a_block_is_lost_by_its_name(spec):
    """In the grammar of losses each block's name has its switches and no others; only names of very many parts are missing."""
    topology, drawing = build(spec), _drawn(spec)
    names = drawing.blocks.loss
    assert names[0] == ""
    reads = {name: sorted(losses(topology, name).switches) for name in names if name}
    for block, name in enumerate(names):
        inside = np.arange(len(names)) == block
        for number in range(block + 1, len(names)):
            inside[number] = inside[drawing.parent[number]]
        if name:
            assert reads[name] == np.flatnonzero(inside[drawing.block]).tolist()
    assert [name for name in names[1:] if not name] == []


def test_a_rack_is_lost_with_its_hosts():
    """On the floor a block is lost as its rack, and a row as its racks."""
    network = open_network("torus:dims=8x8,hosts=1").placed(map="rows")
    drawing = draw_network(network, "racks")
    for kind, name, loss in zip(drawing.blocks.kind, drawing.blocks.name, drawing.blocks.loss, strict=True):
        assert kind != "rack" or loss == f"rack:{name}"


def test_port_names_are_those_of_the_cable_list(tmp_path):
    """Where ports have names, each end of a link and of a host's cable has the one that the network states."""
    rows = ["A-Rack,A-U,A-Node Name,A-Type,A-Port,Z-Rack,Z-RU,Z-Node Name,Z-Type,Z-Port"]
    rows += [f"R{leaf},1,gpu{leaf},Host,eth0,R{leaf},40,leaf{leaf},Switch,swp1s0" for leaf in (1, 2, 3)]
    rows += [
        f"R{leaf},40,leaf{leaf},Switch,swp{51 + at},R9,{at},spine{at},Switch,Ethernet1/{leaf}"
        for leaf in (1, 2, 3)
        for at in (1, 2)
    ]
    (tmp_path / "cables.csv").write_text("\n".join(rows) + "\n")
    network = open_network(tmp_path / "cables.csv")
    drawing = draw_network(network)
    fabric, names = network.fabric, drawing.switch.ports
    ports = np.stack([drawing.link.port_name.values, drawing.link.to_port_name.values], axis=1)
    for (switches, numbers), places in zip(
        zip(network.topology.links.tolist(), fabric.link_ports.tolist(), strict=True), ports.tolist(), strict=True
    ):
        for switch, number, at in zip(switches, numbers, places, strict=True):
            assert names[at] == fabric.switch_port_names[switch][number]
    at_hosts = drawing.host.port_name.values.tolist()
    ends = zip(network.topology.endpoints.tolist(), fabric.endpoint_ports.tolist(), strict=True)
    assert [names[place] for place in at_hosts] == [fabric.switch_port_names[switch][port] for switch, port in ends]
    assert draw_network("fat-tree:k=4").link.port_name is None
