"""Fibre plants with faults that are known, and what switches hear of each other then."""

import json
from dataclasses import dataclass, field, replace

import numpy as np

from topoloom.fabric.fabric import planned_fabric
from topoloom.placement.fibre.tracing import PlugTable


@dataclass
class Planted:
    """The ends of a plant's cords and trunks with faults; parts that are out, turned, or of the other type; and the codes and
    parts of the faults.

    Each fault has the set of words of which its finding must have one.
    """

    plant: object
    hosts_at: np.ndarray
    ends: np.ndarray
    out: set
    faults: list
    turned: set = field(default_factory=set)
    other: set = field(default_factory=set)

    @classmethod
    def of(cls, network):
        plant = network.layout.plant
        return cls(plant, network.topology.endpoints_at, plant.ends.copy(), set(), [])

    def light(self):
        """The links that are lit, [switch, port, switch, port], each once; also those that nobody planned."""
        kept = np.setdiff1d(np.arange(self.plant.fibre.size), sorted(self.out))
        plant = replace(self.plant, fibre=self.plant.fibre[kept], ends=self.ends[kept])
        ends = plant.ends[plant.ends[:, :, 0] < plant.switches]
        served = np.maximum(plant.pairs[np.argwhere(plant.ends[:, :, 0] < plant.switches)[:, 0]] // plant.link_pairs, 1)
        start = np.repeat(ends, served, axis=0)
        start[:, 1] += np.arange(len(start)) - np.repeat(np.cumsum(served) - served, served)
        plugs = PlugTable(plant)
        plugs.turned[:] = np.isin(kept, sorted(self.turned))
        ways = plugs.followed(start)
        arrival = ways.arrival
        lit = (arrival[:, 0] >= 0) & (ways.sums(np.isin(kept, sorted(self.other)) * 1.0) % 2 == 0)
        rows = np.concatenate([start[lit], arrival[lit]], axis=1).tolist()
        return sorted({(*min((s, p), (t, q)), *max((s, p), (t, q))) for s, p, t, q in rows})

    def exchange(self, first, second):
        """Exchange two ends (fibre, 0 or 1)."""
        self.ends[first], self.ends[second] = self.ends[second].copy(), self.ends[first].copy()

    def free_port(self, links, rng):
        """The first of so many ports of hosts at a switch that has no cord there yet."""
        at_switch = self.ends[:, :, 0] < self.plant.switches
        device, port = self.ends[at_switch].T
        taken = set(device[port == 1].tolist())
        return int(rng.choice([s for s in np.flatnonzero(self.hosts_at >= links).tolist() if s not in taken])), 1

    def move(self, end, position):
        self.ends[end] = position

    def label(self, end):
        """The port of an end: ``SP003:R1``, or ``S5 port`` of a switch."""
        device, port = self.plant.ends[end].tolist()
        return self.plant.label(device, port) if device >= self.plant.switches else f"S{device} port"


def fabric_of(plan, planted, without=()):
    """The planned fabric with the links that are lit; cables that pass no panel stay; switches `without` have none."""
    plant = planted.plant
    alone = ~plant.through
    own = np.concatenate([plan.topology.links, plan.link_ports], axis=1)[alone][:, [0, 2, 1, 3]].tolist()
    rows = np.array(sorted([*map(tuple, own), *planted.light()]), np.int64).reshape(-1, 4)
    rows = rows[~np.isin(rows[:, [0, 2]], list(without)).any(axis=1)]
    itself = rows[:, 0] == rows[:, 2]
    loops, rows = rows[itself][:, [0, 1, 3]], rows[~itself]
    order = np.lexsort((rows[:, 2], rows[:, 0]))
    topology = plan.topology.replace(links=rows[order][:, [0, 2]])
    ports = rows[order][:, [1, 3]].astype(np.int32)
    own = {"link_ports": ports, "loops": loops, "switch_ports": plan.switch_ports, "made": "found.net"}
    return replace(planned_fabric(topology), **own)


def lldp(folder, planted, without=()):
    """A folder with what lldpd prints on each switch."""
    folder.mkdir()
    heard = {switch: [] for switch in range(planted.plant.switches) if switch not in without}
    for s, p, t, q in planted.light():
        for (a, port), (b, far) in (((s, p), (t, q)), ((t, q), (s, p))):
            if a in heard:
                chassis = {f"S{b}": {"id": {"type": "local", "value": f"S{b}"}}}
                far_port = {"id": {"type": "ifname", "value": f"swp{far}"}, "ttl": "120"}
                heard[a].append({f"swp{port}": {"via": "LLDP", "chassis": chassis, "port": far_port}})
    for switch, entries in heard.items():
        (folder / f"S{switch}.json").write_text(json.dumps({"lldp": {"interface": entries}}))
    return folder


def plant_fault(planted, kind, rng, free):
    """Plant a fault of a kind on parts that have none; returns the words of which its finding must have one.

    `free` are the numbers of the cords and trunks without a fault, whose links have none either; those used are removed.
    """
    plant, is_trunk = planted.plant, planted.plant.is_trunk
    of_panel = {}
    for fibre, end in np.argwhere(plant.ends[:, :, 0] >= plant.switches).tolist():
        of_panel.setdefault(int(plant.ends[fibre, end, 0]), []).append((fibre, end))

    def pick(trunk):
        return int(rng.choice([fibre for fibre in sorted(free) if is_trunk[fibre] == trunk]))

    def used(*fibres):
        """These, and all that share links with them."""
        ways = plant.ways.fibre
        links = np.isin(ways, fibres).any(axis=1)
        free.difference_update(ways[links].ravel().tolist(), fibres)

    #: A panel with one trunk is dark if its trunk is out.
    dark = "TL604" if plant.panels[0].ports - plant.panels[0].front > 1 else "TL602"
    if kind in ("trunks exchanged", "cords exchanged"):
        first = pick(kind == "trunks exchanged")
        end = int(rng.integers(2))
        device = plant.ends[first, end, 0]
        same = [
            other
            for other in np.argwhere(plant.ends[:, :, 0] == device).tolist()
            if other[0] in free and other[0] != first and is_trunk[other[0]] == is_trunk[first]
        ]
        others = same or [
            [other, end] for other in sorted(free) if is_trunk[other] == is_trunk[first] and other != first
        ]
        second = others[int(rng.integers(len(others)))]
        planted.exchange((first, end), tuple(second))
        used(first, second[0])
        words = {planted.label((first, end)), planted.label((first, 1 - end))}
        planted.faults.append((kind, "TL601", words))
    elif kind == "out":
        fibre = pick(rng.random() < 0.5)
        planted.out.add(fibre)
        used(fibre)
        planted.faults.append((kind, "TL602", {planted.label((fibre, 0))}))
    elif kind in ("turned", "other type"):
        fibre = pick(rng.random() < 0.5)
        (planted.turned if kind == "turned" else planted.other).add(fibre)
        used(fibre)
        planted.faults.append((kind, "TL608" if kind == "turned" else "TL602", {planted.label((fibre, 0))}))
    elif kind == "panel dark":
        device = int(rng.choice([panel for panel, ends in sorted(of_panel.items()) if {f for f, _ in ends} <= free]))
        fibres = {fibre for fibre, _ in of_panel[device]}
        planted.out |= fibres
        used(*fibres)
        planted.faults.append((kind, dark, {plant.names[device - plant.switches]}))
    elif kind == "other switch":
        # A cord in ports of hosts, which are not compared.
        cords = [end for end in np.argwhere(plant.ends[:, :, 0] < plant.switches).tolist() if end[0] in free]
        fibre, end = cords[int(rng.integers(len(cords)))]
        links = max(int(plant.pairs[fibre]) // plant.link_pairs, 1)
        planted.move((fibre, end), planted.free_port(links, rng))
        used(fibre)
        planted.faults.append((kind, "TL603", {planted.label((fibre, end))}))
    else:
        raise AssertionError(kind)
