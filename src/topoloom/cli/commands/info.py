"""`topoloom info`: the figures of a topology, on one page."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import plain, print_facts, print_record
from topoloom.cli.presentation import Json, Threads
from topoloom.operations.catalogue.info import InfoOperation


@declared(InfoOperation, Threads, Json)
def command(operation: InfoOperation, threads: Threads, output: Json) -> None:
    result = performed(operation, threads.jobs)
    if output.json:
        print_record(result)
        return
    omitted = {"skipped", "provenance", "planes"}
    provenance = result.provenance
    rows = [("spec", provenance.spec)] if provenance.spec is not None else []
    if result.planes > 1:
        rows.append(("planes", f"{result.planes}; measures are per plane, sizes and bisection of all planes together"))
    values = {key: getattr(result, key) for key in result.__dataclass_fields__ if key not in omitted}
    rows += [(key, plain(value)) for key, value in values.items() if value is not None]
    rows.append(("digest", provenance.digest[:16]))
    rows += [(f"no {name}", reason) for name, reason in result.skipped.items()]
    print_facts(provenance.name, rows)
