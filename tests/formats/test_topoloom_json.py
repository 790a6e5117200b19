"""topoloom's own JSON: versioned, exact, and read without trust."""

import base64
import json
import zlib
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from format_cases import SAMPLE, topologies
from hypothesis import given, settings

from tiers import examples
from topoloom import InputError, build, load
from topoloom.formats import FORMATS, _packed, encode
from topoloom.model.topology import Topology

FIXTURES = Path(__file__).parent / "fixtures"
FORMAT = FORMATS.find("topoloom")
SCHEMA = json.loads(files("topoloom.formats").joinpath("topology.schema.json").read_text())
#: Of the fixtures; it must never change, or old files have changed their meaning.
DIGEST = "0b9eaf20f69e3e4a999ca3146e6269fcc834905512d97022b3d13639ee234d11"


def read(document):
    """What the reader makes of a document, given as an object or as text."""
    text = document if isinstance(document, str) else json.dumps(document)
    return FORMAT.read(text.encode("utf-8", "surrogatepass"), "net.json")


def document(**fields):
    """A small valid document with some fields changed."""
    return {"format": "topoloom", "version": 1, "switches": 3, "links": [[0, 1], [1, 2]], **fields}


def packed(array, **fields):
    """An array packed as the format says, with some fields changed."""
    array = np.asarray(array, "<i4")
    data = base64.b64encode(zlib.compress(array.tobytes())).decode()
    return {"dtype": "int32", "shape": list(array.shape), "encoding": "zlib+base64", "data": data, **fields}


@pytest.mark.parametrize("name", ["version1.json", "version1-packed.json"])
def test_version_1_stays_readable(name):
    """Files written by the first release give the same topology for ever."""
    topology = load(FIXTURES / name)
    assert topology.digest == DIGEST
    assert topology == SAMPLE
    assert (topology.name, topology.spec) == (SAMPLE.name, SAMPLE.spec)


def test_version_2_stays_readable():
    """Rates came with version 2; what it holds besides is that of version 1."""
    topology = load(FIXTURES / "version2.json")
    assert topology.digest == "ddced273d089f81e34ae940c80ebc418df51492fcc083c54bb729251fd19f298"
    assert topology.link_rate_gbps.tolist() == [100, 200, 400, 800, 54.56, 25]
    assert topology.endpoint_rate_gbps.tolist() == [400, 400, 100, 200.5, 1]
    assert topology.without_rates() == SAMPLE


@pytest.mark.parametrize("name", ["version1.json", "version1-packed.json", "version2.json", "version3.json"])
def test_the_fixtures_satisfy_the_schema(name):
    """The JSON schema that is shipped accepts what the first release wrote."""
    jsonschema.validate(json.loads((FIXTURES / name).read_text()), SCHEMA)


@settings(max_examples=examples(40), deadline=None)
@given(topologies())
def test_what_is_written_satisfies_the_schema(topology):
    """Every file that topoloom writes is valid under its schema."""
    jsonschema.validate(json.loads(encode(topology, FORMAT)), SCHEMA)


@settings(max_examples=examples(40), deadline=None)
@given(topologies())
def test_packed_arrays_hold_what_lists_hold(topology):
    """Arrays come back the same whether they are listed or packed, and both are valid under the schema."""
    most, _packed._MOST_LISTED = _packed._MOST_LISTED, 0
    try:
        data = encode(topology, FORMAT)
    finally:
        _packed._MOST_LISTED = most
    jsonschema.validate(json.loads(data), SCHEMA)
    back = FORMAT.read(data, "net.json")
    assert back == topology
    assert back.digest == topology.digest


def test_a_family_comes_back_whole():
    """A catalogue topology survives with its name and the spec that rebuilds it."""
    topology = build("slimfly:q=5,hosts=4")
    back = read(encode(topology, FORMAT).decode())
    assert back == topology
    assert (back.name, back.spec) == (topology.name, topology.spec)
    assert build(back.spec) == back


