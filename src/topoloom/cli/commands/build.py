"""`topoloom build`: a topology from a spec, into a file."""

import click

from topoloom.cli.delivery import checked, deliver
from topoloom.cli.output import json_option


@click.command(help="Make a topology from SPEC (slimfly:q=19,hosts=15) and write it to a file.")
@click.argument("spec")
@click.option("-o", "output", metavar="FILE", default="-", help="Where; left out: standard output, in topoloom's JSON.")
@click.option("--format", "name", metavar="FORMAT", help="The file's format; else its suffix tells.")
@json_option
def command(spec: str, output: str, name: str | None, as_json: bool) -> None:
    import os

    from topoloom.errors import InputError
    from topoloom.spec import build

    # A wrong file name should not cost a long build.
    record = checked(output, name, as_json)
    if os.path.isfile(spec):  # Path.is_file raises where a spec is longer than a file's name
        raise InputError(f"{spec} is a file; 'topoloom convert' reads files, build takes a spec")
    deliver(build(spec), output, record, as_json)
