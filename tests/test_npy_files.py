"""NumPy's files without trust: what NumPy writes comes back, anything else is one sentence before memory is taken."""

import io
import os
import warnings
import zipfile

import numpy as np
import pytest

from topoloom import InputError
from topoloom.core.npy_files import read_npy, read_npz

_PLAIN = "{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}"


def _header(text, version=b"\x01\x00", length=None):
    data = text.encode("latin-1") + b"\n"
    size = len(data) if length is None else length
    return b"\x93NUMPY" + version + size.to_bytes(2 if version[0] == 1 else 4, "little") + data


def _plain(kind="|u1", shape="(2, 3)", fortran="False"):
    return _header(_PLAIN.format(kind, fortran, shape)) + bytes(6)


def _written(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    "array",
    [
        *(np.arange(6).reshape(2, 3).astype(kind) for kind in (np.uint8, np.int16, np.int64, np.float64, bool)),
        *(np.zeros((0, 2)), np.array(3), np.array(["a", "è\U0001f600"]), np.array([np.nan]), np.zeros((1, 2, 3, 4))),
    ],
)
def test_what_numpy_writes_comes_back(array, tmp_path):
    """Type, shape and entries; nothing can be written to; also out of an archive."""
    np.save(tmp_path / "x.npy", array)
    np.savez_compressed(tmp_path / "x.npz", it=array)
    for found in (read_npy(tmp_path / "x.npy", "again"), read_npz(tmp_path / "x.npz", "again")["it"]):
        assert found.dtype == array.dtype
        assert np.array_equal(found, array, equal_nan=array.dtype.kind == "f")
        assert not found.flags.writeable


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\x93", b"PK\x03\x04", b"\x80\x04\x95.", _plain()[:40], _plain()[:-1], _plain() + b"x"),
        *(
            _plain(shape="(1000000000000, 1000000000000)"),
            _plain(shape="(99999999999999999999, 1)"),
            _plain(shape="(-2, -3)"),
        ),
        *(
            _plain(shape="(2L, 3L)"),
            _plain(shape="(True, 6)"),
            _plain(shape="('2', 3)"),
            _plain(shape="(" + "1" * 5000 + ",)"),
        ),
        *(_plain(kind="|O"), _plain(kind="<V6"), _plain(kind="x"), _plain(kind="|u1,|u1"), _plain(kind="<M8[s]")),
        *(
            _plain(fortran="True"),
            _header("{'descr': ["),
            _header("-" * 900 + "1"),
            _header("{[]: 1}"),
            _header("__import__('os')"),
        ),
        *(_plain().replace(b"\x01\x00", b"\x09\x00", 1), _header(_PLAIN.format("|u1", False, "(2, 3)"), length=65535)),
        _header(_PLAIN.format("|u1", False, "(2, 3)"), b"\x02\x00", length=2**32 - 1) + bytes(6),
        _header(_PLAIN.format("<U1", False, "(2,)")) + b"\xff" * 8,
        _header(_PLAIN.format("<U1", False, "(1,)")) + b"\x00\xd8\x00\x00",
    ],
)
def test_a_damaged_header_is_one_sentence(data, tmp_path):
    """Huge shapes, Python in the header, lies about lengths, other versions, text that is none; in an archive, too."""
    (tmp_path / "x.npy").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("it.npy", data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for read, name in ((read_npy, "x.npy"), (read_npz, "x.npz")):
            with pytest.raises(InputError, match=rf"{name}: is damaged \(.*\); route it again"):
                read(tmp_path / name, "route it again")


def test_an_archive_that_is_none_is_one_sentence(tmp_path):
    """Cut anywhere, a byte of it changed, not there, a folder: never an error of zipfile or zlib."""
    np.savez_compressed(tmp_path / "x.npz", one=np.arange(50), other=np.zeros((4, 4)))
    whole = (tmp_path / "x.npz").read_bytes()
    cases = [whole[:end] for end in range(0, len(whole), 23)]
    cases += [whole[:at] + bytes([whole[at] ^ 0x5A]) + whole[at + 1 :] for at in range(0, len(whole), 7)]
    for data in cases:
        (tmp_path / "y.npz").write_bytes(data)
        said = ""
        try:
            read_npz(tmp_path / "y.npz", "again")
        except InputError as error:
            said = str(error)
        assert said == "" or said.startswith(os.fspath(tmp_path / "y.npz"))
    for path in (tmp_path / "gone.npz", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            read_npz(path, "again")


def test_an_archive_that_unpacks_to_much_is_refused_before_it_is(tmp_path, monkeypatch):
    """What its directory declares counts against the limit of `topoloom.core.allowance`."""
    monkeypatch.setenv("TOPOLOOM_MEMORY_GB", "0.01")
    np.savez_compressed(tmp_path / "x.npz", it=np.zeros(30_000_000, np.uint8))
    with pytest.raises(InputError, match=r"x\.npz: its arrays take about 0\.0 GB .* set TOPOLOOM_MEMORY_GB=1"):
        read_npz(tmp_path / "x.npz", "again")
