"""Exports with 2^LMC addresses per host port: paths of a pair over different cables, free of deadlock together.

opensm 3.3.23 on ibsim (``-R file,no_fallback -U fabric.lft -x -l LMC`` with the written guid2lid) has all entries of these
exports installed, and dumps them back.
"""

import pytest

from topoloom import build
from topoloom.core.errors import InputError
from topoloom.fabric.exports.registry import write_export
from topoloom.fabric.installed import read_installed
from topoloom.fabric.table_verifier import verify_tables
from topoloom.fabric.tables_compared import table_figures
from topoloom.formats.ibnetdiscover import load_fabric


@pytest.mark.parametrize(
    ("spec", "lmc", "load"), [("fat-tree:k=4", 1, 14), ("clos:leaves=3,spines=2,width=2,hosts=4", 2, 8)]
)
def test_all_addresses_have_entries_and_the_paths_use_different_cables(spec, lmc, load, tmp_path):
    """Loads stay at the least that a leaf's cables allow; from each other leaf all 2^LMC paths begin on different cables."""
    topology = build(spec)
    files = write_export(f"opensm:lmc={lmc}", topology, tmp_path)
    assert "guid2lid" in files
    assert f"lmc {lmc}\n" in (tmp_path / "opensm.conf").read_text()
    fabric = load_fabric(tmp_path / "fabric.net")
    assert (fabric.port_lmc == lmc).all()
    assert (fabric.port_lids % (1 << lmc) == 0).all()
    tables = read_installed(fabric, tmp_path / "fabric.lft").tables
    assert tables.paths == 1 << lmc
    verified = verify_tables(tables, fabric, read_installed(fabric, tmp_path / "fabric.lft", "none").levels)
    assert verified.deadlock_free
    figures = table_figures(tables, fabric)
    assert (figures.paths_per_pair, figures.unreachable_pairs, figures.max_channel_load) == (1 << lmc, 0, load)
    first_leaf, last_host = int(fabric.topology.endpoints[0]), fabric.topology.endpoints.size - 1
    assert len({int(tables.path(path)[first_leaf, last_host]) for path in range(1 << lmc)}) == min(
        1 << lmc, int(topology.degrees[0])
    )


def test_networks_that_need_service_levels_have_one_path_per_pair(tmp_path):
    """OpenSM's policy knows ports, not addresses; the sentence says so, and nothing is written."""
    with pytest.raises(InputError, match="policy gives all addresses of a port one service level"):
        write_export("opensm:lmc=1", build("slimfly:q=5,hosts=2"), tmp_path / "none")
    assert not (tmp_path / "none").exists()
