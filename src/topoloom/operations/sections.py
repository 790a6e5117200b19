"""The commands in groups, by what users do, each with its line in the help; read before any operation is imported."""

SECTIONS: dict[str, dict[str, str]] = {
    "begin": {
        "new": "A requirement or a study from six questions: a file in which every line is explained.",
        "examples": "Requirements, studies, floors, quotes, notebooks and a plug-in, to look at and to copy.",
    },
    "explore": {
        "families": "The catalogue: families, their parameters, their facts.",
        "build": "Make a topology from a spec and write it to a file.",
        "convert": "Read a topology in one format and write it in another.",
        "info": "Size, degree, diameter, ASPL, bounds and bisection of a topology.",
        "hops": "Hop distances: histogram, diameter, eccentricities, latency.",
        "bounds": "What is possible: Moore, Cerf, grid and diagrid bounds.",
        "cuts": "How wide: bisection and p-way cuts.",
        "paths": "How many paths join two switches, and how two flows interfere.",
        "resilience": "What survives when cables, switches or racks fail.",
        "losses": "What one lost port, switch or plane cuts off, in the worst case.",
        "lifetime": "How long a network stays connected without repair.",
        "degradation": "What failures cost: throughput that is left, table entries that change.",
        "damage": "What is left of a network after failures, as a file.",
    },
    "improve": {
        "optimize": "Exchange the ends of links: the same degrees, fewer hops, less latency, power or cost.",
        "balance": "Degrees and cable lengths that suit each other on a floor of switches.",
    },
    "route": {
        "route": "Next hops and virtual channels for every pair, followed and verified deadlock-free.",
        "reroute": "The tables of a network repaired after losses.",
        "export": "A routed network as the files of another tool: OpenSM, FRR, simulators.",
        "quality": "How much traffic tables let through: throughput, worst case, effective bisection.",
    },
    "simulate": {
        "simulate": "Latency against accepted load, flit by flit.",
        "app": "MPI programs on a network, simulated by SimGrid.",
        "collective": "The least time of a collective, and a schedule compared with it: all-reduce, all-gather, all-to-all.",
    },
    "build": {
        "layout": "Put the switches in racks on a floor; every cable with its length.",
        "cost": "Switches, cables, watts and money of a topology on a floor.",
        "expand": "Grow a network cable by cable: a plan that an installer carries out.",
        "methods": "The ways in which expand grows a network.",
    },
    "operate": {
        "verify": "What is wrong with a plan, and with what is cabled, by numbered rules.",
        "verify-tables": "Forwarding tables that another program made, verified.",
        "rules": "The numbered rules of verify.",
        "repair": "Installed tables repaired for a fabric that has changed, in safe steps.",
        "watch": "Discoveries of a cabling week beside the plan: progress, new faults, faults gone, sheets.",
    },
    "decide": {
        "design": "The main job: from a requirement file to ranked, priced designs.",
        "compare": "Networks that you name, fully assessed and ranked, from bill to growth.",
        "study": "An operation over axes: many tasks, on this machine or a cluster; nothing is lost, nothing runs twice.",
        "serve": "The explorer: topoloom in the browser, on this machine or over ssh -L.",
    },
}


def section_of(command: str) -> str:
    """The group of a command; empty where no group has it."""
    return next((name for name, commands in SECTIONS.items() if command in commands), "")
