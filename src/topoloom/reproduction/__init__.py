"""The papers' claims, computed again: one file a paper, each claim a function."""

from topoloom.reproduction.registry import Claim, Outcome, Verdict, claims, judge, run

__all__ = ["Claim", "Outcome", "Verdict", "claims", "judge", "run"]
