"""Write docs/reference/rules.md from the register of rules: .venv/bin/python tools/rules_page.py"""

from itertools import groupby
from pathlib import Path
from textwrap import fill

from topoloom.fabric.diagnosis.rule import RULES, Rule

_PAGE = Path(__file__).parents[1] / "docs" / "reference" / "rules.md"
_GROUPS = {
    "1": "Cables and ports",
    "2": "Switches and hosts",
    "3": "Rails, planes and shape",
    "4": "Tables",
    "5": "Names and addresses",
    "6": "Panels, cords and trunks",
}
_HEAD = """# The rules

Made by `tools/rules_page.py` from the records in `src/topoloom/fabric/diagnosis/rules`; change those, not this page.
`topoloom rules` shows the same on the command line;
[fabrics](../how-to/check-and-export-a-fabric.md#by-numbered-rules) shows how to use them.
A code never changes its meaning. **error**: the network does not work as planned. **warning**: it works, but not as planned, or
it is at risk. **note**: useful to know, but not a difference from the plan.

## Exit codes

| code | meaning for `topoloom verify` |
|---|---|
| 0 | no errors and no warnings; notes are possible |
| 3 | errors or warnings |
| 2 | invalid input; one line describes it |
| 1 | a bug in topoloom |
| 130 | interrupted |

Omitted rules (`--ignore`, `--only`) do not count.

"""


def rules_page() -> str:
    """The text of the page."""
    ours = [rule for code, rule in RULES.items() if RULES.origin(code) == "here"]
    parts = [_HEAD]
    for digit, group in groupby(ours, key=lambda rule: rule.code[-3]):
        rules = list(group)
        rows = [
            f"| [{rule.code}](#{rule.code.lower()}) | `{rule.name}` | {rule.severity} | {_text(rule.meaning)} |"
            for rule in rules
        ]
        table = "\n".join(["| code | name | severity | problem |", "|---|---|---|---|", *rows])
        parts += [f"## {_GROUPS[digit]}\n\n{table}\n\n", *map(_section, rules)]
    return "".join(parts).rstrip("\n") + "\n"


def _section(rule: Rule) -> str:
    parts = [f"`{rule.name}`, {rule.severity}: {rule.meaning}", rule.explanation, f"**What to do.** {rule.fix}"]
    return f"### {rule.code}\n\n" + "".join(f"{fill(_text(part), 124, break_on_hyphens=False)}\n\n" for part in parts)


def _text(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|")


if __name__ == "__main__":
    _PAGE.write_text(rules_page(), encoding="utf-8")
