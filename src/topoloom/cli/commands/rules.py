"""`topoloom rules`: what verify looks for."""

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json
from topoloom.operations.catalogue.rules import RulesOperation


@declared(RulesOperation, Json)
def command(operation: RulesOperation, to: Json) -> None:
    result = performed(operation)
    if to.json:
        print_record(result)
        return
    rules = result["rules"]
    wide = max((len(rule["name"]) for rule in rules), default=0)
    for rule in rules:
        say(f"{rule['code']}  {rule['severity']:7}  {rule['name']:{wide}}  {rule['meaning']}")
