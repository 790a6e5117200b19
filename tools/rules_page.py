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
}
_HEAD = """# The rules

Made by `tools/rules_page.py` from the records in `src/topoloom/fabric/diagnosis/rules`; change those, not this page.
`topoloom rules` shows the same on the command line;
[fabrics](../how-to/check-and-export-a-fabric.md#by-numbered-rules) shows how they are used.
A code never changes its meaning. **error**: the network does not do what is planned. **warning**: it does, but not as planned,
or not for long. **note**: worth knowing; alone it is no difference.

## Exit codes

| code | of `topoloom verify` |
|---|---|
| 0 | nothing is wrong: no error, no warning; there may be notes |
| 3 | there are errors or warnings |
| 2 | a mistake in what was given: one line says which |
| 1 | a mistake of topoloom's |
| 130 | interrupted |

Rules that are omitted (`--ignore`, `--only`) do not count.

"""


def rules_page() -> str:
    """The whole page."""
    ours = [one for code, one in RULES.items() if RULES.origin(code) == "here"]
    parts = [_HEAD]
    for digit, group in groupby(ours, key=lambda one: one.code[-3]):
        rules = list(group)
        rows = [
            f"| [{one.code}](#{one.code.lower()}) | `{one.name}` | {one.severity} | {_text(one.meaning)} |"
            for one in rules
        ]
        table = "\n".join(["| code | name | severity | what is wrong |", "|---|---|---|---|", *rows])
        parts += [f"## {_GROUPS[digit]}\n\n{table}\n\n", *map(_section, rules)]
    return "".join(parts).rstrip("\n") + "\n"


def _section(one: Rule) -> str:
    parts = [f"`{one.name}`, {one.severity}: {one.meaning}", one.explanation, f"**What to do.** {one.fix}"]
    return f"### {one.code}\n\n" + "".join(f"{fill(_text(part), 124, break_on_hyphens=False)}\n\n" for part in parts)


def _text(text: str) -> str:
    return text.replace("<", "&lt;").replace("|", "\\|")


if __name__ == "__main__":
    _PAGE.write_text(rules_page(), encoding="utf-8")
