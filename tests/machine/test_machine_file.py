"""Machine files: one sentence for what cannot be used, with the file, the line and the remedy."""

import re

import pytest
from machine_cases import SMALL, built

from topoloom.cli.main import main
from topoloom.core.errors import InputError
from topoloom.machine.faults import MachineError
from topoloom.machine.reading import machine_of
from topoloom.machine.recognizing import is_machine, names_machine

#: What is replaced in `SMALL`, by what, and the message.
FAULTS = {
    "a network that is not there": (
        "ports = { fabric = 2,",
        "ports = { fabrik = 2,",
        r"small.toml:9: host 'node' has ports on network 'fabrik'.*it has fabric, storage, service, oob",
    ),
    "two kinds of one name": ('name = "login"', 'name = "node"', "two kinds of hosts have the name 'node'"),
    "two networks of one name": (
        'name = "service"\nrate',
        'name = "fabric"\nrate',
        r"(two networks have the name 'fabric'|has ports on network 'service')",
    ),
    "a network without hosts": (
        "[rack]\nu",
        '[[network]]\nname = "spare"\nrate_gbps = 1\nspec = "petersen"\n[rack]\nu',
        "network 'spare' has no hosts",
    ),
    "an uplink that is not there": (
        'uplink = "service"',
        'uplink = "campus"',
        "its uplink 'campus' is no other network",
    ),
    "an unknown device": ('serves = "everything"', 'serves = ["PDUs"]', "serves 'PDUs', which is no kind of hosts"),
    "a name that is no folder": ('name = "oob"', 'name = "../oob"', "network '../oob': give a name of letters"),
    "an unknown key": ("count = 30", "counts = 30", "counts"),
    "spread unevenly": ("leaves = 2 }", "leaves = 3 }", "4 ports cannot be spread evenly over 3 leaf switches"),
    "cages of other ports": ("leaves = 2 }", "cages = [[0, 1]] }", "cages: name each of its 4 ports once"),
    "a floor": ('preset = "koibuchi-2013"', 'preset = "attic"', "no floor named 'attic'"),
    "half a rack-scale system": (
        "count = 30",
        "count = 30\nunit_hosts = 18",
        "no whole number of rack-scale systems of 18",
    ),
    "a limit of a given network": (
        'spec = "clos:leaves=8',
        'limits = { switches = 9 }\nspec = "clos:leaves=8',
        "network 'fabric' has a spec, so there is nothing to choose by limits: omit it",
    ),
    "hosts of a phase that are no table": ("[rack]\nu", "[[phase]]\nhosts = 10\n[rack]\nu", "phase"),
    "uplinks in a circle": (
        'serves = "everything"',
        'serves = "everything"\n[[network]]\nname = "far"\nrate_gbps = 1\nuplink = "far2"\nserves = ["node"]\n[[network]]\n'
        'name = "far2"\nrate_gbps = 1\n'
        'serves = ["node"]\nuplink = "far"\n[[network]]\nname = "near"\nrate_gbps = 1\nserves = ["node"]',
        "network 'far': its uplinks lead back to it",
    ),
    "leaves without an uplink": (
        'place = "end"',
        'place = "end"\nleaves = 3',
        "has no uplink, so leaves has no effect",
    ),
    "devices of network racks": (
        'role = "management"',
        'role = "management"\nrack_hosts = 2',
        "host 'head' stands in network racks, where rack_hosts would have no effect",
    ),
    "an odd pair": (
        "count = 2\nu = 1\npower_w = 400\nports = { service",
        "count = 3\nu = 1\npower_w = 400\nports = { service",
        "host 'head': 3 hosts are no pairs",
    ),
    "a host without a port": (
        "ports = { fabric = 1, service = 2 }",
        "ports = { fabric = 0, service = 0, oob = 0 }",
        "host 'gateway' has no port on any network",
    ),
    "a manager without managers": (
        'place = "end"',
        'place = "end"\nmanager = "UFM"',
        "network 'storage' has no managers, so manager has no effect",
    ),
    "a network without a rate": ("rate_gbps = 100\n", "", "'rate_gbps' is missing"),
    "a room": ("[floor]", "[room]", "did you mean floor"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_sentence_with_its_line(fault):
    old, new, message = FAULTS[fault]
    assert old in SMALL
    with pytest.raises(InputError, match=message) as raised:
        machine_of(SMALL.replace(old, new, 1), "small.toml")
    assert re.match(r"small\.toml:\d+: ", str(raised.value)), raised.value
    assert "\n" not in str(raised.value)


#: Faults that only the catalogue, the networks or the racks show; and the line of the file that they name.
LATER = {
    "more ports than places": (
        "count = 30",
        "count = 400",
        r"network '\w+': [\d,]+ ports of .* find no place",
        "ports = { fabric = 2",
    ),
    "a host that no rack holds": ("u = 2\npower_w = 900", "u = 50\npower_w = 900", "holds no host 'node'", "[[host]]"),
    "a host of too much power": ("power_w = 900", "power_w = 13_000", "holds no host 'node' .*13,000 W", "[[host]]"),
    "an unknown height": (
        "u = 2\npower_w = 900",
        "power_w = 900",
        "the height of the host 'node' is not known",
        "[[host]]",
    ),
    "an unknown switch": ('product = "SN4600C"', 'product = "SN9999"', "has no switch 'SN9999'", "SN9999"),
    "a rate that the switch lacks": (
        "rate_gbps = 100",
        "rate_gbps = 400",
        "'SN4600C' has no ports of 400 Gb/s",
        "rate_gbps = 400",
    ),
    "a spec that is none": ("clos:leaves=4,spines=2,hosts=16", "closs", "network 'service': .*closs", 'spec = "closs"'),
    "too few switches": (
        'uplink = "service"',
        'uplink = "service"\nleaves = 1',
        "leaves = 1 have 48 ports, but",
        "leaves = 1",
    ),
    "an unknown block": ("leaves = 2 }", 'leaves = 2, block = "far" }', "has no block 'far'", 'block = "far"'),
    "leaves that are not there": (
        "fabric = { count = 1, leaves = 1 }",
        "fabric = { count = 9, leaves = 9 }",
        "spread over 9 leaf switches, but it has 8",
        "leaves = 9",
    ),
    "an unknown manager": (
        'place = "end"',
        'place = "end"\nmanagers = 1\nmanager = "nosuch"',
        "network 'storage': the catalogue .* has no server 'nosuch' for its managers",
        'manager = "nosuch"',
    ),
    "two names": (
        'name = "gateway"',
        'name = "gateway"\nnode = "login-"',
        "is also one of 'login'; give each kind its own",
        'node = "login-"',
    ),
}


@pytest.mark.parametrize("fault", LATER)
def test_what_does_not_fit_together_is_one_sentence_with_its_line(fault):
    old, new, message, named = LATER[fault]
    assert old in SMALL
    text = SMALL.replace(old, new, 1)
    requirement = machine_of(text, "small.toml")
    with pytest.raises(MachineError, match=message) as raised:
        built(requirement)
    placed = str(raised.value.at_line(requirement, text, "small.toml"))
    line = re.match(r"small\.toml:(\d+): ", placed)
    assert named in text.splitlines()[int(line[1]) - 1]
    assert placed.endswith(str(raised.value))


def test_the_command_names_the_line_too(tmp_path, capsys):
    path = tmp_path / "small.toml"
    path.write_text(SMALL.replace('product = "SN4600C"', 'product = "SN9999"'))
    with pytest.raises(SystemExit, match="2"):
        main(["design", str(path), "-o", str(tmp_path / "out")])
    line = 1 + SMALL.splitlines().index('switch = { product = "SN4600C" }')
    assert f"error: {path}:{line}: network 'service': the catalogue" in capsys.readouterr().err


def test_a_requirement_is_no_machine_file(tmp_path):
    """A file of one [host] and one network stays a requirement."""
    assert is_machine(SMALL)
    assert not is_machine('hosts = 4\n[host]\nname = "x"\n[switch]\nradix = 8\n# [[network]]\n')
    assert not names_machine("fat-tree:k=4")
    assert not names_machine(str(tmp_path))


@pytest.mark.parametrize(
    ("ports", "message"),
    [
        ("fabric = 16", "16 on 'fabric', but the server"),
        ("fabric = 8, service = 8", "8 on 'fabric' and 8 on 'service', but"),
    ],
)
def test_a_server_has_no_more_ports_than_interfaces(ports, message):
    """A DGX B300 has eight on fast networks, and others for storage and in-band management."""
    old = 'name = "node"\ncount = 30\nu = 2\npower_w = 900\nports = { fabric = 2, storage = 1, service = 1, oob = 1 }'
    assert old in SMALL
    text = SMALL.replace(old, f'name = "DGX B300"\ncount = 2\nports = {{ {ports} }}').replace("12_000", "30_000")
    with pytest.raises(InputError, match=message):
        built(machine_of(text, "small.toml"))
