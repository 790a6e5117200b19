"""The explorer's server: records as the command line has them, a queue that loses nothing, and attacks that do nothing."""

import base64
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from topoloom import Study, run_study
from topoloom.cli.main import cli
from topoloom.studies.task import without_timings

httpx = pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("uvicorn", reason="the explorer is not installed (pip install 'topoloom[web]')")
from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402
from websockets.sync.client import connect  # noqa: E402

_TOKEN = "token-of-the-tests"
_PATIENCE_S = 60


class Server:
    """`topoloom serve` as a process, and a client that has its token; `log`: a file for what it says on standard error."""

    def __init__(self, store: Path, *options: str, log: Path | None = None):
        command = [
            sys.executable,
            "-m",
            "topoloom",
            "serve",
            "--port",
            "0",
            "--store",
            str(store),
            "--no-browser",
            *options,
        ]
        with ExitStack() as stack:
            self.process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=None if log is None else stack.enter_context(log.open("w")),
                text=True,
                env=os.environ | {"TOPOLOOM_TOKEN": _TOKEN},
            )
        self.first = re.search(r"http\S+", self.process.stdout.readline())[0]
        self.base = self.first.partition("/?")[0]
        self.host = self.base.removeprefix("http://")
        self.client = httpx.Client(base_url=self.base, headers={"authorization": f"Bearer {_TOKEN}"}, timeout=30)

    def ask(self, operation, **arguments):
        return self.client.post("/api/tasks", json={"operation": operation, "arguments": arguments})

    def record(self, operation, **arguments):
        """The record of a task, when it is over."""
        answer = self.ask(operation, **arguments)
        assert answer.status_code in (200, 202), answer.text
        return self.wait(answer.json()["digest"])

    def wait(self, digest):
        until = time.monotonic() + _PATIENCE_S
        while time.monotonic() < until:
            answer = self.client.get(f"/api/tasks/{digest}")
            if answer.status_code == 200:
                return answer.json()
            time.sleep(0.05)
        raise AssertionError(f"{digest} is not done")

    def end(self, number=signal.SIGTERM):
        self.client.close()
        self.process.send_signal(number)
        return self.process.wait(30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder to serve, beside a secret one."""
    here = tmp_path_factory.mktemp("served")
    (here / "secret.toml").write_text("hosts = 3\n")
    (here / "nets").mkdir()
    (here / "nets" / "report.html").write_text("<script>document.cookie</script>")
    assert CliRunner().invoke(cli, ["build", "petersen:hosts=2", "-o", str(here / "nets" / "mine.json")]).exit_code == 0
    run_study(
        Study(operation="hops", task={"topology": "ring:n={n}"}, axes={"n": [8, 16]}),
        here / "nets" / "sizes",
        executor="threads",
    )
    return here / "nets"


@pytest.fixture(scope="module")
def server(tmp_path_factory, folder):
    """One server for the tests that do it no harm, which is none."""
    running = Server(tmp_path_factory.mktemp("explorer") / "store", str(folder))
    yield running
    assert running.end() == 0


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("operation", "arguments", "line"),
    [
        ("info", {"topology": "petersen"}, "info petersen"),
        ("simulate", {"topology": "petersen:hosts=2", "loads": 0.3}, "simulate petersen:hosts=2 --loads 0.3"),
        ("resilience", {"topology": "petersen", "samples": 20}, "resilience petersen --samples 20"),
    ],
)
def test_what_the_page_shows_is_what_the_command_prints(server, operation, arguments, line):
    """The same record; and the command that the page names is this one."""
    record = server.record(operation, **arguments)
    printed = CliRunner().invoke(cli, [*line.split(), "--json"])
    by_command = without_timings(json.loads(printed.stdout))
    for one in (record["result"], by_command):
        one.pop("provenance")
    assert record["result"] == by_command
    (job,) = [one for one in server.client.get("/api/tasks").json() if one["digest"] == record["digest"]]
    assert job["command"] == f"topoloom {line} --json"


def test_a_drawing_has_switches_links_and_loads(server):
    """Every switch once, every link once, with the most that either direction of a link carries."""
    drawing = server.record("draw", topology="fat-tree:k=4", engine="fat-tree")["result"]
    assert (drawing["switches"], drawing["links"]) == (20, 32)
    columns = (drawing["switch"]["x"], drawing["link"]["load"])
    values = [np.frombuffer(base64.b64decode(column["base64"]), "<f4") for column in columns]
    assert [column.size for column in values] == [20, 32]
    assert values[1].min() > 0


def test_a_path_before_and_after_a_loss(server):
    """What is lost is on no path, and the repaired tables are free of deadlock."""
    whole = server.record("trace", topology="petersen", from_switch=0, to_switch=7)["result"]["path"]
    lost = "link:{}-{}".format(*whole)
    found = server.record("trace", topology="petersen", from_switch=0, to_switch=7, lost=lost)["result"]
    assert found["path"] == whole
    assert found["path_after"][:2] != whole[:2]
    assert found["path_after"][-1] == 7
    assert found["deadlock_free"]
    alone = server.record("trace", topology="ring:n=4", from_switch=0, to_switch=2, lost="link:0-1,0-3")["result"]
    assert alone["path_after"] is None


def test_folders_are_opened_by_their_address(server, folder):
    """A network below a folder that is served is drawn, its pages are shown as strangers."""
    assert server.record("info", topology="nets/mine.json")["result"]["switches"] == 10
    assert [one["address"] for one in server.client.get("/api/folders").json()] == ["nets", "nets/sizes"]
    page = server.client.get("/files/nets/report.html")
    assert page.status_code == 200
    assert page.headers["content-security-policy"].startswith("sandbox allow-scripts;")


def test_a_requirement_is_read_while_it_is_written(server):
    """The same sentences as on the command line, with the line."""
    record = server.record("requirement", text="hosts = 64\n[switch]\nradix = 16\n")
    assert record["result"]["requirement"]["switch"]["radix"] == 16
    wrong = server.record("requirement", text="hosts = 64\n[switch]\nradixx = 16\n")
    assert wrong["state"] == "failed"
    assert "requirement:3" in wrong["error"]
    assert "radix" in wrong["error"]


def test_a_design_from_its_text(server):
    """The requirement is kept with the records, and the ranking is the library's."""
    text = (
        'hosts = 20\n[switch]\nradix = 16\n[families]\ntry = ["slimfly", "hypercube"]\n[limits]\ncost_over_best = 100\n'
    )
    record = server.record("design", text=text, change={"shortlist": 0})
    assert record["result"]["ranked"]
    assert server.record("design", text=text, change={"shortlist": 0})["at"] == record["at"]
    measured = server.client.get(f"/api/tasks/{record['digest']}/measured").json()
    ranked = record["result"]["ranked"]
    assert {one["spec"] for one in ranked} <= {one["spec"] for one in measured}
    # Another limit measures nothing again.
    limited = server.record("design", text=text + "switches = 17\n", change={"shortlist": 0})
    assert server.client.get(f"/api/tasks/{limited['digest']}/measured").json() == measured
    assert 0 < len(limited["result"]["ranked"]) < len(ranked)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": ""}, 401),
        ({"content-length": str(1 << 40)}, 413),
        ({"content-length": "-5"}, 413),
    ],
)
def test_requests_that_are_not_ours_are_refused(server, headers, status):
    """Another host (DNS rebinding), another page, no token, a body without end."""
    given = {"host": server.host, "authorization": f"Bearer {_TOKEN}"} | headers
    connection = http.client.HTTPConnection(server.host, timeout=10)
    connection.putrequest("POST", "/api/tasks", skip_host=True)
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders()
    # A length that is none is refused by the server before it is ours to refuse.
    assert connection.getresponse().status in ({400, 413} if status == 413 else {status})
    connection.close()


