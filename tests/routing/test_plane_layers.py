"""Tables per host of planes: equal planes share one copy, in memory and in the folder."""

import numpy as np
import pytest

from topoloom import InputError, Routing, build, quality
from topoloom.routing.fitted_tables import fitted_tables
from topoloom.routing.plane_layers import PlaneLayers
from topoloom.routing.planes import distinct_tables, tables_of_planes
from topoloom.throughput.one_pattern import pattern_throughput, uniform_throughput

_SPEC = "fat-tree:k=8,hosts=32"


@pytest.fixture(scope="module")
def planes():
    """The tables of three equal planes, one per host of a switch."""
    return fitted_tables(build(f"{_SPEC}+planes:count=3"), jobs=1)


def test_equal_planes_keep_their_tables_once(planes):
    """No array has a row per switch of the whole network, except that of the first layer."""
    layers = planes.choice.ports
    assert isinstance(layers, PlaneLayers)
    assert (len(layers.tables), layers.kinds, len(layers)) == (1, (0, 0, 0), planes.host_table_count - 1)
    n = planes.topology.switches
    assert {table.shape for table in layers.tables[0]} == {(n // 3, n // 3)}


def test_every_plane_has_the_tables_of_the_network_itself(planes):
    """Per host, entry for entry; a whole table leads nowhere between planes."""
    one = fitted_tables(build(_SPEC), jobs=1)
    assert one.host_table_count == planes.host_table_count
    for _, own in tables_of_planes(planes):
        assert [table.ports.tobytes() for table in own] == [table.ports.tobytes() for table in one.host_tables]
    n = one.topology.switches
    for whole, table in zip(planes.host_tables, one.host_tables, strict=True):
        for first in range(0, 3 * n, n):
            for second in range(0, 3 * n, n):
                block = whole.ports[first : first + n, second : second + n]
                assert np.array_equal(block, table.ports) if first == second else (block == whole.none).all()


def test_whole_tables_are_made_for_none_of_the_measures_of_planes(planes, monkeypatch):
    """A design of many hosts has no memory for them."""

    def refused(layers, index):
        raise AssertionError(f"table {index} of the whole network was made")

    whole = uniform_throughput(planes, jobs=1), quality(planes, jobs=1, bisections=20)
    monkeypatch.setattr(PlaneLayers, "__getitem__", refused)
    assert uniform_throughput(planes, jobs=1) == whole[0] == pytest.approx((1.0, 1.0))
    assert pattern_throughput(planes, "tornado", jobs=1)[0] == pytest.approx(1.0)
    assert quality(planes, jobs=1, bisections=20).rows() == whole[1].rows()
    assert planes.layer_of_ports.max() + 1 == planes.host_table_count
    ((_, count),) = distinct_tables(planes)
    assert count == 3


def test_planes_that_differ_keep_tables_of_their_own():
    """Planes of two and three switches, whose numbers alternate."""
    small, large = np.full((2, 2), 1, np.uint8), np.arange(9, dtype=np.uint8).reshape(3, 3)
    layers = PlaneLayers([np.array([0, 2]), np.array([1, 3, 4])], [1, 0], [[large, large], [small, small + 1]])
    first, second = layers[:]
    assert first.tolist() == [
        [1, 255, 1, 255, 255],
        [255, 0, 255, 1, 2],
        [1, 255, 1, 255, 255],
        [255, 3, 255, 4, 5],
        [255, 6, 255, 7, 8],
    ]
    assert (second[0, 0], second[4, 4], layers.plane_of.tolist()) == (2, 8, [0, 1, 0, 1, 1])
    assert layers.of_plane(1)[0] is large


def test_a_folder_has_the_tables_of_equal_planes_once(planes, tmp_path):
    """And they come back as they were."""
    planes.save(tmp_path / "net")
    names = {path.name for path in (tmp_path / "net" / "tables").iterdir()}
    assert "plane_ports_0.npy" in names
    assert not names & {"ports_1.npy", "plane_ports_1.npy"}
    again = Routing.load(tmp_path / "net")
    assert isinstance(again.choice.ports, PlaneLayers)
    assert all(
        np.array_equal(one.ports, other.ports) for one, other in zip(again.host_tables, planes.host_tables, strict=True)
    )


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("plane_kind", lambda array: array + 1),
        ("plane_of", lambda array: array[:-1]),
        ("plane_of", lambda array: np.roll(array, 1) * 0),
        ("plane_ports_0", lambda array: array[:, :-1]),
        ("plane_ports_0", lambda array: np.where(array == 255, 255, 99).astype(np.uint8)),
    ],
)
def test_damaged_tables_of_planes_are_one_sentence(planes, tmp_path, name, change):
    """Kernels would read past the ends of arrays."""
    planes.save(tmp_path / "net")
    file = tmp_path / "net" / "tables" / f"{name}.npy"
    np.save(file, change(np.load(file)))
    with pytest.raises(InputError, match=r"route the network again|does not have"):
        Routing.load(tmp_path / "net")
