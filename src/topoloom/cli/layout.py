"""`topoloom layout TOPOLOGY`: cabinets, cable lengths, floor plan."""

from pathlib import Path

import click
import numpy as np

from topoloom.cli.output import json_option, print_json


@click.command(help="Put the switches of TOPOLOGY in cabinets on a floor; every cable with its length.")
@click.argument("topology")
@click.option("--floor", default="slimfly-2014", show_default=True, help="Floor preset.")
@click.option("--rows", type=click.IntRange(1, 10_000), help="Rows of cabinet places (near-square if left out).")
@click.option("--columns", type=click.IntRange(1, 10_000), help="Places in a row.")
@click.option("--cabinet", type=click.IntRange(1, 1 << 24), help="Most switches in a cabinet.")
@click.option("--cluster", default="auto", show_default=True, help="auto, groups or sequence.")
@click.option("-o", "--output", type=click.Path(), help="Write the cables (.csv) or the floor plan (.svg).")
@json_option
def command(
    topology: str, floor: str, rows: int | None, columns: int | None, cabinet: int | None, cluster: str, output: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    from topoloom.errors import InputError
    from topoloom.files import write_atomically
    from topoloom.formats import open_topology
    from topoloom.formats.cables import cable_rows, csv_text
    from topoloom.layout.floor import preset
    from topoloom.layout.place import place
    from topoloom.report.floorplan import floorplan_svg

    given = {"rows": rows, "columns": columns, "switches_per_cabinet": cabinet}
    layout = place(open_topology(topology), preset(floor, **{k: v for k, v in given.items() if v is not None}), cluster)
    if output is not None:
        suffix = Path(output).suffix
        if suffix == ".svg":
            write_atomically(output, floorplan_svg(layout))
        elif suffix == ".csv":
            cables = cable_rows(layout.topology, cabinet=layout.cabinet, length_m=layout.length_m)
            write_atomically(output, csv_text(cables))
        else:
            raise InputError(f"{output}: the layout is written as .csv (cables) or .svg (floor plan)")
    between = int(layout.between.sum())
    facts = {
        "name": layout.topology.name, "floor": layout.floor.name, "cabinets": layout.cabinets,
        "switches_per_cabinet": int(np.bincount(layout.cabinet).max()), "cables": len(layout.length_m),
        "cables_between": between, "mean_length_m": layout.mean_length_m, "longest_m": layout.longest_m,
        "total_length_m": float(layout.length_m.sum()),
    }  # fmt: skip
    if as_json:
        print_json(facts)
        return
    shape = (layout.slots.rows, layout.slots.columns)
    click.echo(
        f"{layout.topology.name} on {layout.floor.name}: {layout.cabinets} cabinets, {shape[0]} x {shape[1]} places"
    )
    click.echo(f"cables: {facts['cables']:,}, {between:,} of them between cabinets")
    click.echo(
        f"length: mean {layout.mean_length_m:.3f} m, longest {layout.longest_m:.1f} m, total {facts['total_length_m']:,.0f} m"
    )
    if output is not None:
        click.echo(f"wrote {output}")
