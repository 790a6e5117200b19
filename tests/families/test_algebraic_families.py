"""Star products, Ramanujan graphs, lifts, projective trees and permutation graphs against theory and other constructions."""

from itertools import combinations, permutations
from math import factorial

import networkx as nx
import numpy as np
import pytest

from topoloom import build, hops
from topoloom.topologies.families._galois import field, paley_links
from topoloom.topologies.families.polarstar import quad
from topoloom.topologies.spec import FAMILIES, facts_of


def _graph(spec: str) -> nx.Graph:
    topology = build(spec)
    graph = nx.Graph()
    graph.add_nodes_from(range(topology.switches))
    graph.add_edges_from(topology.links.tolist())
    assert graph.number_of_edges() == len(topology.links), "a link is there twice"
    return graph


def _spectrum(spec: str) -> np.ndarray:
    topology = build(spec)
    matrix = np.zeros((topology.switches, topology.switches))
    u, v = topology.links.T
    matrix[u, v] = matrix[v, u] = 1
    return np.linalg.eigvalsh(matrix)


@pytest.mark.parametrize("degree", [3, 4, 7, 8, 11, 12, 19, 20])
def test_an_inductive_quad_has_property_r_star(degree):
    """Links, their images under the exchange of partners, and the pairs of partners are all pairs, each once; regular."""
    links = {tuple(sorted(link)) for link in quad(degree).tolist()}
    images = {tuple(sorted((u ^ 1, v ^ 1))) for u, v in links}
    partners = {(v, v + 1) for v in range(0, 2 * degree + 2, 2)}
    assert len(links) + len(images) + len(partners) == (2 * degree + 2) * (2 * degree + 1) // 2
    assert links | images | partners == set(combinations(range(2 * degree + 2), 2))
    assert set(np.bincount(np.array(sorted(links)).ravel()).tolist()) == {degree}


@pytest.mark.parametrize("q", [5, 13, 17, 29])
def test_paley_graphs_of_primes_are_those_of_networkx(q):
    """For a prime q a link joins u and v exactly where NetworkX' Paley graph has it."""
    other = nx.paley_graph(q)
    assert {tuple(link) for link in paley_links(q).tolist()} == {tuple(sorted(link)) for link in other.edges()}


