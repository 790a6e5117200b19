"""MSCCL's XML read: carried out on symbols, refused where it is wrong, and simulated with times worked out by hand."""

import pytest
from collective_oracle import right_output, run_xml

from topoloom import AppSettings, InputError, build, collective, read_schedule
from topoloom.simulation.collectives.msccl import msccl_xml
from topoloom.simulation.collectives.msccl_check import check_msccl
from topoloom.simulation.collectives.msccl_program import msccl_of

#: 8 Gb/s are a byte a nanosecond; a message passes two switches of 200 ns.
MACHINE, DELAY_NS = AppSettings(rate_gbps=8), 400.0


def step(number, kind, source, goal, count=1, waits=(-1, -1), awaited=0):
    """A step; source and goal as i0."""
    return (
        f'<step s="{number}" type="{kind}" srcbuf="{source[0]}" srcoff="{source[1:]}" dstbuf="{goal[0]}" dstoff="{goal[1:]}"'
        f' cnt="{count}" depid="{waits[0]}" deps="{waits[1]}" hasdep="{awaited}"/>'
    )


def program(coll, chunks, gpus, sizes=(0, 0, 0), inplace=1, **more):
    """The text of a program: `gpus` lists for each rank its blocks, as (send, recv, chan, steps)."""
    lines = [
        f'<!-- mine --><algo name="x" proto="Simple" nchannels="2" nchunksperloop="{chunks}" ngpus="{len(gpus)}"'
        f' coll="{coll}" inplace="{inplace}" {" ".join(f"{key}={value!r}" for key, value in more.items())}>'
    ]
    for rank, blocks in enumerate(gpus):
        lines.append(f'<gpu id="{rank}" i_chunks="{sizes[0]}" o_chunks="{sizes[1]}" s_chunks="{sizes[2]}">')
        for number, (send, recv, chan, steps) in enumerate(blocks):
            lines.append(f'<tb id="{number}" send="{send}" recv="{recv}" chan="{chan}">{"".join(steps)}</tb>')
        lines.append("</gpu>")
    return "\n".join([*lines, "</algo>"])


def ring(ranks):
    """An all-reduce in place around a ring, in one block per rank, with the steps that receive and send at once."""
    gpus = []
    for rank in range(ranks):
        kinds = ["s", *["rrs"] * (ranks - 2), "rrcs", *["rcs"] * (ranks - 2), "r"]
        steps = [step(n, kind, f"i{(rank - n) % ranks}", f"i{(rank - n) % ranks}") for n, kind in enumerate(kinds)]
        gpus.append([((rank + 1) % ranks, (rank - 1) % ranks, 0, steps)])
    return program("allreduce", ranks, gpus, (ranks, 0, 0))


def pair(*steps, coll="allreduce", chunks=1, sizes=(1, 0, 1), **more):
    """Two ranks: each sends its chunk to the other's scratch in block 0 and receives it in block 1; then these steps."""
    gpus = [
        [
            (1 - rank, -1, 0, [step(0, "s", "i0", "s0", awaited=1)]),
            (-1, 1 - rank, 0, [step(0, "r", "i0", "s0", awaited=1), *steps]),
        ]
        for rank in range(2)
    ]
    return program(coll, chunks, gpus, sizes, **more)


GOOD = pair(step(1, "re", "s0", "i0", waits=(0, 0)))


@pytest.mark.parametrize("ranks", [2, 3, 4, 7])
def test_a_ring_is_right_and_takes_its_steps(ranks, tmp_path):
    """2 (n - 1) messages in a row, each of an n-th of the vector: n = 4, 4,000 bytes: 6 x (400 + 1,000) ns."""
    path = tmp_path / "ring.xml"
    path.write_text(ring(ranks))
    found = read_schedule(path)
    assert (found.operation, found.ranks, found.chunks) == ("allreduce", ranks, ranks)
    result = collective(build(f"complete:n={ranks},hosts=1"), found, 1000 * ranks, settings=MACHINE)
    assert result.seconds * 1e9 == pytest.approx(2 * (ranks - 1) * (DELAY_NS + 1000))
    assert (result.depth, result.messages) == (2 * (ranks - 1), 2 * (ranks - 1) * ranks)
    assert result.bound.seconds <= result.seconds
    assert result.record()["algorithm"] == "msccl"


@pytest.mark.parametrize("simulator", ["simgrid", "flits:flit_bits=64"])
def test_every_simulator_runs_it(simulator, tmp_path):
    """The same messages in all three; flits count the delays of routers in cycles."""
    path = tmp_path / "ring.xml"
    path.write_text(ring(4))
    network = build("complete:n=4,hosts=1")
    flows = collective(network, read_schedule(path), 1 << 20, settings=MACHINE)
    other = collective(network, read_schedule(path), 1 << 20, settings=MACHINE, simulator=simulator)
    assert other.messages == flows.messages
    assert other.seconds == pytest.approx(flows.seconds, rel=0.01)


