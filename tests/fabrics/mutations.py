"""Fabrics with faults that are known: a cable plant, changed by a few mistakes and written as ibnetdiscover prints it.

It shares no code with the reader, the comparison or the rules: it holds cables as pairs of (name, port) and writes the
text itself. Each mistake says which rule has to find it, and where.
test_mutated_fabrics.py and benchmarks/mutated_fabrics.py use it.
"""

from dataclasses import dataclass, field

#: Ports that every switch has beyond the planned ones, to move cables into.
SPARE = 6


@dataclass
class Plant:
    """Switches, hosts and cables by names; `part` tells planes apart, `rail` the leaves of each host port."""

    ports: dict = field(default_factory=dict)
    hosts: set = field(default_factory=set)
    far: dict = field(default_factory=dict)
    rate: dict = field(default_factory=dict)
    silent: set = field(default_factory=set)
    guid: dict = field(default_factory=dict)
    lid: dict = field(default_factory=dict)
    called: dict = field(default_factory=dict)
    claims: list = field(default_factory=list)
    part: dict = field(default_factory=dict)
    rail: dict = field(default_factory=dict)
    planned: set = field(default_factory=set)

    def plug(self, one, other):
        """A cable between two ports."""
        self.far[one], self.far[other] = other, one

    def pull(self, one):
        """The cable in a port goes."""
        other = self.far.pop(one)
        del self.far[other]
        return cable(one, other)

    def cables(self):
        """Every cable once."""
        return sorted({tuple(sorted(pair)) for pair in self.far.items()})

    def free(self, switch):
        """A port of a switch that nothing is or was in."""
        used = {port for name, port in (*self.far, *(end for one in self.planned for end in one)) if name == switch}
        used |= {port for name, port, _ in self.claims if name == switch}
        return next(port for port in range(self.ports[switch], 0, -1) if port not in used)

    def text(self):
        """As ibnetdiscover prints it, with GUIDs, LIDs and rates."""
        lines = ["# made for a test"]
        at = {}
        for one, other in self.far.items():
            at.setdefault(one[0], []).append((one[1], other))
        for name, port, other in self.claims:
            at.setdefault(name, []).append((port, other))
        for name in sorted(self.ports):
            host = name in self.hosts
            key = "caguid" if host else "switchguid"
            lines += ["", "vendid=0x2c9", "devid=0xd2f0", f"{key}=0x{self.guid[name]:x}"]
            own = "" if host else f" base port 0 lid {self.lid[name]} lmc 0"
            lines.append(
                f'{"Ca" if host else "Switch"}\t{self.ports[name]} "{self.id(name)}"\t# "{self.name(name)}"{own}'
            )
            for port, other in sorted(at.get(name, [])):
                if (name, port) in self.silent:
                    continue
                mark = f"({self.guid[name] + port:x})" if host else ""
                lid = f"lid {self.lid[name, port]} lmc 0 " if host and (name, port) in self.lid else ""
                rate = self.rate.get(cable((name, port), other), "4xHDR")
                lines.append(
                    f'[{port}]{mark}\t"{self.id(other[0])}"[{other[1]}]\t\t# {lid}"{self.name(other[0])}" lid 0 {rate}'
                )
        return "\n".join(lines) + "\n"

    def id(self, name):
        """What a node is called in the lines of others: with its GUID, as real ones are."""
        return f"{'H' if name in self.hosts else 'S'}-{self.guid[name]:016x}"

    def name(self, name):
        """What it calls itself."""
        return self.called.get(name, name)


def cable(one, other):
    """A cable as the set of its two plugs."""
    return frozenset([one, other])


def plant_of(fabric):
    """The plan as a plant: names, ports and cables, as plain data."""
    plant, topology = Plant(), fabric.topology
    switches, hosts = fabric.switch_names, fabric.host_names
    for s, name in enumerate(switches):
        plant.ports[name], plant.guid[name] = int(fabric.switch_ports[s]) + SPARE, 0xB8CEF60300000000 + 0x1000 * s
        plant.lid[name] = 10_000 + s
    for h, name in enumerate(hosts):
        plant.hosts.add(name)
        plant.ports[name], plant.guid[name] = int(fabric.host_sizes[h]), 0x506B4B0300000000 + 0x1000 * h
    for (u, v), (p, q) in zip(topology.links.tolist(), fabric.link_ports.tolist(), strict=True):
        plant.plug((switches[u], p), (switches[v], q))
    for e, s in enumerate(topology.endpoints.tolist()):
        host, port = hosts[int(topology.host[e])], int(fabric.host_ports[e])
        plant.plug((switches[s], int(fabric.endpoint_ports[e])), (host, port))
        plant.lid[host, port] = 1 + e
    plant.planned = {cable(*pair) for pair in plant.far.items()}
    _find_parts(plant)
    _find_rails(plant)
    return plant