def test_long_arrays_are_packed():
    """A large file stays small: 20,000 links take less than 3 bytes each, and the text stays one field a line."""
    ring = np.stack([np.arange(20_000), np.roll(np.arange(20_000), -1)], axis=1)
    data = encode(Topology(ring, 20_000, labels={"place": np.arange(20_000) % 7}), FORMAT)
    assert len(data) < 60_000
    assert data.count(b"\n") < 12


def test_documents_of_the_fewest_fields_are_read():
    """Format, version, switches and links are enough; the name is that of the file."""
    topology = read(document())
    assert (topology.name, topology.hosts, dict(topology.labels)) == ("net", 0, {})


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"version": 4}, "the version is 4; .* up to 3: update topoloom"),
        ({"version": 0}, "the version is '0'"),
        ({"version": 1.0}, "the version is '1.0'"),
        ({"version": True}, "the version is 'true'"),
        ({"version": "1"}, "the version is"),
        ({"format": "other"}, "not a topology of topoloom"),
        ({"switches": 0}, "switches: 0 switches; a topology has 1 to"),
        ({"switches": -3}, "switches: -3 switches"),
        ({"switches": 10**30}, "switches"),
        ({"switches": 2.5}, "switches: Expected 'int', got 'float'"),
        ({"switches": "3"}, "switches: Expected 'int', got 'str'"),
        ({"links": [[0, 0]]}, r"links\[0\]: switch 0 is linked to itself"),
        ({"links": [[0, 1], [0, 3]]}, r"links\[1\]\[1\]: switch 3, but switches are numbered 0 to 2"),
        ({"links": [[-1, 1]]}, r"links\[0\]\[0\]: switch -1"),
        ({"links": [[0, 1, 2]]}, r"links\[0\]: Expected 'array' of length 2, got 3"),
        ({"links": [[0, True]]}, r"links\[0\]\[1\]: Expected 'int', got 'bool'"),
        ({"links": [[0, 1.5]]}, r"links\[0\]\[1\]: Expected 'int', got 'float'"),
        ({"links": [[0, 10**30]]}, "links"),
        ({"links": 5}, "links: Expected"),
        ({"links": None}, "links: Expected"),
        ({"endpoints": [0, 3]}, r"endpoints\[1\]: switch 3"),
        ({"endpoints": [[0]]}, r"endpoints\[0\]: Expected 'int'"),
        ({"endpoints": [0, 1], "host": [0]}, "host: holds 1 numbers; it must hold 2"),
        ({"endpoints": [0, 1], "host": [0, 2]}, "hosts must be numbered"),
        ({"labels": {"x": [1, 2]}}, r"labels\.x: 2 values; a label needs one for each of 3"),
        ({"labels": {"x": [1, "a", 2]}}, r"labels\.x: text and numbers are mixed"),
        ({"labels": {"x": [1, None, 2]}}, r"labels\[\.\.\.\]\[1\]: Expected"),
        ({"labels": {"x": [1, 2, 10**30]}}, "beyond 64 bits"),
        ({"labels": {"x": ["a" * 2000, "", ""]}}, "2000 characters"),
        ({"labels": {f"x{i}": [0, 0, 0] for i in range(101)}}, "more than 100 labels"),
        ({"labels": []}, "labels: Expected"),
        ({"name": 5}, "name: Expected"),
        ({"name": "x" * 10_001}, "name: Expected 'str' of length <= 10000"),
        ({"name": "\ud800"}, "half of a surrogate pair"),
        ({"labels": {"\ud800": [1, 2, 3]}}, "half of a surrogate pair"),
        ({"lables": {}}, "unknown field 'lables'"),
    ],
)
def test_wrong_fields_are_named(fields, reason):
    """A field that is wrong is answered with its path, what it holds and what it must hold."""
    with pytest.raises(InputError, match=reason):
        read(document(**fields))


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (packed([[0, 1]], shape=[2, 1]), "shape is 2 x 1; it must be any x 2"),
        (packed([[0, 1]], shape=[-1, 2]), "shape is -1 x 2"),
        (packed([[0, 1]], shape=[]), "shape is missing"),
        (packed([[0, 1]], shape=[2, 2]), "does not hold the 16 bytes"),
        (packed([[0, 1], [1, 2]], shape=[1, 2]), "does not hold the 8 bytes"),
        (packed([[0, 1]], shape=[10**15, 2]), "at most"),
        (packed([[0, 1]], data="!!"), "not base64"),
        (packed([[0, 1]], data="é"), "not base64"),
        (packed([[0, 1]], data="AAAA"), "does not decompress"),
        (packed([[0, 1]], dtype="int8"), "Invalid enum value 'int8'"),
        (packed([[0, 1]], dtype="float64", shape=[1, 2]), "does not hold the 16 bytes"),
        (packed(np.zeros((2, 2)), dtype="float64", shape=[1, 2]), "must hold whole numbers"),
        (packed([[0, 1]], encoding="lzma"), "Invalid enum value 'lzma'"),
        (packed([[0, 7]]), r"links\[0\]\[1\]: switch 7"),
        (packed([[0, 1], [2**31 - 1, 0]], delta=True), r"links\[1\]\[0\]: switch 2147483647"),
        (packed([[0, 1]], colour=1), "unknown field 'colour'"),
        ({"dtype": "int32"}, "missing required field"),
    ],
)
def test_packed_arrays_are_not_trusted(array, reason):
    """A packed array is checked against its own shape and size before anything is made of it."""
    with pytest.raises(InputError, match=reason):
        read(document(links=array))


