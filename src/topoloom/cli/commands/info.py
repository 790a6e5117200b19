"""`topoloom info`: what a topology is worth, on one page."""

import click

from topoloom.cli.output import json_option, plain, print_facts, print_record
from topoloom.cli.progress import working
from topoloom.cli.types import Whole
from topoloom.opening import open_network


@click.command(
    help="Size, degree, diameter, ASPL, bounds, bisection and more of TOPOLOGY (a spec, a file or a folder)."
    "\n\nExample: topoloom info slimfly:q=5,hosts=4"
)
@click.argument("topology")
@click.option("--full", is_flag=True, help="Measure everything, however long it takes.")
@click.option("--load", is_flag=True, help="The busiest channel too, traffic split evenly over all shortest paths.")
@click.option("--seeds", type=Whole(1, 10_000), default=8, show_default=True, help="METIS runs for the bisection.")
@click.option("--jobs", type=Whole(1, 1024), help="Threads; every core when left out.")
@json_option
def command(topology: str, full: bool, load: bool, seeds: int, jobs: int | None, as_json: bool) -> None:
    from topoloom.overview import info

    opened = open_network(topology).topology
    with working("measuring") as work:
        found = info(opened, full=full, load=load, seeds=seeds, jobs=jobs, work=work)
    if as_json:
        print_record(found)
        return
    left_out = {"skipped", "provenance", "planes"}
    rows = [("spec", opened.spec)] if opened.spec is not None else []
    if found.planes > 1:
        rows.append(
            ("planes", f"{found.planes}; measures are those of a plane, but sizes and bisection of all together")
        )
    values = {key: getattr(found, key) for key in found.__dataclass_fields__ if key not in left_out}
    rows += [(key, plain(value)) for key, value in values.items() if value is not None]
    rows.append(("digest", opened.digest[:16]))
    rows += [(f"no {name}", reason) for name, reason in found.skipped.items()]
    print_facts(opened.name, rows)
