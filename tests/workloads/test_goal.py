"""GOAL files: text and binary as LogGOPSim's own sources describe them, and what damaged ones say."""

import struct
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiers import examples
from topoloom import InputError, load_goal, save_goal
from topoloom.simulation.flows.operations import ANY, CALC, RECV, SEND
from topoloom.simulation.flows.rank_operations import Rank
from topoloom.simulation.flows.schedule import schedule_of

TEXT = """/* two ranks,
   a comment of two lines */
num_ranks 2

rank 0 {
l1: calc 100 cpu 1   // and one to the end of the line
l2: send 5000b to 1 tag 7 cpu 0 nic 3
l2 requires l1
l3 irequires l1
l3: recv 8b from -1 tag -1
calc 5
}
rank 1 {
  a: recv 5000b from 0 tag 7
  b: send 8b to 0
  b requires a
}
"""
_ANY = 2**32 - 1
ARRAYS = (
    *("first", "kind", "peer", "amount", "tag", "cpu", "nic"),
    *("done_first", "done_next", "start_first", "start_next"),
)


def binary(ranks):
    """A file as LogGOPSim's Parser.hpp writes it, put together number by number.

    ranks: of each, operations (kind, peer, size, tag, cpu, nic, successors by end, successors by start).
    """
    parts = []
    for nodes in ranks:
        counts = [
            sum(i in ends for *_, ends, _ in nodes) + sum(i in starts for *_, starts in nodes)
            for i in range(len(nodes))
        ]
        roots = [i for i, count in enumerate(counts) if not count]
        data = struct.pack("<II", len(nodes), len(roots)) + b"".join(struct.pack("<I", root) for root in roots)
        listed = []
        for (kind, peer, size, tag, cpu, nic, ends, starts), count in zip(nodes, counts, strict=True):
            data += struct.pack("<IBIQIBB", count, kind, peer, size, tag, cpu, nic)
            data += struct.pack("<IIII", len(ends), len(listed), len(starts), len(listed) + len(ends))
            listed += [*ends, *starts]
        parts.append(data + b"".join(struct.pack("<I", one) for one in listed))
    place = 6 + 16 * len(ranks)
    table = b""
    for data in parts:
        table += struct.pack("<QQ", place, place + len(data))
        place += len(data)
    most = [max(node[column] for nodes in ranks for node in nodes) for column in (4, 5)]
    return struct.pack("<Q", 4223) + struct.pack("<IBB", len(ranks), *most) + table + b"".join(parts)


@pytest.mark.parametrize(
    ("size", "ns", "notes"),
    [
        (0, 0, ["all 2 messages have 0 bytes", "all 3 computations take 0 ns"]),
        (0, 7, ["all 2 messages have 0 bytes"]),
        (8, 0, ["all 3 computations take 0 ns"]),
        (8, 7, []),
    ],
)
@pytest.mark.parametrize("ends", ["goal", "bin"])
def test_a_file_in_which_all_is_empty_says_so(tmp_path, size, ns, notes, ends):
    """An empty message is a message, and so is a computation of 0 ns; if all are, the schedule has a note, text or binary."""
    rank = "calc 0\nsend {size}b to {peer}\nrecv 0b from {peer}\n"
    ranks = [rank.format(size=size if r else 0, peer=1 - r) + (f"calc {ns}\n" if r else "") for r in range(2)]
    path = tmp_path / "text.goal"
    path.write_text("num_ranks 2\n" + "".join(f"rank {r} {{\n{body}}}\n" for r, body in enumerate(ranks)))
    save_goal(load_goal(path), again := tmp_path / f"again.{ends}")
    assert load_goal(again).notes == tuple(f"{again}: {note}" for note in notes)


#: What TEXT says.
NODES = [
    [
        (CALC, 0, 100, 0, 1, 0, [1], [2]),
        (SEND, 1, 5000, 7, 0, 3, [], []),
        (RECV, _ANY, 8, _ANY, 0, 0, [], []),
        (CALC, 0, 5, 0, 0, 0, [], []),
    ],
    [(RECV, 0, 5000, 7, 0, 0, [1], []), (SEND, 0, 8, 0, 0, 0, [], [])],
]


def same(a, b):
    """Whether two schedules hold the same numbers."""
    return all(np.array_equal(getattr(a.operations, name), getattr(b.operations, name)) for name in ARRAYS)


