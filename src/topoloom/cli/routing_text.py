"""The text that `route` and `reroute` print about tables."""

from typing import TYPE_CHECKING

from topoloom.cli.output import plain, print_facts

if TYPE_CHECKING:
    from topoloom.routing.compared import TablesCompared
    from topoloom.routing.reroute import Rerouted
    from topoloom.routing.routing import Routing
    from topoloom.routing.verification.verification import Verification

#: Readable names of the choices that packets have.
_CHOICES = {
    "AnyShortest": "any channel on a shortest path",
    "Escape": "any shortest path, these tables to escape to",
    "Detour": "a detour by a random switch",
    "Layers": "several tables; pairs count in each",
    "Adaptive": "what a function says; hops and loads are those of the tables",
    "NextHopGroups": "any member of a next-hop group; hops and loads are expected values",
}


_SHOWN = (
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
#: Figures whose unit is not in their name.
_OF_SWITCHES = ("edge_forwarding_index", "vertex_load_min", "vertex_load_max")
_CHANGES = ("entries", "entries_broken", "entries_changed", "virtual_channels_changed", "rebuilt")


#: Means and ratios over all pairs.
_OF_ALL = ("mean_hops", "stretch", "load_over_mean")


def with_lost(key: str, text: str, lost_pairs: int) -> str:
    """A figure of tables, with the number of pairs that do not arrive, if it depends on them.

    Parameters
    ----------
    key : str
        The key of the figure. Lost pairs can only raise a maximum once they arrive; means and ratios do not exist without them.
    text : str
        The figure with its unit.
    lost_pairs : int
        The pairs of hosts that cables join and that the tables lose.

    Returns
    -------
    str

    Examples
    --------
    >>> with_lost("max_channel_load", "8 pairs of hosts", 11)
    'at least 8 pairs of hosts (11 pairs do not arrive)'
    """
    if not lost_pairs or not (key.startswith("max_") or key.endswith("_throughput") or key in _OF_ALL):
        return text
    text = "undefined" if key in _OF_ALL else f"at least {text}" if key.startswith("max_") else text
    return f"{text} ({lost_pairs:,} pairs do not arrive)"


def _compared_rows(compared: "TablesCompared") -> list[tuple[str, str]]:
    """Rows with the figures of the installed tables, or of computed ones, and of the new tables."""
    before, after = compared.before, compared.after

    def both(name: str, unit: str = "") -> str:
        texts = [
            with_lost(name, f"{plain(getattr(figures, name))}{unit}", figures.lost_pairs) for figures in (before, after)
        ]
        return f"{texts[0]} before, {texts[1]} now"

    sample = f" (a sample of {after.shifts:,})" if after.shifts_sampled else ""
    return [
        ("compared with", compared.before_tables),
        ("pairs that do not arrive", f"{before.unreachable_pairs:,} before, {after.unreachable_pairs:,} now"),
        ("paths changed", f"{compared.paths_changed:,} of {after.pairs:,} pairs of hosts"),
        ("maximum channel load", both("max_channel_load", " pairs of hosts")),
        ("load over mean", both("load_over_mean")),
        ("mean hops", both("mean_hops")),
        ("max hops", both("max_hops")),
        ("uniform traffic", both("uniform_throughput")),
        (f"shifts{sample}", both("shift_throughput")),
        ("worst shift", both("worst_shift_throughput")),
    ]


def _rows_of_switches(verification: "Verification") -> list[tuple[str, str]]:
    """Rows with the figures of tables in pairs of switches."""
    rows = []
    for key in _SHOWN:
        text = plain(getattr(verification, key))
        if key == "reached_pairs":
            text += f" of {verification.pairs} pairs of switches"
        rows.append((key, f"{text} pairs of switches" if key in _OF_SWITCHES else text))
    if verification.checked_destinations is not None:
        rows.append(("checked_destinations", plain(verification.checked_destinations)))
    return rows


def print_tables(routed: "Routing", repaired: "Rerouted | None" = None) -> None:
    """Print the figures of the tables, and what their repair changed.

    Compared tables are those of a fabric with hosts: their figures are in pairs of hosts. Others are in pairs of switches.
    """
    from topoloom.cli.tables import engine_words

    verification = routed.verification
    if verification is None:
        raise ValueError("tables without a verification")
    rows = [("engine", engine_words(routed)), ("switches", str(routed.topology.switches))]
    if routed.packets_choose is not None:
        rows.insert(1, ("packets choose", _CHOICES[routed.packets_choose]))
    if routed.virtual_channel_rule != "pair":
        rows.append(("virtual channel", "changes on the path, by " + routed.virtual_channel_rule))
    if routed.compared is None:
        rows.append(("pairs in each virtual channel", " ".join(map(str, verification.virtual_channel_pairs.tolist()))))
    free = verification.deadlock_free
    rows += [
        ("virtual channels used", str(verification.virtual_channels_used)),
        ("deadlock free", plain(free) if free is not None else _not_verified(verification.unverified)),
    ]
    rows += _rows_of_switches(verification) if routed.compared is None else _compared_rows(routed.compared)
    if repaired is not None:
        rows += [(key, plain(getattr(repaired, key))) for key in _CHANGES]
    seconds = sum(routed.provenance.timings.values())
    rows += [("seed", str(routed.provenance.seed)), ("seconds", plain(seconds))]
    if verification.cycle:
        ring = " -> ".join(str(start) for start, _ in verification.cycle)
        rows.append(("waits in a cycle", f"{ring} (switches, virtual channel {verification.cycle_virtual_channel})"))
    print_facts(routed.topology.name, rows)


def _not_verified(why: str | None) -> str:
    """Why it is not known whether tables are free from deadlock."""
    return f"not verified: {why}" if why else "no cycle found"
