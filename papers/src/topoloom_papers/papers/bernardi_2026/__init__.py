"""Claims of Bernardi, Mahajan, Seshadhri, Carlesso, Joseph, Kumar and others, RNG: flat datacenter networks at scale,
arXiv:2604.15261, 2026."""

#: The places of claims: the abstract, the sections that public notes quote, and Amazon's own announcement.
PLACES = "abstract section-5 section-6 section-9.2 appendix-a announcement"
