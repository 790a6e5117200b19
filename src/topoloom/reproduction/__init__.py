"""The papers' claims, computed again: one folder a paper, each claim a function."""

from topoloom.reproduction.registry import Claim, Computed, claims, listed_claims, run
from topoloom.reproduction.reproduce import Reproduction, reproduce
from topoloom.reproduction.verdicts import Outcome, Verdict, judge

__all__ = [
    "Claim",
    "Computed",
    "Outcome",
    "Reproduction",
    "Verdict",
    "claims",
    "judge",
    "listed_claims",
    "reproduce",
    "run",
]