def _find_parts(plant):
    """Which switches links join, by walking along them."""
    near = {}
    for (one, _), (other, _) in plant.far.items():
        if one not in plant.hosts and other not in plant.hosts:
            near.setdefault(one, set()).add(other)
    for number, start in enumerate(name for name in sorted(plant.ports) if name not in plant.hosts):
        heap = [] if start in plant.part else [start]
        while heap:
            name = heap.pop()
            if name not in plant.part:
                plant.part[name] = number
                heap += near.get(name, ())


def _find_rails(plant):
    """Of each leaf the one port of its hosts that it serves, where hosts have several in a plane."""
    serves, several = {}, {}
    for (name, port), (other, _) in plant.far.items():
        if name in plant.hosts:
            serves.setdefault(other, set()).add(port)
            several.setdefault((name, plant.part[other]), set()).add(other)
    if any(len(leaves) > 1 for leaves in several.values()):
        plant.rail = {leaf: min(ports) for leaf, ports in serves.items() if len(ports) == 1}


@dataclass(frozen=True)
class Mistake:
    """What was done, and what has to be found: the rule's code, and the nodes or cables that it must name."""

    code: str
    nodes: frozenset = frozenset()
    planned: frozenset = frozenset()
    found: frozenset = frozenset()


class Mutator:
    """Makes mistakes in a plant, each at switches and hosts that no other one has touched."""

    def __init__(self, fabric, rng):
        self.plant, self.rng = plant_of(fabric), rng
        self.touched = set()
        self.mistakes = []
        self.several = any(self.plant.ports[name] > 1 for name in self.plant.hosts)
        self.planes = len(set(self.plant.part.values())) > 1
        self.parallel = {}
        for one, other in self.plant.cables():
            self.parallel.setdefault(frozenset([one[0], other[0]]), []).append((one, other))

    def kinds(self):
        """What can be done to this plant."""
        names = [name.removeprefix("_do_") for name in dir(self) if name.startswith("_do_")]
        never = set()
        if not self.several:
            never |= {"fewer_interfaces", "host_port_gone"}
        if self.several:
            never |= {"host_gone", "host_uncabled"}
        if not self.plant.rail:
            never |= {"rail_swap", "rail_move"}
        if not self.planes:
            never |= {"plane_swap", "plane_extra", "plane_host"}
        if all(len(cables) < 2 for cables in self.parallel.values()):
            never |= {"bundle_crossed"}
        return [name for name in names if name not in never]

    def make(self, kind):
        """Make one mistake, if there is room for it."""
        found = getattr(self, f"_do_{kind}")()
        if found is not None:
            self.mistakes.append(found)

    # -- choosing ---------------------------------------------------------------------------------------------------------

    def _shuffled(self, things):
        things = list(things)
        return [things[i] for i in self.rng.permutation(len(things))]

    def _untouched(self, nodes):
        return not self.touched & {*nodes}

    def _links(self, hosts=False):
        """The cables between switches (or of hosts) that nobody touched, each (one, other); a host's end comes last."""
        for one, other in self._shuffled(self.plant.cables()):
            if one[0] in self.plant.hosts:
                one, other = other, one
            if (other[0] in self.plant.hosts) == hosts and self._untouched([one[0], other[0]]):
                yield one, other

    def _switches(self, without=()):
        for name in self._shuffled(sorted(self.plant.part)):
            if name not in without and self._untouched([name]):
                yield name

    def _joined(self, one, other):
        return frozenset([one, other]) in self.parallel

    def _touch(self, *nodes):
        self.touched.update(nodes)

    def _move(self, one, other, to):
        """The cable's second end goes elsewhere."""
        planned = self.plant.pull(one)
        self.plant.plug(one, to)
        return frozenset([planned]), frozenset([cable(one, to)])

    def _exchange(self, one, other):
        """Two cables (near, far) with exchanged far ends."""
        planned = frozenset([self.plant.pull(one[0]), self.plant.pull(other[0])])
        self.plant.plug(one[0], other[1])
        self.plant.plug(other[0], one[1])
        return planned, frozenset([cable(one[0], other[1]), cable(other[0], one[1])])

    # -- cables -----------------------------------------------------------------------------------------------------------

    def _do_link_gone(self):
        for one, other in self._links():
            self._touch(one[0], other[0])
            return Mistake("TL101", planned=frozenset([self.plant.pull(one)]))
        return None

    def _do_host_port_gone(self):
        for one, other in self._links(hosts=True):
            self._touch(one[0], other[0])
            return Mistake("TL101", planned=frozenset([self.plant.pull(one)]))
        return None

    def _do_extra(self):
        for one in self._switches():
            for other in self._switches([one]):
                if self.plant.part[one] == self.plant.part[other]:
                    self._touch(one, other)
                    ends = (one, self.plant.free(one)), (other, self.plant.free(other))
                    self.plant.plug(*ends)
                    return Mistake("TL102", found=frozenset([cable(*ends)]))
        return None

    def _do_link_moved(self):
        for one, other in self._links():
            for to in self._switches([one[0], other[0]]):
                if self.plant.part[to] == self.plant.part[one[0]]:
                    self._touch(one[0], other[0], to)
                    planned, found = self._move(one, other, (to, self.plant.free(to)))
                    return Mistake("TL103", planned=planned, found=found)
        return None

    def _do_host_moved(self):
        for home, host in self._links(hosts=True):
            for to in self._switches([home[0]]):
                same = self.plant.part[to] == self.plant.part[home[0]]
                if same and self.plant.rail.get(to) == self.plant.rail.get(home[0]):
                    self._touch(home[0], host[0], to)
                    planned, found = self._move(host, home, (to, self.plant.free(to)))
                    return Mistake("TL103", planned=planned, found=found)
        return None

    def _do_swapped(self):
        for one in self._links():
            for other in self._links():
                four = {one[0][0], one[1][0], other[0][0], other[1][0]}
                if len(four) == 4 and self.plant.part[one[0][0]] == self.plant.part[other[0][0]]:
                    self._touch(*four)
                    planned, found = self._exchange(one, other)
                    return Mistake("TL104", planned=planned, found=found)
        return None

    def _do_hosts_swapped(self):
        for one in self._links(hosts=True):
            for other in self._links(hosts=True):
                four = {one[0][0], one[1][0], other[0][0], other[1][0]}
                same = self.plant.part[one[0][0]] == self.plant.part[other[0][0]]
                same = same and self.plant.rail.get(one[0][0]) == self.plant.rail.get(other[0][0])
                if len(four) == 4 and same:
                    self._touch(*four)
                    planned, found = self._exchange(one, other)
                    return Mistake("TL104", planned=planned, found=found)
        return None

    def _do_ring_of_three(self):
        chosen = []
        for one in self._links():
            nodes = {end[0] for link in (*chosen, one) for end in link}
            parts = {self.plant.part[name] for name in nodes}
            if len(nodes) == 2 * len(chosen) + 2 and len(parts) == 1:
                chosen.append(one)
            if len(chosen) == 3:
                self._touch(*nodes)
                planned = frozenset(self.plant.pull(near) for near, _ in chosen)
                new = [(chosen[i][0], chosen[(i + 1) % 3][1]) for i in range(3)]
                for ends in new:
                    self.plant.plug(*ends)
                return Mistake("TL104", planned=planned, found=frozenset(cable(*ends) for ends in new))
        return None

    def _do_other_port(self):
        for one, other in self._links():
            self._touch(one[0], other[0])
            planned, found = self._move(one, other, (other[0], self.plant.free(other[0])))
            return Mistake("TL105", planned=planned, found=found)
        return None

    def _do_bundle_crossed(self):
        for pair in self._shuffled(sorted(self.parallel, key=sorted)):
            if len(self.parallel[pair]) > 1 and self._untouched(pair):
                self._touch(*pair)
                planned, found = self._exchange(*self.parallel[pair][:2])
                return Mistake("TL105", planned=planned, found=found)
        return None

    def _do_one_sided(self):
        for hosts in self._shuffled([False, True]):
            for one, other in self._links(hosts=hosts):
                self._touch(one[0], other[0])
                self.plant.silent.add([one, other][int(self.rng.integers(2))])
                return Mistake("TL106", found=frozenset([cable(one, other)]), planned=frozenset([cable(one, other)]))
        return None

    def _do_slow(self):
        for hosts in self._shuffled([False, True]):
            for one, other in self._links(hosts=hosts):
                self._touch(one[0], other[0])
                both = frozenset([cable(one, other)])
                self.plant.rate[cable(one, other)] = ["1xHDR", "4xEDR", "2xHDR"][int(self.rng.integers(3))]
                return Mistake("TL107", planned=both, found=both)
        return None

    def _do_to_itself(self):
        for one in self._switches():
            self._touch(one)
            first = (one, self.plant.free(one))
            self.plant.plug(first, (one, 0))  # so that it is taken
            del self.plant.far[one, 0]
            second = (one, self.plant.free(one))
            self.plant.plug(first, second)
            return Mistake("TL109", found=frozenset([cable(first, second)]))
        return None

    def _do_claimed_twice(self):
        for one, other in self._links():
            for third in self._switches([one[0], other[0]]):
                self._touch(one[0], other[0], third)
                self.plant.claims.append((third, self.plant.free(third), one))
                return Mistake("TL110", nodes=frozenset([one[0], third]))
        return None

    def _do_beyond(self):
        for one in self._switches():
            highest = max(port for name, port in self.plant.far if name == one)
            if highest > 1:
                self._touch(one)
                self.plant.ports[one] = highest - 1
                return Mistake("TL111", nodes=frozenset([one]))
        return None

    # -- switches and hosts -----------------------------------------------------------------------------------------------

    def _around(self, name):
        return {other for (one, _), (other, _) in self.plant.far.items() if one == name}

    def _hanging(self, name):
        """The hosts that hang on nothing but this switch."""
        at = {}
        for (one, _), (other, _) in self.plant.far.items():
            if one in self.plant.hosts:
                at.setdefault(one, set()).add(other)
        return {host for host, switches in at.items() if switches == {name}}

    def _pull_all(self, name):
        return frozenset(self.plant.pull(end) for end in sorted(self.plant.far) if end[0] == name)

    def _do_switch_off(self):
        for name in self._switches():
            around = self._around(name)
            if self._untouched(around):
                self._touch(name, *around)
                hosts = self._hanging(name)
                planned = self._pull_all(name)
                for gone in (name, *hosts):
                    del self.plant.ports[gone]
                return Mistake("TL201", nodes=frozenset([name, *hosts]), planned=planned)
        return None

    def _do_switch_uncabled(self):
        for name in self._switches():
            around = self._around(name)
            if self._untouched(around):
                self._touch(name, *around)
                hosts = self._hanging(name)
                planned = self._pull_all(name)
                for gone in hosts:
                    del self.plant.ports[gone]
                return Mistake("TL207", nodes=frozenset([name, *hosts]), planned=planned)
        return None

    def _do_switch_new(self):
        name = f"spare{len(self.mistakes)}"
        to = [one for _, one in zip(range(3), self._switches(), strict=False)]
        if to:
            self._touch(name, *to)
            self.plant.ports[name], self.plant.guid[name] = 40, 0xFC6A1C0300000000 + len(self.mistakes)
            self.plant.lid[name] = 20_000 + len(self.mistakes)
            found = set()
            for port, one in enumerate(to, 1):
                end = (one, self.plant.free(one))
                self.plant.plug((name, port), end)
                found.add(cable((name, port), end))
            return Mistake("TL202", nodes=frozenset([name]), found=frozenset(found))
        return None

    def _do_host_new(self):
        name = f"guest{len(self.mistakes)}"
        for to in self._switches():
            self._touch(name, to)
            self.plant.hosts.add(name)
            self.plant.ports[name], self.plant.guid[name] = 1, 0x98039B0300000000 + len(self.mistakes)
            end = (to, self.plant.free(to))
            self.plant.plug((name, 1), end)
            return Mistake("TL204", nodes=frozenset([name]), found=frozenset([cable((name, 1), end)]))
        return None

    def _do_host_gone(self):
        for home, host in self._links(hosts=True):
            self._touch(home[0], host[0])
            planned = self.plant.pull(host)
            del self.plant.ports[host[0]]
            return Mistake("TL203", nodes=frozenset([host[0]]), planned=frozenset([planned]))
        return None

    def _do_host_uncabled(self):
        for home, host in self._links(hosts=True):
            self._touch(home[0], host[0])
            return Mistake("TL205", nodes=frozenset([host[0]]), planned=frozenset([self.plant.pull(host)]))
        return None

    def _do_fewer_interfaces(self):
        for host in self._shuffled(sorted(self.plant.hosts)):
            last = (host, self.plant.ports[host])
            if last[1] > 1 and last in self.plant.far and self._untouched([host, self.plant.far[last][0]]):
                self._touch(host, self.plant.far[last][0])
                planned = self.plant.pull(last)
                self.plant.ports[host] -= 1
                return Mistake("TL206", nodes=frozenset([host]), planned=frozenset([planned]))
        return None

    # -- rails and planes -------------------------------------------------------------------------------------------------

    def _do_rail_swap(self):
        """Two ports of one host exchanged."""
        for home, host in self._links(hosts=True):
            for other in sorted(self.plant.far):
                if other[0] != host[0] or other[1] == host[1]:
                    continue
                leaf = self.plant.far[other]
                same = self.plant.part[leaf[0]] == self.plant.part[home[0]]
                if same and leaf[0] != home[0] and self._untouched([leaf[0]]):
                    self._touch(home[0], host[0], leaf[0])
                    planned, found = self._exchange((home, host), (leaf, other))
                    return Mistake("TL301", planned=planned, found=found)
        return None

    def _do_rail_move(self):
        for home, host in self._links(hosts=True):
            for to in self._switches([home[0]]):
                same = self.plant.part[to] == self.plant.part[home[0]]
                if same and to in self.plant.rail and self.plant.rail[to] != self.plant.rail[home[0]]:
                    self._touch(home[0], host[0], to)
                    planned, found = self._move(host, home, (to, self.plant.free(to)))
                    return Mistake("TL301", planned=planned, found=found)
        return None

    def _do_plane_swap(self):
        for one in self._links():
            for other in self._links():
                four = {one[0][0], one[1][0], other[0][0], other[1][0]}
                if self.plant.part[one[0][0]] != self.plant.part[other[0][0]]:
                    self._touch(*four)
                    planned, found = self._exchange(one, other)
                    return Mistake("TL302", planned=planned, found=found)
        return None

    def _do_plane_extra(self):
        for one in self._switches():
            for other in self._switches([one]):
                if self.plant.part[one] != self.plant.part[other]:
                    self._touch(one, other)
                    ends = (one, self.plant.free(one)), (other, self.plant.free(other))
                    self.plant.plug(*ends)
                    return Mistake("TL302", found=frozenset([cable(*ends)]))
        return None

    def _do_plane_host(self):
        for home, host in self._links(hosts=True):
            for to in self._switches([home[0]]):
                if self.plant.part[to] != self.plant.part[home[0]]:
                    self._touch(home[0], host[0], to)
                    planned, found = self._move(host, home, (to, self.plant.free(to)))
                    return Mistake("TL302", planned=planned, found=found)
        return None

    # -- names and addresses ----------------------------------------------------------------------------------------------

    def _two(self, hosts):
        names = [name for name in sorted(self.plant.ports) if (name in self.plant.hosts) == hosts]
        two = [name for name in self._shuffled(names) if self._untouched([name])][:2]
        if len(two) == 2:
            self._touch(*two)
            return two
        return None

    def _do_guid_twice(self):
        """Two hosts, or two switches, whose identities in the file are the same too."""
        two = self._two(hosts=bool(self.rng.integers(2)))
        if two:
            self.plant.guid[two[1]] = self.plant.guid[two[0]]
            return Mistake("TL501", nodes=frozenset(two))
        return None

    def _do_lid_twice(self):
        two = self._two(hosts=False)
        if two and self.plant.part[two[0]] == self.plant.part[two[1]]:
            self.plant.lid[two[1]] = self.plant.lid[two[0]]
            return Mistake("TL502", nodes=frozenset(two))
        return None

    def _do_name_twice(self):
        two = self._two(hosts=False)
        if two:
            self.plant.called[two[1]] = two[0]
            return Mistake("TL503", nodes=frozenset(two))
        return None


def mutated(fabric, rng, most=4):
    """The text of a fabric with one to `most` mistakes, and the mistakes."""
    mutator = Mutator(fabric, rng)
    kinds = mutator.kinds()
    for kind in [kinds[int(i)] for i in rng.integers(len(kinds), size=int(rng.integers(1, most + 1)))]:
        mutator.make(kind)
    return mutator.plant.text(), mutator.mistakes