@pytest.mark.parametrize("q", [9, 25, 49])
def test_paley_graphs_are_their_own_complements(q):
    """Strongly regular with (q, (q-1)/2, (q-5)/4, (q-1)/4), which self-complementary Paley graphs are."""
    graph = nx.Graph(paley_links(q).tolist())
    assert set(dict(graph.degree()).values()) == {(q - 1) // 2}
    for u, v in combinations(range(q), 2):
        common = len(list(nx.common_neighbors(graph, u, v)))
        assert common == ((q - 5) // 4 if graph.has_edge(u, v) else (q - 1) // 4)


@pytest.mark.parametrize(
    ("spec", "switches", "degree"),
    [
        ("polarstar:q=11,d=3", 1064, 15),
        ("polarstar:q=19,d=12", 9906, 32),
        ("bundlefly:q=7,p=9", 882, 15),
        ("spectralfly:v=23,w=11", 660, 24),
        ("spectralfly:v=23,w=13", 1092, 24),
        ("spectralfly:v=11,w=7", 168, 12),
        ("spectralfly:v=11,w=13", 2184, 12),
        ("mlfm:h=15", 360, 30),
        ("oft:q=11", 399, 24),
        ("tofu:dims=24x18x17", 88128, 10),
        ("tofu:dims=24x23x24", 158976, 10),
        ("cascade:groups=241,pair_links=4", 23136, 40),
    ],
)
def test_published_sizes(spec, switches, degree):
    """PolarStar and Bundlefly at 15 ports (Lakhotia et al., SPAA 2024); SpectralFly (Young et al., IPDPS 2022; EvalNet);
    MLFM and OFT (Kathareios et al., SC 2015: 3,600 and 3,192 hosts); the K computer's 88,128 nodes with those for I/O and
    Fugaku's 158,976 (Fujitsu); Cascade's largest (Faanes et al., SC 2012: 92,544 nodes)."""
    facts = facts_of(spec)
    assert (facts.switches, facts.degree) == (switches, degree)
    published = {"mlfm:h=15": 3600, "oft:q=11": 3192, "cascade:groups=241,pair_links=4": 92544}
    assert facts.hosts == published.get(spec, facts.hosts)


def test_polarstar_takes_the_most_switches_at_15_ports():
    """Of all supernodes and polarity graphs at degree 15 ER_11 with quads of degree 3 is the largest: 1,064 switches."""
    sized = {}
    for q in (2, 3, 4, 5, 7, 8, 9, 11, 13):
        for kind, fits in (("iq", lambda d: d % 4 in (0, 3)), ("paley", lambda d: d in (2, 4, 6, 8, 12))):
            d = 14 - q
            if d >= 2 and fits(d):
                sized[q, d, kind] = facts_of(f"polarstar:q={q},d={d},supernode={kind}").switches
    assert max(sized, key=sized.get) == (11, 3, "iq")


def test_a_star_product_is_the_one_of_its_definition():
    """Bundlefly link by link: a - b a square inside a group; xi times the member along each link of the Slim Fly."""
    whole, outer, gf = _graph("bundlefly:q=3,p=9"), _graph("slimfly:q=3"), field(9)
    squares = set(gf.powers[::2].tolist())
    wanted = set()
    for x in range(18):
        for a, b in combinations(range(9), 2):
            if int(gf.add[a, gf.negative[b]]) in squares:
                wanted.add((x * 9 + a, x * 9 + b))
    for x, y in (sorted(link) for link in outer.edges()):
        wanted |= {tuple(sorted((x * 9 + a, y * 9 + int(gf.mul[gf.xi, a])))) for a in range(9)}
    assert {tuple(sorted(link)) for link in whole.edges()} == wanted


@pytest.mark.parametrize("spec", ["polarstar:q=4,d=3", "bundlefly:q=4,p=5"])
def test_two_groups_are_joined_by_one_bundle_or_none(spec):
    """Between two supernodes go as many links as one of them has switches, or none."""
    topology = build(spec)
    group = topology.labels["group"][topology.links]
    apart = np.sort(group[group[:, 0] != group[:, 1]], axis=1)
    _, counts = np.unique(apart, axis=0, return_counts=True)
    assert set(counts.tolist()) == {int((topology.labels["group"] == 0).sum())}


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("v", "w"), [(3, 5), (3, 7), (5, 11), (7, 11), (13, 17), (11, 7), (23, 11)])
def test_spectralfly_is_ramanujan(v, w):
    """All eigenvalues but the degree (and its negative, where v is no square: bipartite) are at most 2 sqrt(v)."""
    if facts_of(f"spectralfly:v={v},w={w}").switches > 1500:
        values = _ends(f"spectralfly:v={v},w={w}")
    else:
        values = _spectrum(f"spectralfly:v={v},w={w}")
    square = v % w in {x * x % w for x in range(1, w)}
    assert values[-1] == pytest.approx(v + 1)
    assert bool(np.isclose(values[0], -(v + 1))) is not square
    assert np.abs(values[1 if not square else 0 : -1]).max() <= 2 * v**0.5 + 1e-9


def _ends(spec: str) -> np.ndarray:
    """The three lowest and highest eigenvalues of a network that is too large for all of them."""
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import eigsh

    topology = build(spec)
    u, v = topology.links.T
    matrix = coo_array(
        (np.ones(2 * u.size), (np.append(u, v), np.append(v, u))), shape=(topology.switches,) * 2
    ).tocsr()
    found = [eigsh(matrix, 3, which=which, return_eigenvectors=False) for which in ("SA", "LA")]
    return np.sort(np.concatenate(found))


@pytest.mark.parametrize(("v", "w"), [(3, 5), (5, 7), (11, 7)])
def test_spectralfly_is_the_cayley_graph_of_matrices(v, w):
    """As many switches as PSL(2, w) or PGL(2, w) has elements, and every switch sees the same numbers at each distance."""
    graph = _graph(f"spectralfly:v={v},w={w}")
    square = v % w in {x * x % w for x in range(1, w)}
    assert graph.number_of_nodes() == w * (w * w - 1) // (2 if square else 1)
    seen = {
        tuple(np.bincount(list(nx.single_source_shortest_path_length(graph, switch).values())).tolist())
        for switch in range(0, graph.number_of_nodes(), 7)
    }
    assert len(seen) == 1


def test_lps_3_5_has_the_girth_of_the_theorem():
    """Where v is no square modulo w the girth is at least 4 log_v(w) - log_v(4) (Lubotzky, Phillips and Sarnak 1988)."""
    graph = _graph("spectralfly:v=3,w=5")
    assert nx.girth(graph) >= 4 * np.log(5) / np.log(3) - np.log(4) / np.log(3)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_xpander_meta_nodes_are_matched(seed):
    """Any two meta-nodes are joined by a perfect matching, and no meta-node has a link inside (Valadarsky et al. 2016)."""
    topology = build(f"xpander:degree=6,lifts=2x3,seed={seed}")
    group, member = topology.labels["group"], topology.labels["member"]
    ends = topology.links
    assert (group[ends[:, 0]] != group[ends[:, 1]]).all()
    for a, b in combinations(range(7), 2):
        between = ends[(np.sort(group[ends], axis=1) == (a, b)).all(axis=1)]
        assert len(between) == 6
        for side in (a, b):
            assert sorted(member[between[group[between] == side]].tolist()) == list(range(6))


def test_the_spectrum_of_a_lift_holds_that_of_what_is_lifted():
    """Every eigenvalue of a network is one of its lifts (Bilu and Linial 2006), and the others are new."""
    before, after = _spectrum("petersen"), _spectrum("petersen+lift:copies=3,seed=4")
    for value in np.unique(np.round(before, 6)):
        assert np.isclose(after, value, atol=1e-6).sum() >= np.isclose(before, value, atol=1e-6).sum()


def test_a_lift_keeps_hosts_labels_and_degrees():
    """Copies of a switch have its hosts, its labels and as many links."""
    before, after = build("dragonfly:h=1,p=2"), build("dragonfly:h=1,p=2+lift:copies=4")
    assert after.hosts == 4 * before.hosts
    assert after.degrees.tolist() == np.repeat(before.degrees, 4).tolist()
    assert after.labels["group"].tolist() == np.repeat(before.labels["group"], 4).tolist()
    assert build("dragonfly:h=1,p=2+lift:copies=4") == after
    assert build("dragonfly:h=1,p=2+lift:copies=4,seed=2") != after


def test_xpander_is_nearly_ramanujan():
    """A random lift's second eigenvalue is near 2 sqrt(d - 1) (Friedman and Kohler: at most that and a little)."""
    values = _spectrum("xpander:degree=15,lifts=16")
    assert np.abs(values[:-1]).max() < 1.1 * 2 * 14**0.5


@pytest.mark.parametrize("q", [2, 3, 4, 5, 8])
def test_leaves_of_an_orthogonal_fat_tree_share_one_spine_or_all(q):
    """Two leaves share one spine; the two of one point all q + 1 (Kathareios et al. 2015, 2.2.4)."""
    graph, points = _graph(f"oft:q={q}"), q * q + q + 1
    for u, v in combinations(range(0, 2 * points, 3), 2):
        assert len(list(nx.common_neighbors(graph, u, v))) == (q + 1 if v == u + points else 1)


@pytest.mark.parametrize("q", [3, 4])
def test_groups_of_an_orthogonal_fat_tree_are_columns(q):
    """q + 1 groups of 2q leaves and q spines, and one of two leaves and a spine."""
    topology = build(f"oft:q={q}")
    sizes = np.bincount(topology.labels["group"])
    assert sizes.tolist() == [3, *[3 * q] * (q + 1)]
    leaves = np.bincount(topology.labels["group"][topology.labels["level"] == 0])
    assert leaves.tolist() == [2, *[2 * q] * (q + 1)]


def test_leaves_of_a_full_mesh_of_layers_share_one_spine_or_h():
    """One spine for two leaves in different places, h for those in one place of two layers (Kathareios et al. 2015, 2.2.3)."""
    topology, graph = build("mlfm:h=4"), _graph("mlfm:h=4")
    place = topology.labels["member"]
    for u, v in combinations(range(20), 2):
        assert len(list(nx.common_neighbors(graph, u, v))) == (4 if place[u] == place[v] else 1)


@pytest.mark.exhaustive
def test_tofu_is_the_torus_with_units():
    """The six-dimensional torus of the sides and 2 x 3 x 2 (NetworkX), and a group is a unit."""
    other = nx.grid_graph([2, 3, 2, 4, 3, 5], periodic=[False, True, False, True, True, True])
    topology = build("tofu:dims=5x3x4")
    assert len(topology.links) == other.number_of_edges()
    assert nx.is_isomorphic(_graph("tofu:dims=1x1x1"), nx.grid_graph([2, 3, 2], periodic=[False, True, False]))
    assert hops(topology).diameter == nx.diameter(other)
    assert set(np.bincount(topology.labels["group"]).tolist()) == {12}


@pytest.mark.parametrize(("n", "k"), [(4, 2), (5, 3), (6, 2)])
def test_an_arrangement_graph_is_that_of_its_definition(n, k):
    """Link by link, and k = n - 1 is the star graph."""
    names = list(permutations(range(n), k))
    wanted = {(u, v) for u, v in combinations(range(len(names)), 2) if sum(map(int.__ne__, names[u], names[v])) == 1}
    assert {tuple(sorted(link)) for link in _graph(f"arrangement:n={n},k={k}").edges()} == wanted
    assert nx.is_isomorphic(_graph("arrangement:n=4,k=3"), _graph("star:n=4,k=3"))


@pytest.mark.parametrize("n", [4, 5])
def test_a_pancake_graph_is_that_of_its_definition(n):
    """Link by link; its girth is 6 (Akers and Krishnamurthy 1989; Kanevsky and Feng 1995)."""
    names = list(permutations(range(n)))
    place = {name: number for number, name in enumerate(names)}
    wanted = {tuple(sorted((place[name], place[name[:k][::-1] + name[k:]]))) for name in names for k in range(2, n + 1)}
    graph = _graph(f"pancake:n={n}")
    assert {tuple(sorted(link)) for link in graph.edges()} == wanted
    assert nx.girth(graph) == 6
    assert set(np.bincount(build(f"pancake:n={n}").labels["group"]).tolist()) == {factorial(n - 1)}


def test_hyperx_widths_are_of_their_dimensions():
    """The links of a dimension are there as often as its width says, and one number is for all dimensions."""
    topology = build("hyperx:dims=4x3,width=1x2")
    at = np.stack([topology.labels["x0"], topology.labels["x1"]], axis=1)
    for axis, width in ((0, 1), (1, 2)):
        along = topology.links[at[topology.links[:, 0], axis] != at[topology.links[:, 1], axis]]
        _, counts = np.unique(np.sort(along, axis=1), axis=0, return_counts=True)
        assert set(counts.tolist()) == {width}
    assert build("hyperx:dims=4x3,width=2x2").links.tolist() == build("hyperx:dims=4x3,width=2").links.tolist()


def test_cascade_groups_are_flattened_butterflies_of_chassis():
    """Full meshes of 16 in a chassis, three links to each switch in the same place of the other five, 4 between groups."""
    topology = build("cascade:groups=3,pair_links=4")
    group, chassis, member = (topology.labels[name] for name in ("group", "chassis", "member"))
    u, v = topology.links.T
    same, inside = group[u] == group[v], chassis[u] == chassis[v]
    assert (same & inside).sum() == 3 * 6 * 120
    triple = topology.links[same & ~inside]
    assert (member[triple[:, 0]] % 16 == member[triple[:, 1]] % 16).all()
    _, counts = np.unique(triple, axis=0, return_counts=True)
    assert set(counts.tolist()) == {3}
    _, counts = np.unique(np.sort(np.stack([group[u], group[v]], axis=1)[~same], axis=1), axis=0, return_counts=True)
    assert counts.tolist() == [4, 4, 4]


@pytest.mark.parametrize("seed", [1, 5])
def test_a_random_folded_clos_joins_levels_evenly_and_once(seed):
    """k/2 links up and k/2 down at every middle switch, k down at the top; no link twice; another seed is another network."""
    topology = build(f"random-folded-clos:k=8,leaves=30,levels=3,seed={seed}")
    level, (u, v) = topology.labels["level"], topology.links.T
    assert (level[v] - level[u] == 1).all()
    assert len(np.unique(topology.links, axis=0)) == len(topology.links)
    up, down = np.bincount(u, minlength=75), np.bincount(v, minlength=75)
    assert set(up[level < 2].tolist()) == {4}
    assert set(down[level == 1].tolist()) == {4}
    assert set(down[level == 2].tolist()) == {8}
    assert topology != build(f"random-folded-clos:k=8,leaves=30,levels=3,seed={seed + 1}")


def test_express_meshes_have_links_of_every_step():
    """Two switches of a line are linked where their distance is 1 more than a multiple of the gap."""
    topology = build("express-mesh:dims=9,gap=3")
    assert sorted(map(tuple, topology.links.tolist())) == [
        (u, v) for u, v in combinations(range(9), 2) if (v - u) % 3 == 1
    ]
    wide, whole = build("express-mesh:dims=4x5,gap=1"), build("hyperx:dims=4x5")
    assert sorted(map(tuple, wide.links.tolist())) == sorted(map(tuple, whole.links.tolist()))


@pytest.mark.parametrize("name", ["polarstar", "bundlefly", "spectralfly", "xpander", "arrangement", "express-mesh"])
def test_candidates_stay_few(name):
    """Families of many sizes offer the designer a few for each number of hosts per switch, even for a million hosts."""
    for hosts, radix in ((10_000, 48), (1_000_000, 128)):
        assert 0 < len(FAMILIES.find(name).sizes(hosts, radix)) <= 120


def test_the_families_of_evalnet_are_built():
    """Every spec of the page's table of EvalNet's topologies is one that builds."""
    import runpy
    from pathlib import Path

    rows = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "families_page.py"))["EVALNET"]
    assert len(rows) == 26
    for name, specs, note in rows:
        assert specs or note, name
        for spec in specs:
            assert build(spec).switches > 1
