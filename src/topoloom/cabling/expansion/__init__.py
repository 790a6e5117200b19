"""Growing a network cable by cable: the places of new switches, the cables that move, and their order."""
