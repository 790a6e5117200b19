"""What the tests of the formats share: topologies of every kind, and ways to damage a file."""

import json
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from topoloom.formats import FORMATS, encode
from topoloom.model.topology import Topology

#: Any text that a file can hold: no half surrogate pairs, no zero bytes.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
#: Text that survives in XML and DOT too.
plain_texts = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters="\\"), max_size=12)


def words(labels):
    """Names of labels: some awkward, none empty."""
    return labels.filter(lambda key: key.strip() and key not in {"hosts", "id"})


@st.composite
def topologies(draw, text=texts):
    """Random multigraphs: parallel links, lonely switches, hosts with several ports, labels of every type."""
    n = draw(st.integers(1, 12))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda ends: ends[0] != ends[1])
    links = draw(st.lists(pair, max_size=30)) if n > 1 else []
    endpoints = draw(st.lists(st.integers(0, n - 1), max_size=10))
    host = draw(st.none() | st.lists(st.integers(0, 3), min_size=len(endpoints), max_size=len(endpoints)))
    if host is not None:
        host = np.unique(np.array(host, np.int64), return_inverse=True)[1].reshape(-1)
    cell = st.sampled_from(
        [st.integers(-(2**62), 2**62), st.floats(allow_nan=False, allow_infinity=False, width=32), text]
    )
    labels = {
        key: np.array(draw(st.lists(draw(cell), min_size=n, max_size=n)))
        for key in draw(st.lists(words(text), max_size=3, unique=True))
    }
    return Topology(links, n, endpoints, host, labels, draw(text) or "x", draw(st.none() | text))


#: Samples of the formats that are only read.
_FIXTURES = Path(__file__).parent / "fixtures"
READ_ONLY = json.loads((_FIXTURES / "read-only.json").read_text())


def sample_bytes(name):
    """A valid file of a format: the sample as topoloom writes it, or a file of the program that writes the format."""
    if name in READ_ONLY:
        return (_FIXTURES / READ_ONLY[name]).read_bytes()
    return encode(sample(name), FORMATS.find(name))


@st.composite
def damaged(draw, name):
    """A valid file of a format with a few bytes changed, cut out or put in."""
    data = bytearray(sample_bytes(name))
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(data)))
        width = draw(st.integers(0, 20))
        data[place : place + width] = draw(st.binary(max_size=6) | st.sampled_from(SPLINTERS))
    return bytes(data)


SPLINTERS = [
    b"\n",
    b"-1",
    b"999999999999",
    b",",
    b"{",
    b"]",
    b'"',
    b"1e999",
    b"null",
    b"true",
    b"NaN",
    b"0",
    b"</",
    b"<!DOCTYPE",
    b"\xff\xfe",
    b"\r\n",
    b"--",
    b"#",
    b"/*",
    b"&lt;",
    b" ",
    b"\xef\xbb\xbf",
    b"# switches 5",
    b"host 3",
]

SAMPLE = Topology(
    links=[(0, 1), (1, 2), (2, 3), (3, 0), (0, 1), (1, 4)],
    switches=6,
    endpoints=[0, 0, 1, 2, 4],
    host=[0, 1, 2, 0, 3],
    labels={
        "x": np.array([0, 1, 2, 0, 1, 2]),
        "y": np.array([0, 0, 0, 1, 1, 1]),
        "height": np.array([0.5, 1e-7, 2.0, -3.25, 0.0, 1e12]),
        "role": np.array(["core", 'say "hi"', "a,b;c", "<&>", "è\t", ""]),
    },
    name="sample(n=6)",
    spec="sample:n=6",
)


def simple(topology):
    """The same with one link between two switches."""
    return topology.replace(links=np.unique(topology.links, axis=0).reshape(-1, 2))


def sample(name):
    """The sample as a format can hold its links."""
    return simple(SAMPLE) if FORMATS.find(name).simple else SAMPLE
