"""Collectives worked out again, the plain way: cuts and partitions one by one, and files of schedules carried out step by step.

Nothing here imports what it checks: networks come as lists of arcs, schedules as the text of their files.
"""

import random
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict, deque
from fractions import Fraction
from itertools import pairwise


def arcs_of(topology, rate, host_rate):
    """(tail, head) to capacity; switches are ("s", i), hosts ("h", i)."""
    found = defaultdict(int)
    for u, v in topology.links.tolist():
        found["s", u, "s", v] += rate
        found["s", v, "s", u] += rate
    for host, switch in zip(topology.host.tolist(), topology.endpoints.tolist(), strict=True):
        found["h", host, "s", switch] += host_rate
        found["s", switch, "h", host] += host_rate
    return {((a, b), (c, d)): units for (a, b, c, d), units in found.items()}


def smallest_cuts(topology, rate, host_rate):
    """For every set of hosts the smallest capacity that leaves a side which holds these hosts and no others."""
    arcs = arcs_of(topology, rate, host_rate)
    nodes = [("s", i) for i in range(topology.switches)] + [("h", i) for i in range(topology.hosts)]
    cuts = {}
    for mask in range(1, 1 << len(nodes)):
        side = {node for i, node in enumerate(nodes) if mask >> i & 1}
        hosts = frozenset(i for kind, i in side if kind == "h")
        out = sum(units for (tail, head), units in arcs.items() if tail in side and head not in side)
        if hosts:
            cuts[hosts] = min(out, cuts.get(hosts, out))
    return cuts


def gather_rate(cuts, hosts):
    """What each can send to all others: the least capacity out of a side over the hosts in it."""
    return min(Fraction(out, len(side)) for side, out in cuts.items() if len(side) < hosts)


