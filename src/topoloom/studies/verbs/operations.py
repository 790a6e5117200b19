"""The operations that a study can run."""

from typing import Any

from topoloom.operations.context import RunContext
from topoloom.operations.field import fields_of
from topoloom.operations.operation import OPERATIONS, Operation
from topoloom.studies.verb import VERBS, Verb
from topoloom.work import Work


def _run(arguments: Operation, jobs: int, work: Work) -> Any:
    return arguments.repeatable().run(RunContext(jobs, work=work))


for _name, _kind in OPERATIONS.items():
    if _kind.studied:
        _naming = {use: tuple(one.name for one in fields_of(_kind) if one.names == use) for use in ("file", "workload")}
        VERBS.add(_name, Verb(_name, _kind, _run, _naming["file"], _kind.row, _naming["workload"]))
