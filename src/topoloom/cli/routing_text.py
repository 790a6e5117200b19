"""The text that `route` and `reroute` print about tables."""

from typing import TYPE_CHECKING

from topoloom.cli.output import plain, print_facts

if TYPE_CHECKING:
    from topoloom.routing.compared import TablesCompared
    from topoloom.routing.reroute import Rerouted
    from topoloom.routing.routing import Routing

#: Readable names of the choices that packets have.
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


def compared_rows(compared: "TablesCompared") -> list[tuple[str, str]]:
    """Rows with the figures of the installed tables, or of computed ones, and of the new tables."""
    before, after = compared.before, compared.after

    def both(name: str) -> str:
        return f"{plain(getattr(before, name))} before, {plain(getattr(after, name))} now"

    sample = f" (a sample of {after.shifts:,})" if after.shifts_sampled else ""
    return [
        ("compared with", compared.before_tables),
        ("pairs of hosts on a channel, max", both("max_channel_load")),
        ("paths changed", f"{compared.paths_changed:,} of {after.pairs:,} pairs of hosts"),
        ("hops, max", both("max_hops")),
        ("pairs of hosts that do not arrive", both("unreachable_pairs")),
        ("uniform traffic", both("uniform_throughput")),
        (f"shifts{sample}", both("shift_throughput")),
        ("worst shift", both("worst_shift_throughput")),
    ]


def print_tables(routed: "Routing", repaired: "Rerouted | None" = None) -> None:
    """Print the figures of the tables, and what their repair changed."""
    from topoloom.cli.tables import engine_words

    verification = routed.verification
    if verification is None:
        raise ValueError("tables without a verification")
    rows = [("engine", engine_words(routed)), ("switches", str(routed.topology.switches))]
    if routed.packets_choose is not None:
        rows.insert(1, ("packets choose", _CHOICES[routed.packets_choose]))
    if routed.virtual_channel_rule != "pair":
        rows.append(("virtual channel", "changes on the path, by " + routed.virtual_channel_rule))
    rows.append(("pairs in each virtual channel", " ".join(map(str, verification.virtual_channel_pairs.tolist()))))
    for key in _SHOWN:
        value = getattr(verification, key)
        rows.append((key, "no cycle found" if value is None else plain(value)))
    if repaired is not None:
        rows += [(key, plain(getattr(repaired, key))) for key in _CHANGES]
    if verification.checked_destinations is not None:
        rows.append(("checked_destinations", plain(verification.checked_destinations)))
    if routed.compared is not None:
        rows += compared_rows(routed.compared)
    seconds = sum(routed.provenance.timings.values())
    rows += [("seed", str(routed.provenance.seed)), ("seconds", plain(seconds))]
    if verification.cycle:
        ring = " -> ".join(str(start) for start, _ in verification.cycle)
        rows.append(("waits in a cycle", f"{ring} (switches, virtual channel {verification.cycle_virtual_channel})"))
    print_facts(routed.topology.name, rows)
