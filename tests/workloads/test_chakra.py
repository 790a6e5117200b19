"""Chakra traces: written by Google's library, replayed with times by hand; ASTRA-sim's own samples; what damaged ones say."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from chakra_writer import COLL, COMP, MEM_LOAD, METADATA, RECV, SEND, attribute, node, write, written

from in_process import run
from topoloom import InputError, Replay, build, load_chakra, route, run_app
from topoloom.simulation.applications.settings import AppSettings
from topoloom.simulation.workloads import chakra_nodes

#: 8 Gb/s are a byte a nanosecond; a message passes two switches of 200 ns.
MACHINE, DELAY_NS = AppSettings(rate_gbps=8), 400.0
#: What `simulate` needs for nanoseconds.
SIZES = ("--set", "flit_bits=256", "--set", "cycle_ns=2")
SAMPLES = Path(__file__).parent / "astra_sim"


def ns(path, ranks, **settings):
    """Nanoseconds of a replay where each pair of ranks has a link of its own."""
    said = "".join(f",{name}={value}" for name, value in settings.items())
    network = route(build(f"complete:n={ranks},hosts=1"))
    return run_app(network, f"chakra:file={path}{said}", settings=MACHINE, simulator="flows").seconds * 1e9


def test_ten_nodes_take_what_they_take(tmp_path):
    """Computing beside a message, both before more computing; numbers written as each type that writers use."""
    first = [
        node(5, COMP, micros=3),
        node(
            7,
            SEND,
            comm_dst=1,
            comm_size=5000,
            comm_tag=4,
            kinds=[("comm_dst", "int32_val"), ("comm_size", "uint64_val")],
        ),
        node(9, COMP, (7, 5), micros=2),
    ]
    second = [
        node(1, RECV, comm_src=0, comm_dst=1, comm_size=5000, comm_tag=4, kinds=[("comm_tag", "uint32_val")]),
        node(2, COMP, (1,), micros=1, is_cpu_op=True),
        node(3, COMP, (1,), micros=4, is_cpu_op=False),
    ]
    assert ns(write(tmp_path, [first, second]), 2) == pytest.approx(DELAY_NS + 5000 + 4000)
    # Of great messages the sender is done when they are there.
    first[1] = node(7, SEND, comm_dst=1, comm_size=500_000, comm_tag=4)
    assert ns(write(tmp_path, [first, second]), 2) == pytest.approx(DELAY_NS + 500_000 + 4000)


def test_calls_of_collectives_are_the_processors(tmp_path):
    """In traces of PyTorch a processor's call is a node beside the accelerator's messages: it takes time and sends nothing."""
    ranks = [
        [
            node(0, COLL, micros=3, is_cpu_op=1, kinds=[("is_cpu_op", "int32_val")]),
            node(1, COLL, (0,), micros=7, is_cpu_op=0, comm_type=2, comm_size=5000, involved_dim=[True]),
        ]
        for _ in range(2)
    ]
    path = write(tmp_path, ranks)
    assert ns(path, 2) == pytest.approx(3000 + DELAY_NS + 5000)
    assert load_chakra(path).messages == 2


def test_parents_that_are_left_out_are_passed_over(tmp_path):
    """A control dependency on a node that is not there is none (the converter trims calls); on one that is there it holds."""
    trace = [node(5, COMP, (), micros=1), node(6, COMP, (5, 3), micros=2), node(7, COMP, (6, 5), micros=4, is_cpu_op=1)]
    assert ns(write(tmp_path, [trace]), 2) == pytest.approx(7000)
    trace = [node(5, COMP, micros=1), node(6, COMP, micros=8, is_cpu_op=1), node(7, COMP, (5, 6), micros=2)]
    path = write(tmp_path, [trace])
    assert ns(path, 2) == pytest.approx(10_000)
    assert ns(path, 2, controls="no") == pytest.approx(8000)
    # The caller ends after what it calls, and what it calls waits for it: so it is in traces of PyTorch.
    path = write(tmp_path, [[node(5, COMP, (6,), micros=1), node(6, COMP, (7, 5), micros=8), node(7, COMP)]])
    with pytest.raises(
        InputError,
        match=r"waits for itself, through others, so that it can never start; where control.* set controls=no",
    ):
        load_chakra(path)
    assert ns(path, 2, controls="no") == pytest.approx(9000)


def test_an_empty_collective_is_replayed_where_it_is_meant(tmp_path):
    """Nobody takes 0 bytes for a size unless it is said: then the steps of the ring are its delays; a barrier has no bytes."""
    trace = [node(1, COMP, micros=100), node(2, COLL, (1,), comm_type=0, comm_size=0), node(3, COMP, (2,), micros=10)]
    path = write(tmp_path, [trace] * 4)
    with pytest.raises(
        InputError, match=r"t\.0\.et: node 2 'node 2': its comm_size is 0 bytes; convert the trace again"
    ):
        load_chakra(path)
    assert ns(path, 4, empty="yes") == pytest.approx(110_000 + 6 * DELAY_NS)
    assert load_chakra(write(tmp_path, [[node(1, COLL, comm_type=9)]] * 2, "b")).messages == 2


def test_nodes_without_a_duration_are_counted(tmp_path):
    """They take 0 ns, and a note says how many of how many; if no computation takes time, the traces are refused or meant."""
    sent = [
        node(1, SEND, comm_dst=1, comm_size=5000, comm_tag=0),
        node(1, RECV, comm_src=0, comm_size=5000, comm_tag=0),
    ]
    ranks = [[node(0, COMP), node(2, COMP), node(3, 0), sent[r], node(4, MEM_LOAD)] for r in range(2)]
    path = write(tmp_path, ranks)
    with pytest.raises(InputError, match=r"/t: none of its 6 computing nodes has a duration \(duration_micros\) or"):
        load_chakra(path)
    assert ns(path, 2, empty="yes") == pytest.approx(DELAY_NS + 5000)
    ranks[0][0] = node(0, COMP, micros=3)
    path = write(tmp_path, ranks)
    assert load_chakra(path).notes == (
        f"{path}: 5 of 6 computing nodes have no duration and no operations; they take 0 ns",
        f"{path}: 2 nodes have no type; they take 0 ns",
    )
    ranks = [[node(0, METADATA), node(2, COMP, micros=1), sent[r]] for r in range(2)]
    assert load_chakra(write(tmp_path, ranks)).notes == ()
    assert load_chakra(write(tmp_path, [[node(0, METADATA), sent[r]] for r in range(2)])).notes == ()


@pytest.mark.parametrize("command", ["app", "simulate"])
def test_commands_print_what_a_file_leaves_open(tmp_path, command):
    """The same sentence whichever simulator replays it."""
    path = write(tmp_path, [[node(0, COMP), node(1, COMP, micros=1)]] * 2)
    workload = f"chakra:file={path}"
    options = ("--app", workload, "--simulator", "flows") if command == "app" else ("--traffic", workload, *SIZES)
    ran = run(command, "complete:n=2,hosts=1", *options)
    assert ran.code == 0, ran.err
    assert ran.err.count("2 of 4 computing nodes have no duration and no operations; they take 0 ns") == 1


def test_a_stream_runs_in_its_order(tmp_path):
    """Kernels without dependencies between them: side by side, or one after the other as on their stream.

    1,000 us, an all-reduce of 1,000 bytes (two steps of a half), 5 us: chained, the second computation waits for the messages,
    and these for the first; unchained the messages run beside the computing. Another stream stays beside the first.
    """
    trace = [
        node(1, COMP, micros=1000, stream=7, start=10),
        node(3, COMP, micros=5, stream=7, start=30),
        node(2, COLL, comm_type=0, comm_size=1000, stream=7, start=20),
        node(4, COMP, micros=900, stream=7, start=11, is_cpu_op=True),
    ]
    path = write(tmp_path, [trace] * 2)
    reduced = 2 * (DELAY_NS + 500)
    assert ns(path, 2) == ns(path, 2, streams="no") == pytest.approx(1_005_000)
    assert ns(path, 2, streams="yes") == pytest.approx(1_005_000 + reduced)
    trace[2] = node(2, COLL, comm_type=0, comm_size=1000, stream=20, start=20)
    assert ns(write(tmp_path, [trace] * 2), 2, streams="yes") == pytest.approx(1_005_000)
    # Equal start times: the order of the file.
    trace = [node(1, COLL, comm_type=0, comm_size=1000, stream=7), node(2, COMP, micros=5, stream=7)]
    assert ns(write(tmp_path, [trace] * 2), 2, streams="yes") == pytest.approx(5000 + reduced)


def test_streams_that_are_not_there_and_streams_against_needs(tmp_path):
    """No node with a stream, and a stream in which a node comes before what it needs: one sentence each."""
    with pytest.raises(InputError, match=r"t\.0\.et: no node of the traces has a stream; set streams=no"):
        load_chakra(write(tmp_path, [[node(1, COMP, micros=1)]]), Replay(streams=True))
    trace = [node(1, COMP, (2,), micros=1, stream=7, start=1), node(2, COMP, micros=1, stream=7, start=2)]
    with pytest.raises(InputError, match="start times of a stream contradict the dependencies, set streams=no"):
        load_chakra(write(tmp_path, [trace]), Replay(streams=True))


def test_packed_files_are_the_same(tmp_path):
    """gzip, as tools of Chakra write it."""
    nodes = [[node(0, COMP, micros=3), node(1, COMP, (0,), micros=4)]]
    assert ns(write(tmp_path, nodes, packed=True), 2) == ns(write(tmp_path, nodes, "u"), 2) == pytest.approx(7000)


def test_all_send_first(tmp_path):
    """A ring in which every rank sends before it receives does not stand still, however great the messages."""
    ranks = [
        [
            node(0, SEND, comm_dst=(r + 1) % 3, comm_size=200_000, comm_tag=0),
            node(1, RECV, (0,), comm_src=(r - 1) % 3, comm_size=200_000, comm_tag=0),
        ]
        for r in range(3)
    ]
    assert ns(write(tmp_path, ranks), 3) == pytest.approx(DELAY_NS + 200_000)


def test_the_roofline(tmp_path):
    """The slower of operations over the peak and bytes over the memory's rate; without a peak as traced."""
    path = write(tmp_path, [[node(0, COMP, micros=9, num_ops=4_000_000, tensor_size=30_000)]])
    assert ns(path, 2) == pytest.approx(9000)
    assert ns(path, 2, peak_gflops=1000) == pytest.approx(4000)
    assert ns(path, 2, peak_gflops=1000, memory_gbytes_s=5) == pytest.approx(6000)
    path = write(tmp_path, [[node(0, MEM_LOAD, tensor_size=30_000)]])
    assert ns(path, 2, memory_gbytes_s=10) == pytest.approx(3000)


