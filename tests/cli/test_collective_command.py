"""`topoloom collective`: the same numbers as Python's, files, and errors in a sentence."""

import json

import pytest
from click.testing import CliRunner

from topoloom import AppSettings, InputError, build, collective, collective_bound, load_goal, read_schedule, run_app
from topoloom.cli.commands.collective import command
from topoloom.cli.main import main


def said(*arguments):
    """What the command prints, on both streams."""
    return CliRunner().invoke(command, arguments, catch_exceptions=False, standalone_mode=False)


def test_the_record_is_pythons():
    """--json prints what `collective` gives, and with --bound what `collective_bound` does."""
    printed = json.loads(said("ring:n=4,hosts=1", "--bytes", "1MB", "--set", "rate_gbps=100", "--json").stdout)
    settings = AppSettings(rate_gbps=100.0)
    ours = collective(build("ring:n=4,hosts=1"), "allreduce", 1_000_000, settings=settings).record()
    for one in (printed, ours):
        del one["provenance"]
    assert printed == ours
    printed = json.loads(
        said("ring:n=4,hosts=1", "--operation", "all-to-all", "--bytes", "8KiB", "--bound", "--json").stdout
    )
    ours = collective_bound(build("ring:n=4,hosts=1"), "alltoall", 8192).record()
    assert printed["seconds"] == ours["seconds"]
    assert printed["schema"] == "topoloom/collective-bound/1"


def test_what_is_said(tmp_path):
    """The bound, what it is made of, the schedule and how far it is from it."""
    path = tmp_path / "gather.json"
    out = said("torus:dims=3x3,hosts=1", "--operation", "all-gather", "-o", str(path)).stdout
    for words in (
        "allgather of 67,108,864 bytes, 9 ranks",
        "bound",
        "forest, its own paths",
        "over the bound",
        f"wrote {path}",
    ):
        assert words in out
    assert read_schedule(str(path)).operation == "allgather"


def test_a_schedule_is_simulated_again(tmp_path):
    """--schedule takes the file that -o wrote, and none of what the file says itself."""
    path = str(tmp_path / "it.json")
    first = json.loads(said("ring:n=4,hosts=1", "--bytes", "1MiB", "-o", path, "--json").stdout)
    again = json.loads(said("ring:n=4,hosts=1", "--schedule", path, "--json").stdout)
    assert again["seconds"] == first["seconds"]
    with pytest.raises(InputError, match="the schedule in the file has its own"):
        said("ring:n=4,hosts=1", "--schedule", path, "--bytes", "1MiB")


def test_xml_by_its_name(tmp_path):
    """A .xml file is MSCCL's."""
    path = tmp_path / "it.xml"
    said("ring:n=4,hosts=1", "--algorithm", "ring", "-o", str(path))
    assert path.read_text().startswith('<algo name="topoloom allreduce ring ring(n=4,hosts=1)" proto="Simple"')


def test_goal_by_its_name(tmp_path):
    """A .goal file is a schedule that applications run: as many messages, and along the same tables the same time."""
    path = tmp_path / "it.goal"
    given = ("--operation", "allgather", "--algorithm", "ring", "--paths-from", "tables")
    out = said("ring:n=4,hosts=1", *given, "-o", str(path)).stdout
    assert f"wrote {path}" in out
    assert "flows, 12 messages" in out
    written = load_goal(path)
    assert (written.ranks, written.messages) == (4, 12)
    time = collective(build("ring:n=4,hosts=1"), "allgather", algorithm="ring", paths_from="tables").seconds
    again = run_app(build("ring:n=4,hosts=1"), f"goal:file={path}", simulator="flows").seconds
    assert again == pytest.approx(time, rel=1e-9)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("simulator", ["flits", pytest.param("simgrid", marks=pytest.mark.simgrid)])
def test_a_schedule_in_a_file_goes_by_any_simulator(simulator, tmp_path):
    """--simulator with --schedule says what Python says, and the record names the simulator with all that is set of it."""
    path = str(tmp_path / "it.json")
    said("petersen:hosts=1", "--bytes", "1MB", "-o", path)
    printed = json.loads(said("petersen:hosts=1", "--schedule", path, "--simulator", simulator, "--json").stdout)
    ours = collective(build("petersen:hosts=1"), read_schedule(path), simulator=simulator)
    assert printed["seconds"] == ours.seconds
    named = "flits:flit_bits=256,packet_flits=64,table_router_vcs=4" if simulator == "flits" else simulator
    assert printed["provenance"]["settings"]["simulator"] == named


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--bytes", "3x"), "'3x' is not a size"),
        (("--bytes", "0.5"), "whole bytes"),
        (("--bytes", "9999999PB"), "up to 1 EiB"),
        (("--operation", "gossip"), "unknown collective 'gossip'"),
        (("--algorithm", "star"), "'star' is not one of"),
        (("-o", "it.txt"), "written as .json, as .xml for MSCCL, or as .goal"),
        (("--bound", "--paths-from", "own"), "--bound makes no schedule"),
        (("--ranks", "9"), "only 4 hosts"),
        (("--simulator", "flit"), "did you mean flits"),
        (("--simulator", "flits", "--set", "host_rate_gbps=80"), "omit host_rate_gbps"),
        (("--ranks", "1", "-o", "it.goal"), "nothing to send"),
        (("--operation", "broadcast", "--root-rank", "4"), "root_rank=4"),
    ],
)
def test_mistakes_are_one_sentence(arguments, words, capsys):
    """Exit code 2 and a line."""
    with pytest.raises(SystemExit) as left:
        main(["collective", "ring:n=4,hosts=1", *arguments])
    assert left.value.code == 2
    assert words in capsys.readouterr().err


def test_tables_of_a_folder_are_taken(tmp_path, capsys):
    """A folder of topoloom route brings its tables, along which an all-to-all goes."""
    with pytest.raises(SystemExit):
        main(["route", "petersen:hosts=1", "--engine", "updown", "-o", str(tmp_path / "tables")])
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["collective", str(tmp_path / "tables"), "--operation", "alltoall", "--bytes", "1KiB"])
    assert "the paths of the tables (updown)" in capsys.readouterr().out


def test_a_program_of_msccl(tmp_path):
    """--schedule FILE.xml: what was checked, the time and the bound; -o writes GOAL only, and the file has its own ranks."""
    path, network = tmp_path / "x.xml", "complete:n=4,hosts=1"
    said(network, "--bytes", "4000", "--algorithm", "ring", "--pieces", "1", "-o", str(path))
    path.write_text(path.read_text().replace(f'maxBytes="{(1 << 63) - 1}"', 'maxBytes="99"'))
    line = (network, "--schedule", str(path), "--bytes", "4000", "--set", "rate_gbps=8")
    out = said(*line, "-o", str(tmp_path / "x.goal")).stdout
    assert "allreduce is right on all ranks, out of place; in any order of blocks" in out
    assert "MSCCL runs it for 0 to 99 bytes, not 4,000" in out
    assert "simulated     8.4 us" in out  # 6 messages in a row, each of 400 ns and 1,000 bytes
    assert load_goal(tmp_path / "x.goal").messages == 24
    with pytest.raises(InputError, match=r"a schedule of MSCCL is written as \.goal only"):
        said(*line, "-o", str(path))
    with pytest.raises(InputError, match="the schedule in the file has its own"):
        said(*line, "--ranks", "2")
    assert json.loads(said(*line, "--json").stdout)["algorithm"] == "msccl"
