"""Exports with 2^LMC addresses per host port: paths of a pair over different cables, free of deadlock together.

opensm 3.3.23 on ibsim (``-R file,no_fallback -U fabric.lft -x -l LMC`` with the written guid2lid) has all entries of these
exports installed, and dumps them back.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from topoloom import build
from topoloom.core.errors import InputError
from topoloom.fabric.exports.registry import write_export
from topoloom.fabric.installed import read_installed
from topoloom.fabric.table_verifier import verify_tables
from topoloom.fabric.tables_compared import table_figures
from topoloom.formats.ibnetdiscover import load_fabric
from topoloom.routing.further_paths import with_further_paths
from topoloom.routing.route import route


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


@pytest.mark.parametrize(
    ("spec", "lmc", "cables"), [("jellyfish:n=24,degree=5,hosts=2", 2, 1.9), ("slimfly:q=5,hosts=1", 1, 1.1)]
)
def test_networks_with_service_levels_have_several_paths_too(spec, lmc, cables, tmp_path):
    """All addresses of a pair share its level, as OpenSM's policy has it, and all paths together hold no cycle.

    Paths are at most one hop longer than the first one, and a switch uses several cables for the addresses of a host.
    """
    topology = build(spec)
    write_export(f"opensm:lmc={lmc}", topology, tmp_path)
    fabric = load_fabric(tmp_path / "fabric.net")
    installed = read_installed(fabric, tmp_path / "fabric.lft", tmp_path / "fabric.qos")
    assert installed.levels.ndim == 2
    verified = verify_tables(installed.tables, fabric, installed.levels)
    assert (verified.deadlock_free, verified.paths) == (True, 1 << lmc)
    assert verified.reached_pairs == verified.pairs
    assert verified.virtual_channels_used > 1
    assert verify_tables(installed.tables, fabric, np.zeros_like(installed.levels)).deadlock_free is False
    single = write_export("opensm", topology, tmp_path / "one")
    policy = (tmp_path / "fabric.qos").read_text()
    assert "fabric.qos" in single
    assert policy == (tmp_path / "one" / "fabric.qos").read_text()
    ports = np.array([installed.tables.path(path) for path in range(1 << lmc)])[:, :, : fabric.topology.endpoints.size]
    different = (np.diff(np.sort(ports, axis=0), axis=0) != 0).sum(axis=0) + 1
    away = np.arange(fabric.topology.switches)[:, None] != fabric.topology.endpoints
    assert different[away].mean() > cables


@pytest.mark.sweep(2)
@pytest.mark.parametrize("engine", ["orders", "updown", "nue"])
def test_further_paths_are_free_of_deadlock_whatever_the_engine(engine):
    """Random networks: all paths arrive, at most a hop longer than the first, in its virtual channel, without a cycle."""
    for seed in range(3):
        topology = build(f"jellyfish:n=16,degree=4,hosts=2,seed={seed}")
        routing = route(topology, engine)
        wide = topology.replace(endpoints=np.repeat(topology.endpoints, 4), host=np.repeat(topology.host, 4))
        further = with_further_paths(routing, wide, 4)
        assert further.verification.deadlock_free
        assert len(further.host_tables) == 4 * len(routing.host_tables)
        for number, table in enumerate(further.host_tables):
            first = routing.host_tables[number // 4]
            for source, destination in itertools.permutations(range(16), 2):
                assert len(table.path(source, destination)) <= len(first.path(source, destination)) + 1


def test_tables_that_can_deadlock_have_no_further_paths():
    """A ring by shortest paths: the sentence names the missing property."""
    routing = route(build("torus:dims=6,hosts=1"), "minimal", virtual_channels=1)
    wide = routing.topology.replace(endpoints=np.repeat(routing.topology.endpoints, 2), host=None)
    with pytest.raises(
        InputError, match="can deadlock in virtual channel 0; several paths need tables without a cycle"
    ):
        with_further_paths(replace(routing, virtual_channels=None), wide, 2)
