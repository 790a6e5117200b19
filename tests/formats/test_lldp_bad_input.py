"""Folders of neighbours with files that are damaged, foreign or hostile: read, omitted or refused; nothing raw is printed."""

import gzip
import json

import pytest

from in_process import run

_CABLE = '"leaf1":"swp1" -- "spine1":"swp1"'


def lldpd(port, name, far):
    """What lldpcli prints of one neighbour."""
    chassis = {name: {"id": {"type": "mac", "value": "00:00:5e:00:53:01"}}}
    entry = {"via": "LLDP", "chassis": chassis, "port": {"id": {"type": "ifname", "value": far}}}
    return json.dumps({"lldp": {"interface": {port: entry}}}).encode()


def verified(tmp_path):
    """What verify says of a right folder, to which a test has added something; never a traceback or a raw character."""
    folder = tmp_path / "lldp"
    folder.mkdir(exist_ok=True)
    (folder / "leaf1.json").write_bytes(lldpd("swp1", "spine1", "swp1"))
    (folder / "spine1.json").write_bytes(lldpd("swp1", "leaf1", "swp1"))
    (tmp_path / "plan.dot").write_text(f"graph x {{\n{_CABLE}\n}}\n")
    done = run("verify", tmp_path / "plan.dot", folder)
    assert all(mark.isprintable() or mark == "\n" for mark in done.out + done.err)
    assert "Traceback" not in done.err
    return done


@pytest.mark.parametrize(
    "content",
    [
        b"",
        lldpd("swp1", "spine1", "swp2")[:60],
        b"\x00\x01\x02",
        lldpd("swp1", "a", "b").decode().encode("utf-16"),
        b"[" * 9999,
    ],
    ids=["empty", "truncated", "binary", "utf-16", "nested"],
)
def test_a_file_that_is_none_is_omitted(tmp_path, content):
    """The other files count; nothing is found."""
    (tmp_path / "lldp").mkdir()
    (tmp_path / "lldp" / "leaf2.json").write_bytes(content)
    assert verified(tmp_path).code == 0


def test_folders_and_links_in_the_folder_are_passed(tmp_path):
    """Links to the folder itself, to themselves and to nothing."""
    folder = tmp_path / "lldp"
    (folder / "sub" / "deep").mkdir(parents=True)
    (folder / "again").symlink_to(".")
    (folder / "self").symlink_to("self")
    (folder / "dangling.json").symlink_to(tmp_path / "nothing")
    assert verified(tmp_path).code == 0


def test_a_compressed_file_is_read(tmp_path):
    """leaf2 is in no plan, so it is found."""
    (tmp_path / "lldp").mkdir()
    (tmp_path / "lldp" / "leaf2.json.gz").write_bytes(gzip.compress(lldpd("swp1", "spine1", "swp2")))
    assert "leaf2" in verified(tmp_path).out


@pytest.mark.parametrize(
    "name", ["s\x1b[31m", "<script>x</script>", '=HYPERLINK("x")', "\u202ex", "a\u200bb", "x" * 300, "a\nb"]
)
@pytest.mark.parametrize("what", ["device", "port", "file"])
def test_an_entry_with_an_impossible_name_is_one_line(tmp_path, name, what):
    """The rest of the folder is read; markup and formulas are text on a terminal."""
    names = {"device": "spine1", "port": "swp2", "file": "leaf2"} | {what: name}
    (tmp_path / "lldp").mkdir()
    if what == "file" and ("/" in name or len(name) > 200):
        return
    (tmp_path / "lldp" / f"{names['file']}.json").write_bytes(lldpd("swp1", names["device"], names["port"]))
    done = verified(tmp_path)
    assert done.code == 3
    assert "right cables                  1" in done.out
    lines = [line for line in done.out.splitlines() if "cannot be printed" in line]
    possible = name.isprintable() and len(name) < 200
    assert len(lines) == (0 if possible else 1)
    assert possible or (".json" in lines[0] and lines[0].startswith("TL113"))


_OTHERS = {
    "a.txt": (b"hello\n", "no device's view"),
    "b.png": (b"\x89PNG\r\n\x1a\n\x00", "a picture"),
    "c.txt": (b"interface: swp1\nSysName:   leaf1\n", "what lldpcli prints for people"),
    "d.json": (gzip.compress(b"{}"), "compressed by gzip"),
    "e.csv": (b"a_device,a_port,b_device,b_port\nx,1,y,2\n", "its format is sheet"),
}


@pytest.mark.parametrize("name", _OTHERS)
def test_a_file_of_another_kind_is_one_line_that_says_what_it_is(tmp_path, caplog, name):
    """The folder is read without it."""
    content, what = _OTHERS[name]
    (tmp_path / "lldp").mkdir()
    (tmp_path / "lldp" / name).write_bytes(content)
    done = verified(tmp_path)
    assert done.code == 0
    (line,) = [line for line in caplog.messages if name in line]
    assert what in line


def test_a_folder_without_a_network_is_refused_with_the_reasons_of_its_first_files(tmp_path):
    """Three of them."""
    for name, (content, _) in _OTHERS.items():
        (tmp_path / name).write_bytes(content)
    done = run("info", tmp_path)
    assert done.code == 2
    assert [what in done.err for _, what in _OTHERS.values()] == [True] * 3 + [False] * 2
