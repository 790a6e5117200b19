"""What `route` and `reroute` print of tables."""

from typing import TYPE_CHECKING

from topoloom.cli.output import plain, print_facts

if TYPE_CHECKING:
    from topoloom.routing.reroute import Rerouted
    from topoloom.routing.routing import Routing

#: Names of what packets may choose, for people.
_CHOICES = {
    "AnyShortest": "any channel on a shortest path",
    "Escape": "any shortest path, these tables to escape to",
    "Detour": "a detour by a random switch",
    "Layers": "several tables; pairs count in each",
}
_SHOWN = (
    "virtual_channels_used",
    "deadlock_free",
    "reached_pairs",
    "minimal",
    "minimal_share",
    "mean_hops",
    "max_hops",
    "stretch",
    "edge_forwarding_index",
    "load_over_mean",
    "vertex_load_min",
    "vertex_load_max",
)
_CHANGES = ("entries", "entries_broken", "entries_changed", "virtual_channels_changed", "rebuilt")


def print_tables(routed: "Routing", repaired: "Rerouted | None" = None) -> None:
    """The tables in figures, and what repairing them changed."""
    from topoloom.cli.tables import engine_words

    found = routed.verification
    if found is None:
        raise ValueError("tables that nobody has followed")
    rows = [("engine", engine_words(routed)), ("switches", str(routed.topology.switches))]
    if routed.packets_choose is not None:
        rows.insert(1, ("packets choose", _CHOICES[routed.packets_choose]))
    if routed.virtual_channel_rule != "pair":
        rows.append(("vc", "changes on the path, by " + routed.virtual_channel_rule))
    rows.append(("pairs in each virtual channel", " ".join(map(str, found.virtual_channel_pairs.tolist()))))
    for key in _SHOWN:
        value = getattr(found, key)
        rows.append((key, "no cycle found" if value is None else plain(value)))
    if repaired is not None:
        rows += [(key, plain(getattr(repaired, key))) for key in _CHANGES]
    if found.checked_destinations is not None:
        rows.append(("checked_destinations", plain(found.checked_destinations)))
    seconds = sum(routed.provenance.timings.values())
    rows += [("seed", str(routed.provenance.seed)), ("seconds", plain(seconds))]
    if found.cycle:
        ring = " -> ".join(str(start) for start, _ in found.cycle)
        rows.append(("waits in a cycle", f"{ring} (switches, virtual channel {found.cycle_virtual_channel})"))
    print_facts(routed.topology.name, rows)
