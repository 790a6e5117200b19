"""`topoloom expander`: how well a network expands, compared with random regular graphs."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_facts, print_record, print_table, say
from topoloom.cli.presentation import Json
from topoloom.operations.catalogue.expander import ExpanderOperation


@declared(ExpanderOperation, Json)
def command(operation: ExpanderOperation, output: Json) -> None:
    result = performed(operation)
    if output.json:
        print_record(result)
        return
    rows = result.rows()
    facts = [("links per switch", plain(result.degree_mean)), ("2 sqrt(d - 1)", plain(result.random_eigenvalue))]
    facts += [] if result.self_lanes is None else [("lanes to themselves", str(result.self_lanes))]
    facts += [] if result.dark_lanes is None else [("dark lanes", str(result.dark_lanes))]
    print_facts(result.provenance.name, facts)
    head = tuple(key.replace("_", " ") for key in rows[0])
    print_table([head, *[tuple(plain(cell) for cell in row.values()) for row in rows]])
    if not result.random and operation.random_graphs:
        say(f"no random regular graph has these {result.random_degree} links per switch")
    if result.planes > 1:
        say(f"of the {result.planes} planes, the one that expands least")
