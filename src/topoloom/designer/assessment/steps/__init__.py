"""The steps of an assessment, one file per step: each computes figures and results of a network."""