@pytest.mark.parametrize(
    ("kind", "n", "settings", "steps", "bytes_"),
    [
        (0, 4, {}, 6, 1 / 4),
        (0, 4, {"allreduce": "doubling"}, 2, 1),
        (2, 4, {}, 3, 1),
        (6, 4, {}, 3, 1 / 4),
        (6, 4, {"alltoall": "xor"}, 3, 1 / 4),
        (7, 4, {}, 3, 1 / 4),
        (8, 4, {}, 3, 1 / 4),
        (5, 4, {}, 2, 1),
        (1, 4, {}, 2, 1),
        (9, 4, {}, 2, 0),
    ],
)
def test_collectives_take_what_their_algorithms_say(tmp_path, kind, n, settings, steps, bytes_):
    """Steps, each of a share of the vector (an all-gather's is one rank's part), then computing that waited for all."""
    size = 80_000
    ranks = [
        [node(0, COMP, micros=1), node(1, COLL, (0,), comm_type=kind, comm_size=size), node(2, COMP, (1,), micros=1)]
        for _ in range(n)
    ]
    took = ns(write(tmp_path, ranks), n, **settings)
    assert took == pytest.approx(2000 + steps * (DELAY_NS + bytes_ * size))


def test_astra_sims_reduce_scatter():
    """Its sample for 4 ranks and 1 MiB, by the ring: three steps of a quarter each."""
    assert ns(SAMPLES, 4) == pytest.approx(3 * (DELAY_NS + 2**18))
    assert load_chakra(SAMPLES).messages == 12


