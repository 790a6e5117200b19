"""Designs of the explorer: written as folders that every page opens, with the files that the requirement names."""

import json
import time
from pathlib import Path

import numpy as np
import pytest

httpx = pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("uvicorn", reason="the explorer is not installed (pip install 'topoloom[web]')")
from test_server import Server  # noqa: E402

from in_process import run  # noqa: E402
from topoloom import build, place  # noqa: E402
from topoloom.core.errors import InputError  # noqa: E402
from topoloom.designer.requirement_files import requirement_of  # noqa: E402
from topoloom.operations.context import RunContext  # noqa: E402
from topoloom.studies.task import task_of  # noqa: E402
from topoloom.web.forms import form_data  # noqa: E402
from topoloom.web.jobs import MOST_CANCELLED, Jobs  # noqa: E402
from topoloom.web.needs import kept_requirement, placed_text, requirement_text  # noqa: E402
from topoloom.web.operations import RequirementOperation  # noqa: E402
from topoloom.web.spaces import Spaces  # noqa: E402

_TEXT = """# mine
hosts = 20  # more later
parts = "slimfly-2014"
shortlist = 1
minutes = 0.1
[switch]
radix = 16
[families]
try = ["fat-tree", "hypercube"]
"""
_FLOORS = Path(__file__).parents[2] / "examples" / "floors"
_ROOM = """[floor]
file = "uploads/hall.toml"
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that writes designs."""
    here = tmp_path_factory.mktemp("designing")
    running = Server(here / "store", "--jobs", "1")
    running.store = here / "store"
    yield running
    assert running.end() == 0


@pytest.mark.exhaustive
def test_a_design_is_written_and_opened(server):
    """The folder of `topoloom design -o`: its files are served, its networks are sources, and its text comes back."""
    record = server.record("design", text=_TEXT)
    assert record["state"] == "done", record["error"]
    job = server.ask("design", text=_TEXT).json()
    assert job["state"] == "done"
    address = job["folder"]
    assert address.startswith("designs/")
    listed = {one["address"]: one for one in server.client.get("/api/folders").json()}
    assert listed[address]["kind"] == "design"
    assert {"report.html", "bill.csv", "design.json"} <= set(listed[address]["files"])
    assert listed[f"{address}/shortlist/1"]["kind"] == "network"
    info = server.record("info", topology=f"{address}/shortlist/1")["result"]
    assert info["hosts"] == 20
    assert server.client.get(f"/api/tasks/{job['digest']}/requirement").json() == {"text": _TEXT}
    assert job["command"].startswith("topoloom design ")
    assert job["command"].endswith(" -o design --json")
    assert "write" not in job["python"]
    # The ranking alone writes nothing.
    ranking = server.ask("design", text=_TEXT, change={"shortlist": 0}).json()
    assert ranking["folder"] == ""


@pytest.mark.exhaustive
def test_the_folder_is_that_of_the_command(server, tmp_path):
    """The same design by the command line, to the last digit."""
    server.record("design", text=_TEXT)
    address = server.ask("design", text=_TEXT).json()["folder"]
    (tmp_path / "r.toml").write_text(_TEXT)
    assert run("design", tmp_path / "r.toml", "-o", tmp_path / "out", "--jobs", "1").code == 0
    for name in ("bill.csv", "cables.csv", "candidates.csv", "shortlist/1/cables.csv"):
        assert server.client.get(f"/files/{address}/{name}").text == (tmp_path / "out" / name).read_text()


def test_the_check_and_the_design_open_the_same_uploads(server):
    """A room that was sent is one for both; when it is sent again, both see the new one."""
    text = _TEXT + _ROOM
    answer = server.ask("requirement", text=text)
    assert answer.status_code == 400
    assert "there is no such file" in answer.json()["error"]
    for name in ("hall.toml", "hall.csv"):
        content = b"name = 3\n" if name == "hall.toml" else (_FLOORS / name).read_bytes()
        server.client.post(f"/api/uploads?name={name}", content=content)
    wrong = server.record("requirement", text=text)
    assert wrong["state"] == "failed"
    server.client.post("/api/uploads?name=hall.toml", content=(_FLOORS / "hall.toml").read_bytes())
    right = server.record("requirement", text=text)
    assert right["state"] == "done", right["error"]
    digest = server.ask("requirement", text=text).json()["digest"]
    assert digest != wrong["digest"]
    assert server.client.get(f"/api/tasks/{digest}/requirement").json() == {"text": text}
    ranked = server.record("design", text=text, change={"shortlist": 0})
    assert ranked["state"] == "done", ranked["error"]
    # The file of the slots belongs to the room.
    slots = (_FLOORS / "hall.csv").read_bytes()
    server.client.post("/api/uploads?name=hall.csv", content=slots.replace(b"A01,", b"A99,"))
    assert server.ask("requirement", text=text).json()["digest"] != digest


