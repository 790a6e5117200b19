"""`topoloom outage`: what chosen losses do to a network."""

from typing import TYPE_CHECKING, Any

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_facts, print_record, print_table, say
from topoloom.cli.presentation import Json, Threads
from topoloom.operations.catalogue.outage import OutageOperation

if TYPE_CHECKING:
    from topoloom.failures.group_losses import GroupLosses
    from topoloom.failures.outage import Outage

#: Most names of hosts in a line.
_NAMED = 8


@declared(OutageOperation, Threads, Json)
def command(operation: OutageOperation, threads: Threads, to: Json) -> None:
    result = performed(operation, threads.jobs)
    if to.json:
        print_record(result)
        return
    print_facts(result.provenance.name, _facts(result))
    print_table([("", "before", "after"), *_compared(result)])
    if result.groups is not None:
        print_table(_phases(result.groups))
    for note in result.notes:
        say(note)


def _facts(result: "Outage") -> list[tuple[str, str]]:
    named = ", ".join(result.cut_off_hosts[:_NAMED])
    more = ", ..." if result.cut_off > _NAMED else ""
    facts = [
        ("lost", _lost(result)),
        ("hosts cut off", f"{result.cut_off:,} of {result.hosts:,}" + (f": {named}{more}" if named else "")),
        ("pairs of hosts without a path", f"{result.pairs_disconnected:,} of {result.pairs:,}"),
    ]
    if result.separated_switches:
        facts.append(("switches cut off", f"{result.separated_switches:,}"))
    if result.entries is not None:
        words = f"{result.entries_changed:,} of {result.entries:,}, {result.entries_broken:,} used lost cables"
        facts.append(("table entries that change", words + ("; all are new" if result.rebuilt else "")))
    if result.groups is not None and result.groups.switches:
        most, mean = (f"{100 * share:.2f} %" for share in (result.groups.share_most, result.groups.share_mean))
        facts.append(
            ("links of a switch lost", f"{most} at most, {mean} on average, of {result.groups.switches:,} switches")
        )
    return facts


def _phases(groups: "GroupLosses") -> list[tuple[str, ...]]:
    """What next-hop groups lose, from the loss to new tables."""
    lost = (groups.lost_at_once, groups.lost_withdrawn, groups.lost_recomputed)
    rates = (groups.throughput_before, groups.throughput_withdrawn, groups.throughput_recomputed)
    pairs = (groups.pairs_withdrawn, groups.pairs_recomputed)
    return [
        ("next-hop groups", "before members are withdrawn", "members withdrawn", "new tables"),
        (f"{groups.traffic} traffic lost", *(f"{100 * share:.4g} %" for share in lost)),
        (f"pairs that lose packets, of {groups.pairs:,}", "-", *(f"{count:,}" for count in pairs)),
        (f"throughput of the rest (before the loss {rates[0]:.4g})", "-", *(f"{rate:.4g}" for rate in rates[1:])),
    ]


def _lost(result: "Outage") -> str:
    switches, cables = len(result.lost_switches), len(result.lost_links)
    of_cables = "1 cable by itself" if cables == 1 else f"{cables:,} cables by themselves"
    return f"{switches:,} switch{'' if switches == 1 else 'es'}, {of_cables}"


def _compared(result: "Outage") -> list[tuple[str, str, str]]:
    def path(switches: tuple[int, ...]) -> str:
        return " ".join(result.names[str(switch)] for switch in switches) or "-"

    rows: list[tuple[str, Any, Any]] = []
    states = result.before, result.after
    for label, name in (
        ("switches", "switches"),
        ("cables between switches", "links"),
        ("hosts", "hosts"),
        ("diameter", "diameter"),
        ("mean hops", "mean_hops"),
        ("engine", "engine"),
        ("deadlock-free", "deadlock_free"),
        ("virtual channels", "virtual_channels"),
        ("pairs of switches on the most loaded channel", "max_load"),
        ("link-disjoint paths of the pair", "disjoint"),
        ("routing-independent bound, uniform traffic", "uniform_bound"),
        ("routing-independent bound, worst permutation", "worst_bound"),
        ("throughput of the tables, uniform traffic", "uniform_throughput"),
        ("throughput of the tables, worst permutation", "worst_throughput"),
    ):
        before, after = (getattr(state, name) for state in states)
        if before is not None or after is not None:
            rows.append((label, before, after))
    rows.append(("most loaded channel", path(result.before.most_loaded), path(result.after.most_loaded)))
    if result.before.disjoint is not None:
        rows.append(("path of the pair", path(result.before.path), path(result.after.path)))
    return [(label, _text(before), _text(after)) for label, before, after in rows]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else value if isinstance(value, str) else plain(value)