def partitions(items):
    """All partitions of a list."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for parts in partitions(rest):
        yield [[first], *parts]
        for i in range(len(parts)):
            yield [*parts[:i], [first, *parts[i]], *parts[i + 1 :]]


def parts_rate(cuts, hosts):
    """The least capacity out of all parts of a partition over their number less one."""
    return min(
        Fraction(sum(cuts[frozenset(part)] for part in parts), len(parts) - 1)
        for parts in partitions(list(range(hosts)))
        if len(parts) > 1
    )


def spanning_trees(nodes, edges):
    """All spanning trees of a small graph, as sets of edges."""
    from itertools import combinations

    for chosen in combinations(edges, nodes - 1):
        part = list(range(nodes))
        for u, v in chosen:
            a, b = part[u], part[v]
            part = [a if one == b else one for one in part]
        if len(set(part)) == 1:
            yield chosen


def run_xml(text, seed=0):
    """What lies in each rank's buffers after the steps of MSCCL's XML: [rank][buffer][place] = Counter of (rank, its place).

    Blocks go on in a random order, as far as they can; what is sent between two ranks on a channel arrives in its order. Raises
    AssertionError where a step reads what is not there, a message has another size than its receive, or all stand still.
    """
    algo = ET.fromstring(text)
    draw = random.Random(seed)
    buffers, blocks = [], {}
    for gpu in algo.iter("gpu"):
        rank = int(gpu.get("id"))
        assert rank == len(buffers)
        buffers.append(
            {
                "i": [Counter({(rank, place): 1}) for place in range(int(gpu.get("i_chunks")))],
                "o": [None] * int(gpu.get("o_chunks")),
                "s": [None] * int(gpu.get("s_chunks")),
            }
        )
        peers = set()
        for block in gpu.iter("tb"):
            send, receive, channel = (int(block.get(key)) for key in ("send", "recv", "chan"))
            for way, peer in (("out", send), ("in", receive)):
                # A connection belongs to one block.
                assert peer < 0 or (way, peer, channel) not in peers
                assert peer != rank
                peers.add((way, peer, channel))
            steps = [dict(step.attrib) for step in block.iter("step")]
            assert [int(step["s"]) for step in steps] == list(range(len(steps)))
            blocks[rank, int(block.get("id"))] = (send, receive, channel, steps)
    assert len(buffers) == int(algo.get("ngpus"))
    done = dict.fromkeys(blocks, 0)
    mail = defaultdict(deque)

    def turn(key):
        rank, _ = key
        send, receive, channel, steps = blocks[key]
        if done[key] == len(steps):
            return False
        step = steps[done[key]]
        wait, at = int(step["depid"]), int(step["deps"])
        if wait >= 0:
            assert blocks[rank, wait][3][at]["hasdep"] == "1"
            if done[rank, wait] <= at:
                return False
        count, kind, mine = int(step["cnt"]), step["type"], buffers[rank]
        source, goal = (step["srcbuf"], int(step["srcoff"])), (step["dstbuf"], int(step["dstoff"]))
        if kind in ("r", "rrc"):
            queue = mail[receive, rank, channel]
            if not queue:
                return False
            came = queue.popleft()
            assert len(came) == count
        if kind in ("s", "cpy"):
            data = [mine[source[0]][source[1] + i] for i in range(count)]
            assert None not in data, (rank, step)
            data = [Counter(one) for one in data]
        if kind == "s":
            mail[rank, send, channel].append(data)
        elif kind == "cpy":
            for i in range(count):
                mine[goal[0]][goal[1] + i] = data[i]
        elif kind == "r":
            for i in range(count):
                mine[goal[0]][goal[1] + i] = came[i]
        elif kind == "rrc":
            for i in range(count):
                mine[goal[0]][goal[1] + i] = came[i] + mine[source[0]][source[1] + i]
        else:
            assert kind == "nop"
        done[key] += 1
        return True

    while True:
        order = list(blocks)
        draw.shuffle(order)
        went = [turn(key) for key in order]
        if not any(went):
            break
    assert all(done[key] == len(steps) for key, (*_, steps) in blocks.items())
    assert not any(mail.values())
    return buffers


def right_output(operation, ranks, chunks, root=0):
    """[rank][place of output] = Counter of (rank, place of input), by the definition of the operation."""
    each = chunks // ranks
    if operation == "allgather":
        return [[Counter({(c // each, c % each): 1}) for c in range(chunks)] for _ in range(ranks)]
    if operation == "broadcast":
        return [[Counter({(root, c): 1}) for c in range(chunks)] for _ in range(ranks)]
    if operation == "alltoall":
        return [[Counter({(source, rank): 1}) for source in range(ranks)] for rank in range(ranks)]
    sums = [Counter({(rank, c): 1 for rank in range(ranks)}) for c in range(chunks)]
    if operation == "allreduce":
        return [sums for _ in range(ranks)]
    return [sums[rank * each : (rank + 1) * each] for rank in range(ranks)]


def run_record(record):
    """Carry out the record of a schedule on symbols: [rank][chunk] = Counter of the ranks whose part it holds."""
    n, operation = record["ranks"], record["operation"]
    if operation in ("allreduce", "reduce-scatter"):
        held = [{c: Counter({rank: 1}) for c in range(record["chunks"])} for rank in range(n)]
    else:
        held = [{} for _ in range(n)]
        for tree in record["trees"]:
            for c in range(tree["first"], tree["first"] + tree["chunks"]):
                held[tree["root"]][c] = Counter({tree["root"]: 1})
    for tree in record["trees"]:
        mine = range(tree["first"], tree["first"] + tree["chunks"])
        if operation in ("allreduce", "reduce-scatter"):
            for edge in tree["edges"][::-1]:
                for c in mine:
                    held[edge["sender"]][c] = held[edge["sender"]][c] + held[edge["receiver"]][c]
        if operation != "reduce-scatter":
            for edge in tree["edges"]:
                for c in mine:
                    held[edge["receiver"]][c] = Counter(held[edge["sender"]][c])
    return held


def loads_of(record):
    """Chunks over each (node, node) by the paths that stand in the record of a schedule, both ways where it reduces."""
    loads = Counter()
    for tree in record["trees"]:
        for edge in tree["edges"]:
            hosts = record["hosts"]
            path = [
                ("h", hosts[edge["sender"]]),
                *(("s", one) for one in edge["switches"]),
                ("h", hosts[edge["receiver"]]),
            ]
            for tail, head in pairwise(path):
                if record["operation"] != "reduce-scatter":
                    loads[tail, head] += tree["chunks"]
                if record["operation"] in ("reduce-scatter", "allreduce"):
                    loads[head, tail] += tree["chunks"]
    return loads
