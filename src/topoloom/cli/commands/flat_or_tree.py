"""`topoloom flat-or-tree`: a flat random network and a fat tree of equal hosts and equal switches."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_facts, print_record, print_table
from topoloom.cli.presentation import Json, Threads
from topoloom.operations.catalogue.flat_or_tree import FlatOrTreeOperation


@declared(FlatOrTreeOperation, Threads, Json)
def command(operation: FlatOrTreeOperation, threads: Threads, to: Json) -> None:
    result = performed(operation, threads.jobs)
    if to.json:
        print_record(result)
        return
    sides = (result.flat, result.tree)
    facts = []
    for side in sides:
        facts += [
            (side.name, f"{side.spec}, {side.engine}"),
            ("", side.rule),
            (
                "",
                f"{side.switches:,} switches of {side.hosts_per_switch} hosts and {side.links_per_switch} links to others",
            ),
            ("growth", side.growth_note),
        ]
    print_facts(f"{result.provenance.name}, seed {result.provenance.seed}", facts)
    rows = [("", "", "flat", "tree", "flat / tree", "better")]
    for own in result.verdicts:
        values = ("unknown" if value is None else plain(value) for value in (own.flat, own.tree))
        ratio = "" if own.ratio is None else f"{own.ratio:.2f}"
        rows.append((own.label, own.unit, *values, ratio, own.wins + (", with any routing" if own.any_routing else "")))
    print_table(rows)
