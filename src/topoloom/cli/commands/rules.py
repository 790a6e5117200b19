"""`topoloom rules`: what verify looks for."""

from textwrap import fill

from topoloom.cli.declared import declared, performed
from topoloom.cli.output import print_record, say
from topoloom.cli.presentation import Json
from topoloom.operations.catalogue.rules import RulesOperation

_WIDTH = 100


@declared(RulesOperation, Json)
def command(operation: RulesOperation, to: Json) -> None:
    result = performed(operation)
    if to.json:
        print_record(result)
        return
    rules = result["rules"]
    if operation.codes:
        say("\n\n".join(_page(rule) for rule in rules))
        return
    wide = max((len(rule["name"]) for rule in rules), default=0)
    for rule in rules:
        say(f"{rule['code']}  {rule['severity']:7}  {rule['name']:{wide}}  {rule['meaning']}")


def _page(rule: dict[str, str]) -> str:
    """A rule as on the page of the rules: its title, meaning, explanation and fix."""
    parts = [
        f"{rule['name']}, {rule['severity']}: {rule['meaning']}",
        rule["explanation"],
        f"What to do: {rule['fix']}",
    ]
    return "\n\n".join([rule["code"], *(fill(part, _WIDTH, break_on_hyphens=False) for part in parts)])