def test_groups_of_the_trace_and_of_a_file(tmp_path):
    """Process groups from a node of metadata, in both ways of writing, or from a JSON file; only their ranks take part."""
    inner = json.dumps(
        [{"pg_name": "7", "ranks": [0, 2]}, {"pg_name": "8", "ranks": [1, 3]}, {"pg_name": "0", "ranks": []}]
    )
    for values in (inner, json.dumps([inner]), f'["{inner}"]'):
        ranks = [
            [
                node(0, METADATA, values=values),
                node(1, COLL, (0,), comm_type=2, comm_size=5000, pg_name="78"[r % 2]),
                node(2, COLL, (1,), comm_type=9, pg_name="0"),
            ]
            for r in range(4)
        ]
        found = load_chakra(write(tmp_path, ranks))
        assert (found.bytes_between() > 0).nonzero()[0].tolist() == [0, 1, 2, 3]
        assert found.bytes_between()[0, 2] == found.bytes_between()[3, 1] == 5000
    ranks = [[node(1, COLL, comm_type=2, comm_size=5000, pg_name="x" if r else "y")] for r in range(3)]
    path = write(tmp_path, ranks, "f")
    (tmp_path / "groups.json").write_text('{"x": [1, 2], "y": [0]}')
    assert load_chakra(path, Replay(groups=tmp_path / "groups.json")).messages == 2
    with pytest.raises(InputError, match="process group 'y' is not defined; give groups"):
        load_chakra(path)