def test_pieces_run_the_program_again(tmp_path):
    """A program run twice takes each time half of the bytes; a block begins anew as soon as it has ended."""
    path = tmp_path / "ring.xml"
    path.write_text(ring(4))
    network = build("complete:n=4,hosts=1")
    result = collective(network, read_schedule(path), 4000, settings=MACHINE, pieces=2)
    assert (result.pieces, result.messages) == (2, 48)
    assert result.seconds * 1e9 == pytest.approx(12 * (DELAY_NS + 500))


@pytest.mark.parametrize("operation", ["allgather", "allreduce", "reduce-scatter", "broadcast", "alltoall"])
@pytest.mark.parametrize("spec", ["torus:dims=2x3,hosts=1", "fat-tree:k=4,hosts=6"])
def test_everything_that_we_write_we_read(operation, spec):
    """Our XML is right by the reader too, in place of the oracle's order in any order; it has the messages of the schedule."""
    schedule = collective(
        build(spec), operation, 6000, 6, settings=MACHINE, root_rank=2 * (operation == "broadcast")
    ).schedule
    text = msccl_xml(schedule)
    found = msccl_of(text, "x.xml")
    findings = check_msccl(found)
    assert (found.operation, found.ranks) == (operation, 6)
    assert findings.ordered
    assert findings.root == 2 * (operation == "broadcast")
    assert run_xml(text)[0]["o"] == right_output(operation, 6, found.chunks, findings.root)[0]
    result = collective(build(spec), found, 6000, settings=MACHINE)
    assert result.seconds >= result.bound.seconds


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (pair(), "gpu 0: chunk 0 of the output misses the part of rank 1"),
        (pair(step(1, "re", "s0", "i0")), "it changes i 0, which tb 0 step 0 reads, and neither waits for the other"),
        (
            pair(step(1, "re", "s0", "i0", waits=(0, 0)), step(2, "re", "s0", "i0")),
            "gpu 1 tb 1 step 2: it adds the part of rank 0 of chunk 0 a second time",
        ),
        (pair(step(1, "cpy", "s0", "i0", waits=(0, 0))), "gpu 0: chunk 0 of the output misses the part of rank 0"),
        (GOOD.replace('inplace="1"', 'inplace="0"'), "gpu 0: chunk 0 of the output never gets data"),
        (GOOD.replace('inplace="1"', 'inplace="1" outofplace="1"'), "chunk 0 of the output never gets data"),
        (
            GOOD.replace('hasdep="1"', 'hasdep="0"', 1),
            "waits for tb 0 step 0, whose hasdep is 0: it would wait forever",
        ),
        (GOOD.replace('depid="0"', 'depid="1"', 1), "waits for tb 1 step 0, which is no step of another tb"),
        (GOOD.replace('deps="0"', 'deps="9"', 1), "waits for tb 0 step 9, which is no step of another tb"),
        (GOOD.replace('type="re"', 'type="ra"'), "gpu 0 tb 1 step 1: type 'ra' is not supported; s, r, rcs,"),
        (
            GOOD.replace('type="re"', 'type="rrc"'),
            "its message is never sent: 1 sends and 2 receives from gpu 0 to gpu 1",
        ),
        (GOOD.replace('type="re"', 'type="s"'), "type s, but its tb has no send"),
        (GOOD.replace('cnt="1"', 'cnt="72"', 1), "gpu 0 tb 0 step 0: cnt is '72'; a number from 1 to 71 is expected"),
        (GOOD.replace('cnt="1"', 'cnt="0"', 1), "cnt is '0'; a number from 1 to 71 is expected"),
        (GOOD.replace('cnt="1"', 'cnt="x"', 1), "cnt is 'x'; a number from 1 to 71"),
        (GOOD.replace(' cnt="1"', "", 1), "gpu 0 tb 0 step 0: it has no cnt"),
        (
            GOOD.replace('srcoff="0"', 'srcoff="1"', 1),
            "gpu 0 tb 0 step 0: srcoff 1 and cnt 1 exceed buffer i of 1 chunks",
        ),
        (GOOD.replace('srcbuf="i"', 'srcbuf="q"', 1), "srcbuf is 'q'; buffers are i, o and s"),
        (GOOD.replace('i_chunks="1"', 'i_chunks="5"', 1), "gpu 0: i_chunks is 5; for nchunksperloop 1 it is 1"),
        (GOOD.replace('s_chunks="1"', 's_chunks="0"', 1), "dstoff 0 and cnt 1 exceed buffer s of 0 chunks"),
        (GOOD.replace('ngpus="2"', 'ngpus="3"'), "algo: it has 2 gpu elements, but ngpus is 3"),
        (GOOD.replace('tb id="1"', 'tb id="7"', 1), "gpu 0 tb 1: its id is 7; they count from 0, in order"),
        (GOOD.replace('s="1" type', 's="2" type', 1), "gpu 0 tb 1 step 1: its s is 2; they count from 0, in order"),
        (GOOD.replace('send="1"', 'send="0"', 1), "gpu 0 tb 0: it sends to or receives from its own rank"),
        (GOOD.replace('send="1"', 'send="4"', 1), "gpu 0 tb 0: send is '4'; a number from -1 to 1 is expected"),
        (GOOD.replace('recv="-1"', 'recv="1"', 1), "gpu 0 tb 1: recv 1 on channel 0 belongs to tb 0, too"),
        (GOOD.replace('coll="allreduce"', 'coll="custom"'), "coll is 'custom': only the results of allreduce,"),
        (GOOD.replace('coll="allreduce"', 'coll="alltoall"'), "nchunksperloop 1 of alltoall is no multiple of ngpus 2"),
        (GOOD.replace("<tb", "<q", 1).replace("</tb>", "</q>", 1), "gpu 0: an element 'q'; tb is expected"),
        (GOOD.replace("</algo>", ""), "x.xml:10: is no XML: no element found"),
        ("<graphml/>", "x.xml: this is no MSCCL schedule: its first element is no algo"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><algo name="&b;"/>', "x.xml: declares entities or a document type"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, says, tmp_path):
    """One sentence: the file, the gpu, the thread block and the step."""
    (tmp_path / "x.xml").write_text(text)
    with pytest.raises(InputError) as raised:
        read_schedule(tmp_path / "x.xml")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_blocks_that_wait_for_each_other_are_named(tmp_path):
    """Two blocks of a rank wait for each other's second steps; and ranks that both receive first."""
    steps = [
        [step(0, "nop", "i-1", "o-1", 0, waits=(1, 0), awaited=1)],
        [step(0, "nop", "i-1", "o-1", 0, waits=(0, 0), awaited=1)],
    ]
    text = program("allreduce", 1, [[(-1, -1, 0, steps[0]), (-1, -1, 0, steps[1])], []], (1, 0, 0))
    (tmp_path / "x.xml").write_text(text)
    with pytest.raises(InputError, match="gpu 0 tb 0 step 0: it waits for tb 1 step 0 forever: blocks wait for each"):
        read_schedule(tmp_path / "x.xml")
    both = [step(0, "rrc", "i0", "i0"), step(1, "s", "i0", "i0")]
    (tmp_path / "x.xml").write_text(program("allreduce", 1, [[(1, 1, 0, both)], [(0, 0, 0, both)]], (1, 0, 0)))
    with pytest.raises(InputError, match="gpu 0 tb 0 step 0: it waits for a message from gpu 1 forever"):
        read_schedule(tmp_path / "x.xml")


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (step(0, "re", "i0", "i1"), "gpu 0 tb 0 step 0: it adds chunk 1 of the input to chunk 0"),
        (step(0, "cpy", "s0", "i1"), "gpu 0 tb 0 step 0: it reads s 0, in which there are no data yet"),
        (step(0, "cpy", "i0", "i1"), "gpu 0: chunk 0 of the output misses the part of rank 1"),
    ],
)
def test_what_a_single_step_does_wrong(one, says, tmp_path):
    """A sum of chunk 0 and chunk 1 is no result; a scratch chunk that nobody wrote has no data; one rank's data are no sum."""
    (tmp_path / "x.xml").write_text(program("allreduce", 2, [[(-1, -1, 0, [one])], []], (2, 0, 1)))
    with pytest.raises(InputError, match=says):
        read_schedule(tmp_path / "x.xml")


