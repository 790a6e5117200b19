"""The laws that every format keeps: round trips, and one clear sentence for every file that is none of its kind."""

import gzip
import logging
import re
from pathlib import Path

import numpy as np
import pytest
from format_cases import READ_ONLY, SAMPLE, damaged, plain_texts, sample_bytes, simple, texts, topologies
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import InputError, load, save
from topoloom.formats import FORMATS, dropped_by, encode
from topoloom.model.topology import Topology

NAMES = [
    *(
        "air",
        "anynet",
        "avd",
        "blocks",
        "cable-plan",
        "cables",
        "caminos",
        "config-db",
        "containerlab",
        "dot",
        "edges",
        "fboss",
        "frr-conf",
    ),
    *("graphml", "grid-edges", "htsim-topo", "ibdiagnet", "ibdiagnet-lst", "iblinkinfo", "ibnetdiscover"),
    *("ibnetdiscover-ports", "infragraph", "lldp", "minigraph", "ndt", "net-dump", "netbox", "netlab", "netq", "ns3"),
    *("order-radix", "paddle", "ptm", "sheet", "topoloom", "ufm-links", "xlsx"),
]
quick = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
GRID = Topology([(0, 1), (1, 2), (2, 3)], 5, labels={"x": np.array([-1, 0, 1, 0, 1]), "y": np.array([0, 0, 0, 1, 1])})


def read(name, data):
    """What a format makes of the bytes of a file."""
    return FORMATS.find(name).read(data, "net")


def kept(topology, record):
    """What is left of a topology after a trip through a format, by the format's own word."""
    if record.name in ("infragraph", "ns3") and not topology.rated:
        # Every cable in these files has a rate, so a network without rates gets the usual one.
        topology = topology.with_rates(400.0)
    return topology.replace(
        endpoints=topology.endpoints if "endpoints" in record.keeps else np.empty(0, np.int64),
        host=topology.host if "host" in record.keeps else None,
        labels=topology.labels if "labels" in record.keeps else {},
    )


def test_the_catalogue_is_known():
    """A format is there by its file alone."""
    assert list(FORMATS) == NAMES


