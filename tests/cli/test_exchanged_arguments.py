"""Files in the wrong place, and files that cannot be written: one sentence, before any work."""

import pytest

from topoloom import build
from topoloom.cli.main import main
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.net_text import discovered_text

FABRIC_FIRST = "name the fabric first, then its tables"


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run a command in a folder with a fabric and its tables."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        return left.value.code, *capsys.readouterr()

    assert run("export", "fat-tree:k=4", "opensm", "-o", "made")[0] == 0
    (tmp_path / "f.net").write_text(discovered_text(planned_fabric(build("fat-tree:k=4"))))
    (tmp_path / "t.lft").write_text((tmp_path / "made" / "fabric.lft").read_text())
    (tmp_path / "t.txt").write_text((tmp_path / "made" / "fabric.lft").read_text())
    return run


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("verify-tables", "t.lft", "f.net"), FABRIC_FIRST),
        (("verify-tables", "t.txt", "f.net"), FABRIC_FIRST),
        (("verify", "f.net", "t.lft"), FABRIC_FIRST),
        (("repair", "t.lft", "f.net", "f.net"), FABRIC_FIRST),
        (("quality", "f.net", "--tables", "f.net"), FABRIC_FIRST),
        (("verify", "f.net", "fat-tree:k=4"), "the plan comes first, then what is cabled"),
        (("watch", "f.net", "fat-tree:k=4"), "the plan comes first, then what is cabled"),
        (("verify", "f.net", "none.net"), "none.net"),
        (("verify", "fat-tree:k=4", "f.net", "--prom", "no/x.prom"), "--prom no/x.prom: there is no folder no"),
        (("verify", "fat-tree:k=4", "f.net", "--sarif", "made"), "--sarif made: this is a folder"),
        (("watch", "fat-tree:k=4", "f.net", "--prom", "no/x.prom"), "there is no folder no"),
        (("watch", "fat-tree:k=4", "f.net", "-o", "no/x"), "there is no folder"),
        (("repair", "f.net", "t.lft", "f.net", "-o", "no/x"), "there is no folder"),
        (("export", "f.net", "opensm", "-o", "no/x"), "there is no folder"),
        (("reroute", "f.net", "0-8", "-o", "no/x"), "there is no folder"),
    ],
)
def test_one_sentence_says_what_is_wrong(call, arguments, sentence):
    """Exit code 2, one line on stderr, nothing on stdout."""
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    lines = err.strip().splitlines()
    assert len(lines) == 1
    assert sentence in lines[0]
