"""Record the verdicts: .venv/bin/python papers/tools/record.py [CLAIM ...]

Prints each verdict that changed, and writes `papers/tests/verdicts.json` and the sentence of `paper/paper.md` that counts
them. Look at every change before you commit it: the record exists so that no verdict changes unnoticed.
"""

import json
import re
import sys
import textwrap
from collections import Counter
from pathlib import Path

from topoloom_papers.registry import claims, run

_ROOT = Path(__file__).parents[2]
_RECORD, _PAPER = _ROOT / "papers" / "tests" / "verdicts.json", _ROOT / "paper" / "paper.md"
_COUNTED = re.compile(r"contains\s+\d+\s+claims\s+of .*?each\s+with\s+its\s+reason\.", re.S)

#: What the claims are of the papers.
_SCOPE = ": all that can be computed of five papers, and chosen numbers of the others"


def counted(verdicts: dict[str, str]) -> str:
    """The sentences that count the verdicts, as the paper has them."""
    n = Counter("best" if verdict.startswith("best of ") else verdict for verdict in verdicts.values())
    exact, step, holds, best = n["exact"], n["within one step"], n["holds"], n["best"]
    error = n["published value explained by an error"]
    papers = len({name.partition("/")[0] for name in verdicts})
    return (
        f"contains {n.total()} claims of {papers} papers (tables, figures, sentences) with the published number, the command"
        f" that recomputes it, and a verdict{_SCOPE}. {exact + step + holds + best + error} come out: {exact} exactly, {step}"
        f" within one step, {holds} as statements, {best} in the best of several readings of an ambiguous set-up, and {error}"
        f" once an error in the paper is taken into account. {n['the paper is wrong']} are shown to be wrong, and"
        f" {n['not reproducible']} are not reproducible, each with its reason."
    )


def main() -> None:
    """Compute the claims that are named, or all, and write both records."""
    recorded = json.loads(_RECORD.read_text(encoding="utf-8"))
    computed = {claim.id: run(claim).outcome.verdict_text for claim in claims(sys.argv[1:])}
    existing = {claim.id for claim in claims()}
    for name in sorted(recorded.keys() | computed.keys()):
        before, now = recorded.get(name), computed.get(name)
        if now and before != now:
            print(f"{name}: {before or 'new'} -> {now}")
        elif name not in existing:
            print(f"{name}: removed")
    verdicts = {name: verdict for name, verdict in (recorded | computed).items() if name in existing}
    _RECORD.write_text(json.dumps(dict(sorted(verdicts.items())), indent=1) + "\n", encoding="utf-8")
    text = _PAPER.read_text(encoding="utf-8")
    sentences = _COUNTED.search(text)
    if sentences is None:
        raise SystemExit(f"{_PAPER}: no sentence 'contains N claims of ... each with its reason.'; write it again")
    begin = text.rindex("\n\n", 0, sentences.start()) + 2
    end = text.index("\n\n", begin)
    paragraph = _COUNTED.sub(lambda _: counted(verdicts), " ".join(text[begin:end].split()))
    _PAPER.write_text(text[:begin] + textwrap.fill(paragraph, 128) + text[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
