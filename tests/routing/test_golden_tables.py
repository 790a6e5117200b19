"""Tables stay what they are: digests of ports and virtual channels of engines whose kernels are made faster now and then.

The digests were computed before the loops over channels lost their branches. A change of them changes the tables that users get
for the same seed, and belongs into the changelog.
"""

import hashlib

import numpy as np
import pytest

from topoloom import build
from topoloom.routing.choices import Layers
from topoloom.routing.registry import RoutingRequest, engines
from topoloom.routing.routing import Routing

#: Network, engine, virtual channels, and the digests with seed 1 and 1 thread, and with seed 7 and 2 threads.
GOLDEN = (
    ("slimfly:q=5", "minimal", None, "b837e96b8a6768b2", "b837e96b8a6768b2"),
    ("slimfly:q=5", "updown", None, "7453ae2ef72a5704", "6f86ea93f62447bb"),
    ("slimfly:q=5", "orders", None, "570d7e636870853e", "5f073f3d7269cf30"),
    ("slimfly:q=5", "orders", 4, "570d7e636870853e", "5f073f3d7269cf30"),
    ("slimfly:q=5", "lash", None, "5eea75db2c493d89", "d63e38cf17670d8e"),
    ("slimfly:q=5", "minimal-hosts", None, "334e0fe9d6ac9966", "d06f5a8d76586f7b"),
    ("jellyfish:n=300,degree=7", "minimal", None, "94d83594c1690343", "639e44a1ba9949b3"),
    ("jellyfish:n=300,degree=7", "updown", None, "1bbe1f71c0af6eac", "02a6f057a60df57a"),
    ("jellyfish:n=300,degree=7", "orders", None, "0635d4df6eff63f5", "c25bc20a91e28cb9"),
    ("jellyfish:n=300,degree=7", "orders", 4, "48bf8d754f31a494", "e558aefbc764d3fb"),
    ("jellyfish:n=300,degree=7", "lash", None, "c338a0b61150831a", "9ecffb62258d27b8"),
    ("jellyfish:n=300,degree=7", "minimal-hosts", None, "13879081fba99c8c", "28c75175fedfcd54"),
    ("dln:n=256,x=2,random=6", "minimal", None, "07a933228719d1c4", "cce15a24e5a7c4ca"),
    ("dln:n=256,x=2,random=6", "updown", None, "de88cffc2b588c3d", "48f54c332c1e97f5"),
    ("dln:n=256,x=2,random=6", "orders", None, "a3e9437873e97c60", "e7d80e45e78a3617"),
    ("dln:n=256,x=2,random=6", "orders", 4, "a3e9437873e97c60", "3befda2b6ff9c2b1"),
    ("dln:n=256,x=2,random=6", "lash", None, "24af42fbffadb3de", "07ecfdf059f7ef7a"),
    ("dln:n=256,x=2,random=6", "minimal-hosts", None, "de9645c616bec478", "a64ce5650ee413a4"),
    ("torus:dims=6x6x4", "minimal", None, "b774aa549c1ec11f", "e488c08bd752b5c2"),
    ("torus:dims=6x6x4", "updown", None, "0526441bea1486bb", "74d4a0020ce807f8"),
    ("torus:dims=6x6x4", "orders", None, "177588f464d5ff0c", "cb436c9ab8f6c61e"),
    ("torus:dims=6x6x4", "orders", 4, "177588f464d5ff0c", "cb436c9ab8f6c61e"),
    ("torus:dims=6x6x4", "lash", None, "3c0e1aaef9889384", "bb74981574eee42f"),
    ("torus:dims=6x6x4", "minimal-hosts", None, "10f276496fe99684", "b8250a24e25e2dd3"),
    ("clos:leaves=12,spines=4,width=3,hosts=3", "minimal", None, "27602511f62e0a0c", "27602511f62e0a0c"),
    ("clos:leaves=12,spines=4,width=3,hosts=3", "updown", None, "cde6cc0adb7bf986", "025468ddd34d2154"),
    ("clos:leaves=12,spines=4,width=3,hosts=3", "orders", None, "82458d989ebf2c0f", "981e012db0cc52a4"),
    ("clos:leaves=12,spines=4,width=3,hosts=3", "orders", 4, "82458d989ebf2c0f", "981e012db0cc52a4"),
    ("clos:leaves=12,spines=4,width=3,hosts=3", "lash", None, "a99a8b30d197fb1a", "a99a8b30d197fb1a"),
    ("clos:leaves=12,spines=4,width=3,hosts=3", "minimal-hosts", None, "c9fce799a040816f", "db4ed7d3717bd8a4"),
    ("xpander:degree=9,lifts=3", "minimal", None, "f41e91c672b12578", "757c79b1ffa3788e"),
    ("xpander:degree=9,lifts=3", "updown", None, "56896d721f808643", "bedf4149abb90671"),
    ("xpander:degree=9,lifts=3", "orders", None, "0e86b0425e52c8e5", "3ccc45676e6aed57"),
    ("xpander:degree=9,lifts=3", "orders", 4, "0e86b0425e52c8e5", "3ccc45676e6aed57"),
    ("xpander:degree=9,lifts=3", "lash", None, "7e972fb276ffd7e8", "84df27e86c79fa19"),
    ("xpander:degree=9,lifts=3", "minimal-hosts", None, "f7b58885346908ba", "24760114d3855164"),
)


def digest(routing: Routing) -> str:
    """SHA-256 of ports and virtual channels of all tables, the first 16 digits."""
    tables = [routing.ports, routing.virtual_channels]
    if isinstance(routing.choice, Layers):
        tables += [*routing.choice.ports, *(routing.choice.virtual_channels or ())]
    digests = hashlib.sha256()
    for table in tables:
        if table is not None:
            digests.update(np.ascontiguousarray(table).data)
    return digests.hexdigest()[:16]


@pytest.mark.parametrize(("spec", "engine", "virtual_channels", "first", "second"), GOLDEN)
def test_the_same_seed_gives_the_tables_of_earlier_releases(spec, engine, virtual_channels, first, second):
    """Ports and virtual channels are equal to the last digit, with any number of threads."""
    topology, make = build(spec), engines.find(engine).make
    assert digest(make(RoutingRequest(topology, virtual_channels, 1, 1))) == first
    assert digest(make(RoutingRequest(topology, virtual_channels, 7, 2))) == second


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("engine", "virtual_channels", "wanted"), [("minimal", None, "5a5d683878bb7871"), ("orders", 8, "ad6a7b6529a0c0a1")]
)
def test_large_networks_keep_their_tables_too(engine, virtual_channels, wanted):
    """Above 8,192 switches many trees are made together, by other kernels."""
    topology = build("jellyfish:n=8200,degree=14")
    assert digest(engines.find(engine).make(RoutingRequest(topology, virtual_channels, 1, 2))) == wanted
