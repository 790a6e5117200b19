"""The register of rules: each has a code that never changes its meaning, a page that explains it, and a check."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from topoloom.core.errors import InputError
from topoloom.core.register import Register

if TYPE_CHECKING:
    from topoloom.fabric.diagnosis.evidence import Evidence
    from topoloom.fabric.diagnosis.finding import Finding

Severity = Literal["error", "warning", "note"]
ERROR: Severity = "error"
WARNING: Severity = "warning"
NOTE: Severity = "note"
#: TL101: letters of whoever brings the rule, the group's digit, its number within it.
_CODE = re.compile(r"[A-Z]{2,8}[0-9]{3}")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PATTERN = re.compile(r"[A-Z]{2,8}(?:[0-9]{3}|[0-9]{2}[Xx]|[0-9][Xx]{2}|[Xx]{3})")

Check = Callable[["Evidence"], Iterable["Finding"]]


@dataclass(frozen=True)
class Rule:
    """A thing that can be wrong.

    Attributes
    ----------
    code : str
        ``TL101``; it never gets another meaning.
    name : str
        In a few words with hyphens: ``cable-missing``.
    severity : "error", "warning" or "note"
        error: the network does not do what is planned. warning: it does, but not as planned, or may not for long. note: worth
        knowing; alone it is no difference.
    meaning : str
        What is wrong, in a line.
    explanation : str
        What it does to the network, and what is at its root.
    fix : str
        What to do.
    check : callable (Evidence) -> findings
        Finds it.
    page : str
        Where it is explained.
    """

    code: str
    name: str
    severity: Severity
    meaning: str
    explanation: str
    fix: str
    check: Check
    page: str

    def record(self) -> dict[str, str]:
        """All of it but the check, and the package that it is from (``here``: topoloom)."""
        keys = ("code", "name", "severity", "meaning", "explanation", "fix", "page")
        return {key: getattr(self, key) for key in keys} | {"from": RULES.origin(self.code)}


#: Every rule by its code; the name is an alias.
RULES: Register[Rule] = Register(
    "rule", package="topoloom.fabric.diagnosis.rules", group="topoloom.rules", listed="topoloom rules"
)


def rule(
    code: str, name: str, severity: Severity, meaning: str, *, explanation: str, fix: str, page: str = ""
) -> Callable[[Check], Check]:
    """Register a function as the check of a rule.

    Parameters
    ----------
    code : str
        Two to eight capitals and three digits. ``TL`` is topoloom's; a package of your own takes letters of its own.
    name : str
        A few small words with hyphens.
    severity : "error", "warning" or "note"
    meaning : str
        What is wrong, in a line.
    explanation : str
        What it does to the network, and what is at its root; a few sentences.
    fix : str
        What to do; a sentence or two.
    page : str
        Where it is explained; the page of topoloom's own rules when omitted.

    Returns
    -------
    callable
        The decorator.

    Raises
    ------
    InputError
        A code, a name or a severity that is none, or one that another package has.
    """
    if not _CODE.fullmatch(code):
        raise InputError(f"the rule '{code[:30]}': a code is two to eight capitals and three digits, such as TL101")
    if not _NAME.fullmatch(name):
        raise InputError(f"the rule {code}: '{name[:40]}' is no name; it is small words with hyphens (cable-missing)")
    if severity not in (ERROR, WARNING, NOTE):
        raise InputError(f"the rule {code}: '{str(severity)[:40]}' is no severity; it is error, warning or note")

    def register(check: Check) -> Check:
        where = page or f"docs/reference/rules.md#{code.lower()}"
        record = Rule(code, name, severity, meaning, " ".join(explanation.split()), " ".join(fix.split()), check, where)
        RULES.add(code, record, aliases=(name,))
        return check

    return register


def chosen(only: Sequence[str] = (), ignore: Sequence[str] = ()) -> list[Rule]:
    """The rules that are asked, in the order of their codes.

    Parameters
    ----------
    only, ignore : sequence of str
        Codes, names, or groups: ``TL203``, ``host-missing``, ``TL3xx``; several in one text are parted by commas. `only` left
        out: all of them.

    Raises
    ------
    InputError
        A word that names no rule.
    """
    kept, dropped = set(_codes(only)), set(_codes(ignore))
    return [one for code, one in RULES.items() if (code in kept or not only) and code not in dropped]


def _codes(words: Sequence[str]) -> Iterator[str]:
    parts = [part.strip() for text in words for part in text.split(",")]
    if words and not any(parts):
        raise InputError("no rule is named; 'topoloom rules' lists them")
    for word in filter(None, parts):
        pattern = word.upper()
        if "X" in pattern[-3:] and _PATTERN.fullmatch(pattern):
            stem = pattern.rstrip("X") if pattern[-1] == "X" else pattern
            found = [code for code in RULES if code.startswith(stem) and len(code) == len(pattern)]
            if not found:
                raise InputError(f"no rule has a code like {word}; 'topoloom rules' lists them")
            yield from found
        else:
            yield RULES.find(pattern if _CODE.fullmatch(pattern) else word).code
