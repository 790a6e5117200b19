"""`topoloom methods`: the methods by which expand grows a network."""

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
        print_facts(
            None, [(method["name"], f"{method['description']}; --to counts {method['counts']}") for method in methods]
        )
