"""Growing a network cable by cable: where new switches stand, which cables move, and in which order."""