def test_text_is_read_as_it_is_meant(tmp_path):
    """Every part of the grammar: labels or none, tags, cpus, interfaces, both kinds of waiting, anybody, comments."""
    (tmp_path / "two.goal").write_text(TEXT)
    found = load_goal(tmp_path / "two.goal")
    assert (found.name, found.ranks, found.operations.cpus, found.operations.nics, found.messages) == (
        "two",
        2,
        2,
        4,
        2,
    )
    assert found.operations.first.tolist() == [0, 4, 6]
    assert found.operations.kind.tolist() == [CALC, SEND, RECV, CALC, RECV, SEND]
    assert found.operations.peer.tolist() == [0, 1, ANY, 0, 0, 0]
    assert found.operations.amount.tolist() == [100, 5000, 8, 5, 5000, 8]
    assert found.operations.tag.tolist() == [0, 7, ANY, 0, 7, 0]
    assert (found.operations.cpu.tolist(), found.operations.nic.tolist()) == ([1, 0, 0, 0, 0, 0], [0, 3, 0, 0, 0, 0])
    assert (found.operations.done_first.tolist(), found.operations.done_next.tolist()) == (
        [0, 1, 1, 1, 1, 2, 2],
        [1, 5],
    )
    assert (found.operations.start_first.tolist(), found.operations.start_next.tolist()) == ([0, 1, 1, 1, 1, 1, 1], [2])


def test_binary_is_that_of_loggopsim(tmp_path):
    """Bytes put together by hand after Parser.hpp are read as the text is; what we write are these bytes."""
    (tmp_path / "two.goal").write_text(TEXT)
    (tmp_path / "two").write_bytes(binary(NODES))
    assert same(load_goal(tmp_path / "two"), load_goal(tmp_path / "two.goal"))
    save_goal(load_goal(tmp_path / "two.goal"), tmp_path / "ours.bin")
    assert (tmp_path / "ours.bin").read_bytes() == binary(NODES)


@st.composite
def schedules(draw):
    """Any schedule without waiting in a circle: operations wait for earlier ones of their rank."""
    n = draw(st.integers(1, 4))
    ranks = [Rank() for _ in range(n)]
    for rank in ranks:
        for i in range(draw(st.integers(0 if rank is not ranks[0] else 1, 6))):
            kind = draw(st.sampled_from([SEND, RECV, CALC]))
            peer = 0 if kind == CALC else draw(st.integers(-1 if kind == RECV else 0, n - 1))
            tag = 0 if kind == CALC else draw(st.sampled_from([-1, 0, 5, 2**32 - 2]))
            nic = 0 if kind == CALC else draw(st.integers(0, 255))
            rank.add(kind, peer, draw(st.integers(0, 2**53)), tag, draw(st.integers(0, 255)), nic)
            for wait in (rank.requires, rank.follows):
                if i:
                    wait(i, *draw(st.lists(st.integers(0, i - 1), max_size=3)))
    return schedule_of("any", ranks)


@settings(max_examples=examples(60), deadline=None)
@given(schedules())
def test_what_is_written_comes_back(tmp_path_factory, schedule):
    """Text, binary, and text of the binary: every number is as it was."""
    folder = tmp_path_factory.mktemp("goal")
    for name in ("a.goal", "a.bin"):
        save_goal(schedule, folder / name)
        assert same(load_goal(folder / name), schedule)
    save_goal(load_goal(folder / "a.bin"), folder / "b.goal")
    assert (folder / "b.goal").read_bytes() == (folder / "a.goal").read_bytes()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file is empty; a GOAL schedule begins with 'num_ranks N'"),
        ("rank 0 {\n}\n", ":1: 'rank 0 {'; a GOAL schedule begins with 'num_ranks N'"),
        ("num_ranks 4000000000\n", ":1: num_ranks 4000000000; give 1 to"),
        ("num_ranks 1\nl1: calc 5\n", ":2: 'l1: calc 5'; between ranks, only 'rank R {' is allowed"),
        ("num_ranks 1\nrank 0\ncalc 5\n", ":3: 'calc 5'; an opening brace must follow 'rank'"),
        ("num_ranks 1\nrank 1 {\n", ":2: rank 1; ranks are 0 to 0"),
        ("num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n", ":4: rank 0 occurs twice"),
        ("num_ranks 2\nrank 1 {\ncalc 1\n}\n", ":4: the file ends without rank 0; it has 1 of 2"),
        ("num_ranks 1\nrank 0 {\ncalc 1\n", ":3: the file ends within a rank; a closing brace is missing"),
        ("num_ranks 1\n/* x\n", ":2: the file ends within a comment"),
        ("num_ranks 1\nrank 0 {\nsend 5 to 0\n}\n", ":3: 'send 5 to 0' is not a GOAL statement; statements are"),
        ("num_ranks 1\nrank 0 {\nsend 5b to 3\n}\n", ":3: 'send 5b to 3': ranks are 0 to 0"),
        ("num_ranks 1\nrank 0 {\nsend 5b to -1\n}\n", "is not a GOAL statement"),
        ("num_ranks 1\nrank 0 {\ncalc 5 cpu 256\n}\n", ":3: cpu 256; it must be from 0 to 255"),
        ("num_ranks 1\nrank 0 {\ncalc 5 cpu -1\n}\n", ":3: cpu -1; it must be from 0 to 255"),
        ("num_ranks 1\nrank 0 {\ncalc 5 tag 1\n}\n", "a calc may have a cpu, but no tag or nic"),
        ("num_ranks 1\nrank 0 {\ncalc 5 cpu 1 cpu 2\n}\n", ":3: 'cpu 2'; after an operation, only"),
        (
            "num_ranks 1\nrank 0 {\nsend 5b to 0 tag 4294967295\n}\n",
            ":3: tag 4294967295; it must be from 0 to 4294967294",
        ),
        (f"num_ranks 1\nrank 0 {{\ncalc 1{'0' * 400}\n}}\n", "is more than 2^53 ns"),
        ("num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\n}\n", ":4: the label 'a' is used twice"),
        ("num_ranks 1\nrank 0 {\na: calc 1\na requires b\n}\n", ":4: no operation of this rank has the label 'b'"),
        ("num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n", "rank 0, operation 1 waits for itself"),
        ("num_ranks 1\nrank 0 {\n" + "x" * 70_000, ":3: a line of more than 65536 bytes"),
        ("num_ranks 1\nrank 0 {\n}\n", "it has no operations"),
    ],
)
def test_bad_text_is_one_sentence_with_its_line(tmp_path, text, says):
    """What is wrong, where, and what would do."""
    path = tmp_path / "bad.goal"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        load_goal(path)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_every_cut_of_a_binary_file_is_refused(tmp_path):
    """However short, and whichever part is missing: one sentence with the byte; what lacks its first eight is read as text."""
    data, path = binary(NODES), tmp_path / "cut.bin"
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(InputError, match=r"cut\.bin: byte \d+: " if size >= 8 else "cut"):
            load_goal(path)


