"""Claims of Kim, Dally, Scott and Abts, Technology-driven, highly-scalable Dragonfly topology, ISCA 2008."""

#: The places of claims: the abstract, Section 4 as others describe it, and the load curves of figure 8.
PLACES = "abstract section-4 fig-8a fig-8b"
