"""`topoloom methods`: the ways in which expand grows a network."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_facts, print_record
from topoloom.cli.presentation import Json
from topoloom.operations.catalogue.methods import MethodsOperation


@declared(MethodsOperation, Json)
def command(operation: MethodsOperation, output: Json) -> None:
    record = performed(operation)
    if output.json:
        print_record(record)
    else:
        methods = record["methods"]
        print_facts(None, [(one["name"], f"{one['description']}; --to counts {one['counts']}") for one in methods])
