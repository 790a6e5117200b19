"""`topoloom compare NETWORK...`: networks that the user names, taken the whole way side by side."""

from typing import Any

import click

from topoloom.cli.output import json_option, print_record, say
from topoloom.cli.placing import placing_of, placing_options, terms_of
from topoloom.cli.signals import hurried
from topoloom.cli.types import Number, Whole
from topoloom.core.errors import Stopped


@click.command(
    help="""Take NETWORKs (specs, files or folders) through bill, tables and proof, throughput, simulated load, collectives,
    failures and growth, and rank them.

    A layout, and the tables of a folder, are taken as they are; what has none is placed on the floor, and routed by the engine
    that fits. What does not fit into --minutes is said, never guessed.
    """
)
@click.argument("networks", nargs=-1, required=True, metavar="NETWORK...")
@placing_options()
@click.option("--reference", help="The one of them that the others are set beside.")
@click.option(
    "--minimize", default="cost_usd", show_default=True, help="The figure that they are ranked by, as --json calls it."
)
@click.option("--needed", type=Whole(1), help="Hosts that are needed, for what 10 % more of them cost.")
@click.option("--minutes", type=Number(above=0, unit="minutes"), default=5.0, show_default=True, help="The budget.")
@click.option(
    "--repeats", type=Whole(1, 16), default=16, show_default=True, help="Of draws, at most, where time is left."
)
@click.option("--radix", type=Whole(1), help="Ports of the switches that can be had, for growth.")
@click.option("--lanes", type=Whole(1, 255), default=8, show_default=True, help="Virtual lanes of a switch.")
@click.option("--host-cables/--no-host-cables", default=None, help="Also bill a cable for every host.")
@click.option(
    "--spares/--no-spares", default=None, help="Also bill spares: 1 % of the switches and 2 % of cables and optics."
)
@click.option("--seed", default=1, show_default=True, type=Whole(0, (1 << 31) - 1), help="Of all draws.")
@click.option("--jobs", type=Whole(1, 1024), help="Threads; every core when left out.")
@click.option(
    "--files",
    type=click.Choice(["some", "all"]),
    default="some",
    show_default=True,
    help="With -o, all: files for installers and for other tools, too.",
)
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(file_okay=False),
    help="Folder for the report and the networks' folders.",
)
@json_option
def command(
    networks: tuple[str, ...],
    reference: str | None,
    minimize: str,
    needed: int | None,
    minutes: float,
    repeats: int,
    radix: int | None,
    lanes: int,
    seed: int,
    jobs: int | None,
    files: str,
    folder: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    from topoloom.cli.assessment_text import print_assessment, print_assessments
    from topoloom.cli.folders import writable_folder
    from topoloom.cli.progress import working
    from topoloom.core.errors import InputError
    from topoloom.designer.assessment.compare import compare
    from topoloom.network.laying_out import all_laid_out
    from topoloom.network.opening import open_network
    from topoloom.report.compare_files import write_comparison

    if reference is not None and reference not in networks:
        raise InputError(
            f"--reference {reference}: it is none of the networks; name one of them ({', '.join(networks)})"
        )
    opened = [open_network(name) for name in networks]
    terms, placing = terms_of(options, opened), placing_of(options, opened)
    out = None if folder is None else writable_folder(folder, "measured")
    with working("comparing") as work:
        found = compare(
            all_laid_out(opened, terms=terms, **placing, seed=seed, jobs=jobs, work=work),
            reference=None if reference is None else networks.index(reference),
            minimize=minimize,
            hosts=needed,
            minutes=minutes,
            repeats=repeats,
            radix=radix,
            lanes=lanes,
            seed=seed,
            store=None if out is None else out / "measured",
            jobs=jobs,
            work=work,
        )
    if out is not None and hurried():
        raise Stopped(f"interrupted: run it again to go on from {out}/measured")
    if out is not None:
        write_comparison(found, out, everything=files == "all")
    if as_json:
        print_record(found)
    elif len(found.networks) == 1:
        print_assessment(found.networks[0], minutes)
    else:
        print_assessments(found.networks, minutes, found.reference)
    if out is not None and not as_json:
        say(f"report: {out / 'compare.html'}")
    if found.ended == "interrupted":
        raise KeyboardInterrupt
