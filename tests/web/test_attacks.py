"""Attacks on the explorer: no path leads out, no request breaks it, nobody without the token keeps its owner out."""

import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from hostile import BODIES, NAMING, RAW, REQUIREMENTS, disguises, filled, needed, random_requests, raw

from topoloom import Study, run_study
from topoloom.cli.main import cli

httpx = pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("uvicorn", reason="the explorer is not installed (pip install 'topoloom[web]')")
from test_server import _TOKEN, Server  # noqa: E402

_SECRET = "hosts = 3 # 1f0c7a5e\n"
#: What is said of a file that may not be opened, or of a text that can name none.
_REFUSALS = ("served", "control characters")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A folder to serve as ``nets``, with links that lead to a secret next to it."""
    here = tmp_path_factory.mktemp("attacked")
    nets = here / "nets"
    (nets / "trap").mkdir(parents=True)
    (here / "secret.toml").write_text(_SECRET)
    (nets / "report.html").write_text("<p>words</p>" * 2000)
    (nets / "way.toml").symlink_to(here / "secret.toml")
    (nets / "out").symlink_to(here)
    (nets / "trap" / "topology.json").symlink_to(here / "secret.toml")
    for name in ("mine.json", "mine.goal", "mine.csv", "mine.toml", "mine.txt", "mine.0.et", "mine.1.et"):
        (nets / name).write_text("")
    assert CliRunner().invoke(cli, ["build", "petersen:hosts=2", "-o", str(nets / "mine.json")]).exit_code == 0
    study = Study(operation="hops", task={"topology": "ring:n={n}"}, axes={"n": [8, 16]})
    run_study(study, nets / "sizes", executor="threads")
    return here


@pytest.fixture(scope="module")
def server(tmp_path_factory, here):
    """One server for all attacks: it is there afterwards as it was before, and its log has no traceback."""
    folder = tmp_path_factory.mktemp("explorer")
    running = Server(folder / "store", "--jobs", "1", str(here / "nets"), log=folder / "log")
    yield running
    assert running.record("info", topology="petersen")["state"] == "done"
    assert running.end() == 0
    assert "Traceback" not in (folder / "log").read_text()


def _post(server, body):
    head = f"POST /api/tasks HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {_TOKEN}\r\n"
    return raw(server.host, f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)


def _refused(server, operation, **arguments):
    answer = server.ask(operation, **arguments)
    while answer.status_code == 429:  # a connection asks no faster than anybody could look
        time.sleep(1)
        answer = server.ask(operation, **arguments)
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert "1f0c7a5e" not in error
    assert any(words in error for words in _REFUSALS), error


@pytest.mark.sweep(1)
@pytest.mark.parametrize("disguise", disguises(Path("/x"), Path("/x")))
def test_no_argument_names_a_file_elsewhere(server, here, disguise):
    """Whatever the operation, the argument and the way of writing it: one sentence, before anything is opened."""
    path = disguises(here / "secret.toml", here / "nets")[disguise]
    for operation, name, text in NAMING:
        value = text.format(path) if isinstance(text, str) else [item.format(path) for item in text]
        arguments = {**needed(operation), name: value}
        _refused(server, operation, **arguments)
    for text in REQUIREMENTS:
        written = json.dumps(path)[1:-1]
        requirement = "hosts = 3\n" + text.format(written) + "\n"
        if "\\u0000" not in written:  # which TOML itself refuses
            _refused(server, "requirement", text=requirement)
            _refused(server, "design", text=requirement)
    for change in ({"parts": path}, {"floor": {"file": path}}, {"families": {"specs": [path]}}):
        _refused(server, "design", text="hosts = 3\n[switch]\nradix = 4\n", change=change)


@pytest.mark.parametrize(
    ("operation", "name", "text"),
    [
        ("info", "topology", "nets/mine.json"),
        ("info", "topology", "mine.json"),
        ("simulate", "traffic", "trace:nets/mine.csv"),
        ("simulate", "traffic", "goal:file=nets/mine.goal"),
        ("app", "app", "training:model=nets/mine.toml,tp=1"),
        ("app", "placement", "file:nets/mine.txt"),
        ("app", "app", "chakra:file=nets/mine,peak_gflops=1"),
        ("stand", "floor", "nets/mine.toml"),
        ("grow", "prices", "nets/mine.toml"),
        ("collective", "schedule", "nets/mine.json"),
        ("collective", "placement", "file:nets/mine.txt"),
        ("degradation", "topology", "nets/mine.json"),
    ],
)
def test_a_file_that_is_served_is_kept_by_its_whole_path(server, here, operation, name, text):
    """A task that is begun later, somewhere else, opens what was meant."""
    answer = server.ask(operation, **{**needed(operation), name: text})
    assert answer.status_code in (200, 202), answer.text
    kept = answer.json()["arguments"][name]
    file = re.search(r"mine(\.\w+)?", text)[0]
    assert str((here / "nets" / file).resolve()) in kept


@pytest.mark.exhaustive
def test_a_link_that_is_swapped_in_later_is_not_followed(tmp_path):
    """The worker looks again, at what it has opened: checked as a file, then exchanged for a link."""
    nets, net = tmp_path / "nets", tmp_path / "nets" / "net.json"
    nets.mkdir()
    assert CliRunner().invoke(cli, ["build", "petersen", "-o", str(tmp_path / "other.json")]).exit_code == 0
    net.write_bytes((tmp_path / "other.json").read_bytes())
    busy = Server(tmp_path / "store", "--jobs", "1", str(nets))
    try:
        long = busy.ask("resilience", topology="jellyfish:n=300,degree=8", samples=3000).json()["digest"]
        digest = busy.ask("hops", topology="nets/net.json").json()["digest"]
        net.unlink()
        net.symlink_to(tmp_path / "other.json")  # of the same content
        assert busy.wait(long)["state"] == "done"
        record = busy.wait(digest)
        assert record["state"] == "failed"
        assert "outside the folders that may be read" in record["error"]
    finally:
        busy.end()


def test_names_that_are_no_text_do_not_break_the_list(server, here):
    """Names of any bytes, of 255 characters and with line ends lie in the folder; the rest is listed."""
    for name in (b"\xff\xfe.json", b"a\nb.json", b"\x1b[31m.json", b"x" * 250 + b".json"):
        (here / "nets" / os.fsdecode(name)).write_text("{}")
    (listed, *_) = server.client.get("/api/folders").json()
    assert "mine.json" in listed["files"]
    assert "x" * 250 + ".json" in listed["files"]
    assert not any("\n" in name for name in listed["files"])


@pytest.mark.parametrize("name", RAW)
def test_requests_that_no_browser_sends(server, name):
    """Each is answered, by no 5xx, or its connection is ended; no answer leads to another server or has another's header."""
    status, headers, _ = raw(server.host, filled(RAW[name], server.host, _TOKEN))
    assert status < 500
    assert re.fullmatch(r"(/[^/\\\s][^\\\s]*|/)?", headers.get("location", ""))
    assert headers.get("set-cookie", "topoloom").startswith("topoloom")
    assert "x" not in headers


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", BODIES)
def test_tasks_of_nonsense(server, name):
    """Depth, digits, surrogates and length: one sentence in JSON, or a record that says why."""
    status, _, body = _post(server, BODIES[name])
    assert status in (202, 400)
    content = json.loads(body)
    if status == 400:
        assert set(content) == {"error"}
        assert len(content["error"]) < 2100
    else:
        assert "defect" not in server.wait(content["digest"])["error"]