def test_every_start_names_files_that_are_sent_with_it(tmp_path):
    """The requirements that the first page offers, with the uploads that it sends, name no other file."""
    form = form_data(("design",))
    for name, content in form["files"].items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    spaces = Spaces([], {"uploads": tmp_path})
    for start in form["starts"]:
        placed_text(start["toml"], spaces)


def test_racks_of_hosts_are_those_of_a_placement():
    """The racks that the fourth question names, before anything is designed; a rack that holds no host is an error."""
    text = """hosts = 40
rate_gbps = 40
parts = "slimfly-2014"
switch = { radix = 36 }
host = { u = 2, power_w = 900 }
rack = { u = 42, power_w = 4000 }
"""
    asked = RequirementOperation(text=text)
    racks = asked.run(RunContext())["racks"]
    placed = place(build("clos:leaves=4,spines=1,hosts=10"), housing=requirement_of(text, "x").housing)
    assert racks["hosts_per_rack"] == placed.hosts_in_rack.max() == 4
    assert racks["racks"] == np.count_nonzero(placed.hosts_in_rack)
    with pytest.raises(InputError, match="holds no host of 9,000 W"):
        RequirementOperation(text=text.replace("900", "9000")).run(RunContext())


def test_names_are_placed_and_nothing_else_changes(tmp_path):
    """Comments, order and blanks stay; the content of files is noted, so that another content is another task."""
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    (uploads / "q.toml").write_text("a = 1\n")
    spaces = Spaces([], {"uploads": uploads})
    text = "prices = 'uploads/q.toml'  # 'mine'\nhosts = 3\n"
    placed, content = placed_text(text, spaces)
    assert placed.startswith(f"prices = \"{uploads}/q.toml\"  # 'mine'\nhosts = 3\n# content of ")
    assert content == {"prices": f"{uploads}/q.toml", "hosts": 3}
    (uploads / "q.toml").write_text("a = 2\n")
    assert placed_text(text, spaces)[0] != placed
    assert requirement_text(task_of("requirement", {"text": placed}), spaces) == text.replace(
        "'uploads/q.toml'", '"uploads/q.toml"'
    )
    with pytest.raises(InputError, match="one plain text in quotes"):
        placed_text('prices = "uploads\\u002fq.toml"\n', spaces)
    with pytest.raises(InputError, match="there is no such file"):
        placed_text('prices = "q2.toml"\n', spaces)


@pytest.mark.exhaustive
def test_folders_of_cancelled_designs_go(tmp_path, monkeypatch):
    """The folder of a design goes with its task; those of other tasks stay."""
    monkeypatch.setattr("topoloom.web.queue._NEW_S", -1.0)
    with Jobs(tmp_path) as jobs:
        for number in range(2, 6 * MOST_CANCELLED):
            text = f"hosts = {number}\n[switch]\nradix = 8\n"
            arguments = kept_requirement(tmp_path, Spaces([]), {"text": text}, write=True)
            (tmp_path / "designs" / arguments["folder"].rpartition("/")[2]).mkdir()
            job = jobs.submit(task_of("write design", arguments))
            time.sleep(0.001)
            if number > 2:
                jobs.cancel(job.digest)
        first = next(job for job in jobs.all() if job.state == "waiting")
    names = [path.name for path in (tmp_path / "designs").iterdir()]
    assert len(names) <= 2 * MOST_CANCELLED + 2
    assert first.task.arguments["folder"].rpartition("/")[2] in names
    assert json.dumps(first.task.arguments)
