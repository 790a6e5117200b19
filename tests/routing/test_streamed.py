"""Tables that are kept in files: the same laws, and a sample that is followed."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest

from topoloom.core.errors import InputError
from topoloom.network.folder import save_routing
from topoloom.routing.route import route
from topoloom.routing.table_files import load_tables
from topoloom.routing.verification.verify import verify_routing
from topoloom.topologies.spec import build


@pytest.mark.parametrize("name", ["orders", "updown", "minimal"])
def test_tables_in_files_are_whole(name, tmp_path):
    """Every pair arrives by tables read back from the files, as by those that were handed out."""
    topology = build("jellyfish:n=300,degree=6")
    virtual_channels = 3 if name == "orders" else None
    routing = route(topology, name, virtual_channels=virtual_channels, folder=str(tmp_path))
    assert routing.verification.complete
    assert not list((tmp_path / "tables").glob("[!.]*")), "what is not saved is no table yet"
    save_routing(routing, tmp_path)
    ports = np.load(tmp_path / "tables" / "ports.npy")
    assert (ports == routing.ports).all()
    if name != "minimal":
        assert routing.verification.deadlock_free
        assert (np.load(tmp_path / "tables" / "virtual_channels.npy") == routing.virtual_channels).all()


_MADE_ON_A_SMALL_DISK = """
import subprocess, sys
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "none", sys.argv[1]], check=True)
from pathlib import Path
from topoloom import InputError, build, route
from topoloom.network.folder import save_routing
from topoloom.routing.table_files import load_tables
folder = Path(sys.argv[1])
small = route(build("ring:n=20"), "minimal", folder=str(folder))
save_routing(small, folder)
before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
for spec in sys.argv[2:]:
    try:
        save_routing(route(build(spec), "minimal", folder=str(folder)), folder)
    except InputError as error:
        print(error)
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}, list(folder.rglob("*"))
assert load_tables(folder).topology.switches == 20
print("whole")
"""


@pytest.mark.exhaustive
def test_a_full_disk_is_a_sentence_and_the_old_tables_stay(tmp_path):
    """Full before the table has its place, and full when the other files are written: no half file, no bus error."""
    made = subprocess.run(
        ["unshare", "--mount", sys.executable, "-c", _MADE_ON_A_SMALL_DISK, str(tmp_path), "ring:n=700", "ring:n=290"],
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare failed" in made.stderr or "mount" in made.stderr:
        pytest.skip("a small disk cannot be mounted here")
    assert made.stderr == ""
    first, second, last = made.stdout.splitlines()
    assert first == f"{tmp_path}: tables cannot be written: 0.5 MB are needed, and 0.1 MB are free; nothing was changed"
    assert second == f"{tmp_path}: cannot be written: no space left on device; nothing was changed"
    assert last == "whole"


@pytest.mark.exhaustive
def test_tables_that_are_made_again_replace_the_old_ones_when_they_are_saved(tmp_path):
    """Until then, and where the maker is killed, the old ones are there; whoever has them mapped keeps them."""
    save_routing(route(build("ring:n=20"), "minimal"), tmp_path)
    made = (
        "import os; from topoloom import *; route(build('ring:n=30'), 'minimal', folder='.'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", made], cwd=tmp_path, check=False)
    assert load_tables(tmp_path).topology.switches == 20
    mapped = np.load(tmp_path / "tables" / "ports.npy", mmap_mode="r")
    before = np.array(mapped)
    routing = route(build("ring:n=30"), "minimal", folder=str(tmp_path))
    save_routing(routing, tmp_path)
    save_routing(routing, tmp_path)
    assert load_tables(tmp_path).topology.switches == 30
    assert (before == mapped).all()
    del routing
    gc.collect()
    names = {"tables.json", "network.npz", "ports.npy", "channel_load.npy", "switch_load.npy"}
    assert set(os.listdir(tmp_path / "tables")) == names


def test_a_sample_is_a_part_of_the_whole():
    """Following some destinations counts their pairs only, and no more load than following all."""
    routing = route(build("jellyfish:n=200,degree=5"))
    some = verify_routing(routing, destinations=np.array([3, 50, 199]))
    assert (some.pairs, some.reached_pairs) == (3 * 199, 3 * 199)
    assert (some.channel_load <= routing.verification.channel_load).all()
    assert some.virtual_channel_pairs.sum() == 3 * 199
    drawn = route(build("jellyfish:n=200,degree=5"), check=10).verification
    assert drawn.pairs == 10 * 199


def test_engines_that_keep_tables_in_memory_say_so(tmp_path):
    """And which do not; and orders in files needs a number of virtual channels."""
    topology = build("jellyfish:n=60,degree=5")
    with pytest.raises(InputError, match="engines that use a folder: minimal, orders, updown"):
        route(topology, "dfsssp-switches", folder=str(tmp_path))
    with pytest.raises(InputError, match="give, for example, virtual_channels=8"):
        route(topology, folder=str(tmp_path))
    with pytest.raises(InputError, match="name a folder"):
        route(build("ring:n=40000"))