def _fuzz(server, seed, count):
    catalogue = server.client.get("/api/catalogue").json()["operations"]
    operations = {name: [setting["name"] for setting in settings] for name, settings in catalogue.items()}
    wrong = []
    for request in random_requests(seed, count, operations, server.host, _TOKEN):
        status, _, body = raw(server.host, request)
        if status >= 500 or b"Traceback" in body:
            wrong.append((status, request, body))
    assert wrong == []
    until = time.monotonic() + 15
    jobs = server.client.get("/api/tasks").json()
    while any(job["state"] in ("waiting", "running") for job in jobs) and time.monotonic() < until:
        time.sleep(0.5)
        jobs = server.client.get("/api/tasks").json()
    assert [job for job in jobs if "defect" in job["error"]] == []


@pytest.mark.exhaustive
def test_random_requests(server):
    """A few hundred of a fixed seed, over all routes: never a 5xx, a hang or a traceback."""
    _fuzz(server, 20261125, 300)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(4))
def test_very_many_random_requests(server, seed):
    """As before, with other seeds."""
    _fuzz(server, seed, 2000)


def test_the_first_address_may_be_followed_from_anywhere(server):
    """From a file or another page the cookie comes with a page that leads on; nothing else is answered to other pages."""
    cross = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    with httpx.Client(base_url=server.base, headers=cross) as stranger:
        for path in (f"/network?source=petersen&token={_TOKEN}", f"/network?source=petersen&opened=1&token={_TOKEN}"):
            answer = stranger.get(path)
            assert (answer.status_code, answer.headers["refresh"]) == (200, "0; url=/network?source=petersen")
            assert "SameSite=Strict" in answer.headers["set-cookie"]
            assert _TOKEN not in answer.text
        assert stranger.get("/?token=guess").status_code == 403  # whatever cookie it has
        assert stranger.get("/api/tasks", headers={"authorization": f"Bearer {_TOKEN}"}).status_code == 403


