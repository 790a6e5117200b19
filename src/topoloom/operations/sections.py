"""The commands in groups by the user's task, each with its line in the help; read before any operation is imported."""

SECTIONS: dict[str, dict[str, str]] = {
    "begin": {
        "new": "A first requirement or study from six questions, with every line explained.",
        "examples": "Requirements, studies, floors, quotes, machines, notebooks and a plug-in, to view and copy.",
        "manual": "Man pages of all commands, and completions for bash, zsh and fish.",
    },
    "explore": {
        "families": "The catalogue of families, with their parameters.",
        "build": "Make a topology from a spec and write it to a file.",
        "convert": "Read a topology in one format and write it in another.",
        "draw": "A picture of a network in which tiers, pods, groups, planes and lattices are seen.",
        "info": "Size, degree, diameter, ASPL, bounds and bisection of a topology.",
        "hops": "Hop distances: histogram, diameter, eccentricities, latency.",
        "bounds": "Bounds on diameter and ASPL: Moore, Cerf, grid and diagrid.",
        "cuts": "Bisection and p-way cuts.",
        "expander": "How well a network expands, compared with random regular graphs.",
        "paths": "The number of paths between two switches, and how two flows interfere.",
        "resilience": "The probability that a network survives failed cables, switches or racks.",
        "losses": "The hosts that one lost port, switch or plane cuts off, in the worst case.",
        "outage": "What the loss of chosen parts does: hosts cut off, paths, tables, throughput.",
        "lifetime": "The mean time that a network stays connected without repair.",
        "degradation": "The throughput that failures leave, and the table entries that they change.",
        "damage": "A network after failures, as a file.",
    },
    "improve": {
        "optimize": "Exchange the ends of links: the same degrees, fewer hops, less latency, power or cost.",
        "balance": "Well-balanced pairs of degree and cable length on a floor of switches.",
    },
    "route": {
        "route": "Forwarding tables and virtual channels, verified deadlock-free.",
        "reroute": "The tables of a network, repaired after losses.",
        "export": "A routed network as the files of another tool: OpenSM, FRR, simulators.",
        "quality": "The throughput of tables: uniform, worst case, effective bisection bandwidth.",
    },
    "simulate": {
        "simulate": "Latency against accepted load, simulated flit by flit.",
        "app": "MPI programs on a network, simulated by SimGrid.",
        "collective": "The least time of a collective (all-reduce, all-to-all ...), and a schedule compared with it.",
    },
    "build": {
        "layout": "Switches in racks on a floor, and every cable with its length.",
        "cost": "The bill of a topology on a floor: switches, cables, cost and power.",
        "facility": "Power, weight, air and liquid of racks, rows and the room, tested against limits.",
        "report": "The report of a machine: hosts, networks, bill, room and limits on one page.",
        "expand": "A plan, cable by cable, by which installers grow a network.",
        "phases": "A network that is sized for later growth: what each phase buys, and what moves.",
        "methods": "The methods by which expand grows a network.",
    },
    "operate": {
        "verify": "The faults of a plan, and of the cabled fabric, by numbered rules.",
        "verify-tables": "Forwarding tables of another program, verified.",
        "rules": "The numbered rules of verify.",
        "repair": "Installed tables repaired for a changed fabric, in steps that cannot deadlock.",
        "watch": "The discoveries of a cabling week compared with the plan: progress, faults, task sheets.",
    },
    "decide": {
        "design": "The main command: from a requirement file to ranked, priced designs.",
        "compare": "Networks that you name, fully assessed and ranked, from bill to growth.",
        "flat-or-tree": "A flat random network and a fat tree of equal hosts and switches, measure by measure.",
        "study": "An operation over axes: many tasks, on this machine or a cluster, resumed after interruptions.",
        "serve": "The explorer: topoloom in the browser, on this machine or over ssh -L.",
    },
}


def section_of(command: str) -> str:
    """The group of a command; empty if no group lists it."""
    return next((name for name, commands in SECTIONS.items() if command in commands), "")
