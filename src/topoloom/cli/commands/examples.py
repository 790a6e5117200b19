"""`topoloom examples`: the examples, listed, shown and copied."""

from typing import Annotated

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_record, print_table, say
from topoloom.cli.presentation import Json
from topoloom.core.settings import setting
from topoloom.operations.catalogue.examples import ExamplesOperation


class _Output(Json, frozen=True, kw_only=True):
    output: (
        Annotated[
            str,
            setting(
                "copy into this folder, with the files that are referred to", option="-o --output", metavar="DIRECTORY"
            ),
        ]
        | None
    ) = None
    force: Annotated[bool, setting("replace files that differ from the examples")] = False


@declared(ExamplesOperation, _Output)
def command(operation: ExamplesOperation, to: _Output) -> None:
    from topoloom.start.examples import copy_examples

    record = performed(operation)
    files: list[str] = []
    if to.output is not None:
        files = [
            str(path)
            for path in copy_examples(to.output, *([operation.name] if operation.name else []), force=to.force)
        ]
        say(f"{len(files)} files in {to.output}" if len(files) > 3 else f"wrote {', '.join(files)}", err=True)
    if to.json:
        print_record(record | {"files": files})
    elif to.output is None and operation.name is not None:
        (chosen,) = operation.chosen()
        say(record["examples"][0]["text"], nl=False)
        if len(chosen.files) > 1:
            say(f"this is {chosen.file} of {len(chosen.files)} files; -o DIRECTORY copies all of them", err=True)
    elif to.output is None:
        print_table([tuple(example[key] for key in ("name", "kind", "description")) for example in record["examples"]])
        say("topoloom examples NAME shows one, -o DIRECTORY copies it, or all without a name", err=True)