class _Strangers:
    """Half requests that are opened again whenever they were ended, and wrong tokens as fast as they are answered."""

    def __init__(self, host, half, hammering):
        self.name, _, port = host.partition(":")
        self.port, self.host, self.over = int(port), host, threading.Event()
        self.threads = [threading.Thread(target=self._half, args=(half,), daemon=True)]
        self.threads += [threading.Thread(target=self._hammer, daemon=True) for _ in range(hammering)]
        self.statuses: set[int] = set()
        for thread in self.threads:
            thread.start()

    def _half(self, count):
        begun = [None] * count
        while not self.over.is_set():
            for number, link in enumerate(begun):
                if link is not None:
                    try:
                        link.send(b"a")  # byte by byte
                        continue
                    except OSError:
                        link.close()
                with_body = number % 4 == 0
                try:
                    begun[number] = socket.create_connection((self.name, self.port), timeout=5)
                    begun[number].send(
                        f"POST /api/tasks HTTP/1.1\r\nHost: {self.host}\r\nContent-Length: 99\r\n\r\n{{".encode()
                        if with_body
                        else b"GET / HTTP/1.1\r\nHost: "
                    )
                except OSError:
                    begun[number] = None
            self.over.wait(0.2)
        for link in begun:
            if link is not None:
                link.close()

    def _hammer(self):
        while not self.over.is_set():
            connection = http.client.HTTPConnection(self.name, self.port, timeout=10)
            try:
                connection.request("GET", "/api/tasks", headers={"Authorization": "Bearer wrong"})
                self.statuses.add(connection.getresponse().status)
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join(20)


