"""What the tests of the expansion room share: plans of every method, and a replay of their tasks by other means."""

import networkx

from topoloom import build, expand

#: Of every method a plan: what stands, the size, and what else is asked for.
PLANS = {
    "dsn-f": ("dsn-f:n=27,hosts=1", 70, {}),
    "dsn-f uneven": ("dsn-f:n=62", 66, {"floor": "koibuchi-2013"}),
    "slab": ("torus:dims=4x5,hosts=2", 30, {}),
    "mesh": ("mesh:dims=3x4", 20, {}),
    "group": ("dragonfly:a=4,h=2,g=4", 28, {}),  # from two links between two groups to one
    "pod": ("fat-tree:k=6,pods=3", 39, {}),
    "copies": ("polarfly:q=5,hosts=2", 31 + 6 + 10, {}),
    "splice": ("jellyfish:n=30,degree=5,hosts=2", 37, {"floor": "koibuchi-2013"}),
    "splice-near": ("jellyfish:n=40,degree=6,hosts=3", 50, {"floor": "koibuchi-2013", "batch": 4}),
    "hosts": ("slimfly:q=5,hosts=4", 305, {"radix": 14}),
    "channels": ("slimfly:q=5,hosts=4", 215, {"radix": 13}),
    "channels-near": ("slimfly:q=5,hosts=4", 190, {"radix": 12}),
}
#: Two networks, and what else is asked for.
MOVES = {
    "torus to torus": ("torus:dims=4x4", "torus:dims=4x6", {}),
    "torus to jellyfish": ("torus:dims=6x6,hosts=1", "jellyfish:n=44,degree=4,hosts=1", {}),
    "as large": ("jellyfish:n=30,degree=4", "ring-shortcuts:n=30,degree=4", {}),
    "with hosts": ("slimfly:q=5,hosts=3", "slimfly:q=7,hosts=5", {"floor": "koibuchi-2013"}),
}


def plan(name, **more):
    """The plan of that name."""
    if name in PLANS:
        spec, to, options = PLANS[name]
        method = name.split()[0]
        chosen = method if method in {"splice-near", "hosts", "channels", "channels-near"} else "auto"
        return expand(build(spec), to, chosen, **options, **more)
    spec, goal, options = MOVES[name]
    return expand(build(spec), into=build(goal), **options, **more)


EVERY = [*PLANS, *MOVES]


def replayed(plan):
    """Of each task, in order: its step, the task, and the network right after it, as a networkx graph by cables."""
    topology = plan.before.layout.topology
    graph = networkx.MultiGraph()
    graph.add_nodes_from(range(topology.switches))
    of_cable = {}
    links = plan.before.link >= 0
    for number, ends in zip(plan.before.number[links].tolist(), plan.before.ends[links].tolist(), strict=True):
        of_cable[number] = (ends[0], ends[1], graph.add_edge(*ends))
    for step in plan.steps:
        graph.add_nodes_from(step.new_switches)
        for task in step.tasks:
            cable = plan.cables[task.cable]
            if cable.host:
                continue
            if task.work != "add":
                graph.remove_edge(*of_cable.pop(cable.number))
            if task.work != "unplug":
                (u, _), (v, _) = task.ends
                of_cable[cable.number] = (u, v, graph.add_edge(u, v))
            yield step, task, graph