def test_the_token_becomes_a_cookie_and_leaves_the_address(server):
    """HttpOnly and SameSite=Strict; the redirect stays here, whatever the path; pages run our scripts alone."""
    with httpx.Client(base_url=server.base) as stranger:
        assert stranger.get("/").status_code == 401
        answer = stranger.get(f"/network?source=petersen&token={_TOKEN}")
        assert (answer.status_code, answer.headers["location"]) == (303, "/network?source=petersen")
        assert {"HttpOnly", "SameSite=Strict"} <= set(answer.headers["set-cookie"].replace(" ", "").split(";"))
        page = stranger.get("/network?source=petersen")
        assert page.status_code == 200
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self';" in policy
        assert "unsafe" not in policy.partition("script-src")[2].partition(";")[0]
        assert "access-control-allow-origin" not in page.headers
    with httpx.Client(base_url=server.base) as stranger:
        assert stranger.get("/?token=guess").status_code == 401
    raw = http.client.HTTPConnection(server.host, timeout=10)
    raw.request("GET", f"//evil.example/?token={_TOKEN}")
    assert raw.getresponse().headers["location"] == "/evil.example/"
    raw.close()


@pytest.mark.parametrize(
    "address",
    [
        "nets/../secret.toml",
        "nets/%2e%2e/secret.toml",
        "..%2fsecret.toml",
        "/etc/passwd",
        "nets//etc/passwd",
        "other",
        "nets/%00",
    ],
)
def test_no_file_elsewhere_is_read(server, address):
    """By no way of writing its path."""
    answer = server.client.get(f"/files/{address}")
    assert answer.status_code in (400, 404)
    assert "hosts" not in answer.text.replace("that host", "")