@pytest.mark.exhaustive
def test_fifty_clients_are_answered_whatever_strangers_do(tmp_path):
    """Fifty people with the token each get the right answer, never 429 or 503, while 200 half requests and 8 threads with
    wrong tokens are there."""
    busy = Server(tmp_path / "store")
    answers, refused = {}, []

    def client(number):
        with httpx.Client(
            base_url=busy.base, headers={"authorization": f"Bearer {_TOKEN}"}, timeout=60, verify=False, trust_env=False
        ) as link:
            task = {"operation": "hops", "arguments": {"topology": f"ring:n={10 + number}"}}
            answer = link.post("/api/tasks", json=task)
            until = time.monotonic() + 180
            while answer.status_code in (200, 202) and time.monotonic() < until:
                answer = link.get(f"/api/tasks/{answer.json()['digest']}")
                if "result" in answer.json():
                    answers[number] = answer.json()["result"]["diameter"]
                    return
                time.sleep(0.3)
            refused.append(answer.status_code)

    strangers = _Strangers(busy.host, 200, 8)
    try:
        time.sleep(1)
        clients = [threading.Thread(target=client, args=(number,)) for number in range(50)]
        for link in clients:
            link.start()
        for link in clients:
            link.join(240)
    finally:
        strangers.end()
        assert busy.end() == 0
    assert refused == []
    assert answers == {number: (10 + number) // 2 for number in range(50)}
    assert strangers.statuses <= {401, 429}


@pytest.mark.exhaustive
def test_half_a_request_ends(server):
    """Headers byte by byte, without the token; a body byte by byte, with it: neither is waited for longer than it may take."""
    name, _, port = server.host.partition(":")
    head = f"POST /api/tasks HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {_TOKEN}\r\nContent-Length: 900\r\n\r\n"
    until, ended = time.monotonic() + 120, set()
    open_ones = {}
    for kind, first in (
        ("silent", b""),
        ("headers", b"GET / HTTP/1.1\r\n"),
        ("body", head.encode()),
        ("lines", b"\r\n"),
    ):
        open_ones[kind] = socket.create_connection((name, int(port)), timeout=5)
        open_ones[kind].sendall(first)
    while len(ended) < len(open_ones) and time.monotonic() < until:
        for kind, link in open_ones.items():
            if kind in ended:
                continue
            try:
                if kind != "silent":
                    link.send(b"\n" if kind == "lines" else b"a")
                link.settimeout(0.05)
                if link.recv(1000)[9:12] in (b"", b"408", b"400"):
                    ended.add(kind)
            except TimeoutError:
                continue
            except OSError:
                ended.add(kind)
        time.sleep(0.3)
    for link in open_ones.values():
        link.close()
    assert ended == set(open_ones)


def _snapshot(*folders):
    """All that lies in folders: contents, modes and times of changing."""
    seen = {}
    for folder in folders:
        for path in (folder, *sorted(folder.rglob("*"))):
            about = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            seen[str(path)] = (content, about.st_mode, about.st_mtime_ns, about.st_ctime_ns)
    return seen


@pytest.mark.exhaustive
def test_read_only_writes_nothing(tmp_path, here):
    """Whatever is asked for, the store and the folders stay as they are to the byte and the nanosecond; a task that failed
    is not run again, and a store that is not there is not made."""
    store, nets = tmp_path / "store", here / "nets"
    writing = Server(store, str(nets))
    requirement = "hosts = 20\n[switch]\nradix = 16\n[families]\ntry = ['hypercube']\n"
    done = writing.record("info", topology="nets/mine.json")
    failed = writing.record("hops", topology="slimfly:q=6")
    designed = writing.record("design", text=requirement, change={"shortlist": 0})
    writing.end()
    (nets / "half" / ".topoloom-unfinished").mkdir(parents=True)
    (nets / "half" / "topology.json").write_bytes((nets / "mine.json").read_bytes())
    before = _snapshot(store, nets)
    reading = Server(store, "--read-only", str(nets))
    try:
        assert reading.record("info", topology="nets/mine.json") == done
        assert reading.record("hops", topology="slimfly:q=6") == failed
        assert reading.record("design", text=requirement, change={"shortlist": 0}) == designed
        assert reading.client.get(f"/api/tasks/{designed['digest']}/measured").status_code == 200
        for operation, arguments in (
            ("info", {"topology": "ring:n=9"}),
            ("requirement", {"text": requirement}),
            ("draw", {"topology": "nets/mine.json", "engine": "updown"}),
        ):
            assert reading.ask(operation, **arguments).status_code == 403
        assert "is not completely written" in reading.ask("info", topology="nets/half").json()["error"]
        assert reading.ask("design", text=requirement + "# another\n").status_code in (400, 403)
        for record in (done, failed, designed):
            assert reading.client.delete(f"/api/tasks/{record['digest']}").status_code == 403
        for path in ("/", "/api/folders", "/files/nets/report.html", "/api/study?folder=nets/sizes", "/api/curves"):
            assert reading.client.get(path).status_code == 200
        _fuzz(reading, 5, 100)
        assert _snapshot(store, nets) == before
    finally:
        assert reading.end() == 0
    assert _snapshot(store, nets) == before
    looking = Server(tmp_path / "none", "--read-only", str(nets))
    try:
        assert looking.client.get("/api/tasks").json() == []
        assert looking.ask("info", topology="petersen").status_code == 403
    finally:
        looking.end()
    assert not (tmp_path / "none").exists()


@pytest.mark.exhaustive
def test_one_server_has_a_store(tmp_path):
    """Another says in one sentence who has it and how to go on, also from a container of its own; one that only looks sees
    what is done meanwhile. Killed, its store is another's at once."""
    first = Server(tmp_path / "s", "--jobs", "1")
    try:
        serve = [
            sys.executable,
            "-m",
            "topoloom",
            "serve",
            "--no-browser",
            "--port",
            "0",
            "--store",
            str(tmp_path / "s"),
        ]
        contained = ["unshare", "-rfp", "--mount-proc"]
        if subprocess.run([*contained, "true"], capture_output=True, check=False).returncode:
            contained = []
        for command in (serve, [*contained, *serve]):
            second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            assert second.returncode in (1, 2)
            assert f"process {first.process.pid} of" in second.stderr
            assert "--store" in second.stderr
            assert "Traceback" not in second.stderr
        looking = Server(tmp_path / "s", "--read-only")
        done = first.record("info", topology="petersen")
        assert looking.wait(done["digest"]) == done
        assert [job["digest"] for job in looking.client.get("/api/tasks").json()] == [done["digest"]]
        looking.end()
    finally:
        first.end(signal.SIGKILL)
    next_one = Server(tmp_path / "s")
    assert next_one.record("info", topology="petersen") == done
    next_one.end()


@pytest.mark.exhaustive
def test_the_token_stands_in_no_command_line(tmp_path):
    """The browser is given a private file that leads to the first address; neither it nor its environment has the token, and
    the file goes with the server."""
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nenv > {seen}.env\nprintf "%s\\n" "$@" > {seen}.part\nmv {seen}.part {seen}\n')
    browser.chmod(0o755)
    command = [sys.executable, "-m", "topoloom", "serve", "--port", "0", "--store", str(tmp_path / "s")]
    more = {"TOPOLOOM_TOKEN": _TOKEN, "BROWSER": str(browser), "DISPLAY": ":99", "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | more)
    try:
        process.stdout.readline()
        until = time.monotonic() + 30
        while not seen.exists() and time.monotonic() < until:
            time.sleep(0.05)
        (given,) = seen.read_text().split()
        assert _TOKEN not in given
        assert _TOKEN not in Path(f"{seen}.env").read_text()
        page = Path(urlsplit(given).path)
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
        address = re.search(r'url=(http[^"]+)', page.read_text())[1].replace("&amp;", "&")
        with httpx.Client() as browsing:
            assert browsing.get(address).status_code == 200
            assert browsing.get(address.partition("?")[0]).status_code == 200
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    assert not page.parent.exists()


@pytest.mark.exhaustive
def test_a_study_that_is_too_large_to_draw_is_refused_before_it_is_planned(server, here):
    """A million seeds in a study's file: one sentence at once, with the command that draws it."""
    big = here / "nets" / "big"
    big.mkdir()
    content = json.loads((here / "nets" / "sizes" / "study.json").read_text())
    content |= {"operation": "hops", "task": {"topology": "jellyfish:n=20,degree=3,seed={draw}"}, "together": []}
    content["axes"] = {"draw": {"from": 1, "to": 1_000_000, "step": 1}}
    (big / "study.json").write_text(json.dumps(content))
    (big / "store.json").write_bytes((here / "nets" / "sizes" / "store.json").read_bytes())
    answer = server.client.get("/api/study", params={"folder": "nets/big"})
    assert answer.status_code == 400
    assert "topoloom study plot" in answer.json()["error"]
