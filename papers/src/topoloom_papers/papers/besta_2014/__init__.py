"""Claims of Besta and Hoefler, Slim Fly: a cost effective low-diameter network topology, SC 2014."""

#: The places of claims, in the paper's order.
PLACES = """
    abstract i ii-a ii-b fig-5a ii-c fig-5b iii-a table-ii iii-b fig-1 iii-c fig-5c iii-d-1 table-iii iii-d-2 iii-d-3
    iii-d iv-a iv-b iv-c iv-d v v-a fig-6a fig-6b fig-6c fig-6d v-d fig-8 fig-8a v-e fig-8b fig-8c fig-8d fig-8e vi vi-a
    vi-b fig-11a fig-11b vi-c vi-b-4 fig-11c fig-11d table-iv vii-a vii-b vii-c viii conclusion
"""