@pytest.mark.exhaustive
def test_a_zip_bomb_takes_no_memory():
    """Only the declared bytes are decompressed: 256 MiB of zeros behind a shape of one link are refused at once."""
    import tracemalloc

    bomb = base64.b64encode(zlib.compress(bytes(256 << 20), 9)).decode()
    text = json.dumps(document(links=packed([[0, 1]], data=bomb)))
    tracemalloc.start()
    with pytest.raises(InputError, match="does not hold the 8 bytes"):
        read(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"format": "topoloom",\n"version": 1,\n"switches": ', "net.json:3: is not JSON"),
        ('{"format": "topoloom", "version": 1} x', "net.json:1: is not JSON: extra data"),
        ('{"a": 1,\n "b": 2,\n "a": 3}', "net.json:3: the field 'a' is given twice"),
        ('{"labels": {"x": [1],\n "x": [2]}}', "net.json:2: the field 'x' is given twice"),
        ('{"switches":\n NaN}', "net.json:2: 'NaN' is not a finite number"),
        ('{"switches": -Infinity}', "net.json:1: '-Infinity' is not"),
        ('{"switches":\n\n 1e999}', "net.json:3: '1e999' is not"),
        ("[" * 100_000, "too deep|not JSON"),
        ('{"a":' * 100_000, "too deep|not JSON"),
        ("1" * 5000, "thousands of digits"),
        ("[]", "not a topology of topoloom"),
        ("null", "not a topology of topoloom"),
        ('{"type": "Feature"}', "not a topology of topoloom"),
    ],
)
def test_broken_json_is_told_with_its_line(text, reason):
    """What is not JSON, or JSON that numbers and keys make ambiguous, is answered with file and line."""
    with pytest.raises(InputError, match=reason):
        read(text)


def test_a_wrong_field_is_told_with_its_line():
    """In a file of one field a line the error names the line of the field."""
    text = encode(SAMPLE, FORMAT).decode().replace('"switches": 6', '"switches": "six"')
    with pytest.raises(InputError, match=r"^net\.json:7: switches: Expected 'int', got 'str'$"):
        read(text)
