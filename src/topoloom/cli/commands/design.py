"""`topoloom design NEED.toml -o DIR`: the main job."""

import sys

import click

from topoloom.cli.output import json_option, say


@click.command(help="From a requirement file to ranked, priced designs and a report.")
@click.argument("need", type=click.Path())
@click.option(
    "-o", "--output", "folder", required=True, type=click.Path(file_okay=False), help="Folder for the report and files."
)
@click.option("--jobs", type=click.IntRange(1, 1024), help="Processes; the default is one for each core.")
@click.option("--fresh", is_flag=True, help="Measure everything again, even what an earlier run measured.")
@json_option
def command(need: str, folder: str, jobs: int | None, fresh: bool, as_json: bool) -> None:
    from topoloom.cli.folders import writable_folder
    from topoloom.designer.design import design
    from topoloom.designer.measure import Outcome
    from topoloom.designer.need import read_need
    from topoloom.report.design_files import design_json, write_design

    wanted = read_need(need)
    out = writable_folder(folder, "measured")
    bar = _Bar()

    def progress(done: int, total: int, candidate: Outcome | None) -> None:
        bar.show(done, total, candidate.spec if candidate is not None else f"{done} reused" if done else "")

    try:
        found = design(wanted, store=out / "measured", fresh=fresh, jobs=jobs, progress=progress)
    finally:
        bar.end()
    dear = found.dropped_by.get("cost_over_best", 0)
    if dear:
        say(f"{dear} more were not pursued: they cost over {wanted.limits.cost_over_best:g} times the best", err=True)
    if found.unmeasured:
        say(f"interrupted: {found.unmeasured} candidates not measured; writing what is known", err=True)
    write_design(found, out)
    if as_json:
        say(design_json(found), nl=False)
    else:
        best = found.winner
        if best is None:
            told = ", ".join(f"{limit} {count}" for limit, count in found.dropped_by.items())
            say(f"no candidate is within every limit (dropped by: {told})")
        else:
            say(
                f"best of {len(found.ranked)}: {best.spec}\n"
                f"  {best.switches:,} switches of {best.radix} ports, {best.hosts:,} hosts, diameter {best.diameter},"
                f" {best.cost_per_host_usd:,.1f} USD and {best.power_per_host_w:.2f} W a host"
            )
            limited = wanted.limits.oversubscription is not None or wanted.limits.busiest_channel is not None
            if not limited and best.oversubscription > 1.5:
                say(
                    f"  it is {best.oversubscription:.1f} times oversubscribed; set oversubscription under [limits] for"
                    " more bandwidth",
                    err=True,
                )
        say(f"report: {out / 'report.html'}")
    if found.unmeasured:
        sys.exit(130)


class _Bar:
    """Progress on stderr: one line that is rewritten on a terminal, a line every tenth elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._told = -1

    def show(self, done: int, total: int, what: str) -> None:
        if self._live:
            click.echo(f"\r\033[Kmeasured {done}/{total} {what[:60]}", err=True, nl=False)
        elif done * 10 // max(1, total) != self._told:
            self._told = done * 10 // max(1, total)
            say(f"measured {done}/{total}", err=True)

    def end(self) -> None:
        if self._live:
            click.echo("\r\033[K", err=True, nl=False)
