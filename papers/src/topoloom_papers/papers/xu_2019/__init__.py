"""Claims of Xu, Huang and Deng, Optimal routing for a family of scalable interconnection networks, arXiv:1909.06497, 2019."""

#: The places of claims, in the paper's order.
PLACES = """
    abstract section-1 section-2.1 table-1 section-2.2 table-2 fig-3 fig-4 section-2.3 proposition-1 section-3.1 fig-8 fig-9
    section-3.2 fig-10 fig-11 fig-12 conclusion
"""