def test_ranks_need_not_be_in_order_in_a_group(tmp_path):
    """The ring goes as the group lists its ranks."""
    (tmp_path / "groups.json").write_text('{"1": [2, 0, 1]}')
    path = write(tmp_path, [[node(0, COLL, comm_type=7, comm_size=9, pg_name="1")] for _ in range(3)])
    sent = load_chakra(path, Replay(groups=tmp_path / "groups.json")).bytes_between() > 0
    assert np.argwhere(sent).tolist() == [[0, 1], [1, 2], [2, 0]]


@pytest.mark.parametrize(
    ("ranks", "says"),
    [
        ([[node(0, COMP, (3,))]], "node 0 needs node 3, which is missing in the trace"),
        ([[node(0, COMP), node(0, COMP)]], "node 0 'node 0': another node has the same number"),
        ([[node(0, 12)]], "its type is 12; known types are 0 to 7"),
        ([[node(0, SEND, comm_dst=5, comm_size=1)]], "its comm_dst is 5; ranks are 0 to 0"),
        ([[node(0, SEND, comm_size=1)]], "it has no attribute comm_dst"),
        ([[node(0, SEND, comm_dst=0)]], "it has no comm_size in bytes; convert the trace again, or set empty=yes if"),
        ([[node(0, COLL, comm_type=0)]], ".0.et: node 0 'node 0': it has no comm_size in bytes"),
        ([[node(0, COLL, comm_type=0, comm_size=0)]], ".0.et: node 0 'node 0': its comm_size is 0 bytes; convert"),
        ([[node(0, SEND, comm_dst=0, comm_size=-1)]], "its attribute comm_size is not a number of at least 0"),
        ([[node(0, RECV, comm_src=0, comm_dst=3, comm_size=1)]], "its comm_dst is rank 3, in the trace of rank 0"),
        ([[node(0, COLL, comm_type=3, comm_size=1)]], "collective 3 is not supported; supported are 0 allreduce"),
        ([[node(0, COLL, comm_type=0, comm_size=1, involved_dim=[True, False])]], "involved_dim refers to dimensions"),
        ([[node(0, MEM_LOAD, tensor_size=5)]], "it has a tensor_size but no duration; give memory_gbytes_s"),
        ([[node(0, COMP, num_ops=5)]], "it has operations but no duration; give peak_gflops"),
        (
            [[node(0, COLL, comm_type=0, comm_size=1)], [node(0, COLL, comm_type=0, comm_size=2)]],
            "it is collective 1 of its group, of type 0 with 2 bytes",
        ),
        (
            [[node(0, METADATA, values='[{"pg_name": "0", "ranks": [9]}]')]],
            "process group '0' is not a list of different ranks from 0 to 0",
        ),
        ([[node(0, COMP, (1,)), node(1, COMP, (0,))]], "waits for itself"),
        ([[]], "no operation"),
    ],
)
def test_traces_that_nobody_can_replay(tmp_path, ranks, says):
    """One sentence that names the file and the node."""
    with pytest.raises(InputError) as raised:
        load_chakra(write(tmp_path, ranks))
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_collective_that_one_rank_leaves_out_is_told(tmp_path):
    """The others wait for ever: which one, and for whom."""
    path = write(tmp_path, [[node(0, COLL, comm_type=0, comm_size=1000)], [node(0, COMP, micros=1)]])
    with pytest.raises(InputError, match="it does not end: rank 0, operation 2 waits for a message that no rank sends"):
        ns(path, 2)