def test_a_chunk_in_the_wrong_place_is_named(tmp_path):
    """An all-gather in which each rank copies its part to the other's place."""
    gpus = [
        [(1 - r, 1 - r, 0, [step(0, "s", "i0", "o0"), step(1, "r", "i0", f"o{r}"), step(2, "cpy", "i0", f"o{1 - r}")])]
        for r in range(2)
    ]
    (tmp_path / "x.xml").write_text(program("allgather", 2, gpus, (1, 2, 0), inplace=0))
    with pytest.raises(
        InputError, match="gpu 0: chunk 0 of the output holds chunk 0 of the input of rank 1; chunk 0 of rank 0"
    ):
        read_schedule(tmp_path / "x.xml")


def test_a_plan_of_msccl_plus_plus_is_refused_by_its_name(tmp_path):
    """It is JSON of another kind: not read, and said so."""
    (tmp_path / "x.json").write_text('{"name": "a", "gpus": [{"id": 0, "threadblocks": [{"id": 0, "ops": []}]}]}')
    with pytest.raises(InputError, match=r"x\.json is a plan of MSCCL\+\+, which is not read"):
        read_schedule(tmp_path / "x.json")


def test_a_program_has_its_own_ranks(tmp_path):
    """Other ranks, algorithms and paths are refused; it needs a host for each rank."""
    (tmp_path / "x.xml").write_text(GOOD)
    found = read_schedule(tmp_path / "x.xml")
    for wrong in ({"ranks": 3}, {"algorithm": "ring"}, {"paths_from": "own"}, {"accelerators": 2}):
        with pytest.raises(InputError, match=r"has its own ranks \(2\) and algorithm"):
            collective(build("complete:n=4,hosts=1"), found, **wrong)
    with pytest.raises(InputError, match="2 ranks, but only 1 host"):
        collective(build("complete:n=1,hosts=1"), found)