def test_the_documentation_says_what_each_format_keeps():
    """The table in docs/reference/file-formats.md has a row for each format, with its suffixes and what it keeps."""
    lines = (Path(__file__).parents[2] / "docs" / "reference" / "file-formats.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    found = {name.strip("`"): (suffixes, cells) for name, suffixes, *cells in rows if len(cells) == 7}
    assert sorted(found) == NAMES
    for name, (suffixes, cells) in found.items():
        record = FORMATS.find(name)
        assert suffixes == ", ".join(f"`{suffix}`" for suffix in record.suffixes)
        kept_here = [cell == "yes" for cell in cells]
        parts = ["isolated", "endpoints", "host", "labels", "name", "spec", "rate_gbps"]
        assert kept_here == [part in record.keeps for part in parts]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("topoloom", texts), ("cables", texts), ("caminos", texts), ("edges", texts), ("ibnetdiscover", texts)),
        *(("infragraph", texts), ("ibdiagnet", texts), ("cable-plan", texts), ("ibdiagnet-lst", texts), ("ndt", texts)),
    ],
)
def test_what_a_format_keeps_comes_back(name, text):
    """Writing and reading gives back exactly the parts that the format says it keeps."""
    _round_trips(name, text)


@pytest.mark.parametrize("name", ["graphml", "dot"])
def test_what_a_format_for_text_tools_keeps_comes_back(name):
    """GraphML and DOT keep every label whose text XML and DOT can hold."""
    _round_trips(name, plain_texts)


def _round_trips(name, text):
    record = FORMATS.find(name)

    @quick
    @given(topologies(text))
    def check(topology):
        topology = simple(topology) if record.simple else topology
        if "isolated" not in record.keeps:
            assume(len(topology.links) and lonely(topology) == 0)
        back = read(name, encode(topology, record))
        assert back == kept(topology, record)
        if "name" in record.keeps and topology.name.strip():
            assert (back.name, back.spec) == (topology.name, topology.spec)

    check()


def lonely(topology):
    """How many switches have no cable at all."""
    used = np.union1d(topology.links.ravel(), topology.endpoints)
    return topology.switches - used.size


def test_grid_points_come_back():
    """On a grid the switches keep their points, lonely ones included; they are numbered row by row."""
    assert read("grid-edges", encode(GRID, FORMATS.find("grid-edges"))) == GRID


@pytest.mark.parametrize("name", NAMES)
def test_random_bytes_are_refused_in_one_line(name):
    """Whatever the bytes, a reader gives a topology or one InputError without line breaks, never anything else."""

    @quick
    @given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")))
    def check(data):
        _topology_or_sentence(name, data)

    check()


@pytest.mark.parametrize("name", NAMES)
def test_damaged_files_are_refused_in_one_line(name):
    """A valid file with a few bytes changed gives a topology or one InputError, never anything else."""
    logging.getLogger("topoloom").setLevel(logging.ERROR)

    @settings(quick, max_examples=examples(250))
    @given(damaged(name))
    def check(data):
        _topology_or_sentence(name, data)

    check()
    logging.getLogger("topoloom").setLevel(logging.NOTSET)


def _topology_or_sentence(name, data):
    try:
        sentence = f"net: {read(name, data).digest}"
    except InputError as error:
        sentence = str(error)
    assert re.fullmatch(r"net(:\d+)?: [^\n\r]+", sentence)


@pytest.mark.parametrize("name", NAMES)
def test_a_cut_file_is_refused_or_smaller(name):
    """A file cut anywhere is refused, or (where lines stand alone) holds fewer links."""
    data = sample_bytes(name)
    for end in range(1, len(data), 7):
        _topology_or_sentence(name, data[:end])


@pytest.mark.parametrize("name", [name for name in NAMES if name != "xlsx"])
def test_line_ends_and_byte_order_marks_do_not_matter(name):
    """Files from Windows read the same: CR LF at line ends, a byte-order mark first."""
    data = sample_bytes(name)
    windows = b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")
    assert read(name, windows) == read(name, data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("0 1\n".encode("utf-16"), "UTF-16"),
        (b"0 1\n0 \xe9\n", "net:2: .* not UTF-8"),
        (b"0 1\n0 1\n\x00", "net:3: .* zero byte"),
        (b"\xef\xbb\xbf", "net"),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_other_encodings_are_named(name, data, reason):
    """A file that is not UTF-8 text is refused with the line and with what would do."""
    with pytest.raises(InputError, match=reason):
        read(name, data)


@pytest.mark.parametrize(
    "suffix", [".json", ".edges", ".txt", ".graphml", ".dot", ".gv", ".csv", ".json.gz", ".CSV.GZ"]
)
def test_the_suffix_chooses_the_format(tmp_path, suffix):
    """Saving and loading agree on the format of a suffix, compressed or not, and the links survive."""
    path = tmp_path / f"net{suffix}"
    save(GRID, path)
    assert np.array_equal(load(path).links, GRID.links)
    assert path.read_bytes()[:2] == b"\x1f\x8b" or not suffix.lower().endswith(".gz")
    first = path.read_bytes()
    save(GRID, path)
    assert path.read_bytes() == first


def test_a_named_format_wins_over_the_suffix(tmp_path):
    """`format=` decides, whatever the file is called."""
    save(GRID, tmp_path / "net.data", format="dot")
    assert load(tmp_path / "net.data", format="dot") == GRID


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("missing.json", "there is no such file"),
        ("net.foo", "neither its suffix nor its content .* topoloom"),
        ("folder", "is a folder"),
        ("folder.json", "is a folder"),
        ("empty.json", "is empty"),
        ("blank.edges", "is empty"),
        ("plain.json.gz", "not a whole gzip file"),
        ("cut.json.gz", "not a whole gzip file"),
        ("bomb.edges.gz", r"more than 6\d MiB"),
        ("a\0b.json", "null"),
        ("x" * 300 + ".json", "is too long: a file's name has at most 255 bytes"),
        ("net.json/deeper.json", "not a directory"),
    ],
)
def test_what_is_wrong_with_a_path_is_said(tmp_path, path, reason):
    """A path without a readable file behind it is one sentence with the path in it."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "empty.json").write_bytes(b"")
    (tmp_path / "blank.edges").write_bytes(b" \n\n")
    (tmp_path / "net.foo").write_text("0 1\n")
    (tmp_path / "plain.json.gz").write_text("{}")
    save(GRID, tmp_path / "net.json")
    (tmp_path / "cut.json.gz").write_bytes(gzip.compress(b"{}" * 99)[:-5])
    if path.startswith("bomb"):
        (tmp_path / path).write_bytes(gzip.compress(b"0 1\n" * (17 << 20), 1))
    with pytest.raises(InputError, match=reason):
        load(tmp_path / path)


def test_an_unknown_format_names_the_known_ones():
    """A misspelt format is answered with the nearest name, one that is near none with the list."""
    with pytest.raises(InputError, match=r"did you mean 'graphml'"):
        FORMATS.find("graphlm")
    with pytest.raises(InputError, match=r"there are air, anynet, avd, blocks, cable-plan"):
        FORMATS.find("zzz")


def test_a_format_that_is_only_read_is_refused_for_writing(tmp_path):
    """The sentence names the formats that are written, and no file is left."""
    for name in READ_ONLY:
        with pytest.raises(
            InputError, match=f"reads the format {name} but does not write it; it writes cable-plan, cables"
        ):
            save(GRID, tmp_path / "net", name)
    assert not list(tmp_path.iterdir())
    assert set(READ_ONLY) == {name for name, record in FORMATS.items() if record.write is None}


def test_losses_are_told():
    """What a format leaves out is said in words; topoloom's own leaves out nothing."""
    assert dropped_by(SAMPLE, FORMATS.find("topoloom")) == []
    assert dropped_by(SAMPLE, FORMATS.find("edges")) == ["4 hosts", "labels x, y, height, role"]
    assert dropped_by(SAMPLE, FORMATS.find("dot")) == ["the grouping of ports into hosts"]
    assert dropped_by(SAMPLE, FORMATS.find("cables")) == []
    assert dropped_by(SAMPLE, FORMATS.find("ns3"))[0] == "the number of parallel cables"


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ({"x": np.array([0.0, np.nan])}, "label 'x' of switch 1 is nan"),
        ({"x": np.array([np.inf, 0.0])}, "label 'x' of switch 0 is inf"),
        ({"x": np.array(["\ud800", ""])}, "surrogate"),
        ({f"x{i}": np.zeros(2) for i in range(101)}, "101 labels"),
    ],
)
def test_what_no_file_can_hold_is_refused(labels, reason):
    """Labels without a form in files are refused when writing, not found out when reading."""
    with pytest.raises(InputError, match=reason):
        encode(Topology([(0, 1)], 2, labels=labels), FORMATS.find("topoloom"))
