"""A folder never answers for a network that is not the one written last: others' work is not overwritten, nothing is missed."""

import pytest

from topoloom import InputError, build, cable, expand, open_network, place, route
from topoloom.cabling.files import save_cabling

_TORUS = build("torus:dims=3x3,hosts=1")


def _laid_out(topology):
    return place(topology, map="rows")


def test_a_layout_does_not_overwrite_tables_of_another_network(tmp_path):
    """Its own layout it replaces, and where the network is the same it may join the tables."""
    layout = _laid_out(_TORUS)
    layout.save(tmp_path / "a")
    _laid_out(build("petersen")).save(tmp_path / "a")
    assert open_network(tmp_path / "a").topology.switches == 10
    layout.save(tmp_path / "a")
    route(_TORUS).save(tmp_path / "a")
    before = sorted(path.name for path in (tmp_path / "a").rglob("*"))
    with pytest.raises(InputError, match="holds tables of another network, torus"):
        save_cabling(cable(_laid_out(build("petersen"))), tmp_path / "a")
    assert sorted(path.name for path in (tmp_path / "a").rglob("*")) == before
    layout.save(tmp_path / "a")
    assert open_network(tmp_path / "a").tables is not None


def test_a_plan_and_a_layout_of_other_networks_keep_apart(tmp_path):
    """Neither may be put into the folder of the other."""
    plan = expand(_laid_out(build("petersen")), 12)
    plan.save(tmp_path / "plan")
    layout = _laid_out(_TORUS)
    layout.save(tmp_path / "room")
    with pytest.raises(InputError, match="holds a plan of another network"):
        layout.save(tmp_path / "plan")
    with pytest.raises(InputError, match="holds a layout of another network"):
        plan.save(tmp_path / "room")


@pytest.mark.parametrize("missing", ["floor.toml", "cables.csv"])
def test_half_a_layout_is_not_read_as_a_bare_network(tmp_path, missing):
    """Without it every number would be of another placement."""
    _laid_out(_TORUS).save(tmp_path / "room")
    (tmp_path / "room" / missing).unlink()
    with pytest.raises(InputError, match=f"topoloom layout wrote this folder, but {missing} is missing"):
        open_network(tmp_path / "room")


def test_half_a_folder_of_tables_is_not_routed_anew(tmp_path):
    """The note says that there were tables."""
    route(_TORUS).save(tmp_path / "net")
    (tmp_path / "net" / "tables" / "tables.json").unlink()
    with pytest.raises(InputError, match=r"topoloom route wrote this folder, but tables/tables\.json is missing"):
        open_network(tmp_path / "net")
