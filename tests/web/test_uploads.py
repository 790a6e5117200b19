"""Uploads: stored whole under their name, served and opened as other files, bounded, and no way to write elsewhere."""

import json
import os

import pytest

from topoloom import InputError
from topoloom.web import uploads as uploads_module
from topoloom.web.spaces import Spaces
from topoloom.web.uploads import MOST_FILES, Uploads

httpx = pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("uvicorn", reason="the explorer is not installed (pip install 'topoloom[web]')")
from hostile import raw  # noqa: E402
from test_server import _TOKEN, Server  # noqa: E402

#: Names under which nothing may be stored.
_NAMES = (
    "",
    ".",
    "..",
    "/",
    "/etc/x.toml",
    "../x.toml",
    "a/../../x.toml",
    "a//b.toml",
    "a/./b.toml",
    "./a.toml",
    "a/",
    ".hidden",
    "a/.topoloom-unfinished",
    "a\\..\\b",
    "C:\\x",
    "a\nb",
    "a\0b",
    "a\x1b[31mb",
    "a b.toml",
    "a,b.toml",
    "a=b.toml",
    "a:b",
    "~a",
    "$HOME",
    "%2e%2e/x",
    "h\u00e4lle.toml",
    "\u4e2d.toml",
    "a\u2028b",
    "a\u202eb",
    "a\ud800b",
    "a" * 101,
    "a/b/c/d/e",
    "/".join(["a" * 99] * 3),
    "a.",
    "-a",
    "<img src=x>",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with an empty store, next to a secret."""
    here = tmp_path_factory.mktemp("uploading")
    (here / "secret.toml").write_text("hosts = 3\n")
    running = Server(here / "store", log=here / "log")
    running.store = here / "store"
    yield running
    assert running.end() == 0
    assert "Traceback" not in (here / "log").read_text()


def _send(server, name, content=b"hosts = 3\n"):
    return server.client.post("/api/uploads", params={"name": name}, content=content)


def _stored(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_an_upload_is_served_and_opened_like_any_other_file(server):
    """Stored byte for byte, listed with the folders, opened by its address; the same name again replaces it."""
    assert _send(server, "hall/floor.csv", b"first").json() == {"addresses": ["uploads/hall/floor.csv"]}
    assert _send(server, "hall/floor.csv", b"\x00second").status_code == 201
    assert server.client.get("/files/uploads/hall/floor.csv").content == b"\x00second"
    listed = server.client.get("/api/folders").json()
    assert {"address": "uploads", "kind": "folder", "files": []} in listed
    text = json.dumps({"files": {"nets/a.edges": "0 1\n1 2\n", "nets/b.edges": "0 1\n"}})
    sent = server.client.post("/api/uploads", content=text)
    assert sent.json() == {"addresses": ["uploads/nets/a.edges", "uploads/nets/b.edges"]}
    assert server.record("info", topology="uploads/nets/a.edges")["result"]["switches"] == 3
    _send(server, "nets/a.edges", b"0 1\n")
    assert server.record("info", topology="uploads/nets/a.edges")["result"]["switches"] == 2


def test_an_upload_hides_no_family(server):
    """A folder of a network with the name of a family does not become what that name means."""
    _send(server, "petersen/topology.json", b"{}")
    assert server.record("info", topology="petersen")["result"]["switches"] == 10
    server.client.delete("/api/uploads", params={"name": "petersen"})
    assert not (server.store / "uploads" / "petersen").exists()


@pytest.mark.parametrize("name", _NAMES, ids=ascii)
def test_no_name_leads_elsewhere(tmp_path, name):
    """One sentence, and nothing is written."""
    with pytest.raises(InputError, match="no file can be stored under this name"):
        Uploads(tmp_path).put({"fine.toml": b"", name: b""})
    with pytest.raises(InputError):
        Uploads(tmp_path).remove(name)
    assert list(tmp_path.iterdir()) == []


def test_names_are_refused_by_the_server(server):
    """The same over the wire, in the address and in the body."""
    before = _stored(server.store)
    for name in _NAMES:
        if "\ud800" not in name:
            answer = _send(server, name)
            assert answer.status_code == 400, name
            assert "\x1b" not in answer.json()["error"]
        body = json.dumps({"files": {name: "x"}}).encode()
        assert server.client.post("/api/uploads", content=body).status_code == 400, name
    assert _stored(server.store) == before


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"files": []}',
        b'{"files": {}}',
        b'{"files": {"a.toml": 3}}',
        b'{"files": {"a.toml": "\\ud800"}}',
        b'{"files": {"a.toml": "\xff"}}',
        b'{"file": {"a.toml": "x"}}',
        b'{"files": ' + b'{"a":' * 50_000 + b"}",
    ],
)
def test_what_is_no_upload_is_one_sentence(server, body):
    """400 and JSON, never a traceback; nothing is stored."""
    before = _stored(server.store)
    answer = server.client.post("/api/uploads", content=body)
    assert answer.status_code == 400
    assert "Traceback" not in answer.json()["error"]
    assert _stored(server.store) == before


def test_a_large_upload_is_refused(server):
    """More than a megabyte, announced or not; a length that is a lie."""
    assert _send(server, "big.csv", b"x" * ((1 << 20) + 1)).status_code == 413
    head = f"POST /api/uploads?name=big.csv HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {_TOKEN}\r\n"
    chunks = b"Transfer-Encoding: chunked\r\n\r\n" + (b"10000\r\n" + b"x" * 65536 + b"\r\n") * 20 + b"0\r\n\r\n"
    assert raw(server.host, head.encode() + chunks)[0] in (0, 413)
    assert not (server.store / "uploads" / "big.csv").exists()
    assert _send(server, "large.csv", b"x" * (1 << 20)).status_code == 201


def test_uploads_need_the_token_and_the_page(server):
    """As every other request."""
    for headers, status in (
        ({"authorization": "Bearer wrong"}, 401),
        ({"origin": "http://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
    ):
        answer = server.client.post("/api/uploads?name=x.toml", content=b"x", headers=headers)
        assert answer.status_code == status
    assert server.client.delete("/api/uploads?name=x.toml", headers={"authorization": ""}).status_code == 401


def test_links_are_not_followed(tmp_path):
    """Neither a linked folder nor a linked file is written through, or removed."""
    uploads, outside = Uploads(tmp_path / "store"), tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("mine")
    uploads.put({"a/b.toml": b""})
    (uploads.folder / "way").symlink_to(outside)
    (uploads.folder / "file").symlink_to(outside / "file")
    for name in ("way/new", "way/file", "file"):
        with pytest.raises(InputError, match="link"):
            uploads.put({name: b"x"})
        with pytest.raises(InputError, match="no such upload"):
            uploads.remove(name)
    assert os.listdir(outside) == ["file"]
    assert (outside / "file").read_text() == "mine"


def test_a_file_does_not_become_a_folder(tmp_path):
    """Nor the other way round."""
    uploads = Uploads(tmp_path)
    uploads.put({"a": b"", "b/c": b""})
    with pytest.raises(InputError, match="folder cannot be made"):
        uploads.put({"a/b": b""})
    with pytest.raises(InputError, match="is a folder"):
        uploads.put({"b": b""})
    uploads.remove("b")
    assert _stored(uploads.folder) == ["a"]


@pytest.mark.exhaustive
def test_files_and_bytes_are_bounded(tmp_path, monkeypatch):
    """All uploads together; replaced files do not count twice, and nothing of a refused request is stored."""
    uploads = Uploads(tmp_path)
    uploads.put({f"d/{number}": b"" for number in range(MOST_FILES - 1)})
    with pytest.raises(InputError, match="at most 5,000 files"):
        uploads.put({"e": b"", "f": b""})
    uploads.put({"d/0": b"again", "e": b""})
    monkeypatch.setattr(uploads_module, "MOST_BYTES", 10)
    with pytest.raises(InputError, match="serve their folder"):
        uploads.put({"d/0": b"eleven byte"})
    uploads.put({"d/0": b"ten bytes."})
    assert len(_stored(tmp_path)) == MOST_FILES


def test_a_read_only_server_stores_nothing(tmp_path):
    """But shows what was stored."""
    writing = Server(tmp_path / "store")
    assert _send(writing, "a.toml").status_code == 201
    writing.end()
    reading = Server(tmp_path / "store", "--read-only")
    try:
        assert _send(reading, "b.toml").status_code == 403
        assert reading.client.delete("/api/uploads?name=a.toml").status_code == 403
        assert reading.client.get("/files/uploads/a.toml").content == b"hosts = 3\n"
        assert _stored(tmp_path / "store" / "uploads") == ["a.toml"]
    finally:
        reading.end()


@pytest.mark.exhaustive
def test_a_served_folder_does_not_take_the_name(tmp_path):
    """A folder of the user's with the same name is refused in one sentence; the store's own may be named."""
    (tmp_path / "uploads").mkdir()
    with pytest.raises(InputError, match="name of a folder of the explorer itself"):
        Spaces([tmp_path / "uploads"], {"uploads": tmp_path / "store" / "uploads"})
    assert list(Spaces([tmp_path / "uploads"], {"uploads": tmp_path / "uploads"}).roots) == ["uploads"]
