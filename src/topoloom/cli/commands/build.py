"""`topoloom build`: a topology from a spec, into a file."""

from typing import Annotated

from topoloom.cli.declared import declared, performed
from topoloom.cli.presentation import Json
from topoloom.core.settings import setting
from topoloom.operations.catalogue.build import BuildOperation


class _Output(Json, frozen=True, kw_only=True):
    output: Annotated[
        str, setting("the file; standard output, in topoloom's JSON, if omitted", option="-o --output", metavar="FILE")
    ] = "-"
    format: Annotated[str, setting("the file's format; by its suffix if omitted", metavar="FORMAT")] | None = None


@declared(BuildOperation, _Output)
def command(operation: BuildOperation, output: _Output) -> None:
    from topoloom.cli.delivery import checked, deliver

    # A wrong file name should not cost a long build.
    record = checked(output.output, output.format, output.json)
    deliver(performed(operation), output.output, record, output.json)
