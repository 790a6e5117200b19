"""Little text that asks for much memory is refused before it is taken; the sentence says how the limit is raised."""

import tracemalloc

import pytest

from topoloom import InputError, build, lifetime, load, quality, resilience, route
from topoloom.core.allowance import VARIABLE, Allowance
from topoloom.fabric.fabric import planned_fabric
from topoloom.fabric.lft import read_lft
from topoloom.fabric.service_levels import read_levels
from topoloom.formats import FORMATS
from topoloom.formats._packed import json_array

_NODES = 3000
_KEY = '<key id="d{0}" for="node" attr.name="{1}" attr.type="{2}"><default>{3}</default></key>'


def _graphml(*keys):
    nodes = "".join(f'<node id="{number}"/>' for number in range(_NODES))
    declared = "".join(_KEY.format(number, *key) for number, key in enumerate(keys))
    return f"<graphml>{declared}<graph>{nodes}</graph></graphml>"


def _packed():
    import base64
    import zlib

    import msgspec
    import numpy as np

    packed = msgspec.structs.replace(json_array(np.zeros(5000, np.int64)), shape=[1 << 27])
    packed = msgspec.structs.replace(packed, data=base64.b64encode(zlib.compress(bytes(1000))).decode())
    document = {"format": "topoloom", "version": 1, "switches": 2, "links": [[0, 1]], "endpoints": packed}
    return msgspec.json.encode(document).decode()


def _infragraph():
    end = '{"instance": "S", "component": "port"}'
    return (
        '{"devices": [{"name": "sw", "components": [{"name": "port", "count": 2000, "choice": "port"}]}],'
        ' "links": [{"name": "l"}], "instances": [{"name": "S", "device": "sw", "count": 2000}],'
        f' "edges": [{{"ep1": {end}, "ep2": {end}, "link": "l", "scheme": "one2one"}}]}}'
    )


CASES = {
    "range of hosts": ("net.csv", "kind,a_switch,a_port,b_switch,b_port,hosts\nlink,0,,1,,\nswitch,0,,,,0..16777215\n"),
    "hosts by default, GraphML": ("net.graphml", _graphml(("hosts", "int", 5000))),
    "wide text by default, GraphML": ("net.graphml", _graphml(*((f"k{i}", "string", "x" * 1000) for i in range(60)))),
    "hosts by default, DOT": ("net.dot", "graph {node [hosts=5000];" + "".join(f"{i};" for i in range(_NODES)) + "}"),
    "packed array": ("net.json", _packed()),
    "InfraGraph": ("net.infragraph.json", _infragraph()),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", CASES)
def test_little_text_that_asks_for_much_is_refused_at_once(name, tmp_path):
    """One sentence with the estimate and the remedy; no more than the limit is taken meanwhile."""
    file, text = CASES[name]
    (tmp_path / file).write_text(text)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=rf"take about .* GB of memory; at most 1 GB .* set {VARIABLE}=[0-9]+"):
            load(tmp_path / file)
        assert tracemalloc.get_traced_memory()[1] < 600e6
    finally:
        tracemalloc.stop()


def test_the_limit_can_be_raised_and_lowered(tmp_path, monkeypatch):
    """The environment decides; what it says is checked."""
    path = tmp_path / "net.csv"
    path.write_text("kind,a_switch,a_port,b_switch,b_port,hosts\nlink,0,,1,,\nswitch,0,,,,0..19999\n")
    assert load(path).hosts == 20_000
    monkeypatch.setenv(VARIABLE, "0.001")
    with pytest.raises(InputError, match=r"net\.csv:3: 20,000 hosts take about"):
        load(path)
    monkeypatch.setenv(VARIABLE, "2")
    assert load(path).hosts == 20_000
    for word in ("x", "-1", "0", "nan", "inf"):
        monkeypatch.setenv(VARIABLE, word)
        with pytest.raises(InputError, match=f"{VARIABLE}="):
            load(path)


def test_what_a_text_spells_out_is_not_counted():
    """Memory in proportion to the text is free; what was taken before counts together."""
    Allowance("net", 1 << 30).take(60e9, "rows")
    allowance = Allowance("net")
    allowance.take(0.9e9, "hosts")
    with pytest.raises(InputError, match=r"net:7: labels take about 1\.1 GB"):
        allowance.take(0.2e9, "labels", 7)


def test_defaults_are_the_same_values_as_before():
    """Attributes by default, and over them those of a node's own, in DOT from where they are set."""
    text = 'graph {0 [a=1]; node [a=2, hosts=3]; 1; 2 [a="x", hosts=0]; 0 -- 1; 1 -- 2}'
    topology = FORMATS.find("dot").read(text.encode(), "net.dot")
    assert topology.labels["a"].tolist() == ["1", "2", "x"]
    assert topology.endpoints_at.tolist() == [0, 3, 0]
    given = '<node id="3"><data key="d0">9</data></node></graph>'
    text = _graphml(("a", "int", 7), ("hosts", "int", 2)).replace('<node id="3"/>', "").replace("</graph>", given)
    topology = FORMATS.find("graphml").read(text.encode(), "net.graphml")
    assert topology.labels["a"].tolist() == [9 if node == 3 else 7 for node in range(_NODES)]
    assert topology.hosts == 2 * _NODES


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("net.edges", "# switches 16777215\n0 1\n"),
        ("net.nodos", "NODOS 16777215\nGRADO 3\n"),
        ("net.json", '{"format": "topoloom", "version": 1, "switches": 16777215, "links": []}'),
    ],
)
def test_switches_that_are_only_counted_are_counted(file, text, tmp_path):
    """Switches without a cable, in a number: memory for whatever looks at them."""
    (tmp_path / file).write_text(text)
    with pytest.raises(InputError, match=rf"{file}: 16,777,215 switches take about 1\.7 GB"):
        load(tmp_path / file)


_RING = "ring:n=4,hosts=1"
_MANY = 10**12
ASKED = {
    "resilience": lambda: resilience(build(_RING), samples=_MANY),
    "lifetime": lambda: lifetime(build(_RING), link_fit=100, samples=_MANY),
    "quality": lambda: quality(route(build(_RING)), bisections=_MANY),
    "x.lft": lambda: read_lft("# no table\n", "x.lft", planned_fabric(build("ring:n=30000,hosts=1"))),
    "x.qos": lambda: read_levels("qos-levels\n", "x.qos", planned_fabric(build("ring:n=40000,hosts=1")), {}),
}


@pytest.mark.parametrize("name", ASKED)
def test_numbers_that_ask_for_much_are_refused_at_once(name):
    """Samples, bisections, tables and service levels of a large fabric in a short file."""
    with pytest.raises(
        InputError, match=rf"^{name}: .* take about [\d,.]+ GB of memory; at most 1 GB .* set {VARIABLE}="
    ):
        ASKED[name]()
