"""The files of an export as one ZIP file: the same as the command writes, in a record that a browser can save."""

import base64
import io
import zipfile

import pytest

from in_process import run
from topoloom import InputError, run_task, task_of
from topoloom.fabric.exports.registry import EXPORTS
from topoloom.web import download
from topoloom.web.download import export_kinds
from topoloom.web.saying import as_command


def _unpacked(record):
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(record["zip"]))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("kind", ["opensm", "slurm:file=yaml", "booksim"])
def test_a_download_has_the_files_of_the_command(kind, tmp_path, monkeypatch):
    """Byte for byte, and the command beside it writes them."""
    monkeypatch.chdir(tmp_path)
    task = task_of("download", {"topology": "petersen:hosts=2", "kind": kind})
    record, _ = run_task(task)
    assert run(*as_command(task).removesuffix(" --json").split()[1:]).code == 0
    folder = tmp_path / kind.partition(":")[0]
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    unpacked = _unpacked(record)
    files.pop("provenance.json", None)
    assert unpacked == files
    assert record["files"] == sorted(unpacked)


def test_a_download_too_large_for_a_browser_names_the_command(monkeypatch):
    """One sentence with what to do."""
    monkeypatch.setattr(download, "MOST_BYTES", 100)
    with pytest.raises(InputError, match="too much for a browser; 'topoloom export petersen:hosts=2 opensm -o FOLDER'"):
        run_task(task_of("download", {"topology": "petersen:hosts=2", "kind": "opensm"}))


def test_every_kind_of_export_is_offered():
    """One line each, of networks and of machines."""
    kinds = export_kinds()
    assert [each["kind"] for each in kinds if each["of"] == "network"] == list(EXPORTS)
    assert {"cables", "netbox", "slurm"} <= {each["kind"] for each in kinds if each["of"] == "machine"}
    assert all(each["words"] for each in kinds)
