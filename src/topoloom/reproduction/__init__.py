"""The papers' claims, computed again: one folder a paper, each claim a function."""

from topoloom.reproduction.registry import Claim, Outcome, Verdict, claims, judge, listed, run
from topoloom.reproduction.reproduce import Reproduction, reproduce

__all__ = ["Claim", "Outcome", "Reproduction", "Verdict", "claims", "judge", "listed", "reproduce", "run"]