def test_a_link_out_of_the_folder_is_no_way_out(server, folder):
    """Nor is a task that names a file elsewhere."""
    (folder / "way").symlink_to(folder.parent / "secret.toml")
    assert server.client.get("/files/nets/way").status_code == 400
    for arguments in (
        {"topology": str(folder.parent / "secret.toml")},
        {"topology": "../secret.toml"},
        {"topology": "nets/../secret.toml"},
        {"topology": "~/x.json"},
        {"topology": "/etc/passwd"},
    ):
        answer = server.ask("info", **arguments)
        assert answer.status_code == 400, arguments
        assert "served folders" in answer.json()["error"] or "no such folder" in answer.json()["error"]
    for text in ('parts = "/etc/passwd"\n', '[floor]\nfile = "/etc/passwd"\n'):
        assert server.ask("design", text="hosts = 3\n" + text).status_code == 400
        assert server.ask("requirement", text="hosts = 3\n" + text).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"operation": 1, "arguments": {}}',
        b'{"operation": "info"}',
        b"\xff\xfe",
        b'{"operation": "rm", "arguments": {}}',
    ],
)
def test_what_is_no_task_is_one_sentence(server, body):
    """400 and JSON, never a traceback."""
    answer = server.client.post("/api/tasks", content=body)
    assert answer.status_code == 400
    assert "Traceback" not in answer.json()["error"]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "spec",
    [
        "ring:n=1000000000",
        "jellyfish:n=999999999,degree=64",
        "<script>alert(1)</script>",
        "x" * 100_000,
        "petersen" * 5000,
        "\x1b[31m",
    ],
)
def test_hostile_specs_fail_and_nothing_else_does(server, spec):
    """A network of 10^9 switches, markup, endless names: a failed record with a sentence."""
    answer = server.ask("draw", topology=spec)
    if answer.status_code == 202:
        record = server.wait(answer.json()["digest"])
        assert record["state"] == "failed"
        assert "defect" not in record["error"]
    else:
        assert answer.status_code == 400
    assert server.record("info", topology="petersen")["state"] == "done"


@pytest.mark.exhaustive
def test_many_requests_are_bounded(tmp_path):
    """10,000 requests: those beyond the pace are told so, the queue takes what it can hold, and the server goes on."""
    busy = Server(tmp_path / "s", "--jobs", "1")
    try:
        seen = set()
        for number in range(10_000):
            answer = (
                busy.ask("hops", topology=f"ring:n={number + 5}")
                if number % 5 == 0
                else busy.client.get("/api/tasks/none")
            )
            seen.add(answer.status_code)
        assert 429 in seen
        assert seen <= {200, 202, 400, 404, 429}
        time.sleep(2)
        assert busy.record("info", topology="petersen")["state"] == "done"
        assert len(busy.client.get("/api/tasks").json()) <= 500
    finally:
        busy.end()


def _shout(socket):
    for _ in range(10_000):
        socket.send("x" * 500)
    while True:
        socket.recv(timeout=10)