@pytest.mark.exhaustive
def test_a_changed_byte_is_a_schedule_or_a_sentence(tmp_path):
    """Each byte of a binary file changed in turn, to 0, 255 and one more."""
    data, path, refused = binary(NODES), tmp_path / "changed.bin", []
    for place in range(8, len(data)):
        for value in (0, 255, (data[place] + 1) % 256):
            path.write_bytes(data[:place] + bytes([value]) + data[place + 1 :])
            try:
                load_goal(path)
            except InputError as error:
                refused += [str(error)]
    assert len(refused) > len(data)
    assert not any("\n" in one for one in refused)


def test_a_head_that_promises_much_takes_no_memory(tmp_path):
    """Ranks and operations beyond the file are refused before there is room for them: the process stays below 1 GB."""
    ranks, nodes = tmp_path / "ranks.bin", tmp_path / "nodes.bin"
    ranks.write_bytes(struct.pack("<QIBB", 4223, 1 << 20, 0, 0))
    nodes.write_bytes(struct.pack("<QIBBQQII", 4223, 1, 0, 0, 22, 30, 2**32 - 1, 2**32 - 1))
    code = (
        "import resource, sys\nfrom topoloom import InputError, load_goal\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
        "for path in sys.argv[1:]:\n    try:\n        load_goal(path)\n    except InputError as error:\n        print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, ranks, nodes], capture_output=True, text=True, check=True)
    first, second = ran.stdout.splitlines()
    assert "the table of 1048576 ranks needs 16,777,216 bytes, but the file has only 0 more" in first
    assert "rank 0 states 4,294,967,295 operations, 4,294,967,295 of them first, which do not fit its 8 bytes" in second


def test_a_file_that_save_mem_has_written_into_is_told(tmp_path):
    """LogGOPSim counts dependencies down in the file that it maps."""
    data = bytearray(binary(NODES))
    place = data.index(struct.pack("<IBIQ", 1, SEND, 1, 5000))
    data[place] = 0
    (tmp_path / "used.bin").write_bytes(data)
    with pytest.raises(
        InputError, match="waits for 0 others, but 1 name it; the file is damaged, or LogGOPSim ran it with --save-mem"
    ):
        load_goal(tmp_path / "used.bin")


def test_numbers_without_room_are_refused_when_written(tmp_path):
    """GOAL's tags are 32 bits."""
    rank = Rank()
    rank.add(SEND, 0, 1, 2**32)
    with pytest.raises(InputError, match=r"tag 4294967296; GOAL allows 0 to 4294967294"):
        save_goal(schedule_of("far", [rank]), tmp_path / "far.bin")
    assert not (tmp_path / "far.bin").exists()


def test_a_file_that_is_not_there(tmp_path):
    """A missing file and a folder are sentences."""
    for path in (tmp_path, tmp_path / "none.goal"):
        with pytest.raises(InputError, match="cannot be read"):
            load_goal(path)
