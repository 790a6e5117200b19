"""`topoloom damage`: what is left of a network after failures, as a file."""

from typing import Annotated

from topoloom.cli.declared import declared, running
from topoloom.cli.presentation import Json
from topoloom.core.settings import setting
from topoloom.operations.catalogue.damage import DamageOperation


class _Output(Json, frozen=True, kw_only=True):
    output: Annotated[str, setting("the file; its suffix gives the format", option="-o --output", metavar="FILE")]


@declared(DamageOperation, _Output)
def command(operation: DamageOperation, to: _Output) -> None:
    from topoloom.cli.delivery import checked, deliver
    from topoloom.fabric.cable_lengths import lengths_of
    from topoloom.fabric.exports.registry import ExportRequest

    record = checked(to.output, None, to.json)
    with running(operation.doing) as context:
        topology, cabled = operation.left(context)
    order = None if cabled is None else ExportRequest(cabled, lengths=lengths_of(cabled))
    deliver(topology, to.output, record, to.json, order)