def test_websockets_tell_changes_and_bear_no_flood(server):
    """Another origin is refused; so are too many; whoever sends much is let go; the others go on."""
    address = f"ws://{server.host}/api/events"
    ours = {"origin": server.base, "additional_headers": {"authorization": f"Bearer {_TOKEN}"}}
    for wrong in ({"origin": "http://evil.example"}, {"origin": None}, {"additional_headers": {}}):
        with pytest.raises(InvalidStatus), connect(address, **(ours | wrong)):
            pass
    with connect(address, **ours) as loud, pytest.raises(ConnectionClosed):
        _shout(loud)
    with ExitStack() as stack:
        open_ones = [stack.enter_context(connect(address, **ours)) for _ in range(32)]
        with pytest.raises(InvalidStatus), connect(address, **ours):
            pass
        digest = server.ask("info", topology="ring:n=17").json()["digest"]
        states = set()
        while "done" not in states:
            news = json.loads(open_ones[0].recv(timeout=30))
            if news["digest"] == digest:
                states.add(news["state"])


@pytest.mark.exhaustive
def test_a_killed_server_loses_nothing(tmp_path):
    """kill -9 amid the work: what was finished is there, what was asked for is done by the next server, once."""
    first = Server(tmp_path / "s", "--jobs", "1")
    done = first.record("info", topology="petersen")
    wanted = [
        first.ask("resilience", topology=f"jellyfish:n={n},degree=8", samples=3000).json()["digest"] for n in (300, 301)
    ]
    time.sleep(1)
    first.end(signal.SIGKILL)
    second = Server(tmp_path / "s", "--jobs", "1")
    try:
        assert second.wait(done["digest"]) == done
        assert [second.wait(digest)["state"] for digest in wanted] == ["done", "done"]
    finally:
        second.end()
    lines = [
        json.loads(line)
        for path in (tmp_path / "s" / "records").glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert sorted(line["digest"] for line in lines) == sorted([done["digest"], *wanted])


@pytest.mark.exhaustive
def test_a_task_is_cancelled(tmp_path):
    """One that runs ends soon and has no record; asked for again, it is run."""
    server = Server(tmp_path / "s", "--jobs", "1")
    try:
        task = {"topology": "jellyfish:n=2000,degree=16", "samples": 900_000, "metric": "aspl"}
        digest = server.ask("resilience", **task).json()["digest"]
        time.sleep(2)
        assert server.client.delete(f"/api/tasks/{digest}").json() == {"cancelled": True}
        assert server.record("hops", topology="petersen")["state"] == "done"
        assert server.client.get(f"/api/tasks/{digest}").json()["state"] == "cancelled"
        assert server.client.delete(f"/api/tasks/{digest}").json() == {"cancelled": False}
    finally:
        server.end()


@pytest.mark.exhaustive
def test_read_only_begins_nothing(tmp_path):
    """What is done is shown; nothing else runs, and nothing is cancelled."""
    writing = Server(tmp_path / "s")
    done = writing.record("info", topology="petersen")
    writing.end()
    server = Server(tmp_path / "s", "--read-only")
    try:
        assert server.record("info", topology="petersen") == done
        assert server.ask("info", topology="ring:n=9").status_code == 403
        assert server.client.delete(f"/api/tasks/{done['digest']}").status_code == 403
    finally:
        server.end()


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "nowhere: no such folder to serve"),
        (["--host", "203.0.113.9"], "give another port"),
        (["--executor", "magic"], "no executor named 'magic'"),
        (["--token", "x"], "--token: give 8 to 200 letters"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(tmp_path, arguments, words):
    """Before anything is answered."""
    command = [sys.executable, "-m", "topoloom", "serve", "--no-browser", "--port", "0", "--store", str(tmp_path / "s")]
    found = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert found.returncode in (1, 2)
    assert words in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("executor", ["threads", "dask"])
def test_other_executors_run_what_takes_long(executor, tmp_path):
    """Those that cannot be fed get batches; quick questions are answered beside them."""
    if executor == "dask":
        pytest.importorskip("distributed", reason="dask is not installed (pip install 'topoloom[cluster]')")
    server = Server(tmp_path / "s", "--executor", executor)
    try:
        assert server.record("hops", topology="petersen")["row"]["diameter"] == 2
        assert server.record("info", topology="petersen")["state"] == "done"
        assert server.record("hops", topology="slimfly:q=6")["state"] == "failed"
    finally:
        server.end()


def test_curves_of_a_study_are_those_of_its_picture(server):
    """What the page draws is what the command draws; what is not there is one sentence."""
    answer = server.client.get("/api/study", params={"folder": "nets/sizes", "y": "diameter"})
    found = answer.json()
    (curves,) = found["curves"]
    assert [point[:2] for point in curves["series"][0]["points"]] == [[8, 4], [16, 8]]
    assert (found["done"], found["tasks"], found["axes"]) == (2, 2, ["n"])
    assert found["command"].endswith("--y diameter -o curves.svg")
    for asked, why in (({"y": "height"}, "no column 'height'"), ({"folder": "nets"}, "study")):
        refused = server.client.get("/api/study", params={"folder": "nets/sizes", **asked})
        assert refused.status_code == 400
        assert why in refused.json()["error"]
    assert server.client.get("/api/study", params={"folder": "../elsewhere"}).status_code == 400


def test_a_rack_is_moved_and_a_slot_blocked(server):
    """Two racks change places: lengths follow. Nothing stands in a blocked slot, and the hall can be read again."""
    asked = {
        "topology": "dragonfly:h=2,hosts=1",
        "floor": "koibuchi-2013",
        "switches_per_rack": 4,
        "rows": 3,
        "columns": 4,
        "map": "rows",
    }
    plain = server.record("stand", **asked)["result"]
    assert plain["total_m"] == plain["unmoved"]["total_m"]
    moved = server.record("stand", **asked, moved=[["A01", "C04"]])["result"]
    assert moved["unmoved"]["total_m"] == plain["total_m"] != moved["total_m"]
    back = server.record("stand", **asked, moved=[["A01", "C04"], ["C04", "A01"]])["result"]
    assert back["total_m"] == plain["total_m"]
    blocked = server.record("stand", **asked, blocked=["A02"])["result"]
    assert "A02" not in blocked["floor"]["racks"]["name"]
    assert blocked["racks"] == plain["racks"]
    assert "A02" in blocked["toml"]
    full = {**asked, "columns": None}
    assert len(server.record("stand", **full)["result"]["slots"]["name"]) == plain["racks"] == 9
    wider = server.record("stand", **full, blocked=["A02"])["result"]
    assert "A04" in wider["floor"]["racks"]["name"]
    assert "A02" not in wider["floor"]["racks"]["name"]
    asked_too_much = server.record("stand", **{**asked, "columns": 3}, blocked=["A02"])
    assert "9 racks need more than the 8 remaining slots" in asked_too_much["error"]
    layout = CliRunner().invoke(
        cli,
        [
            "layout",
            "dragonfly:h=2,hosts=1",
            *["--floor", "koibuchi-2013", "--switches-per-rack", "4"],
            *["--rows", "3", "--columns", "4", "--map", "rows", "--json"],
        ],
    )
    assert json.loads(layout.stdout)["total_m"] == plain["total_m"]
    for wrong in ({"moved": [["Z99", "A01"]]}, {"blocked": ["Z99"]}):
        assert "no slot 'Z99'" in server.record("stand", **asked, **wrong)["error"]


def test_growth_has_a_picture_and_the_cables_of_each_step(server):
    """The numbers are those of `expand`."""
    grown = server.record("grow", topology="jellyfish:n=20,degree=4,seed=1", to=22, map="rows")["result"]
    plan = json.loads(
        CliRunner()
        .invoke(cli, ["expand", "jellyfish:n=20,degree=4,seed=1", *["--to", "22", "--map", "rows", "--json"]])
        .stdout
    )
    assert [grown[name] for name in ("removed", "added", "kept")] == [
        plan[name] for name in ("removed", "added", "kept")
    ]
    assert all(step["picture"].startswith("<svg") for step in grown["steps"])
    assert sum(one["work"] == "add" for step in grown["steps"] for one in step["cables"]) > 0


@pytest.mark.exhaustive
def test_a_browser_that_asks_for_an_icon_gets_no_error(server):
    """Pages that name no icon, a report among them, leave no error in the browser's console."""
    answer = server.client.get("/favicon.ico")
    assert (answer.status_code, answer.content) == (204, b"")
