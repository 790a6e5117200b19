"""The register of rules: each has a code with a fixed meaning, a page that explains it, and a check."""

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
#: TL101: letters of the package that defines the rule, the digit of the group, the number in the group.
_CODE = re.compile(r"[A-Z]{2,8}[0-9]{3}")
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PATTERN = re.compile(r"[A-Z]{2,8}(?:[0-9]{3}|[0-9]{2}[Xx]|[0-9][Xx]{2}|[Xx]{3})")
Check = Callable[["Evidence"], Iterable["Finding"]]


@dataclass(frozen=True)
class Rule:
    """A rule: one kind of fault.

    Attributes
    ----------
    code : str
        ``TL101``; its meaning never changes.
    name : str
        A few words with hyphens: ``cable-missing``.
    severity : "error", "warning" or "note"
        error: the network does not work as planned. warning: it works, but not as planned, or perhaps not for long. note:
        worth knowing; a note alone is no fault.
    meaning : str
        The fault, in one line.
    explanation : str
        The effect on the network, and the root cause.
    fix : str
        What to do.
    check : callable (Evidence) -> findings
        The function that finds the faults.
    page : str
        The page that explains the rule.
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
        """All fields except the check, and the package that defines the rule (``here``: topoloom)."""
        keys = ("code", "name", "severity", "meaning", "explanation", "fix", "page")
        return {key: getattr(self, key) for key in keys} | {"from": RULES.origin(self.code)}


#: All rules by code; the name is an alias.
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
        Two to eight capitals and three digits. ``TL`` is topoloom's; your own package takes other letters.
    name : str
        A few lower-case words with hyphens.
    severity : "error", "warning" or "note"
    meaning : str
        The fault, in one line.
    explanation : str
        The effect on the network, and the root cause; a few sentences.
    fix : str
        What to do; a sentence or two.
    page : str
        The page that explains the rule; that of topoloom's own rules when omitted.

    Returns
    -------
    callable
        The decorator.

    Raises
    ------
    InputError
        The code, name or severity is not valid, or another package has it.
    """
    if not _CODE.fullmatch(code):
        raise InputError(f"the rule '{code[:30]}': a code is two to eight capitals and three digits, such as TL101")
    if not _NAME.fullmatch(name):
        raise InputError(
            f"the rule {code}: '{name[:40]}' is not a name; write lower-case words with hyphens (cable-missing)"
        )
    if severity not in (ERROR, WARNING, NOTE):
        raise InputError(f"the rule {code}: '{str(severity)[:40]}' is not a severity; write error, warning or note")

    def register(check: Check) -> Check:
        where = page or f"docs/reference/rules.md#{code.lower()}"
        record = Rule(code, name, severity, meaning, " ".join(explanation.split()), " ".join(fix.split()), check, where)
        RULES.add(code, record, aliases=(name,))
        return check

    return register


def chosen(only: Sequence[str] = (), ignore: Sequence[str] = ()) -> list[Rule]:
    """The selected rules, in the order of their codes.

    Parameters
    ----------
    only, ignore : sequence of str
        Codes, names, or groups: ``TL203``, ``host-missing``, ``TL3xx``; a text may name several, separated by commas. If
        `only` is omitted, all rules.

    Raises
    ------
    InputError
        A word matches no rule.
    """
    selected, dropped = set(_codes(only)), set(_codes(ignore))
    return [rule for code, rule in RULES.items() if (code in selected or not only) and code not in dropped]


def _codes(words: Sequence[str]) -> Iterator[str]:
    parts = [part.strip() for text in words for part in text.split(",")]
    if words and not any(parts):
        raise InputError("no rule is named; 'topoloom rules' lists them")
    for word in filter(None, parts):
        pattern = word.upper()
        if "X" in pattern[-3:] and _PATTERN.fullmatch(pattern):
            stem = pattern.rstrip("X") if pattern[-1] == "X" else pattern
            codes = [code for code in RULES if code.startswith(stem) and len(code) == len(pattern)]
            if not codes:
                raise InputError(f"no rule has a code like {word}; 'topoloom rules' lists them")
            yield from codes
        elif longer := next((code for code in RULES if code.startswith(pattern) and code != pattern), None):
            raise InputError(f"no rule named '{word}' (did you mean {pattern:x<{len(longer)}}?)")
        else:
            yield RULES.find(pattern if _CODE.fullmatch(pattern) else word).code