def test_which_files_are_meant(tmp_path):
    """A folder with one name, a name, the file of rank 0; two names and a rank that is missing are sentences."""
    path = write(tmp_path, [[node(0, COMP, micros=1)]] * 2)
    for named in (tmp_path, path, tmp_path / "t.1.et"):
        assert load_chakra(named).ranks == 2
    write(tmp_path, [[node(0, COMP, micros=1)]], "other")
    with pytest.raises(InputError, match=r"traces of 2 names \(other, t\); add one to the path"):
        load_chakra(tmp_path)
    (tmp_path / "t.1.et").rename(tmp_path / "t.2.et")
    with pytest.raises(InputError, match=r"the trace of rank 1, t\.1\.et, is missing"):
        load_chakra(path)
    with pytest.raises(InputError, match=r"no Chakra traces there\.RANK\.et"):
        load_chakra(tmp_path / "nothing" / "there")


@pytest.mark.exhaustive
def test_every_cut_and_every_changed_byte(tmp_path):
    """A damaged trace is refused with its byte, or means something else; never a traceback."""
    data = written(
        [node(0, COMP, micros=1), node(1, COLL, (0,), comm_type=9, pg_name="", kinds=[("comm_type", "int32_val")])]
    )
    path, refused = tmp_path / "t.0.et", []
    changed = [data[:place] + bytes([value]) + data[place + 1 :] for place in range(len(data)) for value in (0, 255, 8)]
    for one in [data[:size] for size in range(len(data))] + changed:
        path.write_bytes(one)
        try:
            load_chakra(path.parent)
        except InputError as error:
            refused.append(str(error))
    assert len(refused) > len(data)
    assert not any("\n" in one or "Traceback" in one for one in refused)
    assert sum("byte" in one for one in refused) > len(data)


def test_a_length_that_promises_much_is_refused(tmp_path):
    """A message of 2^60 bytes in a file of ten."""
    (tmp_path / "t.0.et").write_bytes(b"\x80\x80\x80\x80\x80\x80\x80\x80\x10\x00")
    with pytest.raises(InputError, match="byte 0: a message of 1,152,921,504,606,846,976 bytes exceeds the file"):
        load_chakra(tmp_path)


def test_a_node_of_more_than_a_node_has_is_refused(tmp_path):
    """32 MiB of empty attributes, all there, would take a gigabyte once they are parsed: they are not."""
    body, head = b"\x52\x00" * (1 << 24), written([])
    (tmp_path / "t.0.et").write_bytes(head + b"\x80\x80\x80\x10" + body)
    with pytest.raises(InputError, match=r"a message of 33,554,432 bytes; at most 16,777,216"):
        load_chakra(tmp_path)


def test_text_in_another_encoding_spoils_no_trace(tmp_path):
    """A name that is no UTF-8: the node counts all the same."""
    body = node(0, COMP, micros=7).SerializeToString().replace(b"node 0", b"n\xf6de 0")
    (tmp_path / "t.0.et").write_bytes(written([]) + bytes([len(body)]) + body)
    assert ns(tmp_path / "t", 2) == pytest.approx(7000)


def test_what_reads_them_may_be_missing(tmp_path, monkeypatch):
    """Without protobuf: a sentence that says what to install."""
    path = write(tmp_path, [[node(0, COMP, micros=1)]])
    chakra_nodes._classes.cache_clear()
    monkeypatch.setitem(sys.modules, "google.protobuf", None)
    with pytest.raises(InputError, match=r"reading Chakra traces needs protobuf: pip install 'topoloom\[chakra\]'"):
        load_chakra(path)


def test_an_older_schema_is_told(tmp_path):
    """No metadata first; or attributes whose fields meant something else: Chakra changed them before 1.0."""
    body = node(0, COMP, micros=1).SerializeToString()
    (tmp_path / "t.0.et").write_bytes(bytes([len(body)]) + body)
    with pytest.raises(
        InputError, match=r"not metadata of a Chakra trace; if the file is a trace, it has an older schema, from before"
    ):
        load_chakra(tmp_path)
    # As then: the type of an attribute as a number in field 3, where now a double stands.
    old = attribute("comm_size", 5).SerializeToString()[:11] + b"\x18\x02"
    body = node(0, SEND).SerializeToString() + b"\x52" + bytes([len(old)]) + old
    head = written([])
    (tmp_path / "t.0.et").write_bytes(head + bytes([len(body)]) + body)
    with pytest.raises(InputError, match="attribute 'comm_size' has another type; it has an older schema"):
        load_chakra(tmp_path)
