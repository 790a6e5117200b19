"""Default-deny: every command, operation and function is for directed networks, or refuses them in one sentence.

The tables are those of the neighbouring files, which have a row for every command and every function.
"""

import re

import pytest
from few_networks import check_sentence
from test_few_commands import TABLE as COMMANDS
from test_few_commands import _ran
from test_few_functions import TABLE as FUNCTIONS

import topoloom
from in_process import own_commands, run
from topoloom import DirectedTopology, InputError, open_directed, save_directed
from topoloom.operations.field import fields_of
from topoloom.operations.operation import OPERATIONS

SPEC = "kautz-digraph:base=2,length=2,hosts=2"
NET = open_directed(SPEC)
#: The commands for directed networks, as their operations declare.
TAKERS = ("build", "convert", "hops", "info", "route", "simulate")
#: Of their questions, those with options that are for undirected networks only.
_OF_UNDIRECTED = {
    "hops": "--paths: the network is directed",
    "route": "--output: tables of directed networks are not written",
    "simulate": "--output: the network is directed",
    "simulate --heat": "--heat: the network is directed",
}
#: Functions that get only the number of hosts.
_HOSTS_ALONE = {"schedule_of_program"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The network in two formats."""
    folder = tmp_path_factory.mktemp("directed")
    for name in ("net.json", "net.graphml"):
        save_directed(NET, folder / name)
    return folder


def test_the_operations_that_declare_it():
    """These, and no other; each is a command."""
    declared = {name for name, kind in OPERATIONS.items() if kind.directed}
    assert declared == set(TAKERS)
    assert declared < set(own_commands())


@pytest.mark.parametrize("question", COMMANDS)
def test_every_command_takes_directed_networks_or_refuses(question, files, tmp_path):
    """A file and a spec; the refusal names the command, and what takes the network instead."""
    words = COMMANDS[question][0]
    command = words.split()[0]
    for number, network in enumerate((files / "net.graphml", SPEC)):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = _ran(words, network, folder)
        assert "Traceback" not in done.err, done.err
        if command in TAKERS and question not in _OF_UNDIRECTED:
            assert done.code == 0, done.err
            continue
        assert done.code == 2, done.out + done.err
        check_sentence(done.error, _OF_UNDIRECTED.get(question, _refusal(command)))
        assert not [*folder.rglob("*")] or command in ("expand", "layout")


def _refusal(command):
    if command == "report":  # of a machine's folder only
        return "is no folder of a machine|no folder"
    return rf"this network is directed, and topoloom {command}.* takes undirected ones; directed networks are for build"


@pytest.mark.parametrize(
    "words",
    [
        "compare petersen N",
        "verify petersen N",
        "watch petersen N --once",
        "new study -o O/s.toml --operation hops --network N --axis none --yes",
        "verify-tables N lfts.txt",
        "serve N",
        "simulate petersen N",
        "bounds N",
        "design N",
    ],
)
def test_a_directed_network_in_second_place(words, files, tmp_path):
    """The other networks of a command are opened by the same gate."""
    done = _ran(words, files / "net.json", tmp_path)
    assert "Traceback" not in done.err, done.err
    if words.startswith("new study"):  # its operation takes directed networks
        assert done.code == 0, done.err
        return
    assert done.code == 2, done.out + done.err
    assert "\n" not in done.error


@pytest.mark.parametrize("function", sorted(FUNCTIONS.keys() - _HOSTS_ALONE))
def test_every_function_refuses_directed_networks(function, tmp_path):
    """None gives a value for a DirectedTopology; one sentence says that it is directed."""
    call, _ = FUNCTIONS[function]
    with pytest.raises(InputError) as caught:
        call(NET, tmp_path)
    told = str(caught.value)
    assert re.search("directed|DirectedTopology", told), told
    assert "\n" not in told


#: What a task of an operation needs besides its network.
_FURTHER = {
    "app": {"app": "alltoall:bytes=64"},
    "lifetime": {"link_fit": 100},
    "optimize": {"moves": 3},
    "phases": {"hosts": "12,24"},
    "simulate": {"loads": [0.1], "fast": True},
    "watch": {"discoveries": ["petersen"]},
}
#: Operations on requirements, machines, exports and discoveries, which take no network by position.
_NO_NETWORK = {"design", "discoveries", "download", "flat-or-tree", "machine-report", "trace", "write design"}


def _network_fields(kind):
    return [field for field in fields_of(kind) if field.positional and field.required]


@pytest.mark.parametrize("name", [name for name, kind in OPERATIONS.items() if kind.studied and _network_fields(kind)])
def test_every_operation_of_a_study_takes_directed_networks_or_refuses(name):
    """A task on a directed spec: a record, or the same sentence in the operation's name."""
    arguments = {field.name: [SPEC] if field.listed else SPEC for field in _network_fields(OPERATIONS[name])}
    arguments |= _FURTHER.get(name, {})
    if name in TAKERS:
        record, _ = topoloom.run_task(topoloom.task_of(name, arguments))
        assert record["provenance"]["digest"] == NET.digest
        return
    sentence = None if name in _NO_NETWORK else f"this network is directed, and {name} takes undirected ones"
    with pytest.raises(InputError, match=sentence):
        topoloom.run_task(topoloom.task_of(name, arguments))


def test_the_functions_for_directed_networks():
    """One switch and two: values, and no warning."""
    one, ring = DirectedTopology([], 1, [0]), open_directed("unidirectional-ring:n=2,hosts=1")
    assert topoloom.directed_hops(one).diameter == 0
    assert topoloom.directed_info(ring).aspl == 1.0
    assert topoloom.directed_route(one).verification.pairs == 0
    assert topoloom.verify_directed(topoloom.directed_route(ring)).deadlock_free
    with pytest.raises(InputError, match="traffic needs at least two hosts"):
        topoloom.directed_simulate(one)
    assert topoloom.directed_simulate(ring, loads=[0.1], fast=True).points[0].hops_mean == 2
    assert run("info", "unidirectional-ring:n=2").code == 0
