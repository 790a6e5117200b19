"""Claims of Truong, Nguyen, Fujiwara and Koibuchi, Layout-conscious expandable topology for low-degree interconnection
networks, IEICE Transactions on Information and Systems E99-D(5), 2016."""

#: The places of claims, in the paper's order.
PLACES = """
    abstract section-1 section-3.2 fig-1 section-3.3 fig-2 section-4.1 theorem-1a theorem-1b theorem-1c section-4.2
    fig-3 section-4.3 fig-4 fig-5 section-4.4 fig-6 section-5.1 fig-7 section-5.2 fig-8 section-6.2 fig-9 conclusion
"""
